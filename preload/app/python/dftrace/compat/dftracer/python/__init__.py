# SPDX-License-Identifier: MIT
"""from dftracer.python import ai, dftracer, dft_fn"""

from dftrace._dftracer import (             # noqa: F401
    DFTRACER_ENABLE, DFTRACER_ENABLE_ENV, DFTRACER_INIT_ENV,
    DFTRACER_INIT_PRELOAD, DFTRACER_LOG_LEVEL, DFTRACER_LOG_LEVEL_ENV,
    DFTRACER_TIME_METRIC_ENV, NoOpProfiler, ProfilerProtocol, TagDType,
    TagType, TagValue, TagValueTuple, dft_fn, dftracer, get_time_scale,
    profiler)
from dftrace._dftracer_names import *       # noqa: F401,F403
from dftrace._dftracer_names import ai      # noqa: F401

from dftracer.python.dynamo import (          # noqa: F401
    Dynamo, create_backend, dynamo)

dfdtracer = dftracer        # so spelled in a published listing
