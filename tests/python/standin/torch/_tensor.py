# SPDX-License-Identifier: MIT


class Tensor:
    """Rows; no numbers."""

    def __init__(self, *shape):
        self.shape = shape

    def backward(self):
        pass
