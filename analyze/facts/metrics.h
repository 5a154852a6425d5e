/* SPDX-License-Identifier: MIT
 *
 * metrics.h - facts of a job -> the metrics of metrics.def
 */
#pragma once

#include "analyze/facts/summary.h"
#include "lib/model/metric.h"

struct metric_value {
    int known;
    double value;     /* when known */
    uint64_t whole;   /* the same, of metrics with no digits */
    const char *note; /* why it is not; static */
};

/* Return the value of a metric, or the reason why it has none. */
struct metric_value metric_compute (const struct summary *s, enum metric m);
