# SPDX-License-Identifier: MIT
from dftrace._dftracer import (             # noqa: F401
    DFTRACER_ENABLE, DFTRACER_ENABLE_ENV, DFTRACER_INIT_ENV,
    DFTRACER_INIT_PRELOAD, DFTRACER_LOG_LEVEL, DFTRACER_LOG_LEVEL_ENV,
    DFTRACER_TIME_METRIC_ENV, NoOpProfiler, ProfilerProtocol, TagDType,
    TagType, TagValue, TagValueTuple, dft_fn, dftracer, get_time_scale,
    profiler)
from dftrace._entities import (             # noqa: F401
    EntityID, EntityRelation, EntityRole, EntityStore)
