/* SPDX-License-Identifier: MIT
 *
 * summary.c - totals of a job -> ranks and the facts that metrics are made of
 *
 * In:  struct totals, from load.c
 * Out: struct summary, to metrics.c and views.c
 */
#include "config.h"

#include "analyze/facts/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/facts/ancestry.h"
#include "analyze/facts/kernelpart.h"
#include "analyze/facts/lanes.h"
#include "analyze/facts/phases.h"
#include "analyze/facts/times.h"
#include "lib/settings/jobdir.h"
#include "lib/format/layers.h"

enum {
    RINGS_MATTER = 100, /* one request to so many reads and writes */
    /* Seconds that no clock of a cluster is off, and that no job takes. */
    FAR_BEFORE = 86400,
    FAR_AFTER = 400 * 86400
};

/* --- ranks ---------------------------------------------------------------- */

static const char *summary_host_of (const struct process *p)
{
    return p->who->text[SHARD_STRING_HOST];
}

/* Number of the rank that head stands for; index has one more than it for each
 * process that stands for one. */
static size_t summary_rank (struct summary *s,
                            const struct totals *t,
                            size_t *index,
                            const struct process *head)
{
    size_t *at = &index[head - t->process];

    if (*at == 0) {
        s->rank[s->ranks++].first = head;
        *at = s->ranks;
    }
    return *at - 1;
}

static int summary_make_ranks (struct summary *s,
                               struct totals *t,
                               const struct ancestry *kin)
{
    size_t *index = calloc (t->processes + 1, sizeof (*index));

    if (!index || !(s->rank = calloc (t->processes + 1, sizeof (*s->rank)))) {
        free (index);
        return -1;
    }
    for (size_t i = 0; i < t->processes; i++) {
        struct process *p = &t->process[i];

        p->rank = summary_rank (s, t, index, ancestry_head (kin, p));
        s->rank[p->rank].processes++;
    }
    free (index);
    return launched_count (&s->launched, t);
}

/* --- layer mmap -----------------------------------------------------------
 */

/* Number the nodes of the processes; returns how many, -1 (ENOMEM). */
static int64_t summary_nodes (struct summary *s, const struct totals *t)
{
    struct strmap *hosts = strmap_create ();
    int64_t n = hosts ? 0 : -1, at;
    int isnew;

    for (size_t i = 0; n >= 0 && i < t->processes; i++) {
        const char *host = t->process[i].who->text[SHARD_STRING_HOST];

        at = strmap_intern (hosts, host, strlen (host), &isnew);
        s->mm.process[i].node = (uint32_t)at;
        n = at < 0 ? -1 : (int64_t)strmap_count (hosts);
    }
    strmap_destroy (hosts);
    return n;
}

static uint64_t summary_less (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* A process that the library and layer kernel tell of is one. Of requests of
 * io_urings the library knows that they were made, the kernel all the rest. */
static void summary_count_once (struct summary *s,
                                const struct totals *t,
                                const size_t *whole)
{
    for (size_t i = 0; i < t->processes; i++) {
        uint64_t seen = t->process[i].n.cost[COST_async].count;

        if (whole[i] == i)
            continue;
        s->processes--;
        s->requests = summary_less (s->requests, seen);
        if (seen)
            s->rings =
                summary_less (s->rings, t->process[whole[i]].who->p.rings);
    }
}

static int summary_join_kernel (struct summary *s, struct totals *t)
{
    size_t *whole = kernelpart_find (t);
    int rc = whole ? kernelpart_join (t, whole) : -1;

    if (whole)
        summary_count_once (s, t, whole);
    free (whole);
    return rc;
}

int summary_join_mmap (struct summary *s, struct totals *t)
{
    uint64_t start = UINT64_MAX, end = 0;
    int64_t nodes;

    for (size_t i = 0; i < t->processes; i++) {
        start = t->process[i].start < start ? t->process[i].start : start;
        end = t->process[i].end > end ? t->process[i].end : end;
    }
    if (mmjoin_begin (&s->mm, t->processes, start, end) < 0 ||
        (nodes = summary_nodes (s, t)) < 0)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *log = &t->process[i].mm;

        s->mm.process[i].start = t->process[i].start;
        if (!mmlog_empty (log) && mmjoin_process (&s->mm, i, log) < 0)
            return -1;
    }
    if (mmjoin_finish (&s->mm, (uint32_t)nodes) < 0)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        if (mm_all_seen (&s->mm.sum) &&
            lanes_add_faults (&t->process[i], &t->process[i].mm) < 0)
            return -1;
        mmlog_clear (&t->process[i].mm);
    }
    s->n.cost[COST_stall] = (struct transfer){
        s->mm.sum.major, s->mm.sum.fault_bytes, s->mm.sum.stall_ns};
    return 0;
}

/* --- the rest ---------------------------------------------------------------
 */

enum ending summary_ending (const struct ancestry *kin, const struct process *p)
{
    if (shard_in_order (&p->who->p))
        return ENDING_ORDERLY;
    if (p->who->p.ended & SHARD_ENDED_SIGNAL)
        return ENDING_SIGNAL;
    return p->who->p.exec_ns || ancestry_replaced (kin, p) ? ENDING_EXEC
                                                           : ENDING_UNKNOWN;
}

