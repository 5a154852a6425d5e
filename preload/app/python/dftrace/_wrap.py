# SPDX-License-Identifier: MIT
"""A function -> the same function, with an event for each call.

Plain functions: one event a call. Coroutines: one event from the first step
to the end. Generators, plain and async: one event for each item, the time in
which the generator ran. What the function raises goes through untouched and is
in the event, except StopIteration and StopAsyncIteration: the end of an iterator
is not one of its items. Of a trace point it is an event of its own, NAME.end:
the last next () of a loader waits for its workers to end.

A wrapper keeps name, signature, attributes and module (functools.wraps), so
that it pickles by reference as the function did.
"""

import threading
import types

from . import _backend

compiling = _backend.compiling  # see _dynamo.py
_now = _backend.now
_leave = _backend.leave
_end = _backend.end

MARK = "__dftrace_event__"      # on a wrapper: the id of its event
OFF = object()                  # instead of arguments: record nothing
codes = set()                   # of the wrappers: see _ai.note
notes = {}                      # id (frame of a wrapper) -> arguments


def is_wrapped(function):
    return getattr(function, MARK, None) is not None


def _failed(number, start, error, args):
    if args is OFF:
        _leave(start)
        return
    args = dict(args) if args else {}
    args["error"] = type(error).__name__
    _end(number, start, True, args)


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


# -- plain functions -------------------------------------------------------

class _Inside(threading.local):
    """Ids of the trace points that this thread is in."""

    def __init__(self):
        self.ids = set()


# What a program records itself of the same event as a trace point counts, not
# the trace point: it takes the id out, and trace points within it are in it.
inside = _Inside()
point_ids = set()
categories = {}                 # id of a trace point -> its category
_end_names = {}                 # id of a trace point -> (category, name) of its end
_end_ids = {}


def name_end(number, category, name):
    """The end of what this trace point iterates over is NAME.end."""
    _end_names[number] = category, name + ".end"


def _finished(number, start):
    name = _end_names.get(number)
    if name is None:
        return
    end = _end_ids.get(number)
    if end is None:
        end = _end_ids[number] = _backend.event_id(*name)
    _end(end, start, False, None)


def within(wanted):
    """Is this thread in a trace point of one of these categories?"""
    for number in inside.ids:
        if categories.get(number) in wanted:
            return True
    return False


def _nothing(args, kwargs):
    return None


def _shapes(dft_now, dft_leave, dft_end, dft_failed, dft_noted, dft_notes,
            dft_off, dft_inside, dft_points, dft_finished, dft_within):
    """Three shapes by hand, for these are the cost of a span.

    All that they use is in cells, not in globals, so that a wrapper can have
    those of its function: torch.jit.script looks there for the names in it.
    """
    dft_compiling = None

    def watch(test):
        nonlocal dft_compiling
        dft_compiling = test

    def plain(dft_function, dft_number, dft_fixed):
        def wrapper(*args, **kwargs):
            if dft_compiling is not None and dft_compiling():
                return dft_function(*args, **kwargs)
            if dft_number in dft_points:
                dft_inside.ids.add(dft_number)
            start = dft_now(dft_number)
            try:
                result = dft_function(*args, **kwargs)
            except (StopIteration, StopAsyncIteration):
                dft_leave(start)
                raise
            except BaseException as error:
                dft_failed(dft_number, start, error, dft_noted(
                    dft_fixed()) if dft_notes else dft_fixed())
                raise
            finally:
                if dft_number in dft_points:
                    dft_inside.ids.discard(dft_number)
            taken = dft_noted(dft_fixed()) if dft_notes else dft_fixed()
            if taken is dft_off:
                dft_leave(start)
            else:
                dft_end(dft_number, start, False, taken)
            return result
        return wrapper

    def capturing(dft_function, dft_number, dft_before, dft_after):
        def wrapper(*args, **kwargs):
            if dft_compiling is not None and dft_compiling():
                return dft_function(*args, **kwargs)
            if dft_number in dft_points:
                dft_inside.ids.add(dft_number)
            taken = dft_before(args, kwargs)
            start = dft_now(dft_number)
            try:
                result = dft_function(*args, **kwargs)
            except (StopIteration, StopAsyncIteration):
                dft_leave(start)
                raise
            except BaseException as error:
                dft_failed(dft_number, start, error,
                           dft_noted(taken) if dft_notes else taken)
                raise
            finally:
                if dft_number in dft_points:
                    dft_inside.ids.discard(dft_number)
            if dft_after is not None:
                dft_after(args, kwargs, result, taken)
            dft_end(dft_number, start, False,
                    dft_noted(taken) if dft_notes else taken)
            return result
        return wrapper

    def outermost(dft_function, dft_number, dft_before, dft_after,
                  dft_not_in):
        """A call inside one of the same event is part of it: a sub-class's
        step () calls its parent's, a blend of data sets asks one of them for
        the item. That is one step, one item."""
        def wrapper(*args, **kwargs):
            if dft_compiling is not None and dft_compiling():
                return dft_function(*args, **kwargs)
            ids = dft_inside.ids
            if dft_number in ids or (
                    ids and dft_not_in and dft_within(dft_not_in)):
                return dft_function(*args, **kwargs)
            ids.add(dft_number)
            taken = dft_before(args, kwargs)
            start = dft_now(dft_number)
            try:
                result = dft_function(*args, **kwargs)
            except (StopIteration, StopAsyncIteration):
                if dft_number in ids:
                    dft_finished(dft_number, start)
                dft_leave(start)
                raise
            except BaseException as error:
                if dft_number in ids:
                    dft_failed(dft_number, start, error,
                               dft_noted(taken) if dft_notes else taken)
                dft_leave(start)
                raise
            finally:
                mine = dft_number in ids
                ids.discard(dft_number)
            if not mine:
                dft_leave(start)
                return result
            if dft_after is not None:
                dft_after(args, kwargs, result, taken)
            dft_end(dft_number, start, False,
                    dft_noted(taken) if dft_notes else taken)
            return result
        return wrapper

    return watch, plain, capturing, outermost


