# SPDX-License-Identifier: MIT
"""dft_fn and the log of DFTracer, as its users call them."""

from dftracer.logger import DFTRACER_ENABLE, dft_fn, dftracer
from dftracer.python import (ProfileCategory, TagValue, DataLoaderEvent,
                             get_iter_block_name, ai)
import dftracer.python as dftracer_python
from dftracer.python.common import TagType      # noqa: F401
from dftracer.python.ai_common import DFTracerAI

log = dftracer.initialize_log(logfile=None, data_dir=None, process_id=-1)
profile = dft_fn("cat")
other = dft_fn("cat", name="other")


class Reader:
    step = 4

    @profile.log_init
    def __init__(self):
        self.image_idx = 9

    @profile.log
    def read(self, a, step=1):
        return a

    @other.log_static
    def static():
        pass

    @profile.log
    def fails(self):
        raise OSError


reader = Reader()
Reader.static()
assert reader.read(1, step=9) == 1      # 9, not the default
try:
    reader.fails()
except OSError:
    pass


def named():
    with dft_fn("cat") as p:
        p.update(epoch=2, args={"k": TagValue("v")})


def flushed():
    with dft_fn("cat", "flushed") as p:
        p.flush()


def alone():
    p = dft_fn("cat", "alone")
    for i in range(6):
        assert p.update(step=i).flush() is p
        assert p.reset() is p


named()
flushed()
alone()
assert list(profile.iter([1, 2], name="loop", iter_name="step")) == [1, 2]
profile.log_metadata("mk", "mv")
start = log.get_time()
log.enter_event()
log.log_event("logged", "cat", start, 5000, int_args={"i": (0, 3)},
              string_args={"s": (0, "t")}, float_args={"f": (0, 0.5)})
log.exit_event()
log.log_metadata_event("lk", "lv")
own = DFTracerAI(cat="own", name="node")
with own:
    pass
assert str(ProfileCategory.DATALOADER) == "dataloader"
assert DataLoaderEvent.FETCH == "fetch"
assert get_iter_block_name("x") == "x.block"
assert ai.dataloader is ai.data_loader

# What the DFTracer of 2026 has besides.
with ai.data.io.read:
    pass
with ai.other.log:
    pass
assert ai.checkpoint.io.close.name == "checkpoint.io.close"
with dft_fn("cat", name="related") as p:
    used = p.uses("file", "a.bin", uri="/a.bin")
    p.generates("batch", 3)
    assert used == log.declare_entity("file", "a.bin")
log.declare_entity_type("file", 1, "input")
log.relate_entities(16, used, log.declare_entity("file", "b.bin"))
log.set_app_metadata_int("layers", 12)
assert log.get_config("NOT_SET") == "" and log.mark_used("x") is None

# Every access path of the published tree, and its (category, name).
TREE = """compute: forward backward step
data: preprocess item
dataloader: fetch
comm: send receive barrier bcast reduce all_reduce gather all_gather scatter \
reduce_scatter all_to_all
device: transfer
checkpoint: capture restart
pipeline: epoch train evaluate test
other: io log"""
assert (ai.cat, ai.name) == ("ai_root", "ai_root")
for line in TREE.splitlines():
    cat, _, names = line.partition(": ")
    branch = getattr(ai, cat)
    assert (branch.cat, branch.name) == (cat, cat)
    for name in names.split():
        node = getattr(branch, name)
        assert (node.cat, node.name) == (
            cat, "other." + name if cat == "other" else name)
        for call in ("derive", "init", "iter", "start", "stop", "update",
                     "enable", "disable"):
            assert hasattr(node, call)
for name in """comm compute data dataloader device checkpoint pipeline
        DFTracerAI Compute Data DataLoader Communication Device Checkpoint
        Pipeline AI ProfileCategory ComputeEvent DataEvent DataLoaderEvent
        CommunicationEvent DeviceEvent CheckpointEvent PipelineEvent INIT_NAME
        ITER_COUNT_NAME get_iter_block_name get_iter_handle_name ai dft_fn
        dftracer Dynamo create_backend IOEvent OtherEvent Other EntityID
        EntityRelation EntityRole EntityStore get_time_scale DFTRACER_LOG_LEVEL
        START_METADATA_NAME STOP_METADATA_NAME IO NoOpProfiler dynamo profiler
        ProfilerProtocol""".split():
    assert hasattr(dftracer_python, name), name
for name in """cat name derive init iter start stop update enable disable reset
        get_time create_children""".split():
    assert hasattr(dftracer_python.Dynamo, name), name
    assert hasattr(dftracer_python.IO, name), name
io = dftracer_python.IO(cat="data", parent_name="data")
assert (io.cat, io.name, io.read.name) == ("data", "data.io", "data.io.read")
assert dftracer_python.Dynamo(name="mine").name == "mine"
assert dftracer_python.Dynamo().count_parameters(1) is None
nothing = dftracer_python.NoOpProfiler()
assert nothing.get_time() == 0 and nothing.get_config("x") == ""
nothing.log_event("a", "b", 0, 0, int_args={})
nothing.finalize()
log.finalize()
print("enabled", DFTRACER_ENABLE)
