#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A script whose own functions t5220-script.t traces."""
from __future__ import division

import inspect
import multiprocessing
import pickle
import sys
from json import dumps


def get_batch(n):
    return list(range(n))


class Data:
    def item(self, idx):
        return idx * 2

    @staticmethod
    def make(n):
        return n


try:
    def tried():
        return 1
except ImportError:
    pass
if True:
    def conditional():
        return 2
alias = lambda x: x     # noqa: E731


def child(n):
    return len(get_batch(n))


def say(names):
    """What the program sees of itself."""
    print(names["__doc__"], names["__name__"], names["__package__"],
          type(names["__loader__"]).__name__, names["__file__"],
          getattr(names["__spec__"], "name", None), names["__cached__"],
          sys.argv, sys.path[0], 1 / 2,
          sorted(k for k in names if "dftrace" in k))


if __name__ == "__main__":
    say(globals())
    get_batch(3), Data().item(4), Data.make(1), tried(), conditional()
    alias(1), dumps(1)
    for method in sys.argv[1:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(child, [1, 2]) == [1, 2]
            pool.close()
            pool.join()
    assert pickle.loads(pickle.dumps(get_batch)) is get_batch
    assert inspect.getsource(get_batch).startswith("def get_batch")
    sys.exit(get_batch(4)[-1])
