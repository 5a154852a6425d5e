# SPDX-License-Identifier: MIT
"""from dftracer.python import ai, dftracer, dft_fn"""

from dftrace._dftracer import (
    DFTRACER_ENABLE, DFTRACER_ENABLE_ENV, DFTRACER_INIT_ENV,
    DFTRACER_LOG_LEVEL_ENV, TagDType, TagType, TagValue, dft_fn, dftracer)
from dftrace._dftracer_names import *       # noqa: F401,F403
from dftrace._dftracer_names import ai

dfdtracer = dftracer        # so spelled in a published listing
