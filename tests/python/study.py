# SPDX-License-Identifier: MIT
"""How a published study instruments Megatron-LM, reduced to its calls of
DFTracer, which are as printed there: pretrain_gpt.py, gpt_dataset.py,
indexed_dataset.py, training.py, checkpointing.py, data_samplers.py."""

import atexit
import multiprocessing
import os
import sys

import dftracer.python as _dftracer_mod
from dftracer.python import ai
_DFTRACER_AVAILABLE = True

DFTRACER_LOG_DIR = os.environ.get("DFTRACER_LOG_DIR", "/nonexistent")
DFTRACER_DATA_DIR = "/"


class Array(bytes):
    nbytes = property(len)


@ai.data_loader.fetch
def get_batch(data_iterator, vp_stage=None):
    return next(data_iterator)


@ai.compute.forward
def forward_step(data_iterator, model):
    return get_batch(data_iterator)


class GPTDataset:
    def __init__(self, reader):
        self.reader = reader

    @ai.data.item
    def __getitem__(self, idx):
        text = self._query_document_sample_shuffle_indices(idx)
        with ai.data.preprocess:
            tokens = text[:-1]
            labels = text[1:]
        _get_ltor_masks_and_position_ids(tokens, 0)
        return tokens, labels

    @ai.data.preprocess.derive(name="read_indexed")
    def _query_document_sample_shuffle_indices(self, idx):
        samples = self.reader.read(None, 64, 0)
        ai.update(image_size=samples.nbytes, image_idx=idx)
        return samples


@ai.data.derive(name="read_indexed")
def _get_ltor_masks_and_position_ids(data, eod_token):
    pass


class _MMapBinReader:
    @ai.data.preprocess.derive(name="mmap_read")
    def read(self, dtype, count, offset):
        return Array(count)


class _FileBinReader:
    @ai.data.preprocess.derive(name="file_read")
    def read(self, dtype, count, offset):
        with open(sys.executable, mode="rb", buffering=0) as f:
            f.seek(offset)
            return Array(f.read(count))


@ai.compute.step
def train_step(forward_step_func, data_iterator, model):
    return forward_step_func(data_iterator, model)


@ai.pipeline.train
def train(forward_step_func, model, iterator, steps):
    for _ in range(steps):
        train_step(forward_step_func, iterator, model)


@ai.checkpoint.capture
def save_checkpoint(iteration, model):
    pass


def _dftracer_worker_init_fn(worker_id):
    if not _DFTRACER_AVAILABLE:
        return
    if not os.environ.get("DFTRACER_ENABLE", "0") == "1":
        return
    pid = os.getpid()
    log_file = os.path.join(DFTRACER_LOG_DIR, f"ai_trace_worker_{pid}.pfw")
    _dftracer_worker_init_fn._logger = \
        _dftracer_mod.dfdtracer.initialize_log(log_file, DFTRACER_DATA_DIR, pid)
    atexit.register(
        lambda: _dftracer_worker_init_fn._logger.finalize()
        if getattr(_dftracer_worker_init_fn, '_logger', None) else None
    )


def worker(worker_id, queue):
    _dftracer_worker_init_fn(worker_id)
    dataset = GPTDataset((_MMapBinReader, _FileBinReader)[worker_id]())
    for idx in range(5):
        queue.put(dataset[idx])


if __name__ == "__main__":
    os.environ["DFTRACER_ENABLE"] = "1"
    _df_logger = None
    if _DFTRACER_AVAILABLE:
        _dft_log_file = os.path.join(DFTRACER_LOG_DIR,
                                     f"ai_trace_{os.getpid()}.pfw")
        _df_logger = _dftracer_mod.dftracer.initialize_log(
            _dft_log_file, DFTRACER_DATA_DIR, os.getpid())
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=worker, args=(i, queue))
               for i in range(2)]
    [w.start() for w in workers]
    train(forward_step, None, iter([queue.get() for _ in range(10)]), 10)
    save_checkpoint(10, None)
    [w.join() for w in workers]
    if _df_logger is not None:
        _df_logger.finalize()
