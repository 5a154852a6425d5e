# SPDX-License-Identifier: MIT
"""A training script as anybody writes it; knows nothing of tracing.

torchtrain.py DIR WORKERS METHOD: 24 files of 4096 bytes, batches of 4, two
epochs, one checkpoint for each.
"""

import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

ITEMS, BYTES, BATCH, EPOCHS = 24, 4096, 4, 2


class Files(Dataset):
    def __init__(self, top):
        self.top = top

    def __len__(self):
        return ITEMS

    def __getitem__(self, idx):
        with open(os.path.join(self.top, "%d.bin" % idx), "rb",
                  buffering=0) as f:
            data = bytearray(f.read(BYTES))
        return torch.frombuffer(data, dtype=torch.uint8).float()[:8]


def main(top, workers, method):
    for i in range(ITEMS):
        with open(os.path.join(top, "%d.bin" % i), "wb") as f:
            f.write(bytes([i]) * BYTES)
    torch.set_num_threads(1)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(Files(top), batch_size=BATCH, num_workers=workers,
                        multiprocessing_context=method if workers else None)
    for epoch in range(EPOCHS):
        for batch in loader:
            optimizer.zero_grad()
            loss = model(batch).sum()
            loss.backward()
            optimizer.step()
        torch.save(model.state_dict(), os.path.join(top, "model.pt"))
    torch.load(os.path.join(top, "model.pt"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
