# SPDX-License-Identifier: MIT
"""A model whose functions t5320-compile.t traces."""

import torch


def double(x: torch.Tensor):
    return torch.relu(x) * 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def block(self, x, scale: int = 2):
        return self.linear(x) * scale

    def forward(self, x):
        return double(self.block(x, scale=3))
