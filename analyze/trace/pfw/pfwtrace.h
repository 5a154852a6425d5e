/* SPDX-License-Identifier: MIT
 *
 * pfwtrace.h - a DFTracer trace (.pfw, .pfw.gz) -> a trace of ours
 */
#ifndef DFT_ANALYZE_PFWTRACE_H
#define DFT_ANALYZE_PFWTRACE_H

#include "analyze/trace/pfw/pfwread.h"
#include "analyze/trace/pfw/pfwsums.h"
#include "lib/core/errtext.h"
#include "lib/core/tracefile.h"

/* Is it the name of such a file? */
int pfw_is_name (const char *name);

/* Read path and write what it holds, in our format, into a temporary file
 * without a name, on so many threads; from there on it is read like any other
 * trace. NULL, errno and err when it cannot be read or holds no event at all.
 * *account says what is not in it, *sums (which is empty, or of an earlier
 * reading) what its aggregated lines say. */
struct tracefile *pfw_open (const char *path,
                            int threads,
                            struct pfw_account *account,
                            struct pfw_sums *sums,
                            struct errtext *err);

/* Read fd `from` and write our format to fd `to`, which both stay the caller's,
 * on so many threads (0: one per core); the result is the same for any number
 * of them. 0, or -1 with errno. */
int pfw_convert (int from,
                 int to,
                 int threads,
                 struct pfw_account *account,
                 struct pfw_sums *sums);

#endif
