#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of one Python span, beside pydftracer where that is installed.

    dftrace run -q -o /tmp/b --layers app -- python3 bench/python_span.py
    PYTHONPATH=build/python python3 bench/python_span.py       (untraced)

Each number: best of REPEATS loops, minus the same loop without a span.
"""

import sys
import timeit

LOOPS, REPEATS = 20000, 9


def best(statement, names):
    return min(timeit.repeat(statement, globals=names, number=LOOPS,
                             repeat=REPEATS)) / LOOPS * 1e9


def point(function):
    """As the import hook wraps it."""
    from dftrace import _backend, _capture, _span, _wrap

    if not _backend.active:
        return function
    return _wrap.wrap(
        function, _span.event_id("data", "point"),
        _capture.Capture([("image_idx", "a"), ("step", "b"), ("size", "c")],
                         function), outermost=True)


def rows(label, ai, region=None, trace=None):
    three = {"image_idx": 3, "image_size": 4096, "step": 7}
    ten = {"k%d" % i: i for i in range(10)}

    def nothing():
        pass

    names = {"ai": ai, "region": region, "f": nothing, "three": three,
             "ten": ten, "decorated": ai.compute.forward(nothing),
             "node": ai.data.item}
    if trace:
        names["captured"] = trace("data", "captured", image_idx="a", step="b",
                                  size="c")(lambda a, b, c: None)
        names["point"] = point(lambda a, b, c: None)
        names["plain"] = lambda a, b, c: None
    call, block = best("f()", names), best("pass", names)
    out = [("@ai.compute.forward", best("decorated()", names) - call),
           ("with ai.data.item", best("with node: pass", names) - block)]
    ai.update(image_idx=3, image_size=4096, step=7)
    out += [("@ai.compute.forward, 3 args", best("decorated()", names) - call),
            ("with ai.data.item, 3 args",
             best("with node: pass", names) - block)]
    if region:
        out += [("with region (), 3 args",
                 best("with region('data', 'item', image_idx=3, "
                  "image_size=4096, step=7): pass", names)
                 - block),
                ("with region (), 10 args",
                 best("with region('data', 'item', **ten): pass", names)
                 - block)]
    if trace:
        out.append(("a trace point with 3 captures",
                    best("point(1, 2, 3)", names)
                    - best("plain(1, 2, 3)", names)))
        out.append(("@trace with 3 captures", best("captured(1, 2, 3)", names)
                    - best("plain(1, 2, 3)", names)))
    for name, ns in out:
        print("%-12s %-30s %7.0f ns" % (label, name, ns))


def main():
    from dftrace import _backend, ai, region, trace

    rows(_backend.way, ai, region, trace)
    sys.path[:] = [p for p in sys.path if not p.endswith("dftrace/compat")]
    try:
        from dftracer.python import ai as theirs
    except ImportError:
        print("pydftracer   not installed")
    else:
        rows("pydftracer", theirs)


if __name__ == "__main__":
    main()
