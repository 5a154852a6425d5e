/* SPDX-License-Identifier: MIT
 *
 * pass.c - one reading of the traces of a job, for all who want its events
 *
 * In:  open trace files, from find.c
 * Out: batches of each split of a thread; what could not be read
 */
#include "config.h"

#include "analyze/scan/pass.h"

#include <stdatomic.h>

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/log.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

/* Events of a thread in one split, at least: so many that putting the splits
 * together costs nothing beside. */
static uint64_t pass_split_events = 1 << 20;

void pass_cut (uint64_t events)
{
    pass_split_events = events;
}

/* --- splits --------------------------------------------------------------- */

static struct pass_split *pass_new_split (struct pass *p,
                                          size_t process,
                                          const struct trace_chunk **chunk)
{
    struct pass_split *split = APPEND (p->split, p->splits, p->splits_room);

    *split = (struct pass_split){.process = process,
                                 .chunk = chunk,
                                 .tid = chunk[0]->head.tid,
                                 .whole = 1};
    return split;
}

/* A thread of so many chunks; in splits of `events` at least if it is long, of
 * which none is short. What layer mmap and the layers above POSIX say needs the
 * thread as a whole. */
static void pass_plan_thread (struct pass *pass,
                              size_t process,
                              const struct trace_chunk **chunk,
                              size_t chunks,
                              uint64_t events)
{
    const struct trace_process *who = pass->parts.item[process].who;
    struct pass_split *p = pass_new_split (pass, process, chunk);
    uint64_t rest = 0;

    for (size_t i = 0; i < chunks; i++)
        rest += chunk[i]->events;
    for (size_t i = 0; i < chunks; i++) {
        if (p->events >= events && rest >= events / 2 &&
            !(who->p.layers & (LAYER_MMAP | LAYERS_ABOVE))) {
            p->whole = 0;
            p = pass_new_split (pass, process, chunk + i);
            p->continues = 1;
            p->whole = 0;
        }
        p->chunks++;
        p->events += chunk[i]->events;
        rest -= chunk[i]->events;
    }
}

enum { ARGV_BETWEEN = 0x1f };

/* Add the directories above a file: whoever resolves its path asks for each. */
static void pass_add_above (struct strmap *to, const char *path, size_t n)
{
    while (n > 1 && path[0] == '/') {
        while (n > 1 && path[n - 1] != '/')
            n--;
        while (n > 1 && path[n - 1] == '/')
            n--;
        strmap_intern (to, path, n, NULL);
    }
}

/* Directories above a process's program, and above the program and the first
 * argument, a script, that it was started with. */
static void pass_add_programs (struct strmap *to,
                               const struct trace_process *who)
{
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *p = who->text[SHARD_STRING_ARGV];
    pass_add_above (to, exe, strlen (exe));

    for (int named = 0; named < 2 && *p;) {
        size_t n = strcspn (p, "\x1f");

        named += *p != '-';
        pass_add_above (to, p, n);
        p += n + (p[n] == ARGV_BETWEEN);
    }
}

static void pass_know_programs (struct pass *p)
{
    p->programs = strmap_create ();
    for (size_t i = 0; i < p->parts.count; i++)
        pass_add_programs (p->programs, p->parts.item[i].who);
    dict_know_programs (p->dict, p->programs);
}

static void pass_open_cut (struct pass *p,
                           const struct job *job,
                           const struct kind_rules *rules,
                           int threads,
                           uint64_t events)
{
    ZERO (p);
    p->job = job;
    p->dict = dict_create (rules);
    parts_make (&p->parts, job);
    NEW (p->health, job->sources + 1);
    dict_know_checkpoints (p->dict, job->checkpoints);
    pass_know_programs (p);
    for (size_t i = 0; i < p->parts.count; i++) {
        const struct part *part = &p->parts.item[i];
        size_t next;

        for (size_t c = 0; c < part->chunks; c = next) {
            next = part_thread_end (part, c);
            pass_plan_thread (p, i, part->chunk + c, next - c, events);
        }
    }
    /* no more than there are splits, since each has columns and tables of its
       own */
    p->workers = threads > 0 ? threads : pool_threads ();
    p->workers = MIN (p->workers, PASS_WORKERS_MAX);
    p->workers = (int)MIN ((size_t)p->workers, MAX (p->splits, 1));
}

void pass_open (struct pass *p,
                const struct job *job,
                const struct kind_rules *rules,
                int threads)
{
    pass_open_cut (p, job, rules, threads, pass_split_events);
}

void pass_open_whole (struct pass *p,
                      const struct job *job,
                      const struct kind_rules *rules,
                      int threads)
{
    pass_open_cut (p, job, rules, threads, UINT64_MAX);
}

void pass_close (struct pass *p)
{
    int saved = errno;

    free (p->split);
    free (p->skip);
    free (p->health);
    parts_clear (&p->parts);
    dict_destroy (p->dict);
    strmap_destroy (p->programs);
    ZERO (p);
    errno = saved;
}

