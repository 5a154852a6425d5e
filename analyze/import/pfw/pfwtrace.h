/* SPDX-License-Identifier: MIT
 *
 * pfwtrace.h - a DFTracer trace (.pfw, .pfw.gz) -> processes and columns
 */
#ifndef DFT_ANALYZE_PFWTRACE_H
#define DFT_ANALYZE_PFWTRACE_H

#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwstore.h"
#include "analyze/import/pfw/pfwsums.h"
#include "lib/base/errtext.h"

/* Is it the name of such a file? */
int pfw_is_name (const char *name);

/* How a trace is read, and what is found in it besides its events. */
struct pfw_reading {
    int threads; /* 0: one per core */
    struct pfw_account *account;
    struct pfw_sums *sums;
};

/* Read path: its processes, and its events in columns. NULL, errno and err
 * when it cannot be read or holds no event at all. *account says what is not
 * in it, *sums (which is empty) what its aggregated lines say. Lines that are
 * there twice are taken once. */
struct pfw_store *pfw_open (const char *path,
                            const struct pfw_reading *reading,
                            struct errtext *err);

/* Definitions of hashes of a file that is not read: into map, as
 * pfw_names_tell does. 0, or -1 with errno. */
int pfw_read_definitions (const char *path, struct strmap *map);

#endif
