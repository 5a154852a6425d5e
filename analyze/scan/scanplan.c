/* SPDX-License-Identifier: MIT
 *
 * scanplan.c - a call of libc and what its file is -> where it counts
 *
 * In:  the first call of a kind on files of a flavor in a thread
 * Out: a plan, which holds for all others of that thread
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>

#include "analyze/scan/scanstep.h"
#include "lib/format/calls.h"

#define FILE_NUMBER(NAME) \
    ((uint8_t)(offsetof (struct file_total, NAME) / sizeof (uint64_t)))

static void
plan_of_file (struct scan_plan *p, enum call call, enum call_class class)
{
    const struct call_info *info = &call_table[call];

    p->places = info->fields & F_OFFSET && (info->class == CALL_CLASS_READ ||
                                            info->class == CALL_CLASS_WRITE);
    p->bytes = FILE_NUMBER (read_bytes); /* of others there are none */
    if (class == CALL_CLASS_READ) {
        p->count = FILE_NUMBER (reads);
        p->ns = FILE_NUMBER (read_ns);
        p->sizes = ACCESS_READ + 1;
    } else if (class == CALL_CLASS_WRITE) {
        p->count = FILE_NUMBER (writes);
        p->bytes = FILE_NUMBER (write_bytes);
        p->ns = FILE_NUMBER (write_ns);
        p->sizes = ACCESS_WRITE + 1;
    } else if (class == CALL_CLASS_SYNC) {
        p->count = FILE_NUMBER (syncs);
        p->ns = FILE_NUMBER (sync_ns);
    } else {
        p->ns = FILE_NUMBER (meta_ns);
        p->count = call == CALL_mmap ? FILE_NUMBER (maps)
                   : info->ret == CALL_RET_FD || call == CALL_fopen
                       ? FILE_NUMBER (opens)
                       : FILE_NUMBER (meta);
    }
}

/* What the main thread does, it waits for. */
static unsigned plan_checkpoint (const struct unit *u)
{
    return 1u << SET_CKPT_WRITE | (u->main_thread ? 1u << SET_CHECKPOINT : 0);
}

static void plan_read (struct scan_plan *p, struct unit *u, enum file_kind kind)
{
    p->more |= kind == KIND_INDEX ? SCAN_MORE_INDEX : 0;
    if (p->more & SCAN_MORE_STREAM)
        return;
    p->moved = kind == KIND_DATA ? &u->n.read : &u->n.other_read;
    p->sets = kind == KIND_DATA ? 1u << SET_READ : 0;
}

static void
plan_write (struct scan_plan *p, struct unit *u, enum file_kind kind)
{
    p->more |= kind == KIND_INDEX ? SCAN_MORE_INDEX : 0;
    if (!(p->more & SCAN_MORE_STREAM)) {
        p->moved = &u->n.write;
        p->sets = 1u << SET_WRITE;
    }
    if (kind == KIND_CHECKPOINT) {
        p->also = &u->n.ckpt_write;
        p->sets |= (uint16_t)plan_checkpoint (u);
    }
}

/* Of calls on files of storage. */
static void plan_storage (struct scan_plan *p,
                          const struct scanner *s,
                          struct unit *u,
                          enum call call,
                          enum file_kind kind,
                          enum call_class class)
{
    p->storage = 1;
    p->bill = s->bill[call][kind];
    p->cost = &u->n.cost[s->cost[call]];
    if (class == CALL_CLASS_READ)
        plan_read (p, u, kind);
    else if (class == CALL_CLASS_WRITE)
        plan_write (p, u, kind);
    else if (class == CALL_CLASS_SYNC)
        p->sets = kind == KIND_CHECKPOINT ? (uint16_t)plan_checkpoint (u) : 0;
    else if (class == CALL_CLASS_MAP && call == CALL_mmap)
        p->more |= SCAN_MORE_MAP;
    else if (class == CALL_CLASS_META && kind == KIND_DATA &&
             !(p->more & SCAN_MORE_STREAM))
        p->moved = &u->n.data_meta;
}

int scan_new_plan (struct scan_plan *p,
                   struct scanner *s,
                   struct unit *u,
                   enum call call,
                   unsigned flavor,
                   enum call_class class)
{
    const struct call_info *info = &call_table[call];
    struct call_total **total = &s->tally.call[call];

    *p = (struct scan_plan){.bill = BILL_NONE, .class = (uint8_t) class};
    p->more = info->category == CALL_CATEGORY_POSIX ? 0 : SCAN_MORE_STREAM;
    p->more |= info->class == CALL_CLASS_COPY ? SCAN_MORE_COPY : 0;
    plan_of_file (p, call, class);
    if (flavor >= SCAN_STORAGE)
        plan_storage (p, s, u, call, (enum file_kind) (flavor - SCAN_STORAGE),
                      class);
    if (call == CALL_sync) { /* of all files */
        p->storage = 1;
        p->bill = s->bill[call][KIND_NONE];
        p->cost = &u->n.cost[s->cost[call]];
    }
    if (!*total && !(*total = calloc (1, sizeof (**total))))
        return -1;
    p->call = *total;
    p->spans = p->more & SCAN_MORE_COPY
                   ? NULL
                   : unit_spans (u, (struct span_key){(uint16_t)call, p->sets,
                                                      p->bill, p->storage});
    if (!p->spans && !(p->more & SCAN_MORE_COPY))
        return -1;
    p->unit = u;
    return 0;
}
