# SPDX-License-Identifier: MIT
"""Imports of a traced process -> functions of trace points wrapped.

In:  lines of the trace-point files, by module
Out: wrapped functions, put in place between the end of a module's own code
     and whoever imports it; facts `bad_points` and `unresolved_points`
Caveat: a module that is not named costs one look into a dict. Whatever goes
wrong here is a fact in the trace, never an exception in the program.
"""

import os
import sys

from . import _backend, _points

_watched = {}                   # module -> [Line, …]
_busy = set()                   # modules whose spec is being looked for
_SAID = "DFTRACE_POINTS_SAID"   # in the environment: a parent has complained


def _report(key, where, why):
    _backend.metadata(key, "%s: %s" % (where, why))


def _say(text):
    """One line for the user; once for a process and all it starts, by the
    first task of a job."""
    if os.environ.get(_SAID) or os.environ.get("SLURM_PROCID", "0") != "0":
        return
    os.environ[_SAID] = "1"
    try:
        sys.stderr.write("dftrace: %s\n" % text)
    except Exception:
        pass


# -- files ---------------------------------------------------------------

def _bad_line(where, why):
    _report("bad_points", where, why)
    _say("%s: %s: this line is left out" % (where, why))


def _unresolved(line, why):
    _report("unresolved_points", line.where, why)
    if not line.shipped:
        _say("%s: %s: not traced" % (line.where, why))


def _load(path, shipped):
    try:
        for line in _points.read(path):
            line.shipped = shipped
            if not shipped:
                try:
                    _points.parse(line.text)
                except _points.Bad as error:
                    _bad_line(line.where, error)
                    continue
            _watched.setdefault(_points.module_of(line.text), []).append(line)
    except (OSError, UnicodeDecodeError) as error:
        _bad_line(path, getattr(error, "strerror", None) or error)


# -- one module ----------------------------------------------------------

def _holder(module, qualname):
    """Object that has the last part of qualname, and that part."""
    holder = module
    parts = qualname.split(".")
    for part in parts[:-1]:
        holder = getattr(holder, part)
    getattr(holder, parts[-1])          # AttributeError when it is not there
    return holder, parts[-1]


def _raw(holder, name):
    """What is stored under name: a staticmethod stays one."""
    if isinstance(holder, type):
        for base in holder.__mro__:
            if name in base.__dict__:
                return base.__dict__[name]
    return getattr(holder, name)


def _function_of(raw):
    if isinstance(raw, (staticmethod, classmethod)):
        return raw.__func__
    return raw


def _put(holder, name, raw, wrapper):
    if isinstance(raw, (staticmethod, classmethod)):
        wrapper = type(raw)(wrapper)
    setattr(holder, name, wrapper)


def replace(holder, name, cat, event, captures):
    """Wrap holder.name, unless it is already. Raises what stands against it."""
    from . import _capture, _wrap
    from ._span import event_id

    raw = _raw(holder, name)
    function = _function_of(raw)
    if _wrap.is_wrapped(function):
        return
    if not callable(function) or isinstance(function, type):
        raise TypeError("not a function")
    bound = isinstance(holder, type) and not isinstance(raw, staticmethod)
    capture = None
    if captures:
        capture = _capture.Capture(captures, function, bound)
    _put(holder, name, raw,
         _wrap.wrap(function, event_id(cat, event), capture, outermost=True))


def _brought(point, line, holder, name):
    """Wrap holder.name: the class of an argument becomes traced."""
    import functools

    from . import _capture

    raw = _raw(holder, name)
    function = _function_of(raw)
    given = _capture.argument(point.parameter, function)
    seen = set()

    def look(args, kwargs):
        cls = type(given(args, kwargs))
        if cls in seen:
            return
        seen.add(cls)
        try:
            replace(cls, point.method, point.cat, point.name, point.captures)
        except Exception as error:
            if not (point.optional and isinstance(error, AttributeError)):
                _unresolved(line, "%s.%s.%s: %s" % (
                    cls.__module__, cls.__qualname__, point.method,
                    _why(error)))

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if point.parameter != "self":
            look(args, kwargs)
        result = function(*args, **kwargs)
        if point.parameter == "self":   # a constructor may set methods itself
            look(args, kwargs)
        return result

    _put(holder, name, raw, wrapper)


def _why(error):
    if isinstance(error, AttributeError):
        return "there is no such name"
    return "cannot be traced: %s" % error


def _apply_line(module, line):
    try:
        point = _points.parse(line.text)
    except _points.Bad as error:
        _report("bad_points", line.where, error)
        return
    try:
        holder, name = _holder(module, point.qualname)
        if point.parameter:
            _brought(point, line, holder, name)
        else:
            replace(holder, name, point.cat, point.name, point.captures)
    except Exception as error:
        if not (point.optional and isinstance(error, AttributeError)):
            _unresolved(line, "%s:%s: %s" % (
                point.module, point.qualname, _why(error)))


def _apply(name, module):
    for line in _watched.pop(name, ()):
        _apply_line(module, line)


# -- imports -------------------------------------------------------------

def _arm(name, loader):
    """Have loader.exec_module () call us when it is done, once."""
    original = loader.exec_module

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        original(module)
        _apply(name, module)

    loader.exec_module = exec_module


class _Finder:
    """First on sys.meta_path: asks the others, and arms what they find."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _watched or name in _busy:
            return None
        _busy.add(name)
        try:
            spec = _ask_others(name, path, target)
        finally:
            _busy.discard(name)
        loader = getattr(spec, "loader", None)
        if loader is not None and hasattr(loader, "exec_module"):
            try:
                if isinstance(loader, type):
                    raise TypeError("built into the interpreter")
                _arm(name, loader)
            except Exception as error:
                for line in _watched.pop(name, ()):
                    _unresolved(line, "%s: %s" % (name, error))
        return spec


def _ask_others(name, path, target):
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        if finder is _Finder or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec
    return None


# -- DFTracer's package ----------------------------------------------------

def _real_dftracer():
    from importlib.machinery import PathFinder

    try:
        return PathFinder.find_spec("dftracer") is not None
    except Exception:
        return False


def _configure_real():
    """pydftracer writes its own file beside ours, and no I/O calls twice."""
    shards = os.path.join(os.environ["DFTRACE_JOB_DIR"], "shards")
    for name, value in (
            ("DFTRACER_ENABLE", "1"), ("DFTRACER_INIT", "FUNCTION"),
            ("DFTRACER_LOG_FILE", os.path.join(shards, "dftracer")),
            ("DFTRACER_DATA_DIR", "all"), ("DFTRACER_INC_METADATA", "1"),
            ("DFTRACER_TRACE_COMPRESSION", "0")):
        os.environ.setdefault(name, value)
    for name in ("DFTRACER_DISABLE_IO", "DFTRACER_DISABLE_POSIX",
                 "DFTRACER_DISABLE_STDIO"):
        os.environ[name] = "1"


def _offer_dftracer():
    ours = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compat")
    if os.environ.get("DFTRACE_APP") == "native":
        sys.path.insert(0, ours)
    elif _real_dftracer():
        _configure_real()
    else:
        sys.path.append(ours)


def start():
    """In each Python process, before the program. Twice does nothing."""
    if not _backend.active or _Finder in sys.meta_path:
        return
    for path in _points.shipped():
        _load(path, shipped=True)
    for path in _points.files(os.environ.get("DFTRACE_POINTS")):
        _load(path, shipped=False)
    for name in [n for n in _watched if n in sys.modules]:
        _apply(name, sys.modules[name])
    sys.meta_path.insert(0, _Finder)
    _offer_dftracer()
