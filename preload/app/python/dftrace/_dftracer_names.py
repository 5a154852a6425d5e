# SPDX-License-Identifier: MIT
"""The words of DFTracer's `ai`: enumerations and the classes of its nodes."""

from enum import Enum

from ._ai import IO as _IO
from ._ai import TREE, ai, grow
from ._entities import (EntityID, EntityRelation,   # noqa: F401
                        EntityRole, EntityStore)
from ._node import (BLOCK_NAME, INIT_NAME,          # noqa: F401
                    ITER_COUNT_NAME, ITER_NAME, START_METADATA_NAME,
                    STOP_METADATA_NAME, Node, get_iter_block_name,
                    get_iter_handle_name)

CTX_SEPARATOR = "."
ROOT_NAME = ROOT_CAT = "ai_root"


class StringEnum(str, Enum):
    def __str__(self):
        return str(self.value)


def _enum(name, values):
    return StringEnum(name, {v.upper(): v for v in values}, module=__name__)


ProfileCategory = _enum("ProfileCategory", TREE)
ComputeEvent = _enum("ComputeEvent", TREE["compute"])
DataEvent = _enum("DataEvent", TREE["data"])
DataLoaderEvent = _enum("DataLoaderEvent", TREE["dataloader"])
CommunicationEvent = _enum("CommunicationEvent", TREE["comm"])
DeviceEvent = _enum("DeviceEvent", TREE["device"])
CheckpointEvent = _enum("CheckpointEvent", TREE["checkpoint"])
PipelineEvent = _enum("PipelineEvent", TREE["pipeline"])
IOEvent = _enum("IOEvent", _IO)
OtherEvent = _enum("OtherEvent", ("log",))


class DFTracerAI(Node):
    """DFTracerAI (cat=…, name=…): a node of one's own."""

    def __init__(self, *, cat, name=None, epoch=None, step=None,
                 image_idx=None, image_size=None, enable=True):
        Node.__init__(self, cat, name, enable)
        self.update(epoch, step, image_idx, image_size)


class IO(DFTracerAI):
    """What is below .io of data and checkpoint: open, read, write, close."""

    def __init__(self, *, cat, parent_name, epoch=None, step=None,
                 image_idx=None, image_size=None, enable=True):
        DFTracerAI.__init__(self, cat=cat, name=parent_name + ".io",
                            enable=enable)
        self.create_children({name: self._name + "." + name for name in _IO})
        self.update(epoch, step, image_idx, image_size)


def _branch(word):
    class Branch(DFTracerAI):
        def __init__(self, epoch=None, step=None, image_idx=None,
                     image_size=None, enable=True):
            DFTracerAI.__init__(self, cat=word, enable=enable)
            grow(self, word)
            self.update(epoch, step, image_idx, image_size)
    return Branch


Compute = _branch("compute")
Data = _branch("data")
DataLoader = _branch("dataloader")
Communication = _branch("comm")
Device = _branch("device")
Checkpoint = _branch("checkpoint")
Pipeline = _branch("pipeline")
Other = _branch("other")
AI = type(ai)

comm, compute, data = ai.comm, ai.compute, ai.data
dataloader = data_loader = ai.dataloader
device, checkpoint, pipeline = ai.device, ai.checkpoint, ai.pipeline
