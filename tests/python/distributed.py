# SPDX-License-Identifier: MIT
"""Two ranks with gloo: collectives, a distributed checkpoint, an async one.

distributed.py DIR: prints what this torch has of it, one word a line.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

SIZE = 2


def collectives(rank):
    one = torch.ones(4)
    many = [torch.zeros(4) for _ in range(SIZE)]
    dist.all_reduce(one)
    assert one.tolist() == [2.0] * 4
    dist.broadcast(one, 0)
    dist.reduce(one, 0)
    dist.all_gather(many, torch.full((4,), float(rank)))
    assert [m[0].item() for m in many] == [0.0, 1.0]
    dist.gather(one, many if rank == 0 else None, 0)
    dist.scatter(one, many if rank == 0 else None, 0)
    if rank == 0:
        dist.send(one, 1)
    else:
        dist.recv(one, 0)
    work = dist.all_reduce(one, async_op=True)
    assert type(work) is dist.distributed_c10d.Work
    assert work.wait() is True and work.is_completed()
    if rank == 0:
        dist.isend(one, 1).wait()
    else:
        dist.irecv(one, 0).wait()
    dist.barrier()
    try:
        dist.all_reduce(one, op="no such")
    except Exception:       # which one depends on the version
        pass


def checkpoint(rank, top):
    try:
        import torch.distributed.checkpoint as dcp
    except ImportError:
        return []
    state = {"w": torch.full((8,), float(rank))}
    path = os.path.join(top, "sync")
    if not hasattr(dcp, "save"):
        dcp.save_state_dict(state, dcp.FileSystemWriter(path))
        dcp.load_state_dict(state, dcp.FileSystemReader(path))
        return ["checkpoint"]
    dcp.save(state, checkpoint_id=path)
    dcp.load(state, checkpoint_id=path)
    if not hasattr(dcp, "async_save"):
        return ["checkpoint"]
    dcp.async_save(state, checkpoint_id=os.path.join(top, "async")).result()
    return ["checkpoint", "async"]


def rank_main(rank, top):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://%s/meet" % top,
                            rank=rank, world_size=SIZE)
    collectives(rank)
    words = checkpoint(rank, top)
    if rank == 0:
        print("\n".join(["collectives"] + words), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(rank_main, args=(sys.argv[1],), nprocs=SIZE)
