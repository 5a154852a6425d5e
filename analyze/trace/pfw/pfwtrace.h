/* SPDX-License-Identifier: MIT
 *
 * pfwtrace.h - a DFTracer trace (.pfw, .pfw.gz) -> a trace of ours
 */
#ifndef DFT_ANALYZE_PFWTRACE_H
#define DFT_ANALYZE_PFWTRACE_H

#include "analyze/trace/pfw/pfwnames.h"
#include "analyze/trace/pfw/pfwread.h"
#include "analyze/trace/pfw/pfwsums.h"
#include "lib/core/errtext.h"
#include "lib/core/tracefile.h"

/* Is it the name of such a file? */
int pfw_is_name (const char *name);

/* How a trace is read, and what is found in it besides its events. */
struct pfw_reading {
    int threads;                /* 0: one per core */
    const struct strmap *known; /* hash -> text, of other files; NULL */
    struct pfw_account *account;
    struct pfw_sums *sums;
    struct pfw_names **names; /* NULL, or where its names are left, which are
                                 the caller's then */
};

/* Read path and write what it holds, in our format, into a temporary file
 * without a name; from there on it is read like any other trace. NULL, errno
 * and err when it cannot be read or holds no event at all. *account says what
 * is not in it, *sums (which is empty, or of an earlier reading) what its
 * aggregated lines say. Lines that are there twice are taken once. */
struct tracefile *pfw_open (const char *path,
                            const struct pfw_reading *reading,
                            struct errtext *err);

/* Read fd `from` and write our format to fd `to`, which both stay the
 * caller's; the result is the same for any number of threads. once: leave out
 * lines that are there twice; on one thread. 0, or -1 with errno. */
int pfw_convert (int from, int to, const struct pfw_reading *reading, int once);

/* Definitions of hashes of a file that is not read: into map, as
 * pfw_names_tell does. 0, or -1 with errno. */
int pfw_read_definitions (const char *path, struct strmap *map);

#endif
