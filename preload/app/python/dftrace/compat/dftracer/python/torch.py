# SPDX-License-Identifier: MIT
"""torch.profiler.profile (on_trace_ready=trace_handler)"""

from dftrace import instant


def trace_handler(profiler):
    """One instant ("PP", key) for each kernel or operator of a profile."""
    for event in profiler.key_averages():
        instant("PP", event.key, count=event.count,
                cpu_us=event.self_cpu_time_total)
