# SPDX-License-Identifier: MIT
"""Which way there is to the recorder: extension, ctypes, or none.

active is decided once: the preload library is there from the start of the
process or never, and children of fork have what their parent has.
"""

import os
import sys

way = "none"
active = False
extension = None                # the module, traced or not
compiling = None                # see _dynamo.py


def now(region=0):
    return 0


def leave(start):
    pass


def event_id(category, name):
    return 0


def end(name, start, failed, args):
    pass


def mark(name, args):
    pass


def metadata(key, value):
    pass


def context(key, value):
    pass


def recording():
    return active and not (compiling is not None and compiling())


def _extension():
    if sys.version_info < (3, 10):
        return None
    try:
        from . import _dftrace
    except ImportError:
        return None
    return _dftrace


def _ctypes():
    try:
        from . import _ctypes_backend
    except (ImportError, AttributeError, OSError):
        return None
    return _ctypes_backend


def _choose():
    global extension
    if os.environ.get("DFTRACE_APP_BACKEND") != "ctypes":
        extension = _extension()
        if extension is not None:
            return "extension", extension
    if not os.environ.get("DFTRACE_JOB_DIR"):
        return "none", None     # nothing is traced: spare the import
    module = _ctypes()
    return ("ctypes", module) if module is not None else ("none", None)


def _take(found, module):
    global way, active, now, leave, event_id, end, mark, metadata, context
    if module is None or not module.active():
        return
    way, active = found, True
    now, leave, event_id, end = \
        module.now, module.leave, module.event_id, module.end
    mark, metadata, context = module.mark, module.metadata, module.context


_take(*_choose())
