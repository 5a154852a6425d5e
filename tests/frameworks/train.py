# SPDX-License-Identifier: MIT
"""A plain loop under torchrun: samples of a file by a DataLoader with workers.

Standard output: items, bytes of them, of this rank.
"""
import os
import sys

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

ITEM, ITEMS = 4096, 36


class Records(Dataset):
    def __len__(self):
        return ITEMS

    def __getitem__(self, i):
        fd = os.open(sys.argv[1], os.O_RDONLY)
        data = os.pread(fd, ITEM, i * ITEM)
        os.close(fd)
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).float()


dist.init_process_group("gloo")
model = torch.nn.Linear(ITEM, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
for batch in DataLoader(Records(), batch_size=6, num_workers=2):
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
torch.save(model.state_dict(), sys.argv[2] + "/model-%d.pt" % dist.get_rank())
os.write(1, b"%d %d\n" % (ITEMS, ITEMS * ITEM))
dist.destroy_process_group()
