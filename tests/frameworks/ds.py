# SPDX-License-Identifier: MIT
"""DeepSpeed, ZeRO stage 1, on the CPU: three steps, a checkpoint, its restart."""
import sys

import deepspeed
import torch

model = torch.nn.Linear(200, 200)
engine = deepspeed.initialize(
    model=model, model_parameters=model.parameters(),
    config={"train_micro_batch_size_per_gpu": 1,
            "optimizer": {"type": "Adam",
                          "params": {"lr": 1e-3, "torch_adam": True}},
            "zero_optimization": {"stage": 1}})[0]
for _ in range(3):
    engine.backward(engine(torch.randn(1, 200)).sum())
    engine.step()
engine.save_checkpoint(sys.argv[1])
engine.load_checkpoint(sys.argv[1])
