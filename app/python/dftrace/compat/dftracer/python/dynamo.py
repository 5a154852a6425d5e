# SPDX-License-Identifier: MIT
"""Dynamo.compile: torch.compile, with an event for each call.

The event is of the call from outside; what the compiler makes of the function
is not traced into. Without torch.compile the function runs as it is.
"""

from dftrace._dftracer import event_id
from dftrace._wrap import wrap
from dftrace import active


class Dynamo:
    def __init__(self, cat="dynamo", enable=True):
        self._cat = cat
        self._on = enable and active

    def compile(self, function=None, **options):
        if function is None:
            return lambda f: self.compile(f, **options)
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
