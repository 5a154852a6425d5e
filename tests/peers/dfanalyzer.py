# SPDX-License-Identifier: MIT
#
# dfanalyzer.py FILE - the cells of the JSON that DFAnalyzer 0.0.9 writes, as
# it prints them: one a line, as dfanalyzerrows.py cells

import json
import sys

TITLES = {
    "app": "App", "training": "Training", "epoch": "Epoch",
    "compute": "Compute", "fetch_data": "Fetch Data",
    "checkpoint": "Checkpoint", "comm": "Communication", "device": "Device",
    "data_loader": "DLIO Data Loader",
    "data_loader_fork": "DLIO Data Loader Fork", "reader": "Reader",
    "posix": "POSIX - All", "reader_posix": "POSIX - Reader",
    "checkpoint_posix": "POSIX - Checkpoint"}
MB = 2**20


def share(value, alone, say):
    if not value:
        return "- (----)"
    if alone is None:
        return say(value) + " (----)"
    part = max(0, 1 - alone / value)
    return say(value) + f" ({round(100 * part):3d}%)"


def mb(value):
    return f"{value / MB:.3f}"


def rows(view):
    v = view["summary"]
    count = str(v["total_event_count"])
    yield "Job Time", "seconds", f"{v['job_time_s']:.3f}"
    yield "Trace Count", "count", count
    yield "Profile Count", "count", "0"
    yield "Total Count", "count", count
    yield "Total Files", "count", str(v["unique_file_count"])
    yield "Total Nodes", "count", str(v["unique_host_count"])
    yield "Total Processes", "count", str(v["unique_process_count"])
    layers = [(TITLES[k], m) for k, m in v["layers"].items() if m["count"]]
    for title, m in layers:
        yield title + " Count", "count", str(m["count"])
        if m["size_bytes"]:
            yield title + " Size", "MB", mb(m["size_bytes"])
            yield title + " Bandwidth", "MB/s", mb(m["bandwidth_bps"])
            yield (title + " Avg Transfer Size", "MB",
                   mb(m["size_bytes"] / m["count"]))
    for title, m in layers:
        yield (title, share(m["time_s"], m["u_time_s"], lambda t: f"{t:.3f}"),
               share(m["count"], m["u_count"], lambda n: f"{n:,}"),
               "n/a" if m["ops_per_s"] is None else f"{m['ops_per_s']:.3f}",
               "-" if m["size_bytes"] is None else
               share(m["size_bytes"], m["u_size_bytes"], mb),
               "-" if m["bandwidth_bps"] is None else mb(m["bandwidth_bps"]))


with open(sys.argv[1]) as f:
    views = json.load(f)["views"]
for name in ("proc_name", "time_range"):
    for row in rows(views[name]):
        print("\n".join(row))
