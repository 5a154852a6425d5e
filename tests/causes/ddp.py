# SPDX-License-Identifier: MIT
"""Two ranks of DistributedDataParallel; the samples of rank 1 take MS milliseconds more.

usage: torch.distributed.run --nproc_per_node 2 ddp.py MS
Each rank prints a line: its number, samples, seconds in next () and in backward ().
"""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

EXTRA = float(sys.argv[1]) / 1000


class Samples(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, i):
        if int(os.environ['RANK']) == 1:
            time.sleep(EXTRA)
        x = torch.full((256,), float(i % 7))
        return x, x.mean()


def main():
    torch.set_num_threads(1)
    dist.init_process_group('gloo')
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    samples = Samples()
    batches = DataLoader(samples, batch_size=8, num_workers=1,
                         sampler=DistributedSampler(samples, shuffle=False))
    used = fetching = backward = 0
    for _ in range(2):
        it = iter(batches)
        while True:
            begin = time.monotonic()
            batch = next(it, None)
            fetching += time.monotonic() - begin
            if batch is None:
                break
            used += len(batch[0])
            loss = ((model(batch[0]).squeeze(1) - batch[1]) ** 2).mean()
            optimizer.zero_grad()
            begin = time.monotonic()
            loss.backward()
            backward += time.monotonic() - begin
            optimizer.step()
        dist.barrier()
    sys.stdout.write(f'{os.environ["RANK"]} {used} {fetching:.6f} {backward:.6f}\n')
    dist.destroy_process_group()


main()
