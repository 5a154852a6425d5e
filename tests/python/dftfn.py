# SPDX-License-Identifier: MIT
"""dft_fn and the log of DFTracer, as its users call them."""

from dftracer.logger import DFTRACER_ENABLE, dft_fn, dftracer
from dftracer.python import (ProfileCategory, TagValue, DataLoaderEvent,
                             get_iter_block_name, ai)
from dftracer.python.common import TagType      # noqa: F401
from dftracer.python.ai_common import DFTracerAI

log = dftracer.initialize_log(logfile=None, data_dir=None, process_id=-1)
profile = dft_fn("cat")


class Reader:
    step = 4

    @profile.log_init
    def __init__(self):
        self.image_idx = 9

    @profile.log
    def read(self, a, step=1):
        return a

    @dft_fn("cat", name="other").log_static
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


named()
flushed()
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
log.finalize()
print("enabled", DFTRACER_ENABLE)
