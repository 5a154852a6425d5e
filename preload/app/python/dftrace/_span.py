# SPDX-License-Identifier: MIT
"""Regions, instants, counters and facts: one call, one event.

In:  category, name, arguments
Out: events, through the backend
Caveat: all state of a region is in its own object or in the frame of the
wrapper, so threads, recursion, generators and tasks do not meet.
"""

from . import _backend, _inert

compiling = _backend.compiling  # see _dynamo.py
_now = _backend.now
_end = _backend.end
_ids = {}


def event_id(category, name):
    """Id of an event's name; the same for the life of the process."""
    key = (category, name)
    number = _ids.get(key)
    if number is None:
        number = _ids[key] = _backend.event_id(str(category), str(name))
    return number


class _Region:
    """with region(category, name, **args) as r: r.update(**args)"""

    __slots__ = ("_id", "_args", "_start")

    def __init__(self, category, name, **args):
        self._args = args
        if compiling is not None and compiling():
            return
        try:
            self._id = _ids[category, name]
        except KeyError:
            self._id = event_id(category, name)

    def update(self, **args):
        self._args.update(args)
        return self

    def __enter__(self):
        if compiling is not None and compiling():
            return self
        self._start = _now(self._id)
        return self

    def __exit__(self, kind, value, traceback):
        if compiling is not None and compiling():
            return
        if kind is None:
            _end(self._id, self._start, False, self._args)
        else:
            self._args["error"] = kind.__name__
            _end(self._id, self._start, True, self._args)

    start = __enter__

    def stop(self):
        self.__exit__(None, None, None)
        self._start = 0


class _NoRegion:
    """The same where nothing is traced."""

    __slots__ = ()

    def update(self, **args):
        return self

    def start(self):
        return self

    def stop(self):
        pass


_no_region = _NoRegion()
_inert.block(_NoRegion, _no_region)


def _untraced_region(category, name, **args):
    return _no_region


region = _Region if _backend.active else _inert.always(_no_region,
                                                       _untraced_region)


def trace(category, name=None, **capture):
    """Decorator: @trace, @trace("compute"), @trace("compute", "step").

    Without a category it is the last part of the module's name ("main" for
    the script), without a name the function's qualified one. capture: what to take from each call,
    as in a trace-point file: image_idx="idx", image_size="result.nbytes".
    """
    if callable(category):
        return _trace(category, None, None, {})

    def decorate(function):
        return _trace(function, category, name, capture)

    return decorate


def _trace(function, category, name, capture):
    if category is None:
        module = getattr(function, "__module__", None) or "python"
        category = module.rpartition(".")[2].strip("_")
    if name is None:
        name = getattr(function, "__qualname__", None) or repr(function)
    taken = None
    from ._wrap import wrap
    if capture:
        from ._capture import Capture
        taken = Capture(capture.items(), function)
    return wrap(function, event_id(category, name), taken)


def _same(function):
    return function


def _untraced_trace(category, name=None, **capture):
    return category if callable(category) else _same


if not _backend.active:
    _untraced_trace.__doc__ = trace.__doc__
    trace = _untraced_trace


def instant(category, name, **args):
    if _backend.recording():
        _backend.mark(event_id(category, name), args)


def counter(category, name, value):
    if _backend.recording():
        _backend.mark(event_id(category, name), {"value": value})


def metadata(key, value):
    """A fact about this process."""
    if _backend.recording():
        _backend.metadata(str(key), str(value))


def context(**values):
    """Arguments of every later event of this process; None ends one."""
    if not _backend.recording():
        return
    for key, value in values.items():
        _backend.context(key, None if value is None else int(value))


def step(number):
    context(step=number)


def epoch(number):
    context(epoch=number)


def _watch_torch():
    from . import _dynamo

    _dynamo.watch()


if not _backend.active:         # else it is done since the start
    _watch_torch()
