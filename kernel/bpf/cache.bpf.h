/* SPDX-License-Identifier: MIT
 *
 * cache.bpf.h - pages that calls add to the page cache
 *
 * In:  mm_filemap_add_to_page_cache, in the thread whose call or fault it is
 * Out: bytes of the fault at hand; ABI_CACHE, at the end of a call that read:
 *      how many bytes it brought, and how many of these it had asked for. What
 *      it asked for and did not bring was there: a hit.
 */
#pragma once

#include "kernel/bpf/fault.bpf.h"

enum { CACHE_ORDER_MASK = 0xff /* of folio._flags_1 */ };

static __always_inline __u64 cache_bytes (struct folio *folio)
{
    unsigned long flags = 0, order = 0;

    /* its flags are what it begins with, in every kernel */
    bpf_probe_read_kernel (&flags, sizeof (flags), folio);
    if (flags & 1ul << bpf_core_enum_value (enum pageflags, PG_head))
        order = BPF_CORE_READ (folio, _flags_1) & CACHE_ORDER_MASK;
    return 1ull << (page_shift + (order & 31));
}

static __always_inline void cache_send (struct task *task,
                                        const struct task_cache *c)
{
    struct known_inode *k = inode_meet (task, c->inode);
    struct abi_cache *r;

    if (!k)
        return;
    r = bpf_ringbuf_reserve (&ring, sizeof (*r), 0);
    if (!r) {
        task_lose (task);
        return;
    }
    task_head (&r->head, ABI_CACHE, NULL);
    r->offset = c->offset;
    r->added = c->added;
    r->missed = c->missed;
    r->number = k->number;
    r->exact = c->to != 0;
    bpf_ringbuf_submit (r, task_wake ());
}

/* Report the pages that the call brought to the cache. */
__attribute__ ((noinline)) int cache_tell (void)
{
    struct task *task = task_of (bpf_get_current_task_btf ());

    if (!task)
        return 0;
    cache_send (task, &task->cache);
    task->cache.inode = 0;
    return 0;
}

/* The kernel's own thread does it, for an io_uring of this process. */
__attribute__ ((noinline)) int
cache_of_worker (__u64 inode, __u64 at, __u64 bytes)
{
    struct task *leader = task_or_leader (bpf_get_current_task_btf ());
    struct inode *i = (struct inode *)inode;
    struct task_cache c = {
        .inode = inode, .offset = at, .added = bytes, .missed = bytes};

    if (leader && leader->flags & TASK_FOLLOWED &&
        (BPF_CORE_READ (i, i_mode) & FILE_IFMT) == INODE_REGULAR)
        cache_send (leader, &c);
    return 0;
}

/* A call begins to bring pages of an inode. 0: it does not read. */
static __always_inline int cache_begin (struct task *task, __u64 inode)
{
    const volatile struct abi_shape *s = call_shape (task);
    struct inode *i = (struct inode *)inode;
    __u64 size = BPF_CORE_READ (i, i_size), file = 0;
    struct task_cache c = {.inode = inode, .offset = -1};

    if (!task->inside || (s && !(s->flags & ABI_READS)))
        return 0;
    if ((BPF_CORE_READ (i, i_mode) & FILE_IFMT) != INODE_REGULAR)
        return 0;
    if (s && inode_in_call (task, inode, &file) &&
        call_range (task, file, &c.from, &c.to) && c.to > size)
        c.to = size;
    task->cache = c;
    return 1;
}

static __always_inline __u64 cache_common (__u64 from,
                                           __u64 to,
                                           __u64 begin,
                                           __u64 end)
{
    __u64 low = from > begin ? from : begin, high = to < end ? to : end;

    return high > low ? high - low : 0;
}

SEC ("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG (record_cached, struct folio *folio)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct task *task = task_of (t);
    __u64 inode, bytes, at;

    if (task ? !(task->flags & TASK_FOLLOWED) : !task_of (t->group_leader))
        return 0;
    inode = (__u64)BPF_CORE_READ (folio, mapping, host);
    bytes = cache_bytes (folio);
    at = BPF_CORE_READ (folio, index) << page_shift;
    if (!task)
        return cache_of_worker (inode, at, bytes);
    if (fault_brings (task, inode, at >> page_shift, bytes))
        return 0;
    if (task->cache.inode && task->cache.inode != inode)
        cache_tell ();
    if (!task->cache.inode && !cache_begin (task, inode))
        return 0;
    if (task->cache.offset < 0)
        task->cache.offset = at;
    task->cache.added += bytes;
    task->cache.missed +=
        task->cache.to
            ? cache_common (task->cache.from, task->cache.to, at, at + bytes)
            : bytes;
    return 0;
}
