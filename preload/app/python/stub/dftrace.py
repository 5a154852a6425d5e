# SPDX-License-Identifier: MIT
"""`import dftrace` where dftrace is not installed: everything does nothing.

Copy this file beside your program. Where the program is traced, the package
that traces it takes this file's place; elsewhere its calls stay harmless.
Needs Python 3.7, nothing else. MIT.
"""

import os
import sys

_there = os.path.join(os.environ.get("DFTRACE_PYTHON") or "", "dftrace")

if os.path.isabs(_there) and os.path.isfile(
        os.path.join(_there, "__init__.py")):
    import importlib.util

    _spec = importlib.util.spec_from_file_location(
        __name__, os.path.join(_there, "__init__.py"),
        submodule_search_locations=[_there])
    _module = importlib.util.module_from_spec(_spec)
    sys.modules[__name__] = _module
    _spec.loader.exec_module(_module)

__all__ = ["active", "ai", "context", "counter", "epoch", "instant",
           "metadata", "region", "step", "trace"]

active = False


class _Region:
    def update(self, **args):
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None

    def start(self):
        return self

    def stop(self):
        pass


_region = _Region()


def region(category, name, **args):
    return _region


def trace(category, name=None, **capture):
    return category if callable(category) else _same


def _same(function):
    return function


def instant(category, name, **args):
    pass


def counter(category, name, value):
    pass


def metadata(key, value):
    pass


def context(**values):
    pass


def step(number):
    pass


def epoch(number):
    pass


class _Node:
    """Any node of the tree, and each use of it."""

    cat = name = "untraced"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, fn=None, *, enable=None, epoch=None, step=None,
                 image_idx=None, image_size=None, args=None):
        return self if fn is None else fn

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None

    def iter(self, iterator, *, include_block=True, include_iter=True,
             **unused):
        return iterator

    def update(self, epoch=None, step=None, image_idx=None, image_size=None,
               args=None):
        return self

    def note(self, **args):
        return self

    def derive(self, name):
        return self

    def start(self, metadata=False):
        pass

    stop = start

    def enable(self):
        pass

    disable = reset = enable

    def create_children(self, names):
        pass


ai = _Node()
