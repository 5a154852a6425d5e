/* SPDX-License-Identifier: MIT
 *
 * spare.c - a mapping that is taken, left by children of vfork, and taken again
 */
#include "config.h"

#include "lib/base/sys.h"
#include "preload/follow/departure.h"

static _Thread_local struct spare left
    __attribute__ ((tls_model ("initial-exec")));

static void spare_unmap (struct spare *s)
{
    int saved_errno = errno;

    if (s->memory)
        (void)sys_munmap (s->memory, s->size);
    s->memory = NULL;
    errno = saved_errno;
}

void *spare_take (struct spare *s, size_t size)
{
    *s = left;
    left.memory = NULL;
    if (s->memory && s->size >= size)
        return s->memory;
    spare_unmap (s);
    s->size = (size + SYS_PAGE_LEAST - 1) & ~(size_t)(SYS_PAGE_LEAST - 1);
    s->memory = sys_memory (s->size);
    return s->memory;
}

void spare_leave (struct spare *s)
{
    if (!s->memory)
        return;
    left = *s;
    s->memory = NULL;
}

void spare_free (struct spare *s)
{
    spare_unmap (s);
}

void spare_thread_end (void)
{
    spare_unmap (&left);
}
