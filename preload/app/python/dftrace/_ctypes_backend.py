# SPDX-License-Identifier: MIT
"""dftrace.h through ctypes, for interpreters that the extension does not fit.

The functions are those of the extension module _dftrace; the preload library
has them in the global namespace of the process. A span costs about ten times
what it costs through the extension.
"""

import ctypes

_ARGS_MAX = 16


class _Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("d", ctypes.c_double),
                ("text", ctypes.c_uint32)]


class _Arg(ctypes.Structure):
    _fields_ = [("key", ctypes.c_uint32), ("type", ctypes.c_uint32),
                ("value", _Value)]


class _Region(ctypes.Structure):
    _fields_ = [("start", ctypes.c_uint64), ("name", ctypes.c_uint32),
                ("nargs", ctypes.c_uint32), ("args", _Arg * _ARGS_MAX)]


_INT64 = 1 << 63
_region_p = ctypes.POINTER(_Region)
_lib = ctypes.CDLL(None)


def _function(name, result, *args):
    f = getattr(_lib, name)     # AttributeError: no preload library
    f.restype = result
    f.argtypes = args
    return f


_active = _function("dftrace_active", ctypes.c_int)
_clock = _function("dftrace_clock", ctypes.c_uint64)
_enter = _function("dftrace_region_enter", ctypes.c_uint64, ctypes.c_uint32)
leave = _function("dftrace_region_leave", None, ctypes.c_uint64)
_event_id = _function("dftrace_event_id", ctypes.c_uint32,
                      ctypes.c_char_p, ctypes.c_char_p)
_end = _function("dftrace_region_end", None, _region_p, ctypes.c_int)
_mark = _function("dftrace_region_mark", None, _region_p)
_int = _function("dftrace_region_int", None, _region_p,
                 ctypes.c_char_p, ctypes.c_int64)
_double = _function("dftrace_region_double", None, _region_p,
                    ctypes.c_char_p, ctypes.c_double)
_text = _function("dftrace_region_text", None, _region_p,
                  ctypes.c_char_p, ctypes.c_char_p)
_metadata = _function("dftrace_event_metadata", None,
                      ctypes.c_char_p, ctypes.c_char_p)
_context_set = _function("dftrace_context_set", None,
                         ctypes.c_char_p, ctypes.c_int64)
_context_unset = _function("dftrace_context_unset", None, ctypes.c_char_p)


def now(region=0):
    return _enter(region) if region else _clock()


def _utf8(text):
    return text.encode("utf-8", "backslashreplace")


def active():
    return bool(_active())


def event_id(category, name):
    return _event_id(_utf8(category), _utf8(name))


def _add(region, key, value):
    if value is None or not isinstance(key, str):
        return
    key = _utf8(key)
    if not isinstance(value, str):
        try:
            n = value.__index__()
            if -_INT64 <= n < _INT64:
                _int(region, key, n)
                return
        except Exception:
            pass
        try:
            _double(region, key, float(value))
            return
        except Exception:
            pass
    try:
        _text(region, key, _utf8(str(value)))
    except Exception:
        pass


def _fill(name, start, args):
    region = _Region(start=start, name=name)
    if args:
        for key, value in args.items():
            _add(region, key, value)
    return region


def end(name, start, failed, args):
    if start:
        _end(_fill(name, start, args), 1 if failed else 0)


def mark(name, args):
    _mark(_fill(name, 1, args))


def metadata(key, value):
    _metadata(_utf8(key), _utf8(value))


def context(key, value):
    if value is None:
        _context_unset(_utf8(key))
    else:
        _context_set(_utf8(key), value)
