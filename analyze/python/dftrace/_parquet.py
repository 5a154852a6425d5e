# SPDX-License-Identifier: MIT
"""What `dftrace export -f parquet` runs: OUTPUT JOB [CONDITION…]"""

import sys
import warnings


def main(words):
    warnings.showwarning = lambda message, *_, **__: print(
        "dftrace: warning: %s" % message, file=sys.stderr)
    try:
        import pyarrow.parquet      # noqa: F401
    except ImportError:
        print("dftrace: --format parquet: this Python (%s) has no pyarrow: "
              "install it there (pip install pyarrow), or use --format csv"
              % sys.executable, file=sys.stderr)
        return 1
    try:
        from . import _read
        with warnings.catch_warnings(record=True) as damage:
            warnings.simplefilter("always")
            trace = _read.read(words[1])
        for one in damage:
            print("dftrace: warning: %s" % one.message, file=sys.stderr)
        trace.events(where=words[2:]).to_parquet(words[0])
    except Exception as why:        # the library's errors, too
        print("dftrace: %s" % why, file=sys.stderr)
        return 1
    return 5 if damage else 0
