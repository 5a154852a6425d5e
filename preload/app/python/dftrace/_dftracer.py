# SPDX-License-Identifier: MIT
"""DFTracer's Python interface on our recorder.

What the modules below compat/dftracer/ hand out: dftracer (the log), dft_fn,
and the names that programs import beside them. Names of events are those of
DFTracer. initialize_log () and finalize () open and close nothing: a process
that is traced is so from its start, whatever file the program names.
"""

import os
import sys
import time

from . import _backend, _entities, _inert, _wrap
from ._use import gather
from ._blocks import _close, _open, _pop, _push
from ._span import event_id

DFTRACER_ENABLE_ENV = "DFTRACER_ENABLE"
DFTRACER_INIT_ENV = "DFTRACER_INIT"
DFTRACER_LOG_LEVEL_ENV = "DFTRACER_LOG_LEVEL"
DFTRACER_ENABLE = _backend.active

DFTRACER_TIME_METRIC_ENV = "DFTRACER_TIME_METRIC"
DFTRACER_INIT_PRELOAD = False
DFTRACER_LOG_LEVEL = os.environ.get(DFTRACER_LOG_LEVEL_ENV, "ERROR")
TagValueTuple = tuple


def get_time_scale():
    """Units of get_time () in a second."""
    return 1e6


_getframe = getattr(sys, "_getframe", lambda depth: None)
_FACTS = ("epoch", "step", "image_idx", "image_size")


class TagType:
    KEY = 0
    VALUE = 1
    IGNORE = 2


class TagDType:
    INT = 0
    FLOAT = 1
    STRING = 2


class TagValue:
    """A value with a type; only the value is recorded."""

    def __init__(self, value, dtype=TagDType.STRING, tag_type=TagType.KEY):
        self._value = value
        self._dtype = dtype
        self._tag_type = tag_type

    def value(self):
        return self._tag_type, self._value


def _plain(args):
    """{key: value or (tag, value)} -> {key: value}"""
    out = {}
    for key, value in (args or {}).items():
        if isinstance(value, tuple) and len(value) == 2:
            value = value[1]
        out[str(key)] = getattr(value, "_value", value)
    return out


class _Ticks:
    """Microseconds of this process -> ticks of the recorder."""

    def __init__(self):
        self._tick = _backend.now()
        self._ns = time.monotonic_ns()

    def of(self, microseconds):
        ns = time.monotonic_ns() - self._ns
        ticks = _backend.now() - self._tick
        return int(ticks / ns * microseconds * 1000) if ns > 0 else 0


_ticks = _Ticks()


class dftracer:
    """The log: dftracer.initialize_log (…) or dftracer.get_instance ()."""

    _instance = None

    @classmethod
    def get_instance(cls, *unused, **unused_too):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    @classmethod
    def initialize_log(cls, logfile=None, data_dir=None, process_id=-1):
        if _backend.active:
            _backend.mark(event_id("dftracer", "start"), None)
        return cls.get_instance()

    @staticmethod
    def get_time():
        return time.time_ns() // 1000

    @staticmethod
    def enter_event():
        pass

    @staticmethod
    def exit_event():
        pass

    @staticmethod
    def log_event(name, cat, start_time, duration, int_args=None,
                  string_args=None, float_args=None):
        """An event that took duration µs; it is recorded as ending now."""
        if not _backend.recording():
            return
        args = _plain(int_args)
        args.update(_plain(float_args))
        args.update(_plain(string_args))
        now = _backend.now()
        _backend.end(event_id(cat, name),
                     max(1, now - _ticks.of(max(0, duration))), False, args)

    @staticmethod
    def log_metadata_event(key, value):
        _backend.metadata(str(key), str(value))

    @staticmethod
    def set_app_metadata_int(key, value):
        if _backend.recording():
            _backend.metadata(str(key), str(value))

    set_app_metadata_string = set_app_metadata_int
    declare_entity = staticmethod(_entities.declare)
    declare_entity_type = staticmethod(_entities.describe)
    relate_entities = staticmethod(_entities.relate)

    @staticmethod
    def get_config(key):
        return os.environ.get(key, "")

    @staticmethod
    def mark_used(name):
        pass

    @staticmethod
    def finalize():
        if _backend.active:
            _backend.mark(event_id("dftracer", "end"), None)


class ProfilerProtocol:
    """What DFTracer's recorder offers to its Python side."""


class NoOpProfiler(ProfilerProtocol):
    """The one that records nothing."""

    def initialize(self, log_file=None, data_dirs=None, process_id=-1):
        pass

    def get_time(self):
        return 0

    def get_config(self, key):
        return ""

    def declare_entity(self, type, key, store, uri):
        return 0

    def _nothing(self, *args, **kwargs):
        pass

    enter_event = exit_event = log_event = log_metadata_event = _nothing
    declare_entity_type = relate_entities = mark_used = _nothing
    set_app_metadata_int = set_app_metadata_string = finalize = _nothing


profiler = NoOpProfiler()


class _Facts:
    """epoch, step, image_idx, image_size of a call: its arguments, else self."""

    after = None

    def __init__(self, function, fixed, has_self):
        import inspect

        self._fixed = fixed
        self._where = []
        self._of_self = has_self
        try:
            names = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            names = []
        for fact in _FACTS:
            self._where.append(
                (fact, names.index(fact) if fact in names else None))

    def before(self, args, kwargs):
        taken = dict(self._fixed())
        for fact, position in self._where:
            if fact in kwargs:
                value = kwargs[fact]
            elif position is not None and position < len(args):
                value = args[position]
            elif self._of_self and args:
                value = getattr(args[0], fact, None)
            else:
                continue
            if isinstance(value, (int, float)):
                taken[fact] = value
        return taken


