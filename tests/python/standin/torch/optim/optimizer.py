# SPDX-License-Identifier: MIT


class Optimizer:
    def __init__(self):
        pass

    def step(self):
        pass
