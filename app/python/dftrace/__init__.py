# SPDX-License-Identifier: MIT
"""Steps of an application, on the clock of its I/O."""

from . import _backend

active = _backend.active

__all__ = ["active"]
