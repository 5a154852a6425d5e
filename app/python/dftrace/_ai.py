# SPDX-License-Identifier: MIT
"""The tree `ai`: ai.data.item, ai.compute.forward, … as DFTracer names them.

Each node is a decorator and a context manager:

    @ai.data.item
    def __getitem__(self, idx): ...

    with ai.compute.step: ...
    with ai.compute.step(step=3, args={"lr": 0.1}) as call:
        call.update(args={"loss": loss})        # this event only

    ai.update(step=3)           # this node and all below, until changed
    ai.note(image_size=n)       # the innermost open event, once

Caveat: a node is one object for all threads and tasks. What is open belongs
to the frame that opened it, so that recursion, threads, generators and tasks
each find their own.
"""

import sys

from . import _backend, _wrap
from ._blocks import (_OPEN_MAX, _close, _get_ident, _note, _open, _pop,
                      _push)
from ._span import event_id

_now = _backend.now
_end = _backend.end
_active = _backend.active
_getframe = getattr(sys, "_getframe", lambda depth: None)

ITER_COUNT_NAME = "count"
INIT_NAME = "init"
BLOCK_NAME = "block"
ITER_NAME = "iter"
START_METADATA_NAME = "start"
STOP_METADATA_NAME = "end"


def _chain(name, tail):
    return name if name.endswith("." + tail) else name + "." + tail


def get_iter_block_name(name):
    return _chain(name, BLOCK_NAME)


def get_iter_handle_name(name):
    return _chain(name, ITER_NAME)


def _value(value):
    """As DFTracer's wrappers of values: their content."""
    return getattr(value, "_value", value) if value is not None else None


def gather(epoch, step, image_idx, image_size, args):
    """The five arguments of all calls here -> dict, or None."""
    taken = {}
    if epoch is not None:
        taken["epoch"] = epoch
    if step is not None:
        taken["step"] = step
    if image_idx is not None:
        taken["image_idx"] = image_idx
    if image_size is not None:
        taken["image_size"] = image_size
    if args:
        for key, value in args.items():
            taken[str(key)] = _value(value)
    return taken or None


class _Call:
    """node (step=…, args=…): one use of a node, with arguments of its own."""

    __slots__ = ("_node", "_args", "_on", "_start")

    def __init__(self, node, args, on):
        self._node = node
        self._args = args or {}
        self._on = on
        self._start = 0

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        self._args.update(gather(epoch, step, image_idx, image_size, args)
                          or {})
        return self

    def __enter__(self):
        if self._on:
            _push(_getframe(1), self, _now(), self._args)
        return self

    def __exit__(self, kind, value, traceback):
        entry = _pop(_getframe(1), self) if self._on else None
        if entry is not None:
            _close(entry, self._node._id, self._node._sticky, kind)

    def __call__(self, function):
        node, args = self._node, self._args
        if not self._on:
            return function

        def fixed():
            if not node._on:
                return _wrap.OFF
            return {**node._sticky, **args} if node._sticky else args

        return _wrap.wrap(function, node._id, None, fixed)


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

    cat = property(lambda self: self._cat)
    name = property(lambda self: self._name)

    def __repr__(self):
        return "<dftrace %s/%s>" % (self._cat, self._name)

    def __reduce__(self):
        return _find, (self._cat, self._name)

    # -- events ----------------------------------------------------------

    def __call__(self, fn=None, *, enable=None, epoch=None, step=None,
                 image_idx=None, image_size=None, args=None):
        on = self._enabled if enable is None else enable
        on = bool(on and _backend.active)
        taken = gather(epoch, step, image_idx, image_size, args) if on else None
        call = _Call(self, taken, on) if on else _no_call
        if fn is None:
            return call
        return call(fn) if taken else self._decorate(fn, on)

    def _decorate(self, function, on):
        if not on:
            return function
        return _wrap.wrap(function, self._id, None,
                          lambda: self._sticky if self._on else _wrap.OFF)

    # _push and _pop by hand: these two are the cost of a block.
    def __enter__(self):
        if self._on:
            key = id(_getframe(1))
            if key in _open or len(_open) >= _OPEN_MAX:
                _push(_getframe(1), self, _now(), None)
            else:
                _open[key] = [(self, _now(), _get_ident(), None)]
        return self

    def __exit__(self, kind, value, traceback):
        if not _active:
            return
        key = id(_getframe(1))
        entries = _open.get(key)
        if kind is None and entries is not None and len(entries) == 1 \
                and entries[0][0] is self:
            del _open[key]
            args = entries[0][3]
            if args:
                args = {**self._sticky, **args}
            _end(self._id, entries[0][1], False, args or self._sticky)
            return
        entry = _pop(_getframe(1), self)
        if entry is not None:
            _close(entry, self._id, self._sticky, kind)

    def start(self, metadata=False):
        if metadata:
            self._log_time(START_METADATA_NAME)
        elif self._on:
            _push(_getframe(1), self, _now(), None)

    def stop(self, metadata=False):
        if metadata:
            self._log_time(STOP_METADATA_NAME)
            return
        entry = _pop(_getframe(1), self) if _backend.active else None
        if entry is not None:
            _close(entry, self._id, self._sticky, None)

    def _log_time(self, word):
        if self._on:
            import time
            _backend.metadata("%s.%s" % (self._name, word),
                              str(time.time_ns() // 1000))

    def iter(self, iterator, *, include_block=True, include_iter=True,
             iter_name=None, block_name=None):
        if not self._on:
            return iterator
        return self._iterate(
            iterator,
            include_iter and event_id(
                self._cat, iter_name or get_iter_handle_name(self._name)),
            include_block and event_id(
                self._cat, block_name or get_iter_block_name(self._name)))

    def _iterate(self, iterator, fetch, block):
        count = 0
        items = iter(iterator)
        while True:
            start = _now()
            try:
                item = next(items)
            except StopIteration:
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
        if self._on:
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
        if self._on:
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
        full = "%s.%s" % (self._name, name)
        return self._child(full, full)

    @property
    def init(self):
        return self.derive(INIT_NAME)

    def create_children(self, names):
        for key, name in names.items():
            setattr(self, key, self._child(key, name))

    def get_time(self):
        import time
        return time.time_ns() // 1000


if not _active:
    # Something false for any three arguments, in C: half the price.
    Node.__exit__ = "".format


class _NoCall:
    """A use of a node that records nothing."""

    __slots__ = ()

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        pass

    def __call__(self, function):
        return function


_no_call = _NoCall()


_TREE = {
    "compute": ("forward", "backward", "step"),
    "data": ("preprocess", "item"),
    "dataloader": ("fetch",),
    "comm": ("send", "receive", "barrier", "bcast", "reduce", "all_reduce",
             "gather", "all_gather", "scatter", "reduce_scatter",
             "all_to_all"),
    "device": ("transfer",),
    "checkpoint": ("capture", "restart"),
    "pipeline": ("epoch", "train", "evaluate", "test"),
}


def _plant():
    root = Node("ai_root")
    for cat, names in _TREE.items():
        branch = root._child(cat, cat, cat)
        setattr(root, cat, branch)
        branch.create_children({name: name for name in names})
    root.data_loader = root.dataloader      # as the study's listings say
    return root


ai = _plant()


def _find(cat, name):
    """Unpickle a node: the one of this process."""
    node = ai if cat == "ai_root" else getattr(ai, cat, None)
    if node is None or name == node._name:
        return node or Node(cat, name)
    for child in node._children.values():
        if child._name == name:
            return child
        if name.startswith(child._name + "."):
            return child.derive(name[len(child._name) + 1:])
    return node._child(name, name)
