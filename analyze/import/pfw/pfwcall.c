/* SPDX-License-Identifier: MIT
 *
 * pfwcall.c - a line that is a call of libc -> what it moved; another one ->
 *             its arguments
 *
 * In:  lines, from pfwbatch.c
 * Out: events; sizes that cannot be are counted
 */
#include "config.h"

#include "analyze/import/pfw/pfwpack.h"

#include "lib/format/event.h"

static int pfwcall_arg (struct pfw_batch *b, const struct pfw_arg *from)
{
    int64_t key = from->known && *from->known
                      ? (int64_t)*from->known - 1
                      : pfw_locals_text (&b->names, SHARD_NAME_KEY, &from->key);
    int64_t text =
        from->type == PFW_TEXT
            ? pfw_locals_text (&b->names, SHARD_NAME_TEXT, &from->text)
            : 0;
    struct pfw_event_arg *to;

    if (key < 0 || text < 0 ||
        pfw_reserve (&b->arg, &b->args_room, b->args + 1, sizeof (*b->arg)) < 0)
        return -1;
    to = &b->arg[b->args++];
    if (from->known)
        *from->known = (uint32_t)key + 1;
    to->key = (uint32_t)key;
    if (from->type == PFW_INT) {
        to->type = EVENT_ARG_INT;
        to->value = (uint64_t)from->i;
    } else if (from->type == PFW_DOUBLE) {
        to->type = EVENT_ARG_DOUBLE;
        memcpy (&to->value, &from->d, sizeof (to->value));
    } else {
        to->type = EVENT_ARG_TEXT;
        to->value = (uint64_t)text;
    }
    return 0;
}

int pfw_args_take (struct pfw_batch *b,
                   const struct pfw_line *l,
                   struct pfw_event *ev)
{
    for (int i = 0; i < l->nargs; i++)
        if (pfwcall_arg (b, &l->arg[i]) < 0)
            return -1;
    ev->nargs = (uint16_t)l->nargs;
    return 0;
}

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

    b->account.unsized +=
        (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE) &&
        !(l->has & (PFW_HAS_RET | PFW_HAS_SIZE | PFW_HAS_COUNT));
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
