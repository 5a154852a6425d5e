# SPDX-License-Identifier: MIT
"""A line of a trace-point file, and a module -> a wrapped function in it.

In:  a module that has been executed, or what has its names
Out: functions wrapped in place; facts `bad_points` and `unresolved_points`
"""

from . import _backend, _points


def bad_line(where, why):
    _backend.metadata("bad_points", "%s: %s" % (where, why))


def unresolved(line, why):
    _backend.metadata("unresolved_points", "%s: %s" % (line.where, why))


def holder_of(module, qualname):
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


def function_at(holder, name):
    """The function, and what is stored there."""
    raw = _raw(holder, name)
    if isinstance(raw, (staticmethod, classmethod)):
        return raw.__func__, raw
    return raw, raw


def _put(holder, name, raw, wrapper):
    if isinstance(raw, (staticmethod, classmethod)):
        wrapper = type(raw)(wrapper)
    setattr(holder, name, wrapper)


def prepare(holder, name, captures):
    """(function, what is stored, Capture or None); raises what stands
    against tracing it."""
    from . import _capture

    function, raw = function_at(holder, name)
    if not callable(function) or isinstance(function, type):
        raise TypeError("not a function")
    bound = isinstance(holder, type) and not isinstance(raw, staticmethod)
    return function, raw, captures and _capture.Capture(captures, function,
                                                        bound)


def replace(holder, name, point):
    """Wrap holder.name, unless it is already. Raises what stands against it."""
    from . import _wrap
    from ._span import event_id

    if _wrap.is_wrapped(function_at(holder, name)[0]):
        return
    function, raw, capture = prepare(holder, name, point.captures)
    number = event_id(point.cat, point.name)
    _wrap.categories[number] = point.cat
    _wrap.name_end(number, point.cat, point.name)
    _put(holder, name, raw, _wrap.wrap(function, number, capture,
                                       outermost=True, not_in=point.not_in))


def _brought(point, line, holder, name):
    """Wrap holder.name: the class of an argument becomes traced."""
    import functools

    from . import _capture

    function, raw = function_at(holder, name)
    given = _capture.argument(point.parameter, function)
    seen = set()

    def look(args, kwargs):
        thing = given(args, kwargs)
        cls = type(thing)
        its_own = point.method in getattr(thing, "__dict__", ())
        if cls in seen and not its_own:
            return
        seen.add(cls)
        try:
            replace(thing if its_own else cls, point.method, point)
        except Exception as error:
            if not (point.optional and
                    isinstance(error, (AttributeError, TypeError))):
                unresolved(line, "%s.%s.%s: %s" % (
                    cls.__module__, cls.__qualname__, point.method,
                    why(error)))

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if point.parameter != "self":
            look(args, kwargs)
        result = function(*args, **kwargs)
        if point.parameter == "self":   # a constructor may set methods itself
            look(args, kwargs)
        return result

    _put(holder, name, raw, wrapper)


def why(error):
    if isinstance(error, AttributeError):
        return "there is no such name"
    return "cannot be traced: %s" % error


def apply(line, module):
    try:
        point = _points.parse(line.text)
    except _points.Bad as error:
        bad_line(line.where, error)
        return
    try:
        holder, name = holder_of(module, point.qualname)
        if point.parameter:
            _brought(point, line, holder, name)
        else:
            replace(holder, name, point)
    except Exception as error:
        if not (point.optional and isinstance(error, AttributeError)):
            unresolved(line, "%s:%s: %s" % (
                point.module, point.qualname, why(error)))
