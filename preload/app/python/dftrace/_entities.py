# SPDX-License-Identifier: MIT
"""What DFTracer of 2026 adds: things that events use, and make.

Out: facts of the process, and arguments of events
"""

from enum import IntEnum

from . import _backend

EntityID = int


class EntityStore(IntEnum):
    MEMORY = 0
    GPU_MEMORY = 1
    LOCAL_DISK = 2
    PARALLEL_FS = 3
    BURST_BUFFER = 4
    OBJECT_STORE = 5
    DATABASE = 6
    NETWORK = 7
    OTHER = 8


class EntityRole(IntEnum):
    UNKNOWN = 0
    INPUT = 1
    OUTPUT = 2
    INTERMEDIATE = 3
    PARAMETER = 4
    REFERENCE = 5


class EntityRelation(IntEnum):
    USED = 0
    GENERATED = 1
    INVALIDATED = 2
    UPDATED = 3
    DERIVED_FROM = 16
    REVISION_OF = 17
    CONTAINS = 18
    PART_OF = 19
    SPECIALIZATION_OF = 20
    ALTERNATE_OF = 21
    DEPENDS_ON = 22


_declared = {}                  # (type, key) -> id


def _fact(key, *words):
    if _backend.recording():
        _backend.metadata(key, " ".join(str(w) for w in words if w != ""))


def declare(kind, key, store=EntityStore.MEMORY, uri=""):
    """The same number for the same thing in every process; 0: not traced."""
    if not _backend.recording():
        return 0
    number = _declared.get((kind, key))
    if number is None:
        number = 0xcbf29ce484222325     # FNV-1a, 63 bits of it
        for byte in ("%s\0%s" % (kind, key)).encode("utf-8", "replace"):
            number = (number ^ byte) * 0x100000001b3 % (1 << 64)
        number = number >> 1 or 1
        _declared[kind, key] = number
        _fact("entity", number, kind, key, EntityStore(int(store)).name, uri)
    return number


def describe(kind, role=EntityRole.UNKNOWN, description=""):
    _fact("entity_type", kind, EntityRole(int(role)).name, description)


def relate(relation, subject, other):
    if subject and other:
        _fact("entity_relation", EntityRelation(int(relation)).name, subject,
              other)
