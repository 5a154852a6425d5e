# SPDX-License-Identifier: MIT
"""python3 -m dftrace points [--source DIR | --import] [--all] [FILE…]

What `dftrace points` runs; see its --help.
"""

import sys

from . import _check

_SAYS = {
    "bad": "%d lines make no sense",
    "missing": "%d names are not there",
    "there": "%d names are there",
    "optional": "%d optional names are not",
    "elsewhere": "%d are of packages that are not here",
    "unchecked": "%d lines are well-formed",
}


def _arguments(args):
    look, everything, files = None, False, []
    while args:
        arg = args.pop(0)
        if arg == "--source" and args:
            look = _check.source(args.pop(0))
        elif arg == "--import":
            look = _check.installed
            _check.with_ours()
        elif arg == "--all":
            everything = True
        elif arg == "--":
            return look, everything, files + args
        elif arg.startswith("-"):
            sys.exit(__doc__)
        else:
            files.append(arg)
    return look, everything, files


def main(args):
    if not args or args[0] != "points":
        sys.exit(__doc__)
    look, everything, files = _arguments(args[1:])
    counts = _check.files(files, look, everything, print)
    print("; ".join(_SAYS[word] % counts[word] for word in _check.WORDS
                    if counts[word]) or "no lines")
    return 1 if any(counts[word] for word in _check.WRONG) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
