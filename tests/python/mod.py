# SPDX-License-Identifier: MIT
"""A program's module, of which t5200-points.t traces parts."""

import asyncio
import functools


class Data:
    size = 3

    def __init__(self, n):
        self.n = n

    def get(self, idx, scale=2):
        return list(range(idx * scale))

    def fail(self):
        raise ValueError("as it was")

    @staticmethod
    def static(a):
        return a

    @classmethod
    def make(cls, n):
        return cls(n)

    @property
    def prop(self):
        return 1

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


class More(Data):
    def get(self, idx, scale=2):
        return super().get(idx, scale)


class Loader:
    def __init__(self, source):
        self.source = source

    def all(self):
        return [self.source.item(i) for i in range(3)]


@functools.lru_cache(maxsize=None)
def cached(x):
    return x


def items(n):
    yield from range(n)


async def later(x):
    await asyncio.sleep(0)
    return x


class Named:
    """Names its steps itself, where a trace point names them, too."""

    def outer(self, inner):
        return inner()

    def inner(self):
        return 1


CONSTANT = 5
