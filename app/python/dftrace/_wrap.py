# SPDX-License-Identifier: MIT
"""A function -> the same function, with an event for each call.

Plain functions: one event a call. Coroutines: one event from the first step
to the end. Generators, plain and async: one event for each item, the time in
which the generator ran; nothing for the end. What the function raises goes
through untouched and is in the event, except StopIteration and
StopAsyncIteration: the end of an iterator is not one of its items.

A wrapper keeps name, signature, attributes and module (functools.wraps), so
that it pickles by reference as the function did.
"""

import threading

from . import _backend

_now = _backend.now
_end = _backend.end

MARK = "__dftrace_event__"      # on a wrapper: the id of its event
OFF = object()                  # instead of arguments: record nothing
codes = set()                   # of the wrappers: see _ai.note
notes = {}                      # id (frame of a wrapper) -> arguments


def is_wrapped(function):
    return getattr(function, MARK, None) is not None


def _failed(number, start, error, args):
    if args is OFF:
        return
    args = dict(args) if args else {}
    args["error"] = type(error).__name__
    _end(number, start, True, args)


def _ended(number, start, args):
    if args is not OFF:
        _end(number, start, False, args)


def _noted(args):
    """args and what was noted for the calling wrapper."""
    more = notes.pop(id(_frame(1)), None)
    if not more or args is OFF:
        return args
    return {**args, **more} if args else more


try:
    from sys import _getframe as _frame
except ImportError:             # not CPython
    def _frame(depth):
        return None


def _plain(function, number, fixed):
    def wrapper(*args, **kwargs):
        start = _now()
        try:
            result = function(*args, **kwargs)
        except (StopIteration, StopAsyncIteration):
            raise
        except BaseException as error:
            _failed(number, start, error,
                    _noted(fixed()) if notes else fixed())
            raise
        fixed_args = _noted(fixed()) if notes else fixed()
        if fixed_args is not OFF:
            _end(number, start, False, fixed_args)
        return result
    return wrapper


def _capturing(function, number, capture):
    before, after = capture.before, capture.after

    def wrapper(*args, **kwargs):
        taken = before(args, kwargs)
        start = _now()
        try:
            result = function(*args, **kwargs)
        except (StopIteration, StopAsyncIteration):
            raise
        except BaseException as error:
            _failed(number, start, error, _noted(taken) if notes else taken)
            raise
        if after is not None:
            after(result, taken)
        _end(number, start, False, _noted(taken) if notes else taken)
        return result
    return wrapper


class _Inside(threading.local):
    """Ids of the trace points that this thread is in."""

    def __init__(self):
        self.ids = set()


_inside = _Inside()


def _outermost(function, number, capture):
    """For trace points: a call inside one of the same event is part of it.

    A sub-class's step () calls its parent's, a blend of data sets asks one of
    them for the item: that is one step, one item.
    """
    before = capture.before if capture else lambda args, kwargs: None
    after = capture.after if capture else None
    inside = _inside

    def wrapper(*args, **kwargs):
        ids = inside.ids
        if number in ids:
            return function(*args, **kwargs)
        ids.add(number)
        taken = before(args, kwargs)
        start = _now()
        try:
            result = function(*args, **kwargs)
        except (StopIteration, StopAsyncIteration):
            raise
        except BaseException as error:
            _failed(number, start, error, _noted(taken) if notes else taken)
            raise
        finally:
            ids.discard(number)
        if after is not None:
            after(result, taken)
        _end(number, start, False, _noted(taken) if notes else taken)
        return result
    return wrapper


def _coroutine(function, number, fixed, capture):
    async def wrapper(*args, **kwargs):
        taken = capture.before(args, kwargs) if capture else None
        start = _now()
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            _failed(number, start, error, taken or fixed())
            raise
        if capture and capture.after:
            capture.after(result, taken)
        _ended(number, start, taken or fixed())
        return result
    return wrapper


def _generator(function, number, fixed, capture):
    def wrapper(*args, **kwargs):
        taken = capture.before(args, kwargs) if capture else None
        generator = function(*args, **kwargs)
        step, value = generator.send, None
        while True:
            start = _now()
            try:
                item = step(value)
            except StopIteration as end:
                return end.value
            except BaseException as error:
                _failed(number, start, error, taken or fixed())
                raise
            if capture and capture.after:
                capture.after(item, taken)
            _ended(number, start, taken or fixed())
            try:
                value = yield item
                step = generator.send
            except GeneratorExit:
                generator.close()
                raise
            except BaseException as error:
                step, value = generator.throw, error
    return wrapper


def _async_generator(function, number, fixed, capture):
    async def wrapper(*args, **kwargs):
        taken = capture.before(args, kwargs) if capture else None
        generator = function(*args, **kwargs)
        step, value = generator.asend, None
        while True:
            start = _now()
            try:
                item = await step(value)
            except StopAsyncIteration:
                return
            except BaseException as error:
                _failed(number, start, error, taken or fixed())
                raise
            if capture and capture.after:
                capture.after(item, taken)
            _ended(number, start, taken or fixed())
            try:
                value = yield item
                step = generator.asend
            except GeneratorExit:
                await generator.aclose()
                raise
            except BaseException as error:
                step, value = generator.athrow, error
    return wrapper


def _nothing():
    return None


def wrap(function, number, capture=None, fixed=_nothing, outermost=False):
    """function with an event `number` for each call.

    capture: a Capture, or None; fixed: gives the arguments of each event
    where there is no capture; outermost: none for calls inside one of that
    number in the same thread.
    """
    import functools
    import inspect

    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(wrap(function.__func__, number, capture, fixed,
                                   outermost))
    if inspect.iscoroutinefunction(function):
        wrapper = _coroutine(function, number, fixed, capture)
    elif inspect.isgeneratorfunction(function):
        wrapper = _generator(function, number, fixed, capture)
    elif inspect.isasyncgenfunction(function):
        wrapper = _async_generator(function, number, fixed, capture)
    elif outermost:
        wrapper = _outermost(function, number, capture)
    elif capture is not None:
        wrapper = _capturing(function, number, capture)
    else:
        wrapper = _plain(function, number, fixed)
    codes.add(wrapper.__code__)
    functools.update_wrapper(wrapper, function)
    setattr(wrapper, MARK, number)
    return wrapper
