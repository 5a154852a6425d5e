/* SPDX-License-Identifier: MIT
 *
 * procs.c - starts, programs and ends of processes -> blocks of the trace
 *
 * A dynamic program is looked at from its exec on, and forgotten when the
 * library in it says that it records: until then nobody knows whether it will.
 */
#include "config.h"

#include "kernel/procs.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/format/calls.h"

enum { UNKNOWN_NS = CLOCK_NS_PER_S /* after that the library will not come */ };

struct procs *procs_create (struct space *space,
                            const struct pathfilter *filter,
                            const char *host)
{
    struct procs *t = TRY_ZEROED (t, 1);

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
    p->p.version = SHARD_VERSION;
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
    struct proc *p = TRY_ZEROED (p, 1);

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
        procblock_write (p, t->space, t->host);
    if (*at == p)
        *at = p->next;
    if (p->place) {
        procthreads_settle (t);
        proc_free (t->last);
        t->last = p;
    } else
        proc_free (p);
}

/* The process of a record, made if need be; NULL: no memory. */
static struct proc *procs_get (struct procs *t, const struct abi_head *h)
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
        chunk_flush (&h->chunk, t->space, &owner);
    }
    if (p->changed && p->place)
        procblock_write (p, t->space, t->host);
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
        procblock_write (t->last, t->space, t->host);
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

/* ---- what is known of a process -> its block ---- */

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

    ZERO (&b);
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

/* ---- events of threads -> their chunks ---- */

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
    if (!t->late && t->last && TRY_NEW (t->late, 1))
        t->late->proc = t->last;
    return t->late;
}

void procthreads_settle (struct procs *t)
{
    if (!t->late)
        return;
    thread_seal (t, t->late);
    procblock_write (t->last, t->space, t->host);
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
