# SPDX-License-Identifier: MIT
"""What trace points ask for as @NAME: numbers that are no attribute of anything.

In:  arguments and result of a call that has returned
Out: a number, or None: not known, then the event is without it
"""

import weakref

COUNTS = "_dftrace_counts"      # of an iterator of PyTorch: see _torch.py
_SAMPLE = object()              # no batch: one sample

_again = {}                     # id -> [weak reference, calls]


def rows(value):
    """How many samples a batch has, by the first dimension of all that it
    consists of. None: it has none; _SAMPLE: it is one sample."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    if isinstance(value, (str, bytes, int, float)) or value is None:
        return None
    if hasattr(value, "num_rows"):          # a table of Arrow
        return int(value.num_rows)
    if hasattr(value, "values") and hasattr(value, "keys"):
        found = {rows(part) for part in value.values()}
        return found.pop() if len(found) == 1 and None not in found else \
            _SAMPLE
    if isinstance(value, (list, tuple)) and value:
        found = {rows(part) for part in value}
        if found == {None} or found == {_SAMPLE}:
            return len(value)               # scalars, samples
        if len(found) == 1:
            return found.pop()
        return _SAMPLE if None in found or _SAMPLE in found else len(value)
    return None


def _rows(value):
    found = rows(value)
    return 1 if found is _SAMPLE else found


def length(index):
    """Of what a sampler gave: a list of indices, or one of them."""
    try:
        return len(index) if not isinstance(index, (str, bytes)) else None
    except TypeError:
        return None


def batch(args, kwargs, result):
    """Samples of the batch that a loader gave. Of PyTorch's: as many as its
    sampler asked for. A data set without indices may have had less."""
    counts = getattr(args[0], COUNTS, None) if args else None
    if not counts:
        return _rows(result)
    asked, exact = counts.popleft()
    if exact:
        return asked if asked is not None else 1
    found = _rows(result)
    if asked is None:
        return found
    return asked if found is None else min(asked, found)


def its_rows(args, kwargs, result):
    """Samples of what came back."""
    return _rows(result)


def indices(args, kwargs, result):
    """Items that the first argument after self asks for."""
    wanted = args[1] if len(args) > 1 else next(iter(kwargs.values()))
    if isinstance(wanted, slice):
        return len(range(*wanted.indices(len(args[0]))))
    if isinstance(wanted, (list, tuple, range)):
        return len(wanted)
    shape = getattr(wanted, "shape", None)
    return int(shape[0]) if shape else None


def again(args, kwargs, result):
    """How often that was called before with the same first argument."""
    thing = args[1] if len(args) > 1 else next(iter(kwargs.values()))
    key = id(thing)
    entry = _again.get(key)
    if entry is None or entry[0]() is not thing:
        entry = _again[key] = [
            weakref.ref(thing, lambda gone: _again.pop(key, None)), -1]
    entry[1] += 1
    return entry[1]


class _Steps:
    """Steps that the first optimizer has done."""

    optimizer = None            # weak reference
    done = 0


def step(args, kwargs, result):
    """The step that the program is at, from 0."""
    return _Steps.done


def stepped(args, kwargs, result):
    """The same; and this call ends it, if it is of the first optimizer."""
    done = _Steps.done
    if _Steps.optimizer is None or _Steps.optimizer() is None:
        _Steps.optimizer = weakref.ref(args[0])
    if _Steps.optimizer() is args[0]:
        _Steps.done += 1
    return done


NAMES = {"@again": again, "@batch": batch, "@indices": indices, "@rows": its_rows, "@step": step,
         "@stepped": stepped}
