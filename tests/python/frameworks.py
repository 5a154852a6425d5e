# SPDX-License-Identifier: MIT
"""A few steps with the framework that the first argument names.

frameworks.py huggingface|lightning|torchvision DIR
"""

import os
import sys

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1",
                  TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="")


def huggingface(top):
    """16 items, batches of 4, one epoch: 4 steps, an evaluation, a save."""
    import datasets
    import torch
    import transformers

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(1, 1)

        def forward(self, x, labels=None):
            y = self.linear(x.float().unsqueeze(1)).squeeze(1)
            return {"loss": ((y - labels) ** 2).mean(), "logits": y}

    made = datasets.Dataset.from_dict({"x": list(range(16)),
                                       "labels": [0.0] * 16})
    made.save_to_disk(os.path.join(top, "set"))
    data = datasets.load_from_disk(os.path.join(top, "set"))
    data.set_format("torch")
    arguments = transformers.TrainingArguments(
        output_dir=os.path.join(top, "out"), num_train_epochs=1,
        per_device_train_batch_size=4, per_device_eval_batch_size=4,
        report_to=[], disable_tqdm=True, save_strategy="epoch",
        logging_strategy="no", use_cpu=True)
    trainer = transformers.Trainer(Model(), arguments, train_dataset=data,
                                   eval_dataset=data.select(range(4)))
    trainer.train()
    trainer.evaluate()


def lightning(top):
    """16 items, batches of 4, two epochs: 8 steps."""
    import dftrace
    import lightning.pytorch as pl
    import torch

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(1, 1)

        def training_step(self, batch, index):
            return self.linear(batch[0]).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

        def on_save_checkpoint(self, checkpoint):
            dftrace.instant("my", "saving")     # before torch.save

    data = torch.utils.data.TensorDataset(torch.ones(16, 1))
    trainer = pl.Trainer(max_epochs=2, accelerator="cpu", logger=False,
                         enable_progress_bar=False, default_root_dir=top,
                         enable_model_summary=False,
                         enable_checkpointing=False)
    trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=4))
    trainer.save_checkpoint(os.path.join(top, "model.ckpt"))


def torchvision(top):
    """Four images, each loaded once."""
    import torch
    import torchvision.datasets
    import torchvision.transforms
    from PIL import Image

    os.mkdir(os.path.join(top, "class"))
    for i in range(4):
        Image.new("RGB", (8, 8)).save(os.path.join(top, "class",
                                                   "%d.png" % i))
    data = torchvision.datasets.ImageFolder(
        top, torchvision.transforms.ToTensor())
    list(torch.utils.data.DataLoader(data, batch_size=2, num_workers=1))


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
