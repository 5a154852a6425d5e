# SPDX-License-Identifier: MIT
"""torch.distributed.checkpoint on gloo ranks: save, async_save, load.

One line a rank: seconds that save and async_save took of the main thread.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

where = sys.argv[1]
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = torch.nn.Sequential(*[torch.nn.Linear(700, 700) for _ in range(4)])
state = {"model": {"%s.%d" % (k, rank): v for k, v in model.state_dict().items()}}

begin = time.monotonic()
dcp.save(state, checkpoint_id=os.path.join(where, "step0"))
saved = time.monotonic() - begin
begin = time.monotonic()
future = dcp.async_save(state, checkpoint_id=os.path.join(where, "step1"))
blocked = time.monotonic() - begin
future.result()
dcp.load(state, checkpoint_id=os.path.join(where, "step0"))
torch.save(model.state_dict(), os.path.join(where, "weights-%d.pth" % rank))
os.write(1, b"%d %.6f %.6f\n" % (rank, saved, blocked))
dist.destroy_process_group()
