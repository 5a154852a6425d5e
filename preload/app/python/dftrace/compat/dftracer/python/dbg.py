# SPDX-License-Identifier: MIT
from dftracer.python import *               # noqa: F401,F403
from dftracer.python import ai, dft_fn, dftracer    # noqa: F401
