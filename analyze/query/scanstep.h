/* SPDX-License-Identifier: MIT
 *
 * scanstep.h - one event on its way through the counters (private to scan.c,
 *              scancall.c and scanregion.c)
 */
#ifndef DFT_ANALYZE_SCANSTEP_H
#define DFT_ANALYZE_SCANSTEP_H

#include "analyze/query/tally.h"

struct step {
    struct scanner *s;
    struct unit *u;
    const struct event *ev;
    const struct call_info *info;
    uint64_t start, end;     /* ns of CLOCK_REALTIME */
    uint64_t bytes;          /* moved */
    unsigned sets;           /* of time it belongs to: bits of enum set */
    struct file_total *file; /* NULL: not known */
};

/* What a key of an argument means: what scan_target gives for it. */
extern char scan_key_size, scan_key_step, scan_key_epoch;

/* scan_target for an id that is new in the chunk. */
void *scan_new_target (struct scanner *s, uint32_t id, const struct name *name);

/* What a dictionary id of this chunk stands for. NULL: id 0, a name of
 * another kind than expected, or no memory (errno ENOMEM). */
static inline void *
scan_target (struct scanner *s, uint32_t id, enum shard_name_kind kind)
{
    const struct name *name = decoder_name (&s->decoder, id);

    if (!name || name->kind != kind)
        return NULL;
    return id < s->target_room && s->target[id] ? s->target[id]
                                                : scan_new_target (s, id, name);
}

/* The event belongs to a set of time, too. */
static inline void scan_add_set (struct step *e, enum set set)
{
    e->sets |= 1u << set;
}

/* Keep when it was. 0, or -1 (ENOMEM, or the temporary file failed). */
int scan_keep_time (const struct step *e);

/* Count a call of libc, an application event. 0, or -1 as above. */
int scan_call (struct step *e);
int scan_region (struct step *e);

#endif
