# SPDX-License-Identifier: MIT
"""A loop through each framework, with its own timers: loops.py NAME DIR

Standard output: `same METRIC NUMBER` or `near METRIC SECONDS`, what analyze has to
say; `none METRIC`: that it may not say anything.
"""
import os
import sys
import time

os.environ.update(HF_HUB_OFFLINE="1", TF_CPP_MIN_LOG_LEVEL="3",
                  TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="")
now = time.perf_counter


def same(**numbers):
    for name, number in numbers.items():
        print("same", name, number)


def near(**seconds):
    for name, value in seconds.items():
        print("near", name, "%.6f" % value)


def none(*names):
    for name in names:
        print("none", name)


def through(batches, rows, body=None):
    """Samples, and how long next () took in all, the end included."""
    waited, used, it = 0.0, 0, iter(batches)
    while True:
        start = now()
        try:
            batch = next(it)
        except StopIteration:
            return used, waited + now() - start
        waited += now() - start
        used += rows(batch)
        if body:
            body(batch)


def loader(top):
    """New workers in each of three epochs, which take their time to end."""
    import multiprocessing.util

    import torch

    def init(worker):
        multiprocessing.util.Finalize(None, time.sleep, args=(0.3,),
                                      exitpriority=1)

    data = torch.utils.data.TensorDataset(torch.ones(22, 4))
    batches = torch.utils.data.DataLoader(data, batch_size=4, num_workers=2,
                                          worker_init_fn=init)
    used = waited = 0
    for _ in range(3):
        n, wait = through(batches, lambda batch: len(batch[0]))
        used, waited = used + n, waited + wait
    same(samples=66, samples_used=used, worker_starts=3, worker_restarts=2)
    near(stall_time=waited)


def forward(top):
    """Inference without a loader."""
    import torch

    net = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024)
                                for _ in range(8)]).eval()
    start = now()
    with torch.inference_mode():
        for _ in range(40):
            net(torch.ones(8, 1024))
    same(compute_percent_at_least=80)
    near(train_time=now() - start)


def huggingface(top):
    import datasets
    import torch
    import transformers

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(64, 1)

        def forward(self, x, labels=None):
            y = self.linear(x.float()).squeeze(1)
            return {"loss": ((y - labels) ** 2).mean(), "logits": y}

    class Trainer(transformers.Trainer):
        saving = 0.0

        def _save_checkpoint(self, *args, **kwargs):
            start = now()
            super()._save_checkpoint(*args, **kwargs)
            Trainer.saving += now() - start

    data = datasets.Dataset.from_dict(
        {"x": [[1.0] * 64] * 66, "labels": [0.0] * 66}).with_format("torch")
    Trainer(Model(), transformers.TrainingArguments(
        os.path.join(top, "hf"), num_train_epochs=2, report_to=[],
        per_device_train_batch_size=8, disable_tqdm=True, use_cpu=True,
        save_strategy="epoch", logging_strategy="no",
        dataloader_num_workers=1), train_dataset=data).train()
    same(samples=132, samples_used=132, worker_starts=2, checkpoint_saves=2)
    near(checkpoint_time=Trainer.saving)


def lightning(top):
    import lightning.pytorch as pl
    import torch

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(64, 1)

        def training_step(self, batch, index):
            return self.linear(batch[0]).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-6)

    trainer = pl.Trainer(max_epochs=2, accelerator="cpu", logger=False,
                         enable_progress_bar=False, default_root_dir=top,
                         enable_model_summary=False,
                         enable_checkpointing=False)
    data = torch.utils.data.TensorDataset(torch.ones(66, 64))
    trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=8))
    start = now()
    trainer.save_checkpoint(os.path.join(top, "pl.ckpt"))
    near(checkpoint_time=now() - start)
    same(samples=132, samples_used=132, checkpoint_saves=1)


