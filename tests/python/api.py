# SPDX-License-Identifier: MIT
"""Every way to make an event; t5100-python.t counts what is recorded."""

import asyncio
import contextlib
import pickle
import sys
import threading

from dftrace import (ai, context, counter, instant, metadata, region, step,
                     trace)


# -- region, trace -------------------------------------------------------

with region("t", "region", a=1, b=2.5, c="x\udc80é", d=None, e=True,
            f=1 << 80) as r:
    r.update(g=7)
try:
    with region("t", "raised"):
        raise KeyError("k")
except KeyError:
    pass
for i in range(600):        # more keys than anybody remembers, made and gone
    with region("t", "keys", **{"k%d" % (i % 200): i % 200,
                                "x%d" % (i % 7): float(i)}):
        pass
instant("t", "instant", n=1)
counter("t", "counter", 2.5)
metadata("fact", "value")


@trace("t", "traced", idx="idx", size="len(result)", third="$3",
       at="rows[0].real")
def traced(idx, rows, *rest, size=3):
    """Text."""
    return rows * size


assert traced(4, [9], "r") == [9, 9, 9]
assert traced.__name__ == "traced" and traced.__doc__ == "Text."
assert pickle.loads(pickle.dumps(traced)) is traced


class Thing:
    @trace
    def method(self):
        return "m"

    @trace("t", "static")
    @staticmethod
    def static():
        return "s"

    @trace("t", "class")
    @classmethod
    def klass(cls):
        return cls


assert Thing().method() == "m"
assert Thing.static() == Thing().static() == "s"
assert Thing.klass() is Thing


@trace("t", "generator", item="result")
def generator(n):
    got = []
    for i in range(n):
        try:
            got.append((yield i))
        except ValueError:
            got.append("thrown")
    return got


def drive():
    g = generator(3)
    assert next(g) == 0 and g.send("one") == 1
    assert g.throw(ValueError()) == 2
    try:
        g.send("two")
    except StopIteration as end:
        assert end.value == ["one", "thrown", "two"], end.value


drive()
g = generator(9)
next(g)
g.close()


@trace("t", "coroutine", n="n")
async def coroutine(n):
    await asyncio.sleep(0)
    with ai.comm.send(args={"n": n}):
        await asyncio.sleep(0)
    return n


@trace("t", "agen")
async def agen(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def tasks():
    assert await asyncio.gather(*map(coroutine, range(5))) == list(range(5))
    assert [i async for i in agen(4)] == [0, 1, 2, 3]


asyncio.run(tasks())

# -- ai: nothing shared between uses --------------------------------------


@ai.compute.forward
def recurse(n):
    ai.note(n=n)
    return recurse(n - 1) if n else 0


recurse(3)

with ai.pipeline.test(args={"k": "mine"}) as call:
    call.update(args={"late": 1})
    with ai.pipeline.test:
        ai.note(inner=1)
with ai.pipeline.test(enable=False):
    pass

with contextlib.ExitStack() as stack:
    stack.enter_context(ai.device.transfer)
    stack.enter_context(ai.device.transfer)


def suspended():
    with ai.device:
        yield


def interleave():
    s = suspended()
    with ai.device:
        next(s)
    s.close()       # leaves after the block that it began in


interleave()
barrier = threading.Barrier(4)


def work():
    barrier.wait()
    for _ in range(250):
        with ai.comm.barrier:
            pass


threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]

ai.data.update(step=5, image_size=10.5)
with ai.data.item:
    pass
ai.data.item.reset()
with ai.data.item:
    pass
with ai.data.preprocess.derive(name="collate"):
    pass
ai.checkpoint.disable()
with ai.checkpoint.capture:
    pass
ai.checkpoint.enable()
ai.checkpoint.capture.start()
ai.checkpoint.capture.stop()
ai.checkpoint.capture.start(metadata=True)
with ai.checkpoint.init():
    pass


@ai.data_loader.init
def starts():
    pass


starts()
assert list(ai.pipeline.epoch.iter(range(3))) == [0, 1, 2]
try:
    with ai.compute.backward:
        raise SystemExit
except SystemExit:
    pass
assert pickle.loads(pickle.dumps(ai.data.item)) is ai.data.item

for _ in range(5000):
    ai.pipeline.train.start()       # and never stop
from dftrace import _blocks     # noqa: E402
assert sum(map(len, _blocks._open.values())) <= _blocks._ENTRIES_MAX


async def many():
    async def one():
        with ai.comm.gather:
            await asyncio.sleep(0.01)
    await asyncio.gather(*(one() for _ in range(5000)))


asyncio.run(many())

step(8)
with region("t", "in_step"):
    pass
context(step=None)

print("way", __import__("dftrace")._backend.way,
      "inspect" in sys.modules and "ok")
