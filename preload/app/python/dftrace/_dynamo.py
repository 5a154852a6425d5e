# SPDX-License-Identifier: MIT
"""torch.compile, which looks into the functions it compiles.

In:  torch._dynamo, when the program imports it
Out: `compiling` of our modules: a test that is true while Dynamo looks, and
     that it takes for a constant. All that records asks it first, so that
     the graph is that of the program without us.
Caveat: what is compiled is one call from outside; steps within it are not
recorded.
"""

import sys

from . import _backend, _inert

_MODULES = ("_backend", "_node", "_span", "_use", "_wrap")


def _test(module):
    torch = sys.modules.get("torch")
    return getattr(getattr(torch, "compiler", None), "is_dynamo_compiling",
                   None) or getattr(module, "is_compiling", None)


def _substitute(fast, slow):
    from torch._dynamo.decorators import substitute_in_graph

    try:
        substitute_in_graph(fast, skip_signature_check=True)(slow)
    except Exception:           # an older one: it breaks the graph there
        pass


def adapt(module):
    test = _test(module)
    for name in _MODULES:
        user = sys.modules.get(__package__ + "." + name)
        if hasattr(user, "ask"):
            user.ask(test)
        elif user is not None:
            user.compiling = test
    if not _backend.active:
        _inert.simplify(_substitute)


def watch():
    """Once; now, if it is there."""
    from . import _hook

    if "torch._dynamo" in sys.modules:
        adapt(sys.modules["torch._dynamo"])
    else:
        _hook.when_imported("torch._dynamo", adapt)
        _hook.install()
