/* SPDX-License-Identifier: MIT
 *
 * procthreads.c - events of threads -> their chunks
 */
#include "config.h"

#include <stdlib.h>

#include "kernel/procs.h"

struct chunk_owner thread_owner (const struct thread *h)
{
    struct chunk_owner owner = {(uint32_t)(h->proc->place / SHARD_ALIGN),
                                h->tid, h->lost};

    return owner;
}

void procs_lose (struct thread *h, uint32_t events)
{
    h->lost += events;
    h->proc->p.lost_space += events;
    h->proc->wanted |= h->proc->waits; /* its exec may be what was lost */
    h->proc->changed = 1;
}

void procs_lose_name (struct thread *h)
{
    h->proc->p.lost_names++;
    h->proc->changed = 1;
}

/* The block of a process comes before its chunks. */
int proc_keep (struct procs *t, struct proc *p)
{
    p->kept = 1;
    return p->place ? 0 : procblock_write (p, t->space, t->host);
}

void thread_seal (struct procs *t, struct thread *h)
{
    struct chunk *c = &h->chunk;
    uint32_t events = c->events, capacity = c->capacity;
    struct chunk_owner owner;

    if (!c->bytes)
        return;
    h->proc->changed = 1;
    if (proc_keep (t, h->proc) < 0) {
        chunk_drop (c);
        procs_lose (h, events);
        return;
    }
    owner = thread_owner (h);
    if (chunk_seal (c, t->space, &owner) < 0) {
        procs_lose (h, events);
        return;
    }
    h->lost = 0;
    h->proc->p.chunks++;
    h->proc->p.events_sealed += events;
    h->proc->p.file_bytes += capacity;
}

struct thread **thread_slot (struct procs *t, uint32_t tid)
{
    struct thread **at = &t->thread[tid % PROCS_BUCKETS];

    while (*at && (*at)->tid != tid)
        at = &(*at)->next;
    return at;
}

/* With what it has, sealed or not. */
void thread_remove (struct procs *t, struct thread *h)
{
    struct thread **at = thread_slot (t, h->tid);
    struct thread **sibling = &h->proc->threads;

    while (*sibling && *sibling != h)
        sibling = &(*sibling)->sibling;
    if (*sibling)
        *sibling = h->sibling;
    if (*at == h)
        *at = h->next;
    chunk_drop (&h->chunk);
    free (h);
}

struct thread *procs_thread (struct procs *t, const struct abi_head *h)
{
    struct thread *thread = *thread_slot (t, h->tid);
    struct proc *p;

    if (thread && thread->proc->p.pid == h->tgid)
        return thread;
    if (thread) { /* its end was lost */
        thread_seal (t, thread);
        thread_remove (t, thread);
    }
    p = procs_get (t, h);
    thread = p ? calloc (1, sizeof (*thread)) : NULL;
    if (!thread)
        return NULL;
    thread->tid = h->tid;
    thread->proc = p;
    thread->sibling = p->threads;
    p->threads = thread;
    thread->next = t->thread[h->tid % PROCS_BUCKETS];
    t->thread[h->tid % PROCS_BUCKETS] = thread;
    return thread;
}

int procs_has (const struct procs *t, uint32_t pid)
{
    const struct proc *p = t->proc[pid % PROCS_BUCKETS];

    while (p && p->p.pid != pid)
        p = p->next;
    return p != NULL;
}

struct thread *procs_thread_late (struct procs *t, const struct abi_head *h)
{
    struct abi_head other = *h;

    if (procs_has (t, h->tgid))
        return procs_thread (t, h);
    for (int i = 0; i < PROCS_BUCKETS; i++)
        for (const struct proc *p = t->proc[i]; p; p = p->next)
            if (p->wanted && p->kept) {
                other.tgid = other.tid = p->p.pid;
                return procs_thread (t, &other);
            }
    if (!t->late && t->last && (t->late = calloc (1, sizeof (*t->late))))
        t->late->proc = t->last;
    return t->late;
}

void procthreads_settle (struct procs *t)
{
    if (!t->late)
        return;
    thread_seal (t, t->late);
    (void)procblock_write (t->last, t->space, t->host);
    chunk_drop (&t->late->chunk);
    free (t->late);
    t->late = NULL;
}

void procs_record (struct procs *t,
                   struct thread *h,
                   struct event *ev,
                   const struct chunk_name *file,
                   const struct chunk_name *file2)
{
    int rc = chunk_put (&h->chunk, ev, file, file2);

    if (rc > 0) {
        thread_seal (t, h);
        rc = chunk_put (&h->chunk, ev, file, file2);
    }
    if (rc != 0)
        procs_lose (h, 1);
}
