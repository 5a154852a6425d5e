# SPDX-License-Identifier: MIT
"""A node of the tree `ai`: one (category, name) and what is below it.

Caveat: a node is one object for all threads and tasks. What is open belongs
to the frame that opened it, so that recursion, threads, generators and tasks
each find their own.
"""

import sys
import time

from . import _backend, _inert, _wrap
from ._blocks import (_OPEN_MAX, _close, _get_ident, _note, _open, _pop,
                      _push)
from ._span import event_id
from ._use import Use, gather, gather_fast, no_use

compiling = _backend.compiling  # see _dynamo.py
_now = _backend.now
_end = _backend.end
_active = _backend.active
_point_ids = _wrap.point_ids
_getframe = getattr(sys, "_getframe", lambda depth: None)

ITER_COUNT_NAME = "count"
INIT_NAME = "init"
BLOCK_NAME = "block"
ITER_NAME = "iter"
START_METADATA_NAME = "start"
STOP_METADATA_NAME = "end"
_LOADERS = ("dataloader", "data_loader")    # at whose end the program waits


def _chain(name, tail):
    return name if name.endswith("." + tail) else name + "." + tail


def get_iter_block_name(name):
    return _chain(name, BLOCK_NAME)


def get_iter_handle_name(name):
    return _chain(name, ITER_NAME)


class _Init:
    """node.init: derived once."""

    def __get__(self, node, owner):
        if node is None:
            return self
        found = node.__dict__[INIT_NAME] = node.derive(INIT_NAME)
        return found


class Node:
    """One (category, name) and what is below it."""

    def __init__(self, cat, name=None, enable=True):
        self._cat = str(cat)
        self._name = str(name) if name else self._cat
        self._id = event_id(self._cat, self._name)
        self._enabled = enable
        self._on = enable and _backend.active
        self._sticky = {}
        self._children = {}
        self._derived = {}      # of these, by the name derive () was given

    cat = property(lambda self: self._cat)
    name = property(lambda self: self._name)

    def __repr__(self):
        return "<dftrace %s/%s>" % (self._cat, self._name)

    def __reduce__(self):
        from ._ai import find
        return find, (self._cat, self._name)

    # -- events ----------------------------------------------------------

    def __call__(self, fn=None, *, enable=None, epoch=None, step=None,
                 image_idx=None, image_size=None, args=None):
        if not (self._on if enable is None else enable and _active):
            return no_use if fn is None else fn
        if compiling is not None and compiling():
            taken = None
        else:
            taken = gather_fast(epoch, step, image_idx, image_size, args)
        if fn is None:
            return Use(self, taken or {})
        return Use(self, taken)(fn) if taken else self._decorate(fn)

    def _decorate(self, function):
        return _wrap.wrap(function, self._id, None,
                          lambda: self._sticky if self._on else _wrap.OFF)

    # _push and _pop by hand: these two are the cost of a block.
    def __enter__(self):
        if compiling is not None and compiling():
            return self
        if self._on:
            key = id(_getframe(1))
            if key in _open or len(_open) >= _OPEN_MAX or \
                    self._id in _point_ids:
                _push(_getframe(1), self, _now(self._id), None, self._id)
            else:
                _open[key] = [(self, _now(self._id), _get_ident(), None)]
        return self

    def __exit__(self, kind, value, traceback):
        if not _active or compiling is not None and compiling():
            return
        key = id(_getframe(1))
        entries = _open.get(key)
        if kind is None and entries is not None and len(entries) == 1 \
                and entries[0][0] is self and self._id not in _point_ids:
            _open.pop(key, None)
            args = entries[0][3]
            if args:
                args = {**self._sticky, **args}
            _end(self._id, entries[0][1], False, args or self._sticky)
            return
        entry = _pop(_getframe(1), self)
        if entry is not None:
            _close(entry, self._id, self._sticky, kind)

    def start(self, metadata=False):
        if not _backend.recording():
            return
        if metadata:
            self._log_time(START_METADATA_NAME)
        elif self._on:
            _push(_getframe(1), self, _now(self._id), None, self._id)

    def stop(self, metadata=False):
        if not _backend.recording():
            return
        if metadata:
            self._log_time(STOP_METADATA_NAME)
            return
        entry = _pop(_getframe(1), self)
        if entry is not None:
            _close(entry, self._id, self._sticky, None)

    def _log_time(self, word):
        if self._on:
            _backend.metadata("%s.%s" % (self._name, word),
                              str(time.time_ns() // 1000))

    def iter(self, iterator, *, include_block=True, include_iter=True,
             iter_name=None, block_name=None):
        if not self._on or not _backend.recording():
            return iterator
        fetch = iter_name or get_iter_handle_name(self._name)
        return self._iterate(
            iterator, include_iter and event_id(self._cat, fetch),
            include_iter and self._cat in _LOADERS and
            event_id(self._cat, fetch + ".end"),
            include_block and event_id(
                self._cat, block_name or get_iter_block_name(self._name)))

    def _iterate(self, iterator, fetch, end, block):
        count = 0
        items = iter(iterator)
        while True:
            start = _now()
            try:
                item = next(items)
            except StopIteration:
                if end:
                    _end(end, start, False, self._sticky)
                return
            count += 1
            if fetch:
                _end(fetch, start, False,
                     {**self._sticky, ITER_COUNT_NAME: count})
            start = _now()
            yield item
            if block:
                _end(block, start, False,
                     {**self._sticky, ITER_COUNT_NAME: count})

    # -- arguments -------------------------------------------------------

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        if self._on and _backend.recording():
            taken = gather(epoch, step, image_idx, image_size, args)
            if taken:
                self._stick(taken)
        return self

    def _stick(self, taken):
        self._sticky = {**self._sticky, **taken}    # readers see old or new
        for child in self._children.values():
            child._stick(taken)

    def reset(self):
        """Forget what update () said, here and below."""
        self._sticky = {}
        for child in self._children.values():
            child.reset()

    def note(self, **args):
        """Arguments of the innermost open event around the caller, once."""
        if self._on and _backend.recording():
            _note(_getframe(1), args)
        return self

    # -- tree ------------------------------------------------------------

    def enable(self):
        self._turn(True)

    def disable(self):
        self._turn(False)

    def _turn(self, on):
        self._enabled = on
        self._on = on and _backend.active
        for child in self._children.values():
            child._turn(on)

    def _child(self, key, name, cat=None):
        child = self._children.get(key)
        if child is None:
            child = Node(cat or self._cat, name, self._enabled)
            child._sticky = dict(self._sticky)
            self._children[key] = child
        return child

    def derive(self, name):
        child = self._derived.get(name)
        if child is None:
            full = "%s.%s" % (self._name, name)
            child = self._derived[name] = self._child(full, full)
        return child

    init = _Init()

    def create_children(self, names):
        for key, name in names.items():
            setattr(self, key, self._child(key, name))

    def get_time(self):
        return time.time_ns() // 1000


def _untraced_call(self, fn=None, *, enable=None, epoch=None, step=None,
                   image_idx=None, image_size=None, args=None):
    return no_use if fn is None else fn


def _untraced(self):
    pass


if not _active:
    Node.enable = Node.disable = Node.reset = _untraced
    Node = _inert.node(Node, no_use, _untraced_call,
                       ("enable", "epoch", "step", "image_idx", "image_size",
                        "args"))
    _inert.block(Node)