def tfdata(top):
    import tensorflow as tf

    def items():
        for i in range(42):
            time.sleep(0.005)
            yield [float(i)] * 8

    data = tf.data.Dataset.from_generator(items, output_signature=tf.TensorSpec(
        (8,), tf.float32)).batch(4)
    weights = tf.Variable(tf.ones((8, 512)))

    @tf.function
    def step(x):
        return tf.reduce_sum(tf.matmul(x, weights))

    used, waited = through(data, lambda x: int(x.shape[0]), step)
    same(samples_used=used)
    near(stall_time=waited)


def keras(top):
    import keras
    import numpy

    class Batches(keras.utils.PyDataset):
        def __len__(self):
            return 5

        def __getitem__(self, i):
            return numpy.ones((8, 4), "f4"), numpy.ones((8, 1), "f4")

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(Batches(), verbose=0)
    start = now()
    model.save(os.path.join(top, "model.keras"))
    near(checkpoint_time=now() - start)
    same(checkpoint_saves=1)
    none("compute_percent", "wait_percent")


def grain(top):
    import grain
    import numpy

    class Source:
        def __len__(self):
            return 46

        def __getitem__(self, i):
            time.sleep(0.004)
            return numpy.full((4,), i, "f4")

    used, waited = through(
        grain.MapDataset.source(Source()).batch(4).to_iter_dataset(
            grain.ReadOptions(num_threads=2, prefetch_buffer_size=2)),
        lambda x: x.shape[0])
    same(samples=46, samples_used=used)
    near(stall_time=waited)


def orbax(top):
    import jax.numpy as jnp
    import orbax.checkpoint as ocp

    state, saving = {"w": jnp.ones((1024, 1024))}, 0.0
    manager = ocp.CheckpointManager(os.path.join(top, "ox"))
    for step in range(3):
        start = now()
        manager.save(step, args=ocp.args.StandardSave(state))
        saving += now() - start
        time.sleep(0.2)
    start = now()
    manager.wait_until_finished()
    saving += now() - start
    manager.close()
    near(checkpoint_time=saving)
    same(checkpoint_saves=3)


def ray(top):
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False,
             logging_level="error")
    data = ray.data.range(66, override_num_blocks=2)
    used, waited = through(data.iter_batches(batch_size=8),
                           lambda batch: len(batch["id"]))
    same(samples_used=used)
    near(stall_time=waited)
    ray.shutdown()


def webdataset(top):
    import io
    import tarfile

    import torch
    import webdataset as wds

    for shard in range(2):
        with tarfile.open(os.path.join(top, "%d.tar" % shard), "w") as tar:
            for i in range(17):
                member = tarfile.TarInfo("%d%03d.bin" % (shard, i))
                member.size = 100
                tar.addfile(member, io.BytesIO(bytes(100)))
    data = wds.WebDataset(os.path.join(top, "{0..1}.tar"), shardshuffle=False)
    data = data.map(lambda sample: (torch.zeros(4), 1)).batched(8)
    used, waited = through(wds.WebLoader(data, batch_size=None, num_workers=1),
                           lambda batch: len(batch[0]))
    same(samples=34, samples_used=used)     # next () starts the workers, too


def streaming(top):
    import numpy
    import torch
    from streaming import MDSWriter, StreamingDataset

    made = os.path.join(top, "mds")
    with MDSWriter(out=made, columns={"x": "ndarray"},
                   size_limit=10000) as out:
        for _ in range(66):
            out.write({"x": numpy.ones(100, "f4")})
    data = StreamingDataset(remote=made, local=made + "-here", batch_size=8)
    used, waited = through(torch.utils.data.DataLoader(data, batch_size=8),
                           lambda batch: len(batch["x"]))
    same(samples=66, samples_used=used)
    near(stall_time=waited)


def litdata(top):
    import litdata as ld
    import numpy

    made = os.path.join(top, "ld")
    ld.optimize(fn=one, inputs=list(range(66)), output_dir=made, num_workers=1,
                chunk_bytes="8KB")
    used, waited = through(ld.StreamingDataLoader(
        ld.StreamingDataset(made), batch_size=8), lambda batch: len(batch["x"]))
    same(samples=66, samples_used=used)
    near(stall_time=waited)


def one(i):
    import numpy

    return {"x": numpy.ones(100, "f4")}


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
    sys.stdout.flush()