int summary_ranks (struct summary *s, struct totals *t)
{
    struct ancestry kin;
    int rc;

    memset (s, 0, sizeof (*s));
    if (ancestry_open (&kin, t) < 0)
        return -1;
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].ending = summary_ending (&kin, &t->process[i]);
    rc = summary_make_ranks (s, t, &kin);
    ancestry_close (&kin);
    return rc;
}

/* How many processes of the job it is. */
static size_t summary_stands_for (const struct trace_process *who)
{
    return who->p.local_rank == SHARD_ADDED_UP ? who->p.ranks : 1;
}

static void summary_add_processes (struct summary *s, const struct totals *t)
{
    const char *host = NULL; /* processes are sorted by host */

    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        s->processes += summary_stands_for (p->who);
        counts_add (&s->n, &p->n);
        s->layers |= p->who->p.layers;
        s->unfinished +=
            p->ending == ENDING_UNKNOWN || p->ending == ENDING_SIGNAL;
        s->untraced_counted += p->who->p.untraced;
        s->rings += p->who->p.rings;
        s->requests += p->who->p.requests;
        if (!host || strcmp (host, summary_host_of (p)) != 0)
            s->hosts += strcmp (summary_host_of (p), "-") != 0; /* not known */
        host = summary_host_of (p);
        if (!i || p->start < s->start)
            s->start = p->start;
        if (p->end > s->end)
            s->end = p->end;
    }
    if (!s->hosts && t->processes)
        s->hosts = 1;
}

int summary_is_profile (const struct summary *s)
{
    return (s->layers & LAYER_PROFILE) != 0;
}

int summary_rings_matter (const struct summary *s)
{
    uint64_t calls = s->n.read.count + s->n.other_read.count + s->n.write.count;

    return s->requests && s->requests >= calls / RINGS_MATTER;
}

int source_damaged (const struct source *src, const struct health *h)
{
    return !src->readable || health_lost (h) || h->chunks_bad || h->heads_bad ||
           h->file.chunks_cut || h->file.bytes_skipped || h->file.cut ||
           h->file.lost_names || h->io_errors || src->log.cut || src->log.bad ||
           src->log.partial;
}

/* job.json is written when the job begins. 0: it does not say when. */
static time_t summary_job_began (const struct job *job)
{
    struct tm tm = {0};

    return job->info.created && job->info.created[0] &&
                   strptime (job->info.created, "%Y-%m-%dT%H:%M:%SZ", &tm)
               ? timegm (&tm)
               : 0;
}

static int summary_is_far (const struct process *p, time_t began)
{
    time_t start = (time_t)(p->who->p.start_real / 1000000000);

    return began > 0 && p->who->p.start_real &&
           (start < began - FAR_BEFORE || start > began + FAR_AFTER);
}

void summary_health (struct summary *s,
                     const struct totals *t,
                     const struct job *job)
{
    s->stages = job->dir ? jobdir_count_staged (job->dir) : 0;
    s->files = t->sources;
    for (size_t i = 0; i < t->processes; i++)
        s->far_starts +=
            (size_t)summary_is_far (&t->process[i], summary_job_began (job));
    for (size_t i = 0; i < t->sources; i++) {
        s->unreadable += !job->source[i].readable;
        s->damaged += (size_t)source_damaged (&job->source[i], &t->health[i]);
        s->lost += health_lost (&t->health[i]);
        profparts_add (&s->halves, &t->health[i].halves);
        s->copied_processes += t->health[i].copies.processes;
        s->copied += health_copied (&t->health[i], &job->source[i]);
        s->doubtful += health_doubtful (&job->source[i]);
        if (job->source[i].is_pfw)
            s->unsized += job->source[i].lines.unsized;
        s->guessed_unit |=
            job->source[i].is_pfw && job->source[i].lines.unit_guessed;
        s->lost_names += t->health[i].file.lost_names;
    }
}

int summary_heads (struct summary *s, struct totals *t)
{
    if (summary_ranks (s, t) < 0)
        return -1;
    summary_add_processes (s, t);
    return 0;
}

int summary_make (struct summary *s,
                  struct totals *t,
                  const struct job *job,
                  struct errtext *err)
{
    if (summary_heads (s, t) < 0)
        goto error;
    summary_health (s, t, job);
    if (summary_account (s, t, job) == 0 &&
        pointfaults_sort (&t->tally.points) == 0 &&
        summary_join_kernel (s, t) == 0 && summary_join_mmap (s, t) == 0 &&
        times_make (s, t) == 0 && phases_make (s, t) == 0)
        return 0;
error:
    (void)errf (err, "%s: %s", job->label, strerror (errno));
    summary_clear (s);
    return -1;
}

void summary_clear (struct summary *s)
{
    mmjoin_clear (&s->mm);
    free (s->rank);
    free (s->lane);
    untracedlist_clear (&s->gone);
    memset (s, 0, sizeof (*s));
}
