/* SPDX-License-Identifier: MIT
 *
 * compatlines.h - lines of DFTracer's files, heard while they are opened ->
 * sums by DFAnalyzer's rules (private to compat*.c)
 */
#ifndef DFT_ANALYZE_COMPATLINES_H
#define DFT_ANALYZE_COMPATLINES_H

#include <pthread.h>

#include "analyze/compat/compattally.h"
#include "analyze/trace/find.h"

/* What the files of a job have said. */
struct compat_lines {
    struct pfw_listener listener;
    const struct compat_layers *layers;
    struct strmap *files; /* path -> struct linefile */
    pthread_mutex_t lock; /* of files */
};

/* From now on hear what is read when the job is opened. 0, or -1 (ENOMEM). */
int compat_lines_listen (struct compat_lines *c,
                         struct job *job,
                         const struct compat_layers *layers);

/* Add what the open file at path has said to a tally whose start is known,
 * once. 0, or -1 with errno. */
int compat_lines_add (const struct compat_lines *c,
                      struct compat_tally *to,
                      const char *path);

/* The job is heard no longer. */
void compat_lines_clear (struct compat_lines *c, struct job *job);

#endif
