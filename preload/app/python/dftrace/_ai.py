# SPDX-License-Identifier: MIT
"""The tree `ai`: ai.data.item, ai.compute.forward, … as DFTracer names them.

Each node is a decorator and a context manager:

    @ai.data.item
    def __getitem__(self, idx): ...

    with ai.compute.step: ...
    with ai.compute.step(step=3, args={"lr": 0.1}) as use:
        use.update(args={"loss": loss})        # this event only

    ai.update(step=3)           # this node and all below, until changed
    ai.note(image_size=n)       # the innermost open event, once
"""

from ._node import Node

TREE = {
    "compute": ("forward", "backward", "step"),
    "data": ("preprocess", "item"),
    "dataloader": ("fetch",),
    "comm": ("send", "receive", "barrier", "bcast", "reduce", "all_reduce",
             "gather", "all_gather", "scatter", "reduce_scatter",
             "all_to_all"),
    "device": ("transfer",),
    "checkpoint": ("capture", "restart"),
    "pipeline": ("epoch", "train", "evaluate", "test"),
    "other": (),
}
IO = ("open", "read", "write", "close")
_WITH_IO = ("data", "checkpoint", "other")


def grow(branch, cat):
    """What is below a branch."""
    branch.create_children({name: name for name in TREE[cat]})
    if cat in _WITH_IO:
        branch.io = branch.derive("io")
        for name in IO:
            setattr(branch.io, name, branch.io.derive(name))
    if cat == "other":
        branch.log = branch.derive("log")


def _plant():
    root = Node("ai_root")
    for cat in TREE:
        branch = root._child(cat, cat, cat)
        setattr(root, cat, branch)
        grow(branch, cat)
    root.data_loader = root.dataloader      # as the study's listings say
    return root


ai = _plant()


def find(cat, name):
    """Unpickle a node: the one of this process."""
    node = ai if cat == "ai_root" else getattr(ai, cat, None)
    if node is None or name == node._name:
        return node or Node(cat, name)
    for child in node._children.values():
        if child._name == name:
            return child
        if name.startswith(child._name + "."):
            return child.derive(name[len(child._name) + 1:])
    return node._child(name, name)
