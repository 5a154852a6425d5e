/* SPDX-License-Identifier: MIT
 *
 * profparts.h - a trace that goes on as a profile: what is where
 *
 * A process may have events for some of its time and counters for the rest: it
 * reached a limit, or the setting `detail` says so. A call is in one of both.
 */
#ifndef DFT_ANALYZE_PROFPARTS_H
#define DFT_ANALYZE_PROFPARTS_H

#include "analyze/trace/profrows.h"
#include "lib/format/tracefile.h"

/* Of a file, or of a job. */
struct profparts {
    uint64_t events;  /* in the trace */
    uint64_t calls;   /* in profiles, regions included */
    uint64_t until;   /* ns of CLOCK_REALTIME: before, all calls of processes
                         that have events are among these; 0: always */
    uint64_t both;    /* processes that have events and counters */
    uint64_t counted; /* that have counters alone */
    uint64_t after;   /* of both, that have events after until, too */
};

/* 0, or -1 (ENOMEM). */
int profparts_find (struct profparts *p,
                    const struct tracefile *f,
                    const struct profrows *rows);

void profparts_add (struct profparts *to, const struct profparts *more);

/* A process of a file that has so many chunks; and without what was added so.
 */
void profparts_add_process (struct profparts *to,
                            const struct tracefile *f,
                            const struct trace_process *who,
                            const struct trace_chunk *const *chunk,
                            size_t chunks,
                            const struct profrows *rows);
void profparts_subtract (struct profparts *from, const struct profparts *less);

/* "3 128 events in the trace, all to 0.019 s; 16 876 in the profile after
 * that", with seconds since start (ns of CLOCK_REALTIME). Returns buf. */
enum { PROFPARTS_WORDS = 256 }; /* its bytes */
char *profparts_words (char *buf, const struct profparts *p, uint64_t start);

/* ", all to 0.019 s", as above; "" where there is no such time. The same. */
char *profparts_until (char *buf, const struct profparts *p, uint64_t start);

/* Leave the events alone: processes that went on as a profile end there. */
int profparts_drop_rows (struct tracefile *f, struct profrows *rows);

#endif
