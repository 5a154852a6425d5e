# SPDX-License-Identifier: MIT
"""Blocks that are open: what begins in one place and ends in another.

In:  `with node`, node.start (), and their ends
Out: the entry that an end belongs to: that of the same frame, else the latest
     of the same thread (ExitStack, start and stop in two functions)
"""

import threading

from . import _backend, _wrap

_end = _backend.end
_get_ident = threading.get_ident

# id (frame) -> [(node, start, thread, arguments), …], innermost last
_open = {}
# Beyond these somebody starts and never stops: the oldest are forgotten.
_OPEN_MAX = 1 << 16             # frames
_ENTRIES_MAX = 1 << 10          # of one frame


def _forget_oldest():
    try:
        _open.pop(next(iter(_open)), None)
    except (RuntimeError, StopIteration):   # another thread was faster
        pass


def _push(frame, node, start, args, number=None):
    if number in _wrap.point_ids:
        _wrap.inside.ids.add(number)
    key = id(frame)
    entry = (node, start, _get_ident(), args)
    there = _open.get(key)
    if there is None:
        if len(_open) >= _OPEN_MAX:
            _forget_oldest()
        _open[key] = [entry]
    else:
        if len(there) >= _ENTRIES_MAX:
            del there[0]
        there.append(entry)


def _take(entries, node, thread):
    for i in range(len(entries) - 1, -1, -1):
        if entries[i][0] is node and thread in (None, entries[i][2]):
            return entries.pop(i)
    return None


def _pop(frame, node):
    """The entry that this frame, else this thread, opened last for node."""
    key = id(frame)
    entries = _open.get(key)
    if entries:
        entry = _take(entries, node, None)
        if entry is not None:
            if not entries:
                _open.pop(key, None)
            return entry
    thread = _get_ident()
    for key in reversed(list(_open)):
        entries = _open.get(key) or []
        entry = _take(entries, node, thread)
        if entry is not None:
            if not entries:
                _open.pop(key, None)
            return entry
    return None


def _close(entry, number, sticky, kind):
    if number in _wrap.point_ids:
        _wrap.inside.ids.discard(number)
    args = entry[3]
    if sticky:
        args = {**sticky, **args} if args else sticky
    if kind is not None:
        args = dict(args) if args else {}
        args["error"] = kind.__name__
    _end(number, entry[1], kind is not None, args)


def _note(frame, args):
    while frame is not None:
        entries = _open.get(id(frame))
        if entries:
            node, start, thread, old = entries[-1]
            if old is None:
                entries[-1] = (node, start, thread, dict(args))
            else:
                old.update(args)
            return
        if frame.f_code in _wrap.codes:
            _wrap.notes.setdefault(id(frame), {}).update(args)
            return
        frame = frame.f_back
