# SPDX-License-Identifier: MIT
#
# sitecustomize.py - start of every Python process under --dftrace=app
#
# In:  PYTHONPATH names this directory (dftrace run, the SPANK plugin)
# Out: the import hook of the package dftrace; then the sitecustomize that the
#      interpreter would have had without us, and its sys.path
# Caveat: runs in interpreters of any age, so the syntax is that of all.
import os
import sys


def _dftrace_start():
    """Return 1 if dftrace is imported and needs no place in sys.path."""
    if sys.version_info < (3, 7) or not os.environ.get("DFTRACE_JOB_DIR"):
        return 0
    try:
        from dftrace import _hook
        _hook.start()
        return 1
    except Exception:
        # The program must run whatever is wrong with us.
        if os.environ.get("DFTRACE_DEBUG", "0") not in ("", "0"):
            import traceback
            traceback.print_exc()
        return 0


def _dftrace_next(started):
    """The next sitecustomize on the path, in our place. If the hook has
    started, sys.path becomes what it is without us."""
    here = os.path.dirname(os.path.abspath(__file__))
    at = [i for i, p in enumerate(sys.path) if os.path.abspath(p) == here]
    ours = [sys.path.pop(i) for i in reversed(at)]
    us = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize    # noqa: F401
    finally:
        if us is not None:
            sys.modules.setdefault("sitecustomize", us)
        if not started:
            for i, p in zip(at, reversed(ours)):
                sys.path.insert(i, p)


try:
    _dftrace_next(_dftrace_start())
except ImportError as _error:       # site.py says what else there is
    if getattr(_error, "name", "sitecustomize") != "sitecustomize":
        raise
