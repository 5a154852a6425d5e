# SPDX-License-Identifier: MIT
"""Trace-point files: which functions are traced, as what.

    # comment
    MODULE:NAME = CATEGORY.NAME [not-in=CATEGORY,…] [KEY=VALUE …]
    MODULE:NAME(PARAMETER).METHOD = CATEGORY.NAME [KEY=VALUE …]
    ?MODULE:NAME = …

NAME may be dotted (Class.method). The second form is for classes that the
program brings: each time NAME is called, the class of what it was given as
PARAMETER has its METHOD traced, or the object where METHOD is a function of its own. ?: not every version has it; do not report.
not-in: calls inside a trace point of one of those categories, separated by commas,
are part of it. VALUE: see _capture.py.

In:  *.points beside this file, then DFTRACE_POINTS: files and directories
Out: lines by module; a line is parsed when its module is imported
"""

import os


class Bad(ValueError):
    """A line that makes no sense; str () says why."""


class Line:
    __slots__ = ("where", "text")

    def __init__(self, where, text):
        self.where = where      # file:line
        self.text = text


class Point:
    """module, qualname; parameter and method or None; cat, name; captures;
    not_in: categories or None."""

    __slots__ = ("module", "qualname", "parameter", "method", "cat", "name",
                 "captures", "optional", "not_in")


def files(setting):
    """Paths of DFTRACE_POINTS -> files, in order; what is missing, too."""
    out = []
    for path in (setting or "").split(":"):
        if path and os.path.isdir(path):
            out += sorted(os.path.join(path, f) for f in os.listdir(path)
                          if f.endswith(".points"))
        elif path:
            out.append(path)
    return out


def shipped():
    return files(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                              "points"))


def read(path):
    """Lines of a file that are not empty. OSError, UnicodeDecodeError."""
    with open(path, encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            text = text.strip()
            if text and not text.startswith("#"):
                yield Line("%s:%d" % (path, number), text)


def module_of(text):
    """The module that a line is about, as far as one can tell."""
    return text.lstrip("?").partition(":")[0].strip()


def _dotted(text):
    return text and all(part.isidentifier() for part in text.split("."))


def _target(point, text):
    point.optional = text.startswith("?")
    module, colon, rest = text.lstrip("?").partition(":")
    point.module, rest = module.strip(), rest.strip()
    if not colon or not _dotted(point.module):
        raise Bad("%s: not MODULE:NAME" % text)
    point.parameter = point.method = None
    if "(" in rest:
        rest, _, tail = rest.partition("(")
        parameter, close, method = tail.partition(").")
        if not close or not parameter.isidentifier() or \
                not method.isidentifier():
            raise Bad("%s: not NAME(PARAMETER).METHOD" % text)
        point.parameter, point.method = parameter, method
    if not _dotted(rest):
        raise Bad("%s: not a name of %s" % (rest or "nothing", point.module))
    point.qualname = rest


def _event(point, words):
    if not words:
        raise Bad("no CATEGORY.NAME after =")
    point.cat, dot, point.name = words[0].partition(".")
    if not dot or not point.cat or not point.name or "=" in words[0]:
        raise Bad("%s: not CATEGORY.NAME" % words[0])
    point.captures, point.not_in = [], None
    for word in words[1:]:
        key, equal, value = word.partition("=")
        if key == "not-in" and value:
            point.not_in = frozenset(value.split(","))
            continue
        if not equal or not key.isidentifier() or not value:
            raise Bad("%s: not KEY=VALUE" % word)
        point.captures.append((key, value))


def parse(text):
    """One line -> Point. Raises Bad."""
    from . import _capture

    target, equal, rest = text.partition("=")
    if not equal:
        raise Bad("no = CATEGORY.NAME")
    point = Point()
    _target(point, target.strip())
    _event(point, rest.split("#", 1)[0].split())
    for key, value in point.captures:
        try:
            _capture.parse(value)
        except _capture.Bad as error:
            raise Bad(str(error))
    return point
