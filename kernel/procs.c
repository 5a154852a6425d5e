/* SPDX-License-Identifier: MIT
 *
 * procs.c - starts, programs and ends of processes -> blocks of the trace
 *
 * A dynamic program is looked at from its exec on, and forgotten when the
 * library in it says that it records: until then nobody knows whether it will.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/procs.h"
#include "lib/base/clock.h"
#include "lib/format/layers.h"

enum { UNKNOWN_NS = CLOCK_NS_PER_S /* after that the library will not come */ };

struct procs *procs_create (struct space *space,
                            const struct pathfilter *filter,
                            const char *host)
{
    struct procs *t = calloc (1, sizeof (*t));

    if (!t)
        return NULL;
    t->space = space;
    t->filter = filter;
    t->host = host;
    return t;
}

/* --- processes ------------------------------------------------------------ */

static struct proc **proc_slot (struct procs *t, uint32_t pid)
{
    struct proc **at = &t->proc[pid % PROCS_BUCKETS];

    while (*at && (*at)->p.pid != pid)
        at = &(*at)->next;
    return at;
}

static void proc_free (struct proc *p)
{
    if (!p)
        return;
    free (p->exe);
    free (p->cwd);
    free (p->next_exe);
    free (p->next_cwd);
    free (p->args);
    free (p);
}

static char *procs_copy_text (const char *text)
{
    return text ? strdup (text) : NULL;
}

static void proc_begin (struct proc *p, const struct abi_head *h)
{
    p->p.version = SHARD_VERSION_LAYERS;
    p->p.pid = h->tgid;
    p->p.start_ns = p->p.start_tick = h->time;
    p->p.start_real = clock_real (h->time);
    p->p.tick_hz = CLOCK_NS_PER_S;
    p->p.clock = SHARD_CLOCK_MONOTONIC;
    p->p.layers = LAYER_KERNEL;
}

/* A process with the facts of `from`, which may be NULL: nobody knows. */
static struct proc *proc_create (const struct abi_head *h,
                                 const struct proc *from)
{
    struct proc *p = calloc (1, sizeof (*p));

    if (!p)
        return NULL;
    p->wanted = 1;
    p->p.rank = p->p.local_rank = -1;
    p->p.array_task_id = p->p.step_id = -1;
    if (from) {
        p->info = from->info;
        memcpy (&p->p, &from->info.ids, SHARD_PROCESS_LIVE);
        p->p.ppid = from->p.ppid;
        p->p.uid = from->p.uid;
        p->p.gid = from->p.gid;
        p->wanted = from->wanted;
        p->exe = procs_copy_text (from->exe);
        p->cwd = procs_copy_text (from->cwd);
        if (from->args_bytes && (p->args = malloc (from->args_bytes))) {
            memcpy (p->args, from->args, from->args_bytes);
            p->args_bytes = from->args_bytes;
        }
    }
    proc_begin (p, h);
    return p;
}

static void proc_add (struct procs *t, struct proc *p)
{
    struct proc **at = &t->proc[p->p.pid % PROCS_BUCKETS];

    p->next = *at;
    *at = p;
}

/* It ends, by an exec or for good. */
static void
proc_end (struct procs *t, struct proc *p, uint64_t exec_ns, uint64_t end_ns)
{
    struct proc **at = proc_slot (t, p->p.pid);

    while (p->threads) {
        thread_seal (t, p->threads);
        thread_remove (t, p->threads);
    }
    p->p.exec_ns = exec_ns;
    p->p.end_ns = end_ns;
    if (p->place || p->p.lost_space)
        (void)procblock_write (p, t->space, t->host);
    if (*at == p)
        *at = p->next;
    if (p->place) {
        procthreads_settle (t);
        proc_free (t->last);
        t->last = p;
    } else
        proc_free (p);
}

struct proc *procs_get (struct procs *t, const struct abi_head *h)
{
    struct proc *p = *proc_slot (t, h->tgid);

    if (p)
        return p;
    p = proc_create (h, NULL);
    if (p)
        proc_add (t, p);
    return p;
}

/* --- what happens to them ------------------------------------------------- */

void procs_started (struct procs *t, const struct abi_process *r)
{
    struct proc *old = *proc_slot (t, r->head.tgid), *parent, *p;

    if (old) /* its end was lost */
        proc_end (t, old, 0, 0);
    parent = r->parent ? *proc_slot (t, r->parent) : NULL;
    p = proc_create (&r->head, parent);
    if (!p)
        return;
    p->waits = p->wanted && r->left;
    p->wanted &= !r->left;
    p->p.ppid = r->parent;
    p->p.uid = r->uid;
    p->p.gid = r->gid;
    proc_add (t, p);
}

