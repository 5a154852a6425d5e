/* SPDX-License-Identifier: MIT
 *
 * summary.c - totals of a job -> ranks and the facts that metrics are made of
 *
 * In:  struct totals, from load.c
 * Out: struct summary, to metrics.c and views.c
 */
#include "config.h"

#include "analyze/facts/ancestry.h"
#include "analyze/facts/equals.h"
#include "analyze/facts/lanes.h"
#include "analyze/facts/times.h"
#include "analyze/facts/summary.h"
#include "analyze/scan/load.h"
#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/format/usagekeys.h"
#include "lib/settings/jobdir.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* --- processes of a job -> those that were not traced -----------------------
 */

static void account_see (struct untraced *u, const struct process *p)
{
    const struct untraced_seen seen = {.host = p->who->text[SHARD_STRING_HOST],
                                       .exe = p->who->text[SHARD_STRING_EXE],
                                       .pid = p->who->p.pid,
                                       .start = p->who->p.start_real,
                                       .end = p->end,
                                       .exec = p->ending == ENDING_EXEC};

    untracedlist_seen (u, &seen);
}

/* A process that counted others may have had no room for their lines, and one
 * that left a line may have left no count. */
int summary_account (struct summary *s, struct totals *t, const struct job *job)
{
    struct untraced *u = &s->gone;

    s->cpus = job->info.cpus;
    s->cpu_limit = job->info.cpu_limit;
    s->throttled_s = job->info.throttled_s;
    untracedlist_clear (u);
    if (untraced_load (u, job->dir) < 0)
        return -1;
    for (size_t i = 0; u->count && i < t->processes; i++)
        account_see (u, &t->process[i]);
    untracedlist_see_quiet (u, job->dir);
    untracedlist_settle (u);
    s->untraced_more =
        s->untraced_counted > u->lines ? s->untraced_counted - u->lines : 0;
    s->untraced = untracedlist_sum (u) + s->untraced_more;
    s->untraced_wanted = untracedlist_wishes (u);
    return coverage_make (&s->coverage, job, t, u);
}

/* Processes that the user did not want to be left out, at least; 0: each one
 * that a traced process started was traced, or was to be left out. */
static uint64_t summary_missing (const struct summary *s)
{
    uint64_t missing = s->untraced - s->untraced_wanted;

    return missing ? missing : (s->gone.cut != 0);
}

int summary_complete (const struct summary *s)
{
    return s->damaged == 0 && s->stages == 0 && !summary_missing (s);
}

char *
summary_words (const struct summary *s, char text[SUMMARY_WORDS], int places)
{
    return untracedlist_words (&s->gone, s->untraced_more, text, SUMMARY_WORDS,
                               places);
}

/* --- blocks of one process, by the library and by layer kernel --------------
 */

static int kernelpart_is (const struct process *p)
{
    return p->who->p.layers == LAYER_KERNEL;
}

/* ns that both were there; 0: never. */
static uint64_t kernelpart_overlap (const struct process *a,
                                    const struct process *b)
{
    uint64_t from = MAX (a->start, b->start);
    uint64_t to = MIN (a->end, b->end);

    return to >= from ? to - from + 1 : 0;
}

/* The library's block of a process that is the recorder's, by index; its own
 * index: there is none, or it is the library's. To be freed. */
static size_t *kernelpart_find (struct totals *t)
{
    size_t *whole = ZEROED (whole, t->processes + 1);
    struct ancestry kin;

    ancestry_open (&kin, t);
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        struct process *const *of;
        uint64_t most = 0;
        size_t n = 0;

        whole[i] = i;
        of = kernelpart_is (p) ? ancestry_same (&kin, p, &n) : NULL;
        for (size_t k = 0; k < n; k++) {
            uint64_t ns = kernelpart_overlap (p, of[k]);

            if (!kernelpart_is (of[k]) && ns > most) {
                most = ns;
                whole[i] = of[k] - t->process;
            }
        }
    }
    ancestry_close (&kin);
    return whole;
}

/* The page faults that the kernel told become those of the library's block;
 * what was sampled there is dropped. */
