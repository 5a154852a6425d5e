# SPDX-License-Identifier: MIT
"""h5py: writes a data set without chunks, reads it row by row; bytes read."""
import sys

import h5py
import numpy

ROWS, COLUMNS = 60, 5000
with h5py.File(sys.argv[1], "w") as f:
    f["x"] = numpy.arange(ROWS * COLUMNS, dtype="float32").reshape(ROWS, COLUMNS)
total = 0
for row in range(ROWS):
    with h5py.File(sys.argv[1], "r") as f:
        total += f["x"][row].nbytes
print(total)