/* --- reading -------------------------------------------------------------- */

struct pass_worker {
    struct batch_reader *reader;
    struct health *health; /* one for each source */
};

struct pass_work {
    struct pass *pass;
    const struct pass_user *users;
    size_t count;
    struct pass_worker *worker;
    const struct pass_split **order; /* of the splits: the long ones first, so
                                        that workers end at the same time */
    atomic_int failed;               /* errno */
};

/* Read as much of a chunk as possible. The errno of the batch reader says why
 * it ended early. 0, or -1 with errno when a user failed. */
static int pass_read_chunk (struct pass_work *w,
                            const struct pass_split *p,
                            const struct trace_chunk *c,
                            int worker)
{
    const struct part *part = &w->pass->parts.item[p->process];
    struct health *h = &w->worker[worker].health[part->source];
    struct batch_reader *r = w->worker[worker].reader;
    const struct batch *b;
    uint64_t decoded = 0;
    int opened = batch_reader_chunk (r, part, p->process, c) == 0, rc = -1;

    while (opened && (rc = batch_reader_next (r, &b)) > 0)
        for (size_t i = 0; i < w->count; i++)
            if (w->users[i].take (w->users[i].cookie, worker, b) < 0)
                return -1;
    if (opened)
        decoded = batch_reader_events (r);
    if (!opened && errno != EBADMSG)
        h->io_errors++;
    else if (c->present < c->used)
        h->cut_events += c->events;
    else if (decoded < c->events)
        h->chunks_bad++;
    h->events += decoded;
    if (decoded < c->events)
        h->undecoded += c->events - decoded;
    return 0;
}

static int pass_read_split (struct pass_work *w, size_t index, int worker)
{
    const struct pass_split *p = &w->pass->split[index];

    for (size_t i = 0; i < w->count; i++)
        if (w->users[i].begin)
            w->users[i].begin (w->users[i].cookie, index, worker);
    for (size_t i = 0; i < p->chunks; i++) {
        if (p->skip && p->skip[i])
            w->worker[worker]
                .health[w->pass->parts.item[p->process].source]
                .events += p->chunk[i]->events;
        else if (pass_read_chunk (w, p, p->chunk[i], worker) < 0)
            return -1;
        progress_add (p->chunk[i]->events);
    }
    for (size_t i = 0; i < w->count; i++)
        if (w->users[i].end)
            w->users[i].end (w->users[i].cookie, index, worker);
    return 0;
}

static void pass_do_split (void *cookie, size_t at, int worker)
{
    struct pass_work *w = cookie;
    size_t index = w->order[at] - w->pass->split;

    errno = 0;
    if (!atomic_load (&w->failed) && pass_read_split (w, index, worker) < 0)
        atomic_store (&w->failed, errno);
}

static int pass_by_events (const void *a, const void *b)
{
    const struct pass_split *x = *(const struct pass_split *const *)a;
    const struct pass_split *y = *(const struct pass_split *const *)b;

    return ORDER (y->events, x->events) ?: ORDER (x, y);
}

static void pass_make_work (struct pass_work *w)
{
    const struct pass *p = w->pass;
    enum batch_need need = BATCH_REGIONS;

    NEW (w->order, p->splits + 1);
    for (size_t i = 0; i < p->splits; i++)
        w->order[i] = &p->split[i];
    SORT (w->order, p->splits, pass_by_events);

    for (size_t i = 0; i < w->count; i++)
        need = MIN (w->users[i].need, need);

    NEW (w->worker, p->workers);
    for (int i = 0; i < p->workers; i++) {
        struct pass_worker *one = &w->worker[i];

        one->reader = batch_reader_create (p->dict);
        NEW (one->health, p->job->sources + 1);
        batch_reader_needs (one->reader, need);
    }
}

/* Add what the workers found, and free them. */
static void pass_end_work (struct pass_work *w)
{
    struct pass *p = w->pass;

    memset (p->health, 0, p->job->sources * sizeof (*p->health));
    health_begin (p->health, p->job, &p->parts);
    for (int i = 0; i < p->workers; i++) {
        for (size_t s = 0; s < p->job->sources; s++)
            health_add (&p->health[s], &w->worker[i].health[s]);
        batch_reader_destroy (w->worker[i].reader);
        free (w->worker[i].health);
    }
    free (w->worker);
    free (w->order);
}

int pass_run (struct pass *p, const struct pass_user *users, size_t count)
{
    struct pass_work w = {.pass = p, .users = users, .count = count};
    uint64_t events = 0;

    pass_make_work (&w);
    for (size_t i = 0; i < p->splits; i++)
        events += p->split[i].events;
    progress_start ("analyze", events, "events");
    pool_run (p->splits, p->workers, pass_do_split, &w);
    progress_end ();
    pass_end_work (&w);
    errno = atomic_load (&w.failed);
    if (errno)
        return -1;
    log_debug ("%s: %llu events read", p->job->label,
               (unsigned long long)(events - p->skipped));
    return 0;
}
