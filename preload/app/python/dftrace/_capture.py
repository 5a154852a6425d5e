# SPDX-License-Identifier: MIT
"""What to take from a call: image_idx=idx, image_size=result.nbytes.

    VALUE = PATH | len(PATH) | url(PATH) | number | 'text' | @NAME
    PATH  = NAME, or result, or $1 (the first argument after self), and then
            any of .attribute [3] ['key']
    url() = a text without query, fragment and credentials
    @NAME = what _known.py finds out: @batch, @step, …

Caveat: looks at attributes and items of the program's own objects and runs no
other code of it. What cannot be had (an attribute that is not there) and what
is neither number nor text is left out of the event.
"""

import inspect
import re

_PATH = re.compile(r"(\$[0-9]+|[A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[-?\d+\]"
                   r"|\['[^']*'\]|\[\"[^\"]*\"\])*)$")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(-?\d+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_OF = re.compile(r"(len|url)\((.*)\)$")
_SCALARS = frozenset((int, float, str, bool))
_NUMBER = re.compile(r"-?\d+(\.\d+)?$")


class Bad(ValueError):
    """A value that is not one; str () says why."""


def parse(text):
    """"len(result.x)" -> (root, steps); a constant -> (None, value); @batch ->
    ("@", function)."""
    if text.startswith("@"):
        from . import _known

        known = _known.NAMES.get(text)
        if known is None:
            raise Bad("%s: there are %s" % (text, ", ".join(
                sorted(_known.NAMES))))
        return "@", known
    if _NUMBER.match(text):
        return None, float(text) if "." in text else int(text)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return None, text[1:-1]
    inner = _OF.match(text)
    path = _PATH.match(inner.group(2) if inner else text)
    if not path:
        raise Bad("%s: not NAME, result or $1 with .attribute or [index], "
                  "nor len(…) or url(…) of it, a number or a 'text'" % text)
    steps = []
    for attribute, index, one, two in _STEP.findall(path.group(2)):
        if attribute:
            steps.append((getattr, attribute))
        else:
            steps.append((_item, int(index) if index else one or two))
    if inner:
        steps.append((_FUNCTIONS[inner.group(1)], None))
    return path.group(1), tuple(steps)


def _item(value, key):
    return value[key]


def _length(value, unused):
    return len(value)


def _url(value, unused):
    """Raises for what is no text, which may be anything."""
    if not isinstance(value, str):
        raise TypeError
    text = value.partition("?")[0].partition("#")[0]
    scheme, colon, rest = text.partition("://")
    if not colon:
        return text
    host, slash, path = rest.partition("/")
    return scheme + colon + host.rpartition("@")[2] + slash + path


_FUNCTIONS = {"len": _length, "url": _url}


def _walk(value, steps):
    for get, name in steps:
        value = get(value, name)
    return value if type(value) in _SCALARS else _scalar(value)


def _scalar(value):
    """A number or text; raises for what is none: lists, slices, arrays."""
    if isinstance(value, (int, float, str)):
        return value
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        return value.__float__()


def _parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):     # implemented in C, without a signature
        return []


def _position(root, parameters, bound):
    """Index of a root in args; -1: only by keyword."""
    if root.startswith("$"):
        return int(root[1:]) - 1 + (1 if bound else 0)
    for i, p in enumerate(parameters):
        if p.name == root:
            return i if p.kind in (p.POSITIONAL_ONLY,
                                   p.POSITIONAL_OR_KEYWORD) else -1
    return None


def argument(name, function):
    """What gives the argument of that name: f (args, kwargs). Raises Bad."""
    parameters = _parameters(function)
    position, default = Capture.where(name, parameters, False)

    def given(args, kwargs):
        if 0 <= position < len(args):
            return args[position]
        return kwargs.get(name, default)

    return given


class Capture:
    """before (args, kwargs) -> dict; after (args, kwargs, result, dict), or
    None.

    Raises Bad for a value that does not parse or names no parameter.
    """

    def __init__(self, wanted, function, bound=None):
        parameters = _parameters(function)
        if bound is None:
            bound = bool(parameters) and parameters[0].name in ("self", "cls")
        self._constants = {}
        self._from_args = []
        self._from_result = []
        self._known = []
        for key, text in wanted:
            root, steps = parse(str(text))
            if root is None:
                self._constants[key] = steps
            elif root == "@":
                self._known.append((key, steps))
            elif root == "result":
                self._from_result.append((key, steps))
            else:
                self._from_args.append(
                    (key, root, steps) + self.where(root, parameters, bound))
        self.after = (self._after if self._from_result or self._known
                      else None)

    @staticmethod
    def where(root, parameters, bound):
        position = _position(root, parameters, bound)
        if position is None and parameters and not any(
                p.kind == p.VAR_KEYWORD for p in parameters):
            raise Bad("%s: not a parameter; there are %s" % (
                root, ", ".join(p.name for p in parameters) or "none"))
        default = None
        for p in parameters:
            if p.name == root and p.default is not p.empty:
                default = p.default
        return (-1 if position is None else position), default

    def before(self, args, kwargs):
        taken = self._constants.copy()
        n = len(args)
        for key, root, steps, position, default in self._from_args:
            if 0 <= position < n:
                value = args[position]
            else:
                value = kwargs.get(root, default)
            if not steps and type(value) in _SCALARS:
                taken[key] = value      # the usual case, cheaply
                continue
            try:
                taken[key] = _walk(value, steps)
            except Exception:
                pass
        return taken

    def _after(self, args, kwargs, result, taken):
        for key, steps in self._from_result:
            try:
                taken[key] = _walk(result, steps)
            except Exception:
                pass
        for key, known in self._known:
            try:
                value = known(args, kwargs, result)
            except Exception:
                continue
            if value is not None:
                taken[key] = value
