/* SPDX-License-Identifier: MIT
 *
 * compat.h - events -> the numbers DFAnalyzer prints, and exact ones
 */
#ifndef DFT_ANALYZE_COMPAT_H
#define DFT_ANALYZE_COMPAT_H

#include "analyze/compat/compattally.h"
#include "analyze/trace/find.h"
#include "analyze/compat/layerset.h"
#include "lib/util/textable.h"

/* DFAnalyzer's aggregates of one layer in one view, and the exact values. */
struct compat_layer {
    double time_s, u_time_s; /* of the view */
    double sum_s;            /* of all its rows */
    uint64_t count, u_count, bytes, u_bytes;
};

enum compat_view { COMPAT_PROCESS, COMPAT_TIME, COMPAT_VIEWS };

struct compat_exact {
    double sum_s, union_s;             /* over all threads */
    double job_overlap_s;              /* of union_s, that compute covers */
    double rank_sum_s, rank_overlap_s; /* unions of each process, added up */
};

struct compat {
    struct layerset layers;
    const struct compat_version *version;
    double job_s;
    uint64_t processes; /* what DFAnalyzer calls so: threads, or process ids */
    uint64_t events, files, nodes; /* with COMPAT_TOTALS */
    struct compat_layer view[COMPAT_VIEWS][LAYERSET_MAX];
    struct compat_exact exact[LAYERSET_MAX];
};

/* Open a job and read all its sources. layers: "dlio", "ai", or a file of
 * layerset_file; NULL: dlio when the trace is of DLIO, else ai. 0, or -1 with
 * err. */
int compat_load (struct compat *c,
                 struct job *job,
                 const struct compat_version *version,
                 const char *layers,
                 struct errtext *err);
void compat_clear (struct compat *c);

/* The layer sets that are meant. 0, or -1 with err. */
int compat_layers_load (struct compat_layers *l,
                        const struct compat_version *version,
                        const char *layers,
                        struct errtext *err);
void compat_layers_clear (struct compat_layers *l);

/* The numbers of a tally that has seen everything: of the first set that fits,
 * which is taken away from the layers. 0, or -1 (ENOMEM). */
int compat_make (struct compat *c,
                 struct compat_tally *t,
                 struct compat_layers *layers);

/* Has something of the source been lost? */
int compat_source_lost (const struct source *s);

/* Print DFAnalyzer's tables, then the exact ones. 0 or -1. */
int compat_print (const struct compat *c, FILE *out, enum table_format format);

#endif
