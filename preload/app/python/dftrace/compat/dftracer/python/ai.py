# SPDX-License-Identifier: MIT
from dftrace._dftracer_names import *       # noqa: F401,F403
