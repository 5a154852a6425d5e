/* SPDX-License-Identifier: MIT
 *
 * pfw.h - a job as DFTracer's JSON lines
 */
#pragma once

#include "analyze/trace/parts.h"
#include "lib/format/event.h"
#include "lib/util/gz.h"

/* --- pfw.c: traces of a job -> DFTracer's JSON lines (dialect of 2025) --- */

struct pfw_report {
    uint64_t events;  /* written */
    uint64_t moments; /* starts and ends of processes: "ph" X, too */
    uint64_t bad;     /* in chunks that cannot be decoded */
};

/* Write path and path.idx, each atomically, mode 0600. Events are in the
 * order of their ends, over all threads. 0, or -1 with err. */
int pfw_write (const struct parts *parts,
               const char *path,
               struct pfw_report *report,
               struct errtext *err);

/* --- pfwline.c: events -> DFTracer's JSON lines (dialect of 2025) --- */

/* Text that all lines of a thread share. */
struct pfw_source {
    char ids[64];  /* ","pid":…,"tid":…,"ts": */
    char host[64]; /* ,"ph":"X","args":{"hhash":"…" */
    size_t ids_length, host_length;
    uint32_t pid, tid;
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

/* One more, zeroed. Pointers to others move. */
struct pfw_record *pfw_records_add (struct pfw_records *r);
struct pfw_record_arg *pfw_records_add_arg (struct pfw_records *r);
void pfw_records_empty (struct pfw_records *r);
void pfw_records_clear (struct pfw_records *r);

void pfw_source_set (struct pfw_source *s,
                     uint32_t pid,
                     uint32_t tid,
                     const struct pfw_named *host);

/* All lines. */
void pfw_lines_put (struct outbuf *out, const struct pfw_records *r);

/* -- names of a job -> their hashes and escaped texts in DFTracer's JSON lines
 * -- */

enum { PFW_HASH_TEXT = 16 };

/* Stays where it is and as it is, so that any thread may read it. */
struct pfw_named {
    char hash[PFW_HASH_TEXT]; /* without NUL */
    uint32_t length;
    char text[]; /* escaped */
};

struct pfw_hashes;

struct pfw_hashes *pfw_hashes_create (void);
void pfw_hashes_destroy (struct pfw_hashes *h);

/* A text of a kind of two letters ("FH", …); *isnew when it comes first. */
const struct pfw_named *pfw_hashes_text (struct pfw_hashes *h,
                                         const char *kind,
                                         const char *text,
                                         size_t n,
                                         int *isnew);

/* "category NUL name" as NAME","cat":"CATEGORY. */
const struct pfw_named *
pfw_hashes_event (struct pfw_hashes *h, const char *text, size_t n);

/* -- MD5 (RFC 1321), for the hashes of DFTracer's format only -- */

enum { MD5_BYTES = 16 };

void md5 (const void *data, size_t n, unsigned char digest[MD5_BYTES]);