static void kernelpart_join (struct totals *t, const size_t *whole)
{
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *from = &t->process[i].mm, *to;

        if (!(from->sources & MM_KERNEL))
            continue;
        from->lost.faults += t->process[i].who->p.lost_space;
        if (whole[i] == i)
            continue;
        to = &t->process[whole[i]].mm;
        if (!(to->sources & MM_KERNEL)) /* else another part of it did */
            to->faults.count = to->watched.count = 0;
        to->lost.faults = 0;
        mmlog_append (to, from);
        mmlog_clear (from);
    }
}

/* --- all of it --------------------------------------------------------------
 */

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

static void summary_make_ranks (struct summary *s,
                                struct totals *t,
                                const struct ancestry *kin)
{
    size_t *index = ZEROED (index, t->processes + 1);

    NEW (s->rank, t->processes + 1);
    for (size_t i = 0; i < t->processes; i++) {
        struct process *p = &t->process[i];

        p->rank = summary_rank (s, t, index, ancestry_head (kin, p));
        s->rank[p->rank].processes++;
    }
    free (index);
    launched_count (&s->launched, t);
}

/* --- layer mmap -----------------------------------------------------------
 */

/* Number the nodes of the processes; return how many there are. */
static uint32_t summary_nodes (struct summary *s, const struct totals *t)
{
    struct strmap *hosts = strmap_create ();
    size_t n;
    int isnew;

    for (size_t i = 0; i < t->processes; i++) {
        const char *host = summary_host_of (&t->process[i]);

        s->mm.process[i].node =
            (uint32_t)strmap_intern (hosts, host, strlen (host), &isnew);
    }
    n = strmap_count (hosts);
    strmap_destroy (hosts);
    return (uint32_t)n;
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

static void summary_join_kernel (struct summary *s, struct totals *t)
{
    size_t *whole = kernelpart_find (t);

    kernelpart_join (t, whole);
    summary_count_once (s, t, whole);
    free (whole);
}

static void summary_join_mmap (struct summary *s, struct totals *t)
{
    uint64_t start = UINT64_MAX, end = 0;
    uint32_t nodes;

    for (size_t i = 0; i < t->processes; i++) {
        start = MIN (t->process[i].start, start);
        end = MAX (t->process[i].end, end);
    }
    mmjoin_begin (&s->mm, t->processes, start, end);
    nodes = summary_nodes (s, t);
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *log = &t->process[i].mm;

        s->mm.process[i].start = t->process[i].start;
        if (!mmlog_empty (log))
            mmjoin_process (&s->mm, i, log);
    }
    mmjoin_finish (&s->mm, nodes);
    for (size_t i = 0; i < t->processes; i++) {
        if (mm_all_seen (&s->mm.sum))
            lanes_add_faults (&t->process[i], &t->process[i].mm);
        mmlog_clear (&t->process[i].mm);
    }
    s->n.cost[COST_stall] = (struct transfer){
        s->mm.sum.major, s->mm.sum.fault_bytes, s->mm.sum.stall_ns};
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

    ZERO (s);
    ancestry_open (&kin, t);
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].ending = summary_ending (&kin, &t->process[i]);
    summary_make_ranks (s, t, &kin);
    ancestry_close (&kin);
    return 0;
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

uint64_t bill_longest (const struct summary *s, enum bill row)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < s->lanes; i++)
        if (s->lane[i].time[row] > longest)
            longest = s->lane[i].time[row];
    return longest;
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
            summary_is_far (&t->process[i], summary_job_began (job));
    for (size_t i = 0; i < t->sources; i++) {
        s->unreadable += !job->source[i].readable;
        s->damaged += source_damaged (&job->source[i], &t->health[i]);
        s->lost += health_lost (&t->health[i]);
        profparts_add (&s->profparts, &t->health[i].profparts);
        s->copied_processes += t->health[i].copies.processes;
        s->copied += health_copied (&t->health[i], &job->source[i]);
        s->doubtful += health_doubtful (&job->source[i]);
        if (job->source[i].is_pfw)
            s->unsized += job->source[i].lines.unsized;
        s->foreign |= job->source[i].is_pfw;
        s->guessed_unit |=
            job->source[i].is_pfw && job->source[i].lines.unit_guessed;
        s->lost_names += t->health[i].file.lost_names;
    }
}

