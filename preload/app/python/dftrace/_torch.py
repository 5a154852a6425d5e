# SPDX-License-Identifier: MIT
"""PyTorch's loaders beyond what a trace point can name.

In:  torch.utils.data.dataloader and ._utils.fetch, when they are imported
Out: on each iterator of a loader, how many samples each batch was asked to have
     (for @batch); an event for each item that a data set without indices gives,
     in whichever process runs it
"""

import types
from collections import deque

from . import _known, _wrap
from ._span import event_id

_next = next


class _Items:
    """A generator, or an iterator in C, with an event for each item."""

    __slots__ = ("_dftrace_it", "_dftrace_step")

    def __init__(self, iterator, step):
        self._dftrace_it = iterator
        self._dftrace_step = step

    def __iter__(self):
        return self

    def __next__(self):
        return self._dftrace_step(self._dftrace_it)

    def __getattr__(self, name):
        return getattr(self._dftrace_it, name)


class _Batches:
    """A Capture: where the loader makes no batches, the data set has."""

    @staticmethod
    def before(args, kwargs):
        return {}

    @staticmethod
    def after(args, kwargs, result, taken):
        taken["count"] = _known.batch((), {}, result)


def _item(iterator):
    return _next(iterator)


def _traced(function, capture):
    number = event_id("data", "item")
    _wrap.categories[number] = "data"
    _wrap.name_end(number, "data", "item")
    return _wrap.wrap(function, number, capture, outermost=True)


def _with_events(iterator, capture):
    """The iterator itself where the program has written its class, which may
    have more to it: state_dict () and so on."""
    cls = type(iterator)
    function = getattr(cls, "__next__", None)
    if not isinstance(function, types.FunctionType):
        return _Items(iterator, _traced(_item, capture))
    if not _wrap.is_wrapped(function):
        cls.__next__ = _traced(function, capture)
    return iterator


def fetchers(module):
    cls = module._IterableDatasetFetcher
    init = cls.__init__

    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        capture = None if getattr(self, "auto_collation", True) else _Batches
        self.dataset_iter = _with_events(self.dataset_iter, capture)

    cls.__init__ = __init__


def loaders(module):
    cls = module._BaseDataLoaderIter
    next_index, reset = cls._next_index, cls._reset
    iterable = module._DatasetKind.Iterable

    def _next_index(self):
        index = next_index(self)
        counts = self.__dict__.get(_known.COUNTS)
        if counts is None:
            counts = self.__dict__[_known.COUNTS] = deque()
        counts.append((_known.length(index), self._dataset_kind != iterable))
        return index

    def _reset(self, *args, **kwargs):
        self.__dict__.pop(_known.COUNTS, None)
        return reset(self, *args, **kwargs)

    cls._next_index, cls._reset = _next_index, _reset


ACTIONS = {"torch.utils.data.dataloader": loaders,
           "torch.utils.data._utils.fetch": fetchers}
