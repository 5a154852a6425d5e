/* SPDX-License-Identifier: MIT
 *
 * loader.c - data set -> micro batches
 *
 * Caveat: each worker is a fork of this process and shares the mapping of
 * the tokens with it. A note on a pipe is smaller than PIPE_BUF: whole or not
 * at all.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "etc/examples/minigpt/loader.h"
#include "etc/examples/minigpt/wholeio.h"

enum { PREFETCH = 2 }; /* PyTorch's default */

/* A worker's answer. */
struct note {
    uint64_t batch;
    struct item_cost cost;
    int32_t failed;
    struct failure failure;
};
_Static_assert(sizeof (struct note) <= PIPE_BUF, "notes are atomic");

struct worker {
    pid_t pid;
    int ask, answer; /* this side of the pipes */
};

struct loader {
    struct dataset *data;
    struct loader_options o;
    struct worker *worker;
    int started;
    int64_t *tokens; /* shared: workers x PREFETCH batches */
    size_t batch_tokens, shared_bytes;
    uint64_t asked, taken;
    struct item_cost cost;
};

/* --- a batch ---------------------------------------------------------- */

static int64_t *slot_of (const struct loader *l, uint64_t batch)
{
    uint64_t workers = l->o.workers ? (uint64_t)l->o.workers : 1;
    uint64_t slot = batch % workers * PREFETCH + batch / workers % PREFETCH;

    return l->tokens + slot * l->batch_tokens;
}

/* Samples are dealt to the ranks micro batch by micro batch. */
static int make_batch (struct loader *l,
                       uint64_t batch,
                       struct item_cost *cost,
                       struct failure *f)
{
    const struct loader_options *o = &l->o;
    uint64_t first =
        (batch * (uint64_t)o->world + (uint64_t)o->rank) * o->micro_batch;
    int64_t *tokens = slot_of (l, batch);

    for (uint64_t i = 0; i < o->micro_batch; i++) {
        if (dataset_item (l->data, first + i, tokens, cost, f) < 0)
            return -1;
        tokens += l->data->sequence + 1;
    }
    return 0;
}

/* --- worker ----------------------------------------------------------- */

/* Until the loader closes its end. */
static void work (struct loader *l, int ask, int answer)
{
    uint64_t batch;

    while (whole_read (ask, &batch, sizeof (batch)) == 0) {
        struct note n = {.batch = batch};

        n.failed = make_batch (l, batch, &n.cost, &n.failure) < 0;
        if (whole_write (answer, &n, sizeof (n)) < 0)
            break;
    }
}

static void close_pipe (int end[2])
{
    (void)close (end[0]);
    (void)close (end[1]);
}

/* The child keeps only its own ends, so that each worker sees the end of its
 * requests when the loader closes them. */
static void worker_exit (struct loader *l, int ask[2], int answer[2])
{
    for (int i = 0; i < l->started; i++) {
        (void)close (l->worker[i].ask);
        (void)close (l->worker[i].answer);
    }
    (void)close (ask[1]);
    (void)close (answer[0]);
    work (l, ask[0], answer[1]);
    _exit (0);
}

static int start_worker (struct loader *l)
{
    struct worker *w = &l->worker[l->started];
    int ask[2], answer[2];

    if (pipe2 (ask, O_CLOEXEC) < 0)
        return -1;
    if (pipe2 (answer, O_CLOEXEC) < 0) {
        close_pipe (ask);
        return -1;
    }
    w->pid = fork ();
    if (w->pid == 0)
        worker_exit (l, ask, answer);
    if (w->pid < 0) {
        close_pipe (ask);
        close_pipe (answer);
        return -1;
    }
    (void)close (ask[0]);
    (void)close (answer[1]);
    w->ask = ask[1];
    w->answer = answer[0];
    l->started++;
    return 0;
}

/* --- loader ----------------------------------------------------------- */

/* One request, if there is a batch that nobody was asked for. */
static int ask_next (struct loader *l)
{
    const struct worker *w;

    if (l->asked == l->o.batches)
        return 0;
    w = &l->worker[l->asked % (uint64_t)l->o.workers];
    if (whole_write (w->ask, &l->asked, sizeof (l->asked)) < 0)
        return -1;
    l->asked++;
    return 0;
}

static int start (struct loader *l)
{
    int workers = l->o.workers;

    l->batch_tokens = l->o.micro_batch * (l->data->sequence + 1);
    l->shared_bytes = (size_t)(workers ? workers : 1) * PREFETCH *
                      l->batch_tokens * sizeof (*l->tokens);
    l->tokens = mmap (NULL, l->shared_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (l->tokens == MAP_FAILED) {
        l->tokens = NULL;
        return -1;
    }
    if (!(l->worker = calloc ((size_t)workers + 1, sizeof (*l->worker))))
        return -1;
    for (int i = 0; i < workers; i++)
        if (start_worker (l) < 0)
            return -1;
    for (int i = 0; i < workers * PREFETCH; i++)
        if (ask_next (l) < 0)
            return -1;
    return 0;
}

struct loader *loader_create (struct dataset *d,
                              const struct loader_options *o,
                              struct failure *f)
{
    struct loader *l = calloc (1, sizeof (*l));

    if (l) {
        l->data = d;
        l->o = *o;
    }
    if (!l || start (l) < 0) {
        failf (f, "cannot start the data loader: %m");
        loader_destroy (l);
        return NULL;
    }
    return l;
}

void loader_destroy (struct loader *l)
{
    int saved_errno = errno;

    if (!l)
        return;
    for (int i = 0; i < l->started; i++) {
        (void)close (l->worker[i].ask);
        (void)close (l->worker[i].answer);
    }
    for (int i = 0; i < l->started; i++)
        while (waitpid (l->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    if (l->tokens)
        (void)munmap (l->tokens, l->shared_bytes);
    free (l->worker);
    free (l);
    errno = saved_errno;
}

static int
await (struct loader *l, uint64_t batch, struct note *n, struct failure *f)
{
    uint64_t number = batch % (uint64_t)l->o.workers;

    if (whole_read (l->worker[number].answer, n, sizeof (*n)) < 0)
        return failf (f, "worker %llu has ended", (unsigned long long)number);
    if (n->failed) {
        *f = n->failure;
        return -1;
    }
    return 0;
}

/* A slot is free for its worker again when the caller comes back for the
 * batch after it: so a request goes out one batch late. */
const int64_t *loader_next (struct loader *l, struct failure *f)
{
    uint64_t batch = l->taken;
    struct note n = {.batch = batch};

    if (batch == l->o.batches) {
        failf (f, "no more batches");
        return NULL;
    }
    if (l->o.workers == 0) {
        if (make_batch (l, batch, &n.cost, f) < 0)
            return NULL;
    } else {
        if (batch > 0 && ask_next (l) < 0) {
            failf (f, "a worker has ended: %m");
            return NULL;
        }
        if (await (l, batch, &n, f) < 0)
            return NULL;
    }
    l->taken++;
    l->cost.parts += n.cost.parts;
    l->cost.bytes += n.cost.bytes;
    return slot_of (l, batch);
}

struct item_cost loader_cost (const struct loader *l)
{
    return l->cost;
}
