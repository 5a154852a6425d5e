/* SPDX-License-Identifier: MIT
 *
 * pfwtaker.h - what pfwtake.c and pfwtakeproc.c share (private to them)
 */
#ifndef DFT_ANALYZE_PFWTAKER_H
#define DFT_ANALYZE_PFWTAKER_H

#include "analyze/export/pfwtake.h"
#include "analyze/trace/stream.h"

enum state {
    STATE_BEGIN,
    STATE_PROCESSES,
    STATE_EVENTS,
    STATE_ENDS, /* of processes */
    STATE_END
};

struct pfw_taker {
    const struct parts *parts;
    struct streams streams;
    struct pfw_source *source;     /* of each stream; owned */
    const struct pfw_named **name; /* of each number of the dictionary; owned */
    size_t names;                  /* room */
    struct pfw_hashes *hashes;
    enum state state;
    size_t process; /* the next one */
    uint64_t id;
    uint64_t moments; /* starts and ends of processes, so far */
    struct pfw_records *out;
};

/* {"id":…,"name":"…","cat":"dftracer","pid":…,"tid":… Where it begins. */
size_t pfw_taker_begin (struct pfw_taker *t,
                        const struct trace_process *who,
                        uint32_t tid,
                        const char *name);

/* A hash behind what stands before it. */
void pfw_taker_hash (struct pfw_taker *t,
                     const char *before,
                     const struct pfw_named *name);

/* What has been put into texts since `from` is a line. 0, or -1 (ENOMEM). */
int pfw_taker_end (struct pfw_taker *t, size_t from, uint64_t us);

/* The hash of a text, after a line that says so the first time; of the
 * process's host. NULL: ENOMEM. */
const struct pfw_named *pfw_taker_text (struct pfw_taker *t,
                                        const struct trace_process *who,
                                        uint32_t tid,
                                        const char *kind,
                                        const char *text,
                                        size_t n);
const struct pfw_named *pfw_taker_host (struct pfw_taker *t,
                                        const struct trace_process *who,
                                        uint32_t tid);

/* Lines of a process: what it is and when it began; when it ended, if it is
 * known. 0, or -1 (ENOMEM). */
int pfw_taker_process (struct pfw_taker *t, const struct trace_process *who);
int pfw_taker_ended (struct pfw_taker *t, const struct trace_process *who);

#endif
