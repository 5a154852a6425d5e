# SPDX-License-Identifier: MIT
from dftrace._dftracer import (             # noqa: F401
    DFTRACER_ENABLE, DFTRACER_ENABLE_ENV, DFTRACER_INIT_ENV,
    DFTRACER_LOG_LEVEL_ENV, TagDType, TagType, TagValue)