_watch, _plain, _capturing, _outermost = _shapes(
    _now, _leave, _end, _failed, _noted, notes, OFF, inside, point_ids,
    _finished, within)


def ask(test):
    """test () is true while torch.compile looks at us."""
    global compiling
    compiling = test
    _watch(test)


if compiling is not None:
    _watch(compiling)


def _at_home(wrapper, function):
    """wrapper with the globals of function."""
    home = getattr(function, "__globals__", None)
    if type(home) is not dict or "__builtins__" not in home:
        return wrapper
    return types.FunctionType(wrapper.__code__, home, wrapper.__name__,
                              wrapper.__defaults__, wrapper.__closure__)


# -- what runs in turns with others: the time is that of each turn ---------

class _Turns:
    """The events of one call: begin (), then ended (), failed () or
    finished (). A turn inside of one of the same trace point is part of it."""

    __slots__ = ("_number", "_capture", "_fixed", "_outermost", "_not_in",
                 "_args", "_kwargs", "_taken", "_start", "_ids")

    def __init__(self, number, fixed, capture, outermost, not_in, args,
                 kwargs):
        self._number = number
        self._capture = capture
        self._fixed = fixed
        self._outermost = outermost
        self._not_in = not_in
        self._args = args
        self._kwargs = kwargs
        self._taken = capture.before(args, kwargs) if capture else None

    def begin(self):
        self._ids, ids = None, inside.ids
        if self._outermost and self._number in ids or \
                self._not_in and within(self._not_in):
            self._start = 0
            return
        if self._outermost:
            self._ids = ids
            ids.add(self._number)
        self._start = _now()

    def _mine(self):
        """False: it is part of another, or the program said it itself."""
        if self._ids is None:
            return self._start
        mine = self._number in self._ids
        self._ids.discard(self._number)
        return mine

    def failed(self, error):
        if self._mine():
            _failed(self._number, self._start, error,
                    self._taken or self._fixed())

    def finished(self):
        if self._mine():
            _finished(self._number, self._start)

    def ended(self, result):
        if not self._mine():
            return
        if self._capture and self._capture.after:
            self._capture.after(self._args, self._kwargs, result, self._taken)
        args = self._taken or self._fixed()
        if args is not OFF:
            _end(self._number, self._start, False, args)


def _coroutine(function, *event):
    async def wrapper(*args, **kwargs):
        turn = _Turns(*event, args, kwargs)
        turn.begin()
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            turn.failed(error)
            raise
        turn.ended(result)
        return result
    return wrapper


def _generator(function, *event):
    def wrapper(*args, **kwargs):
        if compiling is not None and compiling():
            return (yield from function(*args, **kwargs))
        turn = _Turns(*event, args, kwargs)
        generator = function(*args, **kwargs)
        step, value = generator.send, None
        while True:
            turn.begin()
            try:
                item = step(value)
            except StopIteration as end:
                turn.finished()
                return end.value
            except BaseException as error:
                turn.failed(error)
                raise
            turn.ended(item)
            try:
                value = yield item
                step = generator.send
            except GeneratorExit:
                generator.close()
                raise
            except BaseException as error:
                step, value = generator.throw, error
    return wrapper


def _async_generator(function, *event):
    async def wrapper(*args, **kwargs):
        turn = _Turns(*event, args, kwargs)
        generator = function(*args, **kwargs)
        step, value = generator.asend, None
        while True:
            turn.begin()
            try:
                item = await step(value)
            except StopAsyncIteration:
                turn.finished()
                return
            except BaseException as error:
                turn.failed(error)
                raise
            turn.ended(item)
            try:
                value = yield item
                step = generator.asend
            except GeneratorExit:
                await generator.aclose()
                raise
            except BaseException as error:
                step, value = generator.athrow, error
    return wrapper


def _no_arguments():
    return None


def wrap(function, number, capture=None, fixed=_no_arguments, outermost=False,
         not_in=None):
    """function with an event `number` for each call.

    capture: a Capture, or None; fixed: gives the arguments of each event
    where there is no capture; outermost: none for calls inside one of that
    number in the same thread, or inside trace points of the categories not_in.
    """
    import functools
    import inspect

    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(wrap(function.__func__, number, capture, fixed,
                                   outermost, not_in))
    before = capture.before if capture else _nothing
    after = capture.after if capture else None
    if outermost:
        point_ids.add(number)
    if inspect.iscoroutinefunction(function):
        # Other tasks run in its thread meanwhile: nothing is inside of it.
        wrapper = _coroutine(function, number, fixed, capture, False, not_in)
    elif inspect.isgeneratorfunction(function):
        wrapper = _generator(function, number, fixed, capture, outermost,
                             not_in)
    elif inspect.isasyncgenfunction(function):
        wrapper = _async_generator(function, number, fixed, capture, False,
                                   not_in)
    elif outermost:
        wrapper = _at_home(_outermost(function, number, before, after, not_in),
                           function)
    elif capture is not None:
        wrapper = _at_home(_capturing(function, number, before, after),
                           function)
    else:
        wrapper = _at_home(_plain(function, number, fixed), function)
    codes.add(wrapper.__code__)
    functools.update_wrapper(wrapper, function)
    setattr(wrapper, MARK, number)
    return wrapper
