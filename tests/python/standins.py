# SPDX-License-Identifier: MIT
"""Modules with the names of frameworks, below a directory, and a loop through each.

standins.py DIR: makes the modules; standins.py DIR NAME: runs the loop, which prints
what it counted: a word and a number in each line
"""

import os
import sys
import threading

MODULES = {
    "tensorflow/python/data/ops/iterator_ops": """
class OwnedIterator:
    def __init__(self, items):
        self._items = iter(items)

    def __iter__(self):
        return self

    def __next__(self):
        return self._next_internal()

    def get_next(self):
        return self._next_internal()

    def _next_internal(self):
        return next(self._items)
""",
    "tensorflow/python/eager/polymorphic_function/polymorphic_function": """
class Function:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return self.function(*args)
""",
    "keras/src/backend/tensorflow/trainer": """
from tensorflow.python.eager.polymorphic_function import polymorphic_function


class TensorFlowTrainer:
    train_function = None

    def make_train_function(self):
        self.train_function = polymorphic_function.Function(next)

    def fit(self, batches):
        self.make_train_function()
        it = iter(batches)
        for _ in range(len(batches)):
            self.train_function(it)
""",
    "grain/_src/python/dataset/dataset": """
class DatasetIterator:
    def __init__(self, parent=None):
        self.parent = parent

    def __iter__(self):
        return self
""",
    "grain/_src/python/dataset/transformations/prefetch": """
import queue
import threading

from grain._src.python.dataset.dataset import DatasetIterator


def _put_iterator_elements_in_buffer(iterator, buffer):
    for item in iterator:
        buffer.put(item)
    buffer.put(None)


class Source(DatasetIterator):
    def __init__(self, items):
        super().__init__()
        self.items = iter(items)

    def __next__(self):
        return next(self.items)


class Map(DatasetIterator):
    def __next__(self):
        return next(self.parent)


class Prefetch(DatasetIterator):
    def __init__(self, parent):
        super().__init__(parent)
        self.buffer = queue.Queue()
        threading.Thread(target=_put_iterator_elements_in_buffer,
                         args=(parent, self.buffer)).start()

    def __next__(self):
        item = self.buffer.get()
        if item is None:
            raise StopIteration
        return item
""",
    "grain/_src/python/data_loader": """
class DataLoaderIterator:
    def __init__(self, iterator):
        self._iterator = iterator

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iterator)
""",
    "orbax/checkpoint/checkpoint_manager": """
from orbax.checkpoint._src.checkpointers import checkpointer


class CheckpointManager:
    def save(self, step, state):
        return checkpointer.Checkpointer().save('x', state)

    def restore(self, step):
        pass

    def wait_until_finished(self):
        pass
""",
    "orbax/checkpoint/_src/checkpointers/checkpointer": """
class Checkpointer:
    def save(self, directory, state):
        return state
""",
    "ray/data/iterator": """
class _IterableFromIterator:
    def __init__(self, iterator_gen):
        self.iterator_gen = iterator_gen

    def __iter__(self):
        return self.iterator_gen()
""",
    "webdataset/gopen": """
def gopen(url):
    return url
""",
    "webdataset/tariterators": """
from webdataset.gopen import gopen


def group_by_keys(urls, each):
    for url in urls:
        gopen(url)
        for i in range(each):
            yield {'__key__': i}
""",
    "streaming/base/dataset": """
class StreamingDataset:
    def get_item(self, sample_id):
        self.prepare_shard(sample_id // 4)
        return sample_id

    def prepare_shard(self, shard_id):
        pass

    def __getitem__(self, at):
        return self.get_item(at)
""",
    "litdata/streaming/dataset": """
class StreamingDataset:
    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at == 6:
            raise StopIteration
        self.at += 1
        return self[self.at]

    def __getitem__(self, index):
        return index
""",
}


class Rows:
    """A batch."""

    def __init__(self, rows):
        self.shape = (rows, 2)


BATCHES = [Rows(4), Rows(4), Rows(3)]


def make(top):
    for name, text in MODULES.items():
        parts = name.split("/")
        for i in range(1, len(parts)):
            package = os.path.join(top, *parts[:i])
            os.makedirs(package, exist_ok=True)
            open(os.path.join(package, "__init__.py"), "a").close()
        with open(os.path.join(top, name + ".py"), "w") as f:
            f.write(text.lstrip())


def tensorflow():
    from tensorflow.python.data.ops.iterator_ops import OwnedIterator
    from tensorflow.python.eager.polymorphic_function import \
        polymorphic_function

    step = polymorphic_function.Function(lambda x: x)
    for x, _ in OwnedIterator([(b, b) for b in BATCHES]):
        step(x)
    OwnedIterator([{"x": BATCHES[0]}]).get_next()
    print("used", 15)
    print("steps", 3)


def keras():
    """Batches are taken where the graph computes: no wait, no computing."""
    from keras.src.backend.tensorflow.trainer import TensorFlowTrainer

    TensorFlowTrainer().fit(BATCHES)
    print("steps", 3)


def grain():
    from grain._src.python.data_loader import DataLoaderIterator
    from grain._src.python.dataset.transformations import prefetch

    used = 0
    for batch in DataLoaderIterator(prefetch.Map(prefetch.Prefetch(
            prefetch.Map(prefetch.Source(BATCHES))))):
        used += batch.shape[0]
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()
    print("used", used)


def orbax():
    from orbax.checkpoint._src.checkpointers.checkpointer import Checkpointer
    from orbax.checkpoint.checkpoint_manager import CheckpointManager

    manager = CheckpointManager()
    manager.save(7, 1)
    manager.save(8, 1)
    Checkpointer().save("y", 1)
    manager.wait_until_finished()
    manager.restore(8)
    print("saves", 3)


def ray():
    from ray.data.iterator import _IterableFromIterator

    def batches():
        for b in BATCHES:
            yield {"x": b, "y": b}

    list(_IterableFromIterator(batches))
    list(_IterableFromIterator(lambda: iter(())))
    print("used", 11)


def webdataset():
    from webdataset.tariterators import group_by_keys

    list(group_by_keys(["a.tar", "b.tar"], 5))
    print("fetched", 10)


def streaming():
    from streaming.base.dataset import StreamingDataset

    data = StreamingDataset()
    [data[i] for i in range(7)]
    print("fetched", 7)


def litdata():
    from litdata.streaming.dataset import StreamingDataset

    list(StreamingDataset())
    print("fetched", 6)


if len(sys.argv) == 2:
    make(sys.argv[1])
else:
    sys.path.insert(0, sys.argv[1])
    globals()[sys.argv[2]]()
