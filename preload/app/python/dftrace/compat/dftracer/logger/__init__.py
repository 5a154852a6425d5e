# SPDX-License-Identifier: MIT
"""The name of dftracer.python before 2025."""

from dftracer.python import *               # noqa: F401,F403
from dftracer.python import ai, dfdtracer, dft_fn, dftracer     # noqa: F401
