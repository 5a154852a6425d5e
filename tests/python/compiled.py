# SPDX-License-Identifier: MIT
"""What looks into functions: torch.compile, export, jit, fx, vmap. Prints one
line for each: its name, and whether the result is that of the plain call."""

import sys

import net
import torch

from dftrace import ai, instant, region, step, trace

torch.set_num_threads(1)
torch.manual_seed(1)
model = net.Net()
x = torch.ones(2, 8)
want = model(x)                     # one event of each of its functions


def say(name, got):
    print(name, "same" if torch.allclose(got, want) else "differs")


say("script", torch.jit.script(model)(x))
say("script function", torch.jit.script(net.double)(model.block(x, scale=3)))
say("jit.trace", torch.jit.trace(model, x)(x))
say("fx", torch.fx.symbolic_trace(model)(x))


def blocks(x):
    with region("mine", "region", n=1) as r:
        r.update(m=2)
        x = x * 1
    with ai.data.item:
        x = x * 1
    with ai.data.item(step=3) as use:
        use.update(image_size=4)
        x = x * 1
    instant("mine", "instant")
    ai.update(step=1)
    ai.note(n=1)
    step(1)
    return x


@ai.compute.forward
def decorated(x):
    return x * 1


@trace("mine", "traced", n="x.shape[0]")
def traced(x):
    return x * 1


def break_reasons(function):
    found = torch._dynamo.explain(function)(x)
    return found.graph_count, [str(r.reason) for r in found.break_reasons]


if not hasattr(torch, "compile"):
    print("no torch.compile")
    sys.exit()
# fullgraph: a break of the graph is an error
say("compile", torch.compile(model, backend="eager", fullgraph=True)(x))
for function in blocks, decorated, traced:
    say(function.__name__, torch.compile(function, backend="eager",
                                         fullgraph=True)(want))
say("export", torch.export.export(model, (x,)).module()(x))
say("vmap", torch.vmap(net.double)(model.block(x, scale=3)))
count, reasons = break_reasons(model)
print("graphs", count, *reasons)
