/* SPDX-License-Identifier: MIT
 *
 * scanstep.h - one event on its way through the counters (private to scan*.c)
 */
#ifndef DFT_ANALYZE_SCANSTEP_H
#define DFT_ANALYZE_SCANSTEP_H

#include <errno.h>

#include "analyze/scan/tally.h"
#include "lib/model/mpikind.h"

struct step {
    struct scanner *s;
    struct unit *u;
    const struct batch *b;
    size_t i; /* of the batch */
    const struct call_info *info;
    uint64_t start, end; /* ns of CLOCK_REALTIME */
    uint64_t bytes;      /* moved */
    uint64_t libc_read;  /* of a call on a stream: what libc moved for it */
    uint64_t libc_written;
    unsigned failed;         /* a call: 0 or 1 */
    unsigned sets;           /* of time it belongs to: bits of enum set */
    uint8_t bill;            /* enum bill */
    uint8_t storage;         /* a call on a file on storage */
    uint8_t placed;          /* a read or write of it: enum placed */
    struct scan_name *name;  /* of the file that is counted */
    struct file_total *file; /* of it; NULL: not known */
};

/* What a name stands for, whose number the scanner has room for; its total is
 * made when it is new. NULL: number 0, a name of another kind than expected,
 * or no memory (errno ENOMEM). */
struct scan_name *
scan_new_name (struct scanner *s, uint32_t number, enum shard_name_kind kind);

static inline struct scan_name *
scan_name (struct scanner *s, uint32_t number, enum shard_name_kind kind)
{
    struct scan_name *n = &s->name[number];

    return n->kind == kind ? n : scan_new_name (s, number, kind);
}

/* The event belongs to a set of time, too. */
static inline void scan_add_set (struct step *e, enum set set)
{
    e->sets |= 1u << set;
}

/* What a plan does not say. */
enum {
    SCAN_MORE_STREAM = 1,
    SCAN_MORE_INDEX = 2,
    SCAN_MORE_MAP = 4,
    SCAN_MORE_COPY = 8
};

/* Make a plan, of a call that does `class`, for a unit. 0, or -1 (ENOMEM). */
int scan_new_plan (struct scan_plan *p,
                   struct scanner *s,
                   struct unit *u,
                   enum call call,
                   unsigned flavor,
                   enum call_class class);

/* The file of a name and the plan of a call that does `class` with it. NULL:
 * ENOMEM. */
static inline struct scan_plan *
scan_plan (struct step *e,
           uint32_t id,
           struct scan_plan (*plans)[SCAN_FLAVORS],
           enum call_class class)
{
    enum call call = (enum call)e->b->call[e->i];
    unsigned flavor = SCAN_NO_FILE;
    struct scan_plan *p;

    e->name = id ? scan_name (e->s, id, SHARD_NAME_FILE) : NULL;
    e->file = e->name ? e->name->total.file : NULL;
    if (e->name)
        flavor = e->name->flavor;
    else if (id && errno == ENOMEM)
        return NULL;
    p = &plans[call][flavor];
    return p->unit == e->u ||
                   scan_new_plan (p, e->s, e->u, call, flavor, class) == 0
               ? p
               : NULL;
}

/* Room for all names of the dictionary. 0, or -1 (ENOMEM). */
int scan_room (struct scanner *s);

/* Keep when it was. 0, or -1 (ENOMEM, or the temporary file failed). */
int scan_keep_time (const struct step *e);

/* Count a call of libc, an application event. 0, or -1 as above. */
int scan_call (struct step *e);
int scan_region (struct step *e);
int scan_kernel (struct step *e);

/* Count the calls from event *at on, up to one that is no call of POSIX, or of
 * which more follows than from its plan; *at is then that. 0, or -1 as
 * above. */
int scan_calls (struct scanner *s,
                struct unit *u,
                const struct batch *b,
                size_t *at);

/* Where the unit is in the file n, whose number this is, of which it has met
 * no access yet. NULL: ENOMEM. */
struct strides_file *
scanplace_begin (struct unit *u, struct scan_name *n, uint32_t number);

/* Of the file n, what the thread has had of it; NULL: no memory (then also of
 * all the others). */
struct share *
scan_new_share (struct scanner *s, struct unit *u, struct scan_name *n);

/* Event i has arguments: take what they say of file systems, and of its file
 * (NULL: not known). 0, or -1 (ENOMEM). */
int scanfs_event (struct scanner *s,
                  const struct batch *b,
                  size_t i,
                  struct file_total *file);

/* All calls of MPI-IO of a kind in a row of a profile (counters of
 * profile.def). */
void scanmpi_row (struct counts *u,
                  enum mpikind kind,
                  unsigned says,
                  const uint64_t *n);

/* The same of an object of HDF5, NetCDF or PnetCDF. */
void scanabove_row (struct object_total *o, enum call call, const uint64_t *n);

#endif
