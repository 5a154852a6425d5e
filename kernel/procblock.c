/* SPDX-License-Identifier: MIT
 *
 * procblock.c - what is known of a process -> its block
 */
#include "config.h"

#include <string.h>

#include "kernel/procs.h"

enum { ARGUMENT_END = 0x1f };

struct procblock {
    struct shard_block block;
    struct shard_process process;
    char strings[SHARD_PROCESS_BYTES - sizeof (struct shard_block) -
                 sizeof (struct shard_process)];
};
_Static_assert(sizeof (struct procblock) == SHARD_PROCESS_BYTES, "its layout");

/* Room for the NULs of the strings to come is kept. */
static size_t procblock_put (struct procblock *b,
                             size_t used,
                             enum shard_string which,
                             const char *text,
                             size_t n)
{
    size_t room =
        sizeof (b->strings) - used - (SHARD_STRING_COUNT - (size_t)which);

    if (n > room)
        n = room;
    if (n > 0)
        memcpy (b->strings + used, text, n);
    b->strings[used + n] = '\0';
    return used + n + 1;
}

static size_t procblock_text (struct procblock *b,
                              size_t used,
                              enum shard_string which,
                              const char *text)
{
    return procblock_put (b, used, which, text, text ? strlen (text) : 0);
}

static size_t
procblock_args (struct procblock *b, size_t used, const struct proc *p)
{
    size_t n = p->args_bytes, end;

    while (n > 0 && p->args[n - 1] == '\0')
        n--;
    end = procblock_put (b, used, SHARD_STRING_ARGV, p->args, n);
    for (size_t i = used; i + 1 < end; i++)
        if (b->strings[i] == '\0')
            b->strings[i] = ARGUMENT_END;
    return end;
}

static uint32_t
procblock_fill (struct procblock *b, struct proc *p, const char *host)
{
    size_t n = procblock_text (b, 0, SHARD_STRING_HOST, host);

    n = procblock_text (b, n, SHARD_STRING_EXE, p->exe);
    n = procblock_text (b, n, SHARD_STRING_CWD, p->cwd);
    n = procblock_text (b, n, SHARD_STRING_JOB_NAME, p->info.job_name);
    n = procblock_args (b, n, p);
    p->p.strings_bytes = (uint32_t)n;
    b->process = p->p;
    n += sizeof (b->block) + sizeof (b->process);
    return (uint32_t)((n + SHARD_ALIGN - 1) & ~(size_t)(SHARD_ALIGN - 1));
}

int procblock_write (struct proc *p, struct space *space, const char *host)
{
    static struct procblock b;
    uint32_t capacity;

    memset (&b, 0, sizeof (b));
    capacity = procblock_fill (&b, p, host);
    if (!p->place && !(p->place = space_take (space, capacity)))
        return -1;
    b.block = (struct shard_block){
        .type = SHARD_BLOCK_PROCESS,
        .magic = SHARD_MAGIC,
        .flags = SHARD_SEALED,
        .commit = sizeof (b.process) + b.process.strings_bytes,
        .capacity = capacity,
        .proc = (uint32_t)(p->place / SHARD_ALIGN),
        .tid = p->p.pid,
        .seq = SHARD_PAGED,
        .base = p->p.start_tick,
        .base_ns = p->p.start_ns,
    };
    b.block.checksum = shard_process_sum (&b.process, b.process.strings_bytes);
    b.block.check = shard_block_check (&b.block);
    p->changed = 0;
    return space_write (space, &b,
                        sizeof (b.block) + sizeof (b.process) +
                            b.process.strings_bytes,
                        p->place);
}
