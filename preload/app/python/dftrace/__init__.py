# SPDX-License-Identifier: MIT
"""Steps of an application, on the clock of its I/O.

    from dftrace import ai, region, trace

    with region("data", "item", image_idx=i) as r:
        ...
        r.update(image_size=n)

    @trace("compute", "step")
    def step(): ...

    with ai.compute.forward: ...

In a process that is not traced all of it does nothing. doc/app.md says more.
dftrace.read ("job") opens a trace for questions: doc/ask.md.
"""

# Of the analysis, which is loaded when one of these is used, and by no `*`.
_READING = ("AskError", "DamageWarning", "Error", "Events", "Figure", "Finding",
            "Findings", "Metrics", "Table", "Trace", "__version__", "read")
_STUDYING = ("Study", "study")

__all__ = ["active", "ai", "context", "counter", "epoch", "instant",
           "metadata", "region", "step", "trace"]


def __getattr__(name):
    # Loaded when first used: the import hook of every Python process needs
    # none of it.
    if name == "active":
        from ._backend import active as value
    elif name == "ai":
        from ._ai import ai as value
    elif name in __all__:
        from . import _span
        value = getattr(_span, name)
    elif name in _READING:
        from . import _read
        value = getattr(_read, name)
    elif name in _STUDYING:
        from . import _study
        value = getattr(_study, name)
    else:
        raise AttributeError("module %r has no attribute %r"
                             % (__name__, name))
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, *_READING, *_STUDYING})
