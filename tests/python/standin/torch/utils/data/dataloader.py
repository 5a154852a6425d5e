# SPDX-License-Identifier: MIT
"""The iterators of a loader: as many tasks ahead as PyTorch's, workers of fork,
joined by the next () that finds no more, or kept."""

import itertools
import multiprocessing

from . import dataset as _dataset
from ._utils import fetch, worker

_fork = multiprocessing.get_context("fork")


class _DatasetKind:
    Map = 0
    Iterable = 1

    def __init__(self, kind):
        self.kind = kind

    def create_fetcher(self, *args):
        if self.kind == _DatasetKind.Map:
            return fetch._MapDatasetFetcher(*args)
        return fetch._IterableDatasetFetcher(*args)


def default_collate(batch):
    from ..._tensor import Tensor

    return Tensor(len(batch), 2)


class DataLoader:
    def __init__(self, dataset, batch_size=1, sampler=None, num_workers=0,
                 collate_fn=None, persistent_workers=False, at_end=None):
        self.dataset = dataset
        self.num_workers = num_workers
        self.persistent_workers = persistent_workers
        self.at_end = at_end or (lambda worker_id: None)
        self.kind = int(isinstance(dataset, _dataset.IterableDataset))
        self.auto_collation = batch_size is not None
        self.collate_fn = collate_fn or (
            default_collate if self.auto_collation else lambda x: x)
        self.batch_size = batch_size
        self.sampler = sampler
        self._iterator = None

    def index_sampler(self):
        source = itertools.repeat(None) if self.kind else iter(
            self.sampler if self.sampler is not None
            else range(len(self.dataset)))
        if not self.auto_collation:
            return source
        return iter(lambda: list(itertools.islice(source, self.batch_size)),
                    [])

    def __iter__(self):
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        if self._iterator is None or not self.persistent_workers:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator._reset(self)
        return self._iterator


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._loader = loader
        self._dataset_kind = loader.kind
        self._sampler_iter = loader.index_sampler()

    def _reset(self, loader, first_iter=False):
        self._sampler_iter = loader.index_sampler()

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __iter__(self):
        return self

    def __next__(self):
        return self._next_data()


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        self._fetcher = _DatasetKind(loader.kind).create_fetcher(
            loader.dataset, loader.auto_collation, loader.collate_fn, False)

    def _next_data(self):
        return self._fetcher.fetch(self._next_index())


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        self._out = _fork.Queue()
        self._queues = [_fork.Queue() for _ in range(loader.num_workers)]
        self._workers = [_fork.Process(target=worker._worker_loop, args=(
            _DatasetKind(loader.kind), loader.dataset, queue, self._out,
            loader.auto_collation, loader.collate_fn, loader.at_end, i))
            for i, queue in enumerate(self._queues)]
        for process in self._workers:
            process.start()
        self._reset(loader, first_iter=True)

    def _reset(self, loader, first_iter=False):
        super()._reset(loader, first_iter)
        self._outstanding, self._turn = 0, 0
        for _ in range(2 * loader.num_workers):
            self._try_put_index()

    def _try_put_index(self):
        try:
            index = self._next_index()
        except StopIteration:
            return
        self._queues[self._turn % len(self._queues)].put(index)
        self._turn += 1
        self._outstanding += 1

    def _next_data(self):
        while self._outstanding:
            data = self._out.get()[1]
            self._outstanding -= 1
            if data is not None:
                self._try_put_index()
                return data
        if not self._loader.persistent_workers:
            self.shut()
        raise StopIteration

    def shut(self):
        for queue in self._queues:
            queue.put(None)
        for process in self._workers:
            process.join()
