# SPDX-License-Identifier: MIT
"""Who answers to `import dftracer`: an installed pydftracer, or ours.

In:  what is installed, DFTRACE_APP
Out: sys.meta_path; DFTRACER_* in the environment, through which alone pydftracer
     is configured, also in children; where it writes
Caveat: half of a pydftracer, the package without its recorder, takes all
calls and keeps nothing; version 1.0 writes the rank where the process belongs, so
that trace points of the same samples count twice: ours takes the place of both.
"""

import os
import sys

_RECORDERS = ("dftracer.", "pydftracer.")       # and .so, beside or within


def _can_record(package):
    if os.path.exists(os.path.join(package, "logger.py")):      # 1.0
        return False
    for place in (package, os.path.dirname(package)):
        for name in os.listdir(place):
            if name.startswith(_RECORDERS) and name.endswith(".so"):
                return True
    return False


def _installed():
    """None; or whether what is installed can record."""
    from importlib.machinery import PathFinder

    try:
        spec = PathFinder.find_spec("dftracer")
        return spec and any(map(_can_record,
                                spec.submodule_search_locations or ()))
    except Exception:
        return False


def _configure(job):
    """It writes beside us, in µs of the same clock, and no I/O calls."""
    for name, value in (
            ("DFTRACER_ENABLE", "1"), ("DFTRACER_INIT", "FUNCTION"),
            ("DFTRACER_DATA_DIR", "all"), ("DFTRACER_INC_METADATA", "1"),
            ("DFTRACER_TRACE_COMPRESSION", "0"),
            # else what it holds back is lost with each worker that is forked
            ("DFTRACER_WRITE_BUFFER_SIZE", "1")):
        os.environ.setdefault(name, value)
    os.environ["DFTRACER_LOG_FILE"] = os.path.join(job, "shards", "dftracer")
    os.environ["DFTRACER_TIME_METRIC"] = "US"
    for name in ("DFTRACER_DISABLE_IO", "DFTRACER_DISABLE_POSIX",
                 "DFTRACER_DISABLE_STDIO"):
        os.environ[name] = "1"


def _redirect(module):
    """Have initialize_log () open its file in the job directory, whatever
    file the program names."""
    import functools

    cls = getattr(module, "dftracer", None)
    raw = getattr(cls, "__dict__", {}).get("initialize_log")
    if not isinstance(raw, (staticmethod, classmethod)):
        return
    function = raw.__func__
    at = 1 if isinstance(raw, classmethod) else 0

    @functools.wraps(function)
    def initialize_log(*args, **kwargs):
        log = os.environ.get("DFTRACER_LOG_FILE")
        if len(args) > at:
            args = args[:at] + (log,) + args[at + 1:]
        else:
            kwargs["logfile"] = log
        return function(*args, **kwargs)

    cls.initialize_log = type(raw)(initialize_log)


def _alias(module):
    """The names of a published study's listings, which came to differ."""
    ai = getattr(module, "ai", None)
    if not hasattr(ai, "data_loader") and hasattr(ai, "dataloader"):
        ai.data_loader = ai.dataloader
    if not hasattr(module, "dfdtracer"):
        module.dfdtracer = module.dftracer


class _Ours:
    """Finds our dftracer; sys.path stays as the program has it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "dftracer":
            return None
        from importlib.machinery import PathFinder

        here = os.path.dirname(os.path.abspath(__file__))
        return PathFinder.find_spec(name, [os.path.join(here, "compat")])


def _offer_ours(first):
    """Before an installed one, or if there is no other."""
    if _Ours not in sys.meta_path:
        sys.meta_path.insert(1 if first else len(sys.meta_path), _Ours)


def choose(when_imported):
    """when_imported (name, function): have function (module) called."""
    there = _installed()
    if os.environ.get("DFTRACE_APP") == "native" or not there:
        _offer_ours(first=there is not None)
        return
    _configure(os.environ["DFTRACE_JOB_DIR"])
    when_imported("dftracer.python.common", _redirect)
    when_imported("dftracer.python", _alias)
