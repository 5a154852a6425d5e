/* SPDX-License-Identifier: MIT
 *
 * facts_fd.c - finished calls on descriptors and mappings -> events
 */
#include "config.h"

#include <sys/mman.h>

#include "preload/record/repeat.h"
#include "preload/wrap/facts.h"

enum { FLAG_APPEND = 0x10 /* RWF_APPEND, which older headers lack */ };

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4 /* kernel 5.11; older headers lack it */
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

void facts_fd (struct span *sp, int64_t rc)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    span_write (&r);
    errno = saved_errno;
}

void facts_size (struct span *sp, int64_t rc, uint64_t size)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.size = size;
    span_write (&r);
    errno = saved_errno;
}

void facts_flags (struct span *sp, int64_t rc, unsigned flags)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.flags = flags;
    span_write (&r);
    errno = saved_errno;
}

static void
range (struct span *sp, int64_t rc, int err, int64_t off, int64_t n, int flags)
{
    struct record r;

    span_result (sp, &r, rc, err);
    r.offset = off;
    r.size = (uint64_t)n;
    r.flags = (unsigned)flags;
    span_write (&r);
}

void facts_range (
    struct span *sp, int64_t rc, int64_t off, int64_t n, int flags)
{
    int saved_errno = errno;

    range (sp, rc, saved_errno, off, n, flags);
    errno = saved_errno;
}

void facts_range_err (
    struct span *sp, int err, int64_t off, int64_t n, int flags)
{
    int saved_errno = errno;

    range (sp, err ? -1 : 0, err, off, n, flags);
    errno = saved_errno;
}

void facts_next (struct span *sp, int64_t rc, uint64_t size)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.size = size;
    r.offset = fdmap_advance (sp->fd, sp->file, rc > 0 ? rc : 0);
    span_write (&r);
    if (__builtin_expect (sp->file.class == FILE_CLASS_SOCKET, 0))
        facts_net_transfer (sp,
                            call_table[sp->call].class == CALL_CLASS_READ
                                ? CALL_READS
                                : CALL_WRITES,
                            rc);
    errno = saved_errno;
}

__attribute__ ((noinline)) void facts_moved_from (
    struct span *sp, int64_t rc, uint64_t size, int64_t offset, uint64_t end)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.end = end;
    r.size = size;
    r.offset = offset;
    span_write (&r);
    errno = saved_errno;
}

/* A run begins, unless something has to be asked first. */
static __attribute__ ((noinline)) int
run_begin (const struct span *sp, uint64_t size, uint64_t end)
{
    struct record r = {.start = sp->start,
                       .end = end,
                       .call = sp->call,
                       .fd = sp->fd,
                       .file = sp->file.name,
                       .size = size};

    return fdmap_run (&r);
}

int facts_run (const struct span *sp, uint64_t size, uint64_t end)
{
    const unsigned which = LAYER_POSIX | LAYER_MMAP | LAYER_PROFILE;
    struct repeat *s = (struct repeat *)recorder_self.tbuf;
    int done;

    if (sp->file.flags & FILE_APPEND ||
        (recorder_layers & which) != LAYER_POSIX ||
        filter_how (sp->call) != FILTER_RECORDED || !s || recorder_self.busy)
        return 0;
    if (!s->run.place)
        return run_begin (sp, size, end);
    recorder_self.busy = recorder_mark ();
    __asm__ volatile("" ::: "memory");
    done = repeat_go_on (s, (enum call)sp->call, sp->start, end, sp->fd,
                         sp->file.name, size,
                         __atomic_load_n (&fdmap_moves, __ATOMIC_RELAXED));
    __asm__ volatile("" ::: "memory");
    recorder_self.busy = 0;
    return done;
}

/* At the end of the file, wherever that was. */
static void next_append (struct span *sp, int64_t rc, uint64_t size)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.size = size;
    fdmap_set_position (sp->fd, -1);
    span_write (&r);
    errno = saved_errno;
}

void facts_next_write (struct span *sp, int64_t rc, uint64_t size)
{
    if (sp->file.flags & FILE_APPEND)
        next_append (sp, rc, size);
    else
        facts_next (sp, rc, size);
}

void facts_at (struct span *sp, int64_t rc, uint64_t size, int64_t off)
{
    int saved_errno = errno;
    struct record r;

    if (off == -1) {
        facts_next (sp, rc, size);
        return;
    }
    span_result (sp, &r, rc, saved_errno);
    r.size = size;
    r.offset = off;
    span_write (&r);
    errno = saved_errno;
}

void facts_at_write (struct span *sp, int64_t rc, uint64_t size, int64_t off)
{
    if (off == -1)
        facts_next_write (sp, rc, size);
    else
        facts_at (sp, rc, size, off);
}

void facts_at_flagged (
    struct span *sp, int64_t rc, uint64_t size, int64_t off, int flags)
{
    int saved_errno = errno;
    struct record r;

    if (!(flags & FLAG_APPEND)) {
        facts_at_write (sp, rc, size, off);
        return;
    }
    span_result (sp, &r, rc, saved_errno);
    r.size = size;
    if (off == -1)
        fdmap_set_position (sp->fd, -1); /* it moves to the end */
    span_write (&r);
    errno = saved_errno;
}

void facts_seek (struct span *sp, int64_t rc, int64_t off, int whence)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.flags = (unsigned)whence;
    r.offset = rc >= 0 ? rc : whence == SEEK_SET ? off : -1;
    if (rc >= 0)
        fdmap_set_position (sp->fd, rc);
    span_write (&r);
    errno = saved_errno;
}

uint64_t iov_size (int64_t rc, const struct iovec *v, int count)
{
    uint64_t size = 0;

    if (rc < 0)
        return 0;
    for (int i = 0; i < count; i++)
        size += v[i].iov_len;
    return size;
}

void facts_dup (struct span *sp, int newfd)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, newfd, saved_errno);
    if (newfd >= 0)
        fdmap_dup (sp->fd, newfd);
    span_write_of (sp->file, &r);
    errno = saved_errno;
}

void facts_close_range (
    struct span *sp, int rc, unsigned first, unsigned last, int flags)
{
    if (rc == 0 && (flags & CLOSE_RANGE_UNSHARE))
        fdmap_part ();
    if (rc == 0 && !(flags & CLOSE_RANGE_CLOEXEC))
        fdmap_forget_range (first, last);
}

void facts_map (struct span *sp,
                const void *addr,
                size_t n,
                int prot,
                int flags,
                int64_t off)
{
    int saved_errno = errno;
    struct record r;

    if (sp->file.state != FILE_WANTED) { /* of a ring */
        rawring_mapped (sp->fd, addr, off);
        return;
    }
    span_result (sp, &r, addr == MAP_FAILED ? -1 : 0, saved_errno);
    r.size = n;
    r.offset = off;
    r.flags = (unsigned)prot | (uint64_t)(unsigned)flags << MAP_FLAGS_SHIFT;
    if (addr != MAP_FAILED)
        maps_add (addr, sp->file.name);
    span_write (&r);
    if (addr != MAP_FAILED && (recorder_layers & LAYER_MMAP))
        mm_mapped (sp->fd, sp->file, addr, n, flags, off);
    errno = saved_errno;
}