void procs_named (struct procs *t,
                  const struct abi_process *r,
                  const char *path)
{
    struct proc *p = procs_get (t, &r->head);
    char **text;

    if (!p)
        return;
    text = r->head.type == ABI_EXE ? &p->next_exe : &p->next_cwd;
    free (*text);
    *text = strdup (path);
}

struct lookup {
    const char *text;
    size_t n;
};

/* As the environment of the program has it. */
static const char *look_up (void *cookie, const char *name)
{
    const struct lookup *l = cookie;
    size_t length = strlen (name);

    for (size_t at = 0; at < l->n;) {
        size_t n = strnlen (l->text + at, l->n - at);

        if (at + n == l->n)
            break; /* it is cut */
        if (n > length && l->text[at + length] == '=' &&
            memcmp (l->text + at, name, length) == 0)
            return l->text + at + length + 1;
        at += n + 1;
    }
    return NULL;
}

static void
proc_take_text (struct proc *p, const struct abi_process *r, const char *text)
{
    struct lookup l = {text + r->args, r->environment};

    free (p->args);
    p->args = malloc ((size_t)r->args + 1);
    p->args_bytes = p->args ? r->args : 0;
    if (p->args)
        memcpy (p->args, text, r->args);
    procinfo_init (&p->info, look_up, &l);
}

void procs_changed (struct procs *t,
                    const struct abi_process *r,
                    const char *text)
{
    struct proc *old = procs_get (t, &r->head), *p;

    if (!old)
        return;
    proc_take_text (old, r, text);
    p = proc_create (&r->head, old);
    if (!p)
        return;
    free (p->exe);
    free (p->cwd);
    p->exe = old->next_exe;
    p->cwd = old->next_cwd;
    old->next_exe = old->next_cwd = NULL;
    p->p.uid = r->uid;
    p->p.gid = r->gid;
    p->wanted =
        !p->exe || pathfilter_program (t->filter, p->exe, strlen (p->exe));
    proc_end (t, old, r->head.time, 0);
    proc_add (t, p);
}

void procs_library (struct procs *t, const struct abi_process *r)
{
    struct proc *p = procs_get (t, &r->head);

    if (!p || p->kept)
        return;
    for (struct thread *h = p->threads; h; h = h->sibling)
        chunk_drop (&h->chunk);
    p->faults_told = 0;
    p->kept = 1; /* what comes now is past the library */
}

void procs_ended (struct procs *t, const struct abi_process *r)
{
    struct proc *p = *proc_slot (t, r->head.tgid);
    struct thread *h = *thread_slot (t, r->head.tid);

    if (h && h->proc == p && r->left > 0) {
        thread_seal (t, h);
        thread_remove (t, h);
    }
    if (p && r->left == 0)
        proc_end (t, p, 0, r->head.time);
}

/* --- ends ----------------------------------------------------------------- */

static void proc_flush (struct procs *t, struct proc *p)
{
    for (struct thread *h = p->threads; h; h = h->sibling) {
        struct chunk_owner owner;

        if (!h->chunk.bytes || h->chunk.written == h->chunk.used)
            continue;
        if (proc_keep (t, p) < 0)
            return; /* it is tried again, and counted where it is sealed */
        owner = thread_owner (h);
        (void)chunk_flush (&h->chunk, t->space, &owner);
    }
    if (p->changed && p->place)
        (void)procblock_write (p, t->space, t->host);
}

void procs_flush (struct procs *t, uint64_t now)
{
    for (int i = 0; i < PROCS_BUCKETS; i++)
        for (struct proc *p = t->proc[i]; p; p = p->next)
            if (p->kept || now - p->p.start_ns > UNKNOWN_NS)
                proc_flush (t, p);
}

void procs_finish (struct procs *t, uint64_t lost)
{
    for (int i = 0; i < PROCS_BUCKETS; i++)
        while (t->proc[i]) {
            t->proc[i]->p.lost_space += lost;
            lost = 0;
            proc_end (t, t->proc[i], 0, 0);
        }
    procthreads_settle (t);
    if (lost && t->last) { /* all had ended */
        t->last->p.lost_space += lost;
        (void)procblock_write (t->last, t->space, t->host);
    }
}

void procs_destroy (struct procs *t)
{
    if (!t)
        return;
    procs_finish (t, 0);
    proc_free (t->last);
    free (t);
}
