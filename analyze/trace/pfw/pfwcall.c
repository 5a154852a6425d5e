/* SPDX-License-Identifier: MIT
 *
 * pfwcall.c - a line that is a call of libc -> what it moved
 *
 * In:  lines, from pfwbatch.c
 * Out: events; sizes that cannot be are counted
 */
#include "config.h"

#include "analyze/trace/pfw/pfwpack.h"

static int is_huge (int64_t n)
{
    return n >= PFW_SIZE_MAX || n <= -PFW_SIZE_MAX;
}

int pfw_call_take (struct pfw_batch *b,
                   const struct pfw_line *l,
                   struct pfw_event *ev)
{
    const struct call_info *info = &call_table[ev->call];
    int items = info->category == CALL_CATEGORY_STDIO &&
                l->has & PFW_HAS_SIZE && l->has & PFW_HAS_COUNT && l->size > 0;
    int64_t size = l->has & PFW_HAS_COUNT  ? l->count
                   : l->has & PFW_HAS_SIZE ? l->size
                   : l->ret > 0            ? l->ret
                                           : 0;

    ev->ret = l->ret;
    if (items &&
        (__builtin_mul_overflow (size, l->size, &size) ||
         (ev->ret > 0 && __builtin_mul_overflow (ev->ret, l->size, &ev->ret))))
        size = PFW_SIZE_MAX;
    if (l->has & PFW_HAS_HUGE || is_huge (size) || is_huge (ev->ret)) {
        size = ev->ret = 0;
        b->account.huge++;
    }
    ev->size = size > 0 && info->fields & F_SIZE ? (uint64_t)size : 0;
    ev->offset =
        l->has & PFW_HAS_OFFSET && info->fields & F_OFFSET && l->offset > -1
            ? l->offset
            : -1;
    ev->flags = info->fields & F_FLAGS ? (uint64_t)l->flags : 0;
    ev->fd = l->has & PFW_HAS_FD        ? (int32_t)l->fd
             : info->ret == CALL_RET_FD ? (int32_t)l->ret
                                        : -1;
    if (!(l->has & PFW_HAS_RET) && info->ret == CALL_RET_FD)
        ev->ret = ev->fd;
    if (!(info->fields & F_FD))
        ev->fd = -1;
    ev->err = (int32_t)l->err;
    ev->name = l->fhash.n ? pfw_locals_hash (&b->names, &l->fhash)
               : l->fname.n
                   ? pfw_locals_text (&b->names, SHARD_NAME_FILE, &l->fname)
                   : PFW_NO_NAME;
    return ev->name == -1 ? -1 : 0;
}