class dft_fn:
    """dft_fn (cat, name): decorator .log, context manager, .iter."""

    def __init__(self, cat, name=None, epoch=None, step=None, image_idx=None,
                 image_size=None, enable=True):
        self._cat = str(cat)
        self._name = str(name) if name else _getframe(1).f_code.co_name
        self._enable = enable
        self._args = gather(epoch, step, image_idx, image_size, None) or {}
        self._start = _backend.now()    # of what flush () records by itself

    def _on(self):
        return _backend.recording() and self._enable

    # -- context manager -------------------------------------------------

    def __enter__(self):
        if self._on():
            self._start = _backend.now()
            _push(_getframe(1), self, self._start, dict(self._args))
        return self

    def __exit__(self, kind, value, traceback):
        entry = _pop(_getframe(1), self) if _backend.recording() else None
        if entry is not None:
            _close(entry, event_id(self._cat, self._name), None, kind)

    def _entry(self):
        """Where the innermost open use of this thread is: list, index."""
        import threading

        thread = threading.get_ident()
        for key in reversed(list(_open)):
            entries = _open.get(key) or []
            for i in range(len(entries) - 1, -1, -1):
                if entries[i][0] is self and entries[i][2] == thread:
                    return entries, i
        return None, 0

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        if self._on():
            taken = gather(epoch, step, image_idx, image_size, args)
            if taken:
                entries, i = self._entry()
                (entries[i][3] if entries else self._args).update(taken)
        return self

    def relate(self, relation, entity):
        if entity and self._on():
            word = _entities.EntityRelation(int(relation)).name.lower()
            self.update(args={word: entity})
        return self

    def relate_entity(self, relation, type, key,
                      store=_entities.EntityStore.MEMORY, uri=""):
        number = _entities.declare(type, key, store, uri)
        self.relate(relation, number)
        return number

    def uses(self, type, key, store=_entities.EntityStore.MEMORY, uri=""):
        return self.relate_entity(_entities.EntityRelation.USED, type, key,
                                  store, uri)

    def generates(self, type, key, store=_entities.EntityStore.MEMORY, uri=""):
        return self.relate_entity(_entities.EntityRelation.GENERATED, type,
                                  key, store, uri)

    def flush(self):
        """Record the open use now; leaving it then records nothing. Without
        one: what began when this was made, or reset the last time."""
        if not self._on():
            return self
        entries, i = self._entry()
        if entries:
            node, start, thread, args = entries[i]
            entries[i] = (node, 0, thread, args)
        else:
            start, args = 0, dict(self._args)
        _backend.end(event_id(self._cat, self._name), start or self._start,
                     False, args)
        return self

    def reset(self):
        """A new event begins; it has the arguments, but relates to nothing."""
        if not self._on():
            return self
        self._start = _backend.now()
        for relation in _entities.EntityRelation:
            self._args.pop(relation.name.lower(), None)
        return self

    # -- decorators ------------------------------------------------------

    def _decorate(self, function, name, has_self):
        if not self._on():
            return function
        name = name or getattr(function, "__qualname__", str(function))
        return _wrap.wrap(function, event_id(self._cat, name),
                          _Facts(function, lambda: self._args, has_self))

    def log(self, func=None, name=None):
        if func is None:
            return lambda function: self._decorate(function, name, True)
        return self._decorate(func, name, True)

    def log_init(self, func=None, name=None):
        return self.log(func, name)

    def log_static(self, func=None, name=None):
        if isinstance(func, staticmethod):
            return staticmethod(self._decorate(func.__func__, name, False))
        if func is None:
            return lambda function: self.log_static(function, name)
        return self._decorate(func, name, False)

    def log_metadata(self, key, value):
        if self._on():
            _backend.metadata(str(key), str(value))

    # -- loops -----------------------------------------------------------

    def iter(self, func, name="loop", iter_name="step"):
        return self._iterate(func, name, iter_name) if self._on() else func

    def _iterate(self, iterable, name, iter_name):
        wait = event_id(self._cat, name + ".iter")
        body = event_id(self._cat, name + ".yield")
        items, count = iter(iterable), 0
        while True:
            start = _backend.now()
            try:
                item = next(items)
            except StopIteration:
                if self._cat in ("dataloader", "data_loader"):
                    _backend.end(event_id(self._cat, name + ".iter.end"),
                                 start, False, self._args)
                return
            count += 1
            args = {**self._args, iter_name: count}
            _backend.end(wait, start, False, args)
            start = _backend.now()
            yield item
            _backend.end(body, start, False, args)


def _untraced_init(self, cat, name=None, epoch=None, step=None,
                   image_idx=None, image_size=None, enable=True):
    pass


def _untraced_update(self, epoch=None, step=None, image_idx=None,
                     image_size=None, args=None):
    return self


if not _backend.active:
    # What is left of a block is its making; see _inert.py.
    dft_fn.__init__ = _untraced_init
    dft_fn.update = _untraced_update
    _inert.block(dft_fn, dft_fn("untraced"))
