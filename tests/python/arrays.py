# SPDX-License-Identifier: MIT
"""numpy, and h5py where it is: arrays to files and back."""

import sys

import numpy

top = sys.argv[1]
a = numpy.arange(1000, dtype="int32")
numpy.save(top + "/a.npy", a)
assert (numpy.load(top + "/a.npy") == a).all()
numpy.savez(top + "/a.npz", a=a)
m = numpy.memmap(top + "/m.bin", dtype="uint8", mode="w+", shape=(300,))
assert type(m) is numpy.memmap
try:
    numpy.load(top + "/none.npy")
except FileNotFoundError:
    pass
try:
    import h5py
except ImportError:
    print("numpy")
else:
    with h5py.File(top + "/a.h5", "w") as f:
        f["a"] = a
        d = f["a"]
        d[0] = 5
        assert (d[:100] == numpy.concatenate(([5], a[1:100]))).all()
    print("numpy h5py")
