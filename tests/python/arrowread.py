# SPDX-License-Identifier: MIT
#
# arrowread.py - a stream of Arrow's C data interface -> rows, with ctypes only
#
# It checks on the way what the interface demands of who makes arrays.

import ctypes
from ctypes import (CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64,
                    c_void_p)


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p),
    ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
    ("release", CFUNCTYPE(None, POINTER(Schema))), ("private", c_void_p)]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64),
    ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", CFUNCTYPE(None, POINTER(Array))), ("private", c_void_p)]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))), ("private", c_void_p)]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = c_void_p
_pointer.argtypes = [ctypes.py_object, c_char_p]

NUMBERS = {b"i": ctypes.c_int32, b"l": c_int64, b"g": ctypes.c_double}


class StreamError(Exception):
    pass


def stream_of(capsule):
    """The stream in a capsule, which stays the capsule's."""
    return ctypes.cast(_pointer(capsule, b"arrow_array_stream"),
                       POINTER(Stream))


def _numbers(kind, address, n):
    return (kind * n).from_address(address)[:] if n else []


def _texts(array, wide):
    kind = c_int64 if wide else ctypes.c_int32
    assert array.n_buffers == 3
    ends = _numbers(kind, array.buffers[1], array.length + 1)
    assert ends[0] == 0 and ends == sorted(ends)
    data = ctypes.string_at(array.buffers[2], ends[-1])
    return [data[a:b].decode("utf-8") for a, b in zip(ends, ends[1:])]


def _values(schema, array):
    """One column of a batch."""
    assert array.offset == 0 and array.release
    if schema.format == b"U":
        values = _texts(array, True)
    else:
        assert array.n_buffers == 2
        values = _numbers(NUMBERS[schema.format], array.buffers[1],
                          array.length)
    nulls = 0
    if array.buffers[0]:
        bits = (ctypes.c_uint8 * ((array.length + 7) // 8)).from_address(
            array.buffers[0])
        there = [bits[i // 8] >> i % 8 & 1 for i in range(array.length)]
        nulls = there.count(0)
        values = [v if t else None for v, t in zip(values, there)]
    assert nulls == array.null_count, (nulls, array.null_count)
    if schema.dictionary:
        assert schema.dictionary.contents.format == b"u"
        words = _texts(array.dictionary.contents, False)
        assert len(set(words)) == len(words)
        values = [None if v is None else words[v] for v in values]
    return values


def _check(stream, code):
    if code:
        raise StreamError((stream.contents.get_last_error(stream) or
                           b"").decode())


def schema_of(capsule):
    """[(name, format, unit)] of the columns."""
    stream = stream_of(capsule)
    schema = Schema()
    _check(stream, stream.contents.get_schema(stream, byref(schema)))
    fields = []
    for i in range(schema.n_children):
        c = schema.children[i].contents
        unit = None
        if c.metadata:
            pairs, key = _numbers(ctypes.c_int32, c.metadata, 2)
            at = c.metadata + 8
            assert pairs == 1 and ctypes.string_at(at, key) == b"unit"
            length = _numbers(ctypes.c_int32, at + key, 1)[0]
            unit = ctypes.string_at(at + key + 4, length).decode()
        fields.append((c.name.decode(), "w" if c.dictionary
                       else c.format.decode(), unit))
    schema.release(byref(schema))
    assert not schema.release
    return fields


def batches(capsule, keep_child=False):
    """Batches, each as {column: [values]}; releases the stream at the end."""
    stream = stream_of(capsule)
    assert stream.contents.release
    schema = Schema()
    _check(stream, stream.contents.get_schema(stream, byref(schema)))
    assert schema.format == b"+s"
    try:
        while True:
            array = Array()
            _check(stream, stream.contents.get_next(stream, byref(array)))
            if not array.release:
                break
            assert array.n_children == schema.n_children and array.length >= 0
            batch = {}
            for i in range(array.n_children):
                c, s = array.children[i].contents, schema.children[i].contents
                assert c.length == array.length
                batch[s.name.decode()] = _values(s, c)
            if keep_child:      # moved out: the others go first
                child = Array.from_buffer_copy(array.children[0].contents)
                array.children[0].contents.release = type(child.release)()
                array.release(byref(array))
                _values(schema.children[0].contents, child)
                child.release(byref(child))
            else:
                array.release(byref(array))
            assert not array.release
            yield batch
    finally:
        schema.release(byref(schema))
        if stream.contents.release:
            stream.contents.release(stream)


def rows(source, **how):
    """All rows of what has __arrow_c_stream__, as dicts."""
    found = []
    for batch in batches(source.__arrow_c_stream__(), **how):
        names = list(batch)
        found += [dict(zip(names, row)) for row in zip(*batch.values())]
    return found
