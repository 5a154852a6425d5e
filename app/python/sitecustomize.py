# SPDX-License-Identifier: MIT
#
# sitecustomize.py - start of every Python process under --dftrace=app
#
# In:  PYTHONPATH names this directory (dftrace run, the SPANK plugin)
# Out: the import hook of the package dftrace; then the sitecustomize that the
#      interpreter would have had without us
# Caveat: runs in interpreters of any age, so the syntax is that of all.
import os
import sys


def _dftrace_start():
    if sys.version_info < (3, 7) or not os.environ.get("DFTRACE_JOB_DIR"):
        return
    try:
        from dftrace import _hook
        _hook.start()
    except Exception:
        # The program must run whatever is wrong with us.
        if os.environ.get("DFTRACE_DEBUG", "0") not in ("", "0"):
            import traceback
            traceback.print_exc()


def _dftrace_next():
    """The next sitecustomize on the path, in our place."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [p for p in sys.path if os.path.abspath(p or ".") != here]
    if sys.version_info < (3, 4):
        import imp
        found = imp.find_module("sitecustomize", path)
        imp.load_module("sitecustomize", *found)
        return
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec
    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_dftrace_start()
try:
    _dftrace_next()
except ImportError as _error:
    if getattr(_error, "name", "sitecustomize") != "sitecustomize":
        raise