void summary_heads (struct summary *s, struct totals *t)
{
    summary_ranks (s, t);
    summary_add_processes (s, t);
}

/* Find who is slower or later than its equals, while the times of events are
 * there. Short of memory: nobody is. */
static void summary_compare (struct summary *s, const struct totals *t)
{
    rowtimes_make (s, t);
    workers_find (&s->work, s, t);
    equals_find (&s->equal, s, t);
    rankwait_late (&s->late, s, t);
    for (size_t k = 0; k < s->lanes; k++)
        for (int log = 0; log < RANKWAIT_LOGS; log++)
            spanlog_clear (&s->lane[k].waits[log]);
}

int summary_make (struct summary *s,
                  struct totals *t,
                  const struct job *job,
                  struct errtext *err)
{
    summary_heads (s, t);
    summary_health (s, t, job);
    if (summary_account (s, t, job) < 0) {
        (void)errf (err, "%s: %s", job->label, strerror (errno));
        summary_clear (s);
        return -1;
    }
    pointfaults_sort (&t->tally.points);
    summary_join_kernel (s, t);
    summary_join_mmap (s, t);
    times_make (s, t);
    chain_find (s, t);
    phases_make (s, t);
    summary_compare (s, t);
    return 0;
}

void summary_clear (struct summary *s)
{
    mmjoin_clear (&s->mm);
    free (s->rank);
    for (size_t k = 0; k < s->lanes; k++)
        for (int log = 0; log < RANKWAIT_LOGS; log++)
            spanlog_clear (&s->lane[k].waits[log]);
    free (s->lane);
    coverage_clear (&s->coverage);
    untracedlist_clear (&s->gone);
    ZERO (s);
}

/* --- the facts that metrics are made of <-> bytes ---------------------------
 */

/* It changes when something is packed in another order. */
enum { SUMMARYPACK_ORDER = 2 };

uint64_t summarypack_layout (void)
{
    const uint64_t layout[] = {SUMMARYPACK_ORDER,
                               sizeof (struct summary),
                               sizeof (struct rank),
                               sizeof (struct bill_lane),
                               sizeof (struct call_total),
                               SET_COUNT,
                               CALL_MAX,
                               BILL_COUNT,
                               COST_COUNT,
                               OVERLAP_COUNT};

    return shard_checksum (layout, sizeof (layout), 0);
}

int summary_packs (const struct summary *s)
{
    return !(s->layers & (LAYER_MMAP | LAYER_KERNEL)) && !s->mm.measured;
}

/* The arrays that pointers of a summary lead into, before or after it is
 * packed. */
struct summarypack {
    struct unpacker *u; /* NULL: pointers become numbers from 1; NULL is 0 */
    const struct process *process;
    const struct bill_lane *lane;
    size_t processes, lanes;
};

static void summarypack_move (const struct summarypack *m,
                              void *pointer,
                              const void *first,
                              size_t size,
                              size_t count)
{
    uintptr_t at, from = (uintptr_t)first;

    memcpy (&at, pointer, sizeof (at));
    if (!m->u)
        at = at ? (at - from) / size + 1 : 0;
    else if (at > count)
        at = !(m->u->bad = 1);
    else
        at = at ? from + (at - 1) * size : 0;
    memcpy (pointer, &at, sizeof (at));
}

/* All pointers of a summary into processes and lanes. */
static void summarypack_pointers (const struct summarypack *m,
                                  struct summary *s,
                                  struct rank *rank,
                                  struct bill_lane *lane)
{
    const struct process **one[] = {&s->equal.last.who, &s->equal.most.who,
                                    &s->equal.pools.parent, &s->work.slow.who};

    for (size_t i = 0; i < ITEMS (one) + s->ranks + s->lanes; i++)
        summarypack_move (m,
                          i < ITEMS (one) ? one[i]
                          : i < ITEMS (one) + s->ranks
                              ? &rank[i - ITEMS (one)].first
                              : &lane[i - ITEMS (one) - s->ranks].first,
                          m->process, sizeof (*m->process), m->processes);
    summarypack_move (m, &s->late.lane, m->lane, sizeof (*m->lane), m->lanes);
}

