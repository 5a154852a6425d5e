# SPDX-License-Identifier: MIT
"""Uses mod.py in this process and in children of each start method."""

import asyncio
import inspect
import multiprocessing
import pickle
import sys

import mod
from mod import Data


class Source:
    """A class that nobody could name beforehand."""

    def item(self, index):
        return index


def child(n):
    return len(Data(0).get(n))


def main():
    d = Data(3)
    assert d.get(2) == [0, 1, 2, 3] and d.get(1, scale=1) == [0]
    assert list(d) == [2, 1, 0]
    assert mod.More(0).get(1) == [0, 1]
    try:
        d.fail()
    except ValueError as error:
        assert error.args == ("as it was",)
    assert Data.static(1) == d.static(1) == 1
    assert isinstance(Data.make(4), Data) and isinstance(
        mod.More.make(4), mod.More)
    assert mod.cached(3) == 3 and list(mod.items(3)) == [0, 1, 2]
    assert asyncio.run(mod.later(7)) == 7
    assert mod.Loader(Source()).all() == [0, 1, 2]
    assert str(inspect.signature(Data.get)) == "(self, idx, scale=2)"
    assert Data.get.__qualname__ == "Data.get"
    assert pickle.loads(pickle.dumps(Data.static)) is Data.static
    assert "def get" in inspect.getsource(Data.get)
    for method in sys.argv[1:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(child, [1, 2]) == [2, 4]
            pool.close()
            pool.join()


if __name__ == "__main__":
    main()
