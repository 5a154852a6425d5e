/* SPDX-License-Identifier: MIT
 *
 * eventwrite.h - events of a job -> lines of any format
 */
#ifndef DFT_ANALYZE_EVENTWRITE_H
#define DFT_ANALYZE_EVENTWRITE_H

#include "analyze/scan/where.h"
#include "analyze/tables/eventprint.h"

/* Print events to out: by their ends those that where lets through; or all,
 * thread by thread. *bad gets the events that cannot be decoded. 0, or -1:
 * ENOMEM, by time also EINVAL: a word of where is in no event (err says the
 * nearest). Errors of writing stay in out. */
int eventwrite_by_time (enum event_format format,
                        FILE *out,
                        const struct where *where,
                        const struct parts *parts,
                        uint64_t *bad,
                        struct errtext *err);
int eventwrite_by_thread (enum event_format format,
                          FILE *out,
                          const struct parts *parts,
                          uint64_t *bad);

#endif
