# SPDX-License-Identifier: MIT
"""Training loops; the argument says of what kind.

Out: what they counted themselves, a word and a number in each line
"""

import os
import sys
import threading
import time

from torch._tensor import Tensor
from torch.nn.modules.module import Module
from torch.utils.data.dataloader import DataLoader
from torch.utils.data.dataset import Dataset, IterableDataset, Subset

N, BATCH, EPOCHS = 22, 4, 2     # the last batch has two


class Map(Dataset):
    fetched = 0

    def __len__(self):
        return N

    def __getitem__(self, idx):
        Map.fetched += len(idx) if isinstance(idx, list) else 1
        return Tensor(len(idx), 2) if isinstance(idx, list) else Tensor(2)


class Batched(Map):
    def __getitems__(self, indices):
        Map.fetched += len(indices)
        return [Tensor(2) for _ in indices]


class Stream(IterableDataset):
    def __iter__(self):
        for _ in range(N):
            Map.fetched += 1
            yield Tensor(2)


class Iterator(IterableDataset):
    """Is its own iterator, as of webdataset and others."""

    def __iter__(self):
        self.left = N
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        Map.fetched += 1
        return Tensor(2)


class Ready(IterableDataset):
    """Its items are batches."""

    def __iter__(self):
        for n in BATCH, BATCH, 3:
            Map.fetched += n
            yield {"image": Tensor(n, 3, 8, 8), "label": Tensor(n)}


def run(loader, epochs=EPOCHS, rows=lambda batch: batch.shape[0], most=None):
    used = batches = 0
    for _ in range(epochs):
        for i, batch in enumerate(loader):
            used += rows(batch)
            batches += 1
            if most is not None and i + 1 == most:
                break
    print("fetched", Map.fetched)
    print("used", used)
    print("batches", batches)
    print("epochs", epochs)
    print("samples", used)


def items():
    run(DataLoader(Map(), BATCH))


def batches():
    run(DataLoader(Batched(), BATCH))


def lists():
    """A sampler of batches, and a data set that takes a list of indices."""
    chunks = [list(range(i, min(i + BATCH, N))) for i in range(0, N, BATCH)]
    run(DataLoader(Map(), None, sampler=chunks))


def stream():
    run(DataLoader(Stream(), BATCH))


def iterator():
    loader = DataLoader(Iterator(), BATCH)
    assert type(iter(loader)._fetcher.dataset_iter) is Iterator
    run(loader)


def ready():
    run(DataLoader(Ready(), None), rows=lambda batch: batch["label"].shape[0])


def left():
    """Workers fetch ahead what nobody takes."""
    loader = DataLoader(Subset(Map(), range(N)), BATCH, num_workers=1,
                        persistent_workers=True)
    it = iter(loader)
    next(it)
    it.shut()
    print("fetched", 3 * BATCH)         # two ahead, and one for the one taken
    print("used", BATCH)


def workers(kept):
    def slow(worker_id):
        time.sleep(0.2)

    loader = DataLoader(Map(), BATCH, num_workers=2, persistent_workers=kept,
                        at_end=slow)
    Map.fetched = 3 * N         # by the workers
    run(loader, 3)
    if kept:
        loader._iterator.shut()
    print("starts", 1 if kept else 3)
    print("restarts", 0 if kept else 2)


def fresh():
    workers(False)


def kept():
    workers(True)


class Inner(Module):
    def forward(self, x):
        return x


class Outer(Module):
    def __init__(self):
        self.inner = Inner()

    def forward(self, x, fails=False):
        if fails:
            raise ValueError("as it was")
        return self.inner(self.inner(x))


class Transformed(Map):
    transform = Inner()

    def __getitem__(self, idx):
        return self.transform(super().__getitem__(idx))


def collate(batch):
    return Inner()(Tensor(len(batch), 2))


def model():
    net, calls = Outer(), 0
    for batch in DataLoader(Transformed(), BATCH):
        net(batch)
        calls += 1
    for batch in DataLoader(Map(), BATCH, num_workers=1, collate_fn=collate):
        net(batch)
        calls += 1
    try:
        net(1, fails=True)
    except ValueError:
        calls += 1
    thread = threading.Thread(target=net, args=(1,))
    thread.start()
    thread.join()
    print("calls", calls + 1)


def data():
    run(DataLoader(Map(), BATCH))


globals()[sys.argv[1]]()
sys.stdout.flush()
os._exit(0) if sys.argv[1] == "left" else None
