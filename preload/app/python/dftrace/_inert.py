# SPDX-License-Identifier: MIT
"""What records nothing, at the cost of a call in C.

In:  classes and results of a process that is not traced
Out: functions in C: half the cost of methods in Python, and no dict for
     keywords. torch.compile cannot look into these: when it is there, they
     are in Python again.
"""

import itertools

from . import _backend

_blocks = []                    # classes whose blocks are in C
_nodes = []                     # (class in C, its call in Python)
_functions = []                 # (in C, the same in Python)
_substitute = None              # torch.compile is there: see simplify ()


def _enter(self):
    return self


def _exit(self, kind, value, traceback):
    return None


def block(cls, entered=None):
    """Blocks of cls do nothing; entered: what all of them give, where that
    can be the same object."""
    if _substitute is not None:
        cls.__enter__, cls.__exit__ = _enter, _exit
        return
    if entered is not None:
        cls.__enter__ = itertools.repeat(entered).__next__
    # Something false for any three arguments.
    cls.__exit__ = "".format
    _blocks.append(cls)


def always(value, function):
    """A function that gives value, whatever it is called with, as this one
    in Python does."""
    if _backend.extension is None or _substitute is not None:
        return function
    fast = _backend.extension.always(value)
    _functions.append((fast, function))
    return fast


def node(cls, result, otherwise, keywords):
    """cls, with calls that give result where they have none but these
    keywords, their argument where it is one, else what otherwise says, which
    is the same in Python."""
    if _backend.extension is None or _substitute is not None:
        cls.__call__ = otherwise
        return cls
    fast = _backend.extension.node()
    for name, value in vars(cls).items():
        if name not in ("__call__", "__enter__", "__dict__", "__weakref__"):
            setattr(fast, name, value)
    fast._inert_call = (result, otherwise) + keywords
    _nodes.append((fast, otherwise))
    return fast


def simplify(substitute):
    """substitute (a, b): have torch.compile see b for a."""
    global _substitute
    _substitute = substitute
    for cls, otherwise in _nodes:
        cls.__call__ = otherwise
    for cls in _blocks:
        block(cls)
    for fast, slow in _functions:
        substitute(fast, slow)
