/* SPDX-License-Identifier: MIT
 *
 * pfwline.h - events -> DFTracer's JSON lines (dialect of 2025)
 */
#ifndef DFT_ANALYZE_PFWLINE_H
#define DFT_ANALYZE_PFWLINE_H

#include "lib/util/outbuf.h"
#include "analyze/export/pfwhash.h"
#include "lib/format/event.h"

/* What is the same in all lines of a thread. */
struct pfw_source {
    char ids[64];  /* ","pid":…,"tid":…,"ts": */
    char host[64]; /* ,"ph":"X","args":{"hhash":"…" */
    size_t ids_length, host_length;
};

struct pfw_record_arg {
    const struct pfw_named *key;
    uint8_t type; /* enum event_arg_type */
    int64_t i;
    double d;
    size_t text, length; /* of texts, not escaped */
};

/* A line to be: an event, or a ready text. */
struct pfw_record {
    const struct pfw_source *source; /* NULL: a text */
    const struct pfw_named *name;    /* of an application event */
    const struct pfw_named *file;    /* of a call; NULL none */
    uint64_t id, us, duration;       /* us, of the text too; 0 none */
    uint64_t size, flags;
    int64_t offset, ret;
    size_t arg; /* of args; a text: of texts */
    size_t length;
    int32_t fd, err;
    uint16_t call, nargs;
};

/* Some lines. Zero it before first use; all is owned. */
struct pfw_records {
    struct pfw_record *item;
    struct pfw_record_arg *arg;
    struct outbuf texts;
    size_t count, args, room, args_room;
};

/* One more, zeroed. NULL: ENOMEM. Pointers to others move. */
struct pfw_record *pfw_records_add (struct pfw_records *r);
struct pfw_record_arg *pfw_records_add_arg (struct pfw_records *r);
void pfw_records_empty (struct pfw_records *r);
void pfw_records_clear (struct pfw_records *r);

void pfw_source_set (struct pfw_source *s,
                     uint32_t pid,
                     uint32_t tid,
                     const struct pfw_named *host);

/* All lines. 0, or -1 (ENOMEM). */
int pfw_lines_put (struct outbuf *out, const struct pfw_records *r);

#endif
