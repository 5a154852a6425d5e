# SPDX-License-Identifier: MIT
"""Dynamo.compile: torch.compile, with an event for each call.

The event is of the call from outside; what the compiler makes of the function
is not traced into. Without torch.compile the function runs as it is.
"""

from dftrace._dftracer import event_id
from dftrace._dftracer_names import DFTracerAI
from dftrace._wrap import wrap
from dftrace import active

CAT_DYNAMO = "dynamo"


class Dynamo(DFTracerAI):
    """A node like those of ai, which can also compile."""

    def __init__(self, name=None, epoch=None, step=None, image_idx=None,
                 image_size=None, enable=True):
        DFTracerAI.__init__(self, cat=CAT_DYNAMO, name=name, enable=enable)
        self.update(epoch, step, image_idx, image_size)
        self.call_stack = []
        self._on = enable and active

    def reset(self):
        DFTracerAI.reset(self)
        self.call_stack.clear()

    def count_parameters(self, module):
        if hasattr(module, "parameters"):
            return int(sum(p.numel() for p in module.parameters()))
        return None

    def add_enhanced_timing_to_graph(self, graph):
        """The graph as it is: events are of calls from outside."""
        return graph

    def compile(self, function=None, autograd=True, **options):
        if function is None:
            return lambda f: self.compile(f, autograd, **options)
        import torch

        compiled = function
        if hasattr(torch, "compile"):
            compiled = torch.compile(function, **options)
        if not self._on:
            return compiled
        name = getattr(function, "__name__", type(function).__name__)
        return wrap(compiled, event_id(self._cat, "function." + name), _Grad())

    def create_backend(self, backend="inductor"):
        """A backend for torch.compile: that one, with an event per graph."""
        def traced(graph, inputs, **options):
            import torch

            compile_graph = torch._dynamo.lookup_backend(backend)
            return wrap(compile_graph(graph, inputs, **options),
                        event_id(self._cat, "function." + backend), _Grad())
        return traced


class _Grad:
    after = None

    def before(self, args, kwargs):
        import torch

        return {"grad_enabled": torch.is_grad_enabled()}


dynamo = Dynamo()


def create_backend(backend="inductor", **unused):
    return Dynamo().create_backend(backend)
