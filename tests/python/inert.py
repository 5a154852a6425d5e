# SPDX-License-Identifier: MIT
"""Not traced: each call gives what it gives in a traced process, and refuses
what is refused there. Prints the class of a node."""

import collections
import copy
import gc
import pickle
import sys
import weakref

from dftrace import _use, ai
from dftrace._dftracer import dft_fn
from dftrace._dftracer_names import DFTracerAI


def plain(x):
    return x


def refuses(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except TypeError:
        return True
    return False


class Mine(DFTracerAI):
    pass


def check(node):
    use = node(args={"k": 1})
    assert use is node() is node(None) is node(fn=None, step=3) \
        is node(**{"".join(("st", "ep")): 3})
    assert use.update(step=4) is use and use(plain) is plain
    assert node(plain) is plain and node(fn=plain) is plain
    assert node(plain, step=3, enable=False) is plain
    with use as entered:
        assert entered is use
    with node as entered:
        assert entered is node
    with node(epoch=1, step=2, image_idx=3, image_size=4, args={}):
        pass
    assert refuses(node, no_such=1) and refuses(node, plain, 1)
    assert refuses(node, step=1, steps=1) and refuses(node.update, no_such=1)
    assert list(node.iter([1, 2])) == [1, 2]
    assert node.init is node.init is node.derive("init")
    assert node.derive(name="n").name == node.name + ".n"
    assert node.update(step=1) is node.note(n=1) is node
    for method in (node.start, node.stop, node.enable, node.disable,
                   node.reset):
        assert method() is None
    node.own = 1
    assert node.own == 1 and vars(node)["own"] == 1
    del node.own
    try:
        with node, node(step=1):
            raise KeyError
    except KeyError:
        pass


check(ai)
check(ai.data.item)
check(Mine(cat="mine", name="m"))
for node in ai, ai.compute.forward, ai.checkpoint.init:
    assert pickle.loads(pickle.dumps(node)) is node is copy.copy(node)
assert isinstance(ai.data, type(ai)) and isinstance(Mine(cat="c"), type(ai))

gone = Mine(cat="mine")
gone.itself = gone
gone = weakref.ref(gone)
gc.collect()
assert gone() is None



class Wrapped:
    def __init__(self, value):
        self._value = value


class Broken:
    @property
    def _value(self):
        raise OSError


class Key:
    def __str__(self):
        return "a key"


class Mapping(collections.UserDict):
    pass


for given in ((None,) * 5, (1, 2.5, 3, "x", None), (None, 0, None, None, {}),
              (None, 1, None, None, {"step": 2, "t": True, "n": None}),
              (None,) * 4 + ({1: Wrapped(2), Key(): Key, (3,): Wrapped([4])},),
              (1, None, None, None, Mapping(a=Wrapped("b"), c=1 << 90)),
              (1, None, None, None, Mapping()), (None,) * 4 + (0,)):
    assert _use.gather_fast(*given) == _use.gather(*given), given
for call in _use.gather, _use.gather_fast:
    for bad in {"k": Broken()}, 7:
        try:
            call(None, None, None, None, bad)
        except (OSError, AttributeError, TypeError):
            pass
        else:
            raise AssertionError(bad)
values = [Wrapped(plain), {"k": plain}, plain]
for _ in range(1000):
    _use.gather_fast(None, None, None, plain, {"k": values[0], plain: values})

before = [sys.getrefcount(o) for o in (plain, ai(), ai.data)]
for _ in range(1000):
    ai.data(plain), ai.data(step=1), ai.data(fn=plain), ai.data(None)
    refuses(ai.data, no_such=1)
    with ai.data:
        pass
assert before == [sys.getrefcount(o) for o in (plain, ai(), ai.data)]

with dft_fn("cat", "name", step=1) as use:
    assert use.update(args={"k": 1}).reset().flush() is use
assert dft_fn("cat").log(plain) is plain
print(type(type(ai).__enter__).__name__)
