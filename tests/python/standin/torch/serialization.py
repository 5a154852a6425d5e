# SPDX-License-Identifier: MIT


def save(obj, f):
    pass


def load(f):
    pass
