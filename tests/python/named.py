# SPDX-License-Identifier: MIT
"""Names its events itself; t5200-points.t has trace points of the same."""

from dftrace import ai, region, trace

from mod import Named

named = Named()


@ai.data.item
def decorated():
    return 1


@trace("data", "item", n="n")
def traced(n):
    return n


def block():
    with ai.data.item:
        return 2


def used():
    with ai.data.item(step=1):
        return 3


# A trace point around: of the five, one each is the program's.
assert named.outer(decorated) == 1
assert named.outer(lambda: traced(4)) == 4
assert named.outer(block) == 2
assert named.outer(used) == 3
assert named.outer(named.inner) == 1        # the point itself, once


def fails():
    with ai.data.item:
        raise ValueError


try:
    named.outer(fails)
except ValueError:
    pass

# A trace point within.
with ai.data.item:
    named.inner()
with ai.data.item(step=2):
    named.inner()
ai.data.item(lambda: named.inner())()
with region("other", "thing"):
    named.inner()
