# SPDX-License-Identifier: MIT
"""Stands for PyTorch in tests: its names, and what happens between them."""

from . import _tensor, serialization    # noqa: F401