/* Take out what is not packed. */
static void summarypack_strip (struct summary *s)
{
    s->rank = NULL;
    s->lane = NULL;
    ZERO (&s->gone);
    ZERO (&s->coverage.quiet);
    ZERO (&s->mm);
}

void summary_pack (struct packer *p,
                   const struct summary *s,
                   const struct totals *t)
{
    struct summary copy = *s;
    struct rank *rank = xmemdup (s->rank, s->ranks * sizeof (*rank));
    struct bill_lane *lane = xmemdup (s->lane, s->lanes * sizeof (*lane));
    const struct summarypack m = {.process = t->process, .lane = s->lane};

    summarypack_strip (&copy);
    summarypack_pointers (&m, &copy, rank, lane);
    pack_bytes (p, &copy, sizeof (copy));
    pack_bytes (p, rank, s->ranks * sizeof (*rank));
    pack_bytes (p, lane, s->lanes * sizeof (*lane));
    free (rank);
    free (lane);
    pack_uint (p, t->processes);
    for (size_t i = 0; i < t->processes; i++) {
        pack_uint (p, t->process[i].rank);
        pack_uint (p, t->process[i].ending);
        for (int set = 0; set < SET_COUNT; set++)
            pack_uint (p, t->process[i].time[set]);
    }
    for (int call = 0; call < CALL_MAX; call++)
        pack_uint (p, t->call_union[call]);
}

static void summarypack_get_ranks (struct unpacker *u,
                                   struct summary *s,
                                   const struct totals *t)
{
    size_t left = u->limit - u->p;
    struct summarypack m = {u, t->process, NULL, t->processes, s->lanes};

    if (u->bad || s->ranks > left / sizeof (*s->rank) ||
        s->lanes > left / sizeof (*s->lane)) {
        u->bad = 1;
        s->ranks = s->lanes = 0;
    }
    NEW (s->rank, s->ranks + 1);
    NEW (s->lane, s->lanes + 1);
    unpack_bytes (u, s->rank, s->ranks * sizeof (*s->rank));
    unpack_bytes (u, s->lane, s->lanes * sizeof (*s->lane));
    m.lane = s->lane;
    summarypack_pointers (&m, s, s->rank, s->lane);
    for (size_t i = 0; i < s->ranks; i++)
        u->bad |= !s->rank[i].first || s->rank[i].waited > WAIT_SILENCE;
    for (size_t i = 0; i < s->lanes; i++) {
        ZERO (&s->lane[i].waits);
        u->bad |= !s->lane[i].first || s->lane[i].rank >= s->ranks;
    }
    for (int row = 0; row < BILL_COUNT; row++)
        for (size_t k = 0; k < s->when[row].processes && k < ROW_MOST; k++)
            u->bad |= s->when[row].most[k].process >= t->processes;
}

static void summarypack_get_processes (struct unpacker *u,
                                       const struct summary *s,
                                       struct totals *t)
{
    u->bad |= unpack_uint (u) != t->processes;
    for (size_t i = 0; i < t->processes && !u->bad; i++) {
        struct process *p = &t->process[i];
        uint64_t rank = unpack_uint (u), ending = unpack_uint (u);

        for (int set = 0; set < SET_COUNT; set++)
            p->time[set] = unpack_uint (u);
        u->bad |= rank >= s->ranks || ending > ENDING_SIGNAL;
        p->rank = rank;
        p->ending = ending;
    }
    for (int call = 0; call < CALL_MAX; call++)
        t->call_union[call] = unpack_uint (u);
}

int summary_unpack (struct unpacker *u, struct summary *s, struct totals *t)
{
    ZERO (s);
    unpack_bytes (u, s, sizeof (*s));
    summarypack_strip (s);
    summarypack_get_ranks (u, s, t);
    summarypack_get_processes (u, s, t);
    if (u->bad || !unpack_ended (u))
        return -1;
    summary_join_mmap (s, t);
    return 0;
}
