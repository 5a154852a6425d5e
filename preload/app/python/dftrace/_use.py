# SPDX-License-Identifier: MIT
"""One use of a node: with ai.data.item (step=3, args={…}) as use.

In:  what the call was given; what update () adds
Out: a block or a decorated function with arguments of its own
"""

import sys

from . import _backend, _inert, _wrap
from ._blocks import (_OPEN_MAX, _close, _get_ident, _open, _pop, _push)

compiling = _backend.compiling  # see _dynamo.py
_now = _backend.now
_end = _backend.end
_point_ids = _wrap.point_ids
_PLAIN = frozenset((int, float, str, bool))
_getframe = getattr(sys, "_getframe", lambda depth: None)


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
            if type(value) not in _PLAIN:
                value = _value(value)
            taken[key if type(key) is str else str(key)] = value
    return taken or None


def _gather_fast():
    if _backend.extension is None:
        return gather
    return _backend.extension.gather


gather_fast = _gather_fast()    # not for the eyes of torch.compile


class Use:
    """A decorator and a context manager."""

    __slots__ = ("_node", "_number", "_args")

    def __init__(self, node, args):
        self._node = node
        self._number = node._id
        self._args = args

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        self._args.update(gather(epoch, step, image_idx, image_size, args)
                          or {})
        return self

    # _push and _pop by hand, as in Node: the cost of a block.
    def __enter__(self):
        if compiling is not None and compiling():
            return self
        key = id(_getframe(1))
        if key in _open or self._number in _point_ids or \
                len(_open) >= _OPEN_MAX:
            _push(_getframe(1), self, _now(self._number), self._args, self._number)
        else:
            _open[key] = [(self, _now(self._number), _get_ident(), self._args)]
        return self

    def __exit__(self, kind, value, traceback):
        if compiling is not None and compiling():
            return
        key = id(_getframe(1))
        entries = _open.get(key)
        if kind is None and entries is not None and len(entries) == 1:
            owner, start, thread, args = entries[0]
            if owner is self and self._number not in _point_ids:
                _open.pop(key, None)
                sticky = self._node._sticky
                _end(self._number, start, False,
                     {**sticky, **args} if sticky else args)
                return
        entry = _pop(_getframe(1), self)
        if entry is not None:
            _close(entry, self._number, self._node._sticky, kind)

    def __call__(self, function):
        node, args = self._node, self._args

        def fixed():
            if not node._on:
                return _wrap.OFF
            return {**node._sticky, **args} if node._sticky else args

        return _wrap.wrap(function, node._id, None, fixed)


class _NoUse:
    """A use that records nothing."""

    __slots__ = ()

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        return self

    def __call__(self, function):
        return function


no_use = _NoUse()
_inert.block(_NoUse, no_use)
