/* SPDX-License-Identifier: MIT
 *
 * insight.c - numbers of a job -> what is worth saying: insights.def
 *
 * In:  struct summary and struct totals
 * Out: findings, to viewrows.c and results.c
 */
#include "config.h"

#include <stdarg.h>

#include "analyze/facts/insight.h"
#include "analyze/facts/rulefacts.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum { BELOW = 1, ABOVE = 0 };
enum { BY_COST = 0, UNSURE = -1, COSTLESS = -1 };

_Static_assert(BILL_COUNT < 31, "a bit for each row, and one for WHOLE");

const struct insight_info insight_table[INSIGHT_COUNT] = {
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    {.name = #NAME,                                                            \
     .finding = TEXT,                                                          \
     .what_a = WHAT_A,                                                         \
     .what_b = WHAT_B,                                                         \
     .from = FROM,                                                             \
     .advice = TRY,                                                            \
     .parts = (PARTS)&ANY_PART,                                                \
     .whole = ((PARTS)&WHOLE) != 0,                                            \
     .below = SIDE,                                                            \
     .costs = (PARTS) != 0,                                                    \
     .limit = LIMIT,                                                           \
     .critical = CRITICAL},
#include "lib/model/insights.def"
#undef INSIGHT
};

static int beyond (const struct insight_info *rule, double value, double limit)
{
    return rule->below ? value < limit : value > limit;
}

/* Parts of the job's time. */
#define COST_WARNING  0.01
#define COST_CRITICAL 0.10

static enum severity insight_severity (const struct finding *found,
                                       const struct insight_info *rule,
                                       double job_s)
{
    if (!found->costs)
        return beyond (rule, found->value, rule->critical) ? SEVERITY_CRITICAL
                                                           : SEVERITY_WARNING;
    if (found->cost < COST_WARNING * job_s)
        return SEVERITY_MINOR;
    return found->cost >= COST_CRITICAL * job_s && rule->critical == BY_COST
               ? SEVERITY_CRITICAL
               : SEVERITY_WARNING;
}

/* Find the part with most time, and the most that all parts have. */
static double insight_bound (struct finding *found,
                             const struct insight_info *rule,
                             const struct facts *f)
{
    double sum = 0, most = 0;

    found->part = BILL_COUNT;
    for (int row = 0; row < BILL_COUNT; row++) {
        if (!(rule->parts >> row & 1))
            continue;
        sum += f->most_s[row];
        if (rule->parts != ANY_PART && f->most_s[row] > most) {
            most = f->most_s[row];
            found->part = row;
        }
    }
    return rule->parts == ANY_PART ? f->job_s : MIN (sum, f->job_s);
}

/* Fill *found; 0 when the rule found nothing. */
static size_t insight_judge (struct finding *found,
                             enum insight i,
                             const struct facts *f,
                             int applies,
                             const double what[3])
{
    const struct insight_info *rule = &insight_table[i];
    double a = what[0], b = what[1], cost = what[2];

    if (!applies || !(b > 0) || !beyond (rule, a / b, rule->limit))
        return 0;
    *found = (struct finding){.rule = i, .a = a, .b = b, .value = a / b};
    found->costs = rule->costs;
    if (found->costs) { /* a job of many ranks takes no longer than it took */
        found->cost = MIN (cost, insight_bound (found, rule, f));
        if (!(found->cost > 0))
            return 0;
    }
    found->percent = f->job_s > 0 ? 100 * found->cost / f->job_s : 0;
    found->severity = insight_severity (found, rule, f->job_s);
    return 1;
}

/* --- findings on the same time ----------------------------------------------
 */

/* Nearly as much: the cause is known, and the rule on the whole says no more.
 */
#define INSIGHT_NEARLY 0.9

static int insight_is_said (const struct finding *all,
                            size_t n,
                            const struct finding *whole)
{
    const struct insight_info *rule = &insight_table[whole->rule];

    for (size_t i = 0; rule->whole && i < n; i++)
        if (insight_table[all[i].rule].parts == rule->parts &&
            !insight_table[all[i].rule].whole &&
            all[i].cost >= INSIGHT_NEARLY * whole->cost)
            return 1;
    return 0;
}

static size_t insight_drop_said (struct finding *found, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++)
        if (!found[i].costs || !insight_is_said (found, n, &found[i]))
            found[used++] = found[i];
    return used;
}

/* In a job that waits for batches all waits for data are one. */
static unsigned insight_group (const struct finding *found,
                               const struct facts *f)
{
    unsigned parts = insight_table[found->rule].parts;

    if (parts == ANY_PART || found->part == BILL_COUNT)
        return 0;
    parts = 1u << found->part;
    return f->stall_s > 0 && parts & PART_DATA ? PART_DATA : parts;
}

/* A cause with half of the cost stands before what has it whole. */
#define INSIGHT_HALF 0.5

/* Return 1 if `other` stands for the time of both rather than `lead`. */
static int insight_leads (const struct finding *other,
                          const struct finding *lead,
                          double most)
{
    int cause =
        !insight_table[other->rule].whole && other->cost >= INSIGHT_HALF * most;
    int was =
        !insight_table[lead->rule].whole && lead->cost >= INSIGHT_HALF * most;

    if (cause != was)
        return cause;
    return other->cost > lead->cost ||
           (other->cost == lead->cost && other->rule < lead->rule);
}

/* Return 1 if `late` is about one that comes late because of what `what` is
 * about: its sleep, or what the late rank has most more of. */
static int insight_delays (const struct finding *late,
                           const struct finding *what,
                           const struct facts *f)
{
    int of_rank = insight_table[what->rule].whole ||
                  what->rule == INSIGHT_loader_straggler ||
                  what->rule == INSIGHT_read_straggler;

    if (late->rule == INSIGHT_lagging_worker)
        return what->rule == INSIGHT_sleep_wait &&
               f->equal.slept_s >= INSIGHT_HALF * what->cost;
    if (late->rule == INSIGHT_late_rank && what->rule == INSIGHT_lagging_worker)
        return f->equal.most.who->rank == f->late.lane->rank;
    return late->rule == INSIGHT_late_rank && of_rank &&
           f->late.why < BILL_COUNT &&
           insight_group (what, f) >> f->late.why & 1;
}

/* Return the finding that is the cause of what: that a rank is late, for which
 * others wait. what itself if there is none. */
static const struct finding *insight_late (const struct finding *found,
                                           size_t n,
                                           const struct finding *what,
                                           const struct facts *f)
{
    for (size_t k = 0; k < n; k++)
        if (found[k].cost >= INSIGHT_HALF * what->cost &&
            insight_delays (&found[k], what, f))
            return &found[k];
    return what;
}

static const struct finding *insight_lead_of (const struct finding *found,
                                              size_t n,
                                              size_t i,
                                              const struct facts *f)
{
    unsigned group = insight_group (&found[i], f);
    const struct finding *lead = insight_late (found, n, &found[i], f);
    double most = found[i].cost;

    if (lead != &found[i])
        return lead;
    for (size_t k = 0; group && k < n; k++)
        if (insight_group (&found[k], f) == group)
            most = fmax (most, found[k].cost);
    for (size_t k = 0; group && k < n; k++)
        if (insight_group (&found[k], f) == group &&
            insight_leads (&found[k], lead, most))
            lead = &found[k];
    return lead;
}

/* Findings on the same time are one on the first screen. */
static void
insight_lead (struct finding *found, size_t n, const struct facts *f)
{
    for (size_t i = 0; i < n; i++) {
        const struct finding *lead = insight_lead_of (found, n, i, f);

        found[i].lead = lead->rule;
        found[i].lead_cost = lead->cost;
        found[i].lead_severity = lead->severity;
    }
    for (size_t i = 0; i < n; i++)
        if (found[i].lead != found[i].rule &&
            found[i].severity > SEVERITY_DETAIL)
            found[i].severity = SEVERITY_DETAIL;
}

static int insight_order (const void *va, const void *vb)
{
    const struct finding *a = va, *b = vb;

    if (a->costs != b->costs)
        return a->costs - b->costs;
    if (a->lead_severity != b->lead_severity)
        return a->lead_severity < b->lead_severity ? 1 : -1;
    if (a->lead_cost != b->lead_cost)
        return a->lead_cost < b->lead_cost ? 1 : -1;
    if (a->lead != b->lead)
        return (int)a->lead - (int)b->lead;
    if ((a->lead == a->rule) != (b->lead == b->rule))
        return a->lead == a->rule ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    return (int)a->rule - (int)b->rule;
}

/* --- who has most of it -----------------------------------------------------
 */

/* Return the ns that a process has of what a row of the bill is about. */
static uint64_t insight_ns_of (const struct process *p, enum bill row)
{
    const struct transfer *n = p->n.cost;

    switch (row) {
    case BILL_read:
        return n[COST_read].ns + n[COST_stdio].ns;
    case BILL_write:
        return n[COST_write].ns + n[COST_copy].ns + n[COST_stdio].ns;
    case BILL_sync:
        return n[COST_sync].ns;
    case BILL_open:
        return n[COST_meta].ns;
    case BILL_checkpoint:
        return p->time[SET_CHECKPOINT] ? p->time[SET_CHECKPOINT]
                                       : p->n.ckpt_write.ns;
    case BILL_other_io:
        return n[COST_read].ns + n[COST_meta].ns;
    case BILL_threads:
        return n[COST_read].ns + n[COST_write].ns + n[COST_sync].ns +
               n[COST_meta].ns;
    default:
        return 0;
    }
}

static const struct process *insight_most (enum bill row,
                                           const struct totals *t)
{
    const struct process *most = NULL;

    for (size_t i = 0; i < t->processes; i++)
        if (insight_ns_of (&t->process[i], row) >
            (most ? insight_ns_of (most, row) : 0))
            most = &t->process[i];
    return most;
}

const struct process *insights_program (const struct totals *t,
                                        const struct bill_lane *lane)
{
    const struct process *last = lane->first;
    uint64_t longest = 0;

    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].rank == lane->rank &&
            t->process[i].end - t->process[i].start > longest)
            longest = t->process[i].end - t->process[i].start;
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (p->rank == lane->rank && p->start >= last->start &&
            p->end - p->start >= longest / 10 * 8)
            last = p;
    }
    return last;
}

const struct bill_lane *insights_lane (enum bill row, const struct summary *s)
{
    const struct bill_lane *of = s->lanes ? &s->lane[0] : NULL;

    for (size_t i = 1; i < s->lanes; i++)
        if (row == BILL_ranks ? s->lane[i].time[row] < of->time[row]
                              : s->lane[i].time[row] > of->time[row])
            of = &s->lane[i];
    return of;
}

static void insight_set_who (struct finding *found,
                             const struct facts *f,
                             const struct summary *s,
                             const struct totals *t)
{
    const struct unequal *u = found->rule == INSIGHT_straggler ? &f->equal.last
                              : found->rule == INSIGHT_lagging_worker
                                  ? &f->equal.most
                                  : NULL;

    if (found->rule == INSIGHT_new_pools)
        found->who = f->equal.pools.parent;
    else if (found->rule == INSIGHT_late_rank) {
        found->late = f->late;
        found->who = insights_program (t, f->late.lane);
        found->equals = f->late.ranks;
    } else if (u) {
        found->who = u->who;
        found->equals = u->equals;
        if (found->rule == INSIGHT_straggler)
            found->since = u->who->start + (uint64_t)(u->next_s * 1e9);
    } else if (found->part < BILL_COUNT) {
        found->who = insight_most (found->part, t);
        if (!found->who && s->lanes)
            found->who = insights_program (t, insights_lane (found->part, s));
    }
}

/* When it was: its row of the bill; of a finding on one process from when that
 * is alone, or late, until it ends. */
static void insight_set_when (struct finding *found,
                              const struct summary *s,
                              const struct totals *t)
{
    const struct process *who = found->who;

    found->when.from = UINT64_MAX;
    if (found->costs && found->part < BILL_COUNT &&
        found->rule != INSIGHT_late_rank)
        found->when = s->when[found->part];
    if (found->when.processes || !who)
        return;
    found->when.processes = 1;
    found->when.most[0] = (struct row_part){(size_t)(who - t->process), 0};
    if (found->part < BILL_COUNT && found->rule != INSIGHT_late_rank)
        return; /* a profile does not say when */
    found->when.from = found->since        ? found->since
                       : found->late.since ? found->late.since
                                           : who->start;
    found->when.until = who->end;
}

/* --- why a CPU is waited for ------------------------------------------------
 */

/* Return for how long its threads had or wanted a CPU, ns; 0: not known. */
static uint64_t insight_wanted (const struct process *p)
{
    return p->cpu_ns + p->delay_ns + p->n.others_wanted_ns;
}

/* One that waits for its children all its life wants none. */
static int insight_wants_cpu (const struct process *p)
{
    uint64_t wanted = insight_wanted (p);

    return p->who->p.layers != LAYER_KERNEL && p->end > p->start &&
           (!wanted || wanted >= (p->end - p->start) / 2);
}

static int insight_time_order (const void *va, const void *vb)
{
    uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

    return a < b ? -1 : a > b;
}

/* A process that lives so long is sampled if it has threads (preload/waits.h).
 */
enum { SAMPLED_NS = 1000000000 };

/* So many at once for so much of the time in which there is any. */
#define AT_ONCE_MATTERS 0.1

/* Return how many of n intervals, given by sorted starts and sorted ends, are
 * there at once for a time that matters; ns[k]: time of k at once. */
static size_t insight_most_at_once (const uint64_t *start,
                                    const uint64_t *end,
                                    size_t n,
                                    uint64_t *ns) /* n + 1, cleared */
{
    size_t begun = 0, gone = 0, most = n;
    uint64_t at = n ? start[0] : 0, all = 0, above;

    while (gone < n) {
        int begins = begun < n && start[begun] < end[gone];
        uint64_t next = begins ? start[begun] : end[gone];

        ns[begun - gone] += next - at;
        all += begun > gone ? next - at : 0;
        at = next;
        begun += begins;
        gone += !begins;
    }
    above = ns[most];
    while (most > 1 && (double)above < AT_ONCE_MATTERS * (double)all)
        above += ns[--most];
    return most;
}

/* Return how many threads of a process had or wanted a CPU, on average; 0: not
 * known, as of a process that was too short for a sampler to tell of others. */
static double insight_threads (const struct process *p)
{
    return p->cpu_ns && p->end - p->start >= SAMPLED_NS
               ? (double)insight_wanted (p) / (double)(p->end - p->start)
               : 0;
}

/* Set how many processes want a CPU at once for a time that matters, and how
 * many threads of one of them do at most; 0: none, not known, or out of memory.
 */
static void insight_set_at_once (struct finding *found, const struct totals *t)
{
    uint64_t *start = ZEROED (start, 3 * t->processes + 1);
    uint64_t *end = start ? start + t->processes : NULL;
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++)
        if (insight_wants_cpu (&t->process[i])) {
            start[n] = t->process[i].start;
            end[n++] = t->process[i].end;
            found->threads =
                fmax (found->threads, insight_threads (&t->process[i]));
        }
    if (n) {
        SORT (start, n, insight_time_order);
        SORT (end, n, insight_time_order);
        found->at_once =
            insight_most_at_once (start, end, n, end + t->processes);
    }
    free (start);
}

static void insight_add_words (char text[INSIGHT_ADVICE], const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

static void insight_add_words (char text[INSIGHT_ADVICE], const char *fmt, ...)
{
    size_t n = strlen (text);
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text + n, INSIGHT_ADVICE - n, fmt, ap);
    va_end (ap);
}

/* Tolerance of a mean number of threads. */
#define THREADS_NEAR 0.2

/* Throttling that explains so much of the cost is the cause. */
#define THROTTLED_MATTERS 0.1

static const char *insight_cpu_advice (const struct finding *found,
                                       const struct summary *s)
{
    int limited = s->cpu_limit > 0 && s->cpu_limit < (double)found->at_once &&
                  (!s->cpus || s->cpu_limit < (double)s->cpus);

    if (limited || s->throttled_s > THROTTLED_MATTERS * found->cost)
        return "raise the CPU limit of the cgroup, or run fewer workers";
    if (s->cpus && s->cpus < found->at_once)
        return "more processors (--cpus-per-task), or fewer workers";
    if (s->cpus && found->threads > (double)s->cpus + THREADS_NEAR)
        return "fewer threads in each process, or more processors "
               "(--cpus-per-task)";
    if (s->cpus && found->threads > 0 &&
        found->threads * (double)found->at_once <
            (double)s->cpus + THREADS_NEAR)
        return "others use its processors, it wants no more than it may have: "
               "ask for them alone (--exclusive)";
    if (s->cpus)
        return "fewer threads in each process; do other jobs use its "
               "processors?";
    return insight_table[found->rule].advice;
}

/* How much later, since when, and why. */
static char *insight_late_words (char text[INSIGHT_ADVICE],
                                 const struct late_rank *late,
                                 const struct summary *s)
{
    text[0] = '\0';
    if (late->times > 0)
        insight_add_words (text, "%.3g s later %s of %.0f %s, ",
                           late->cost_s / late->times,
                           late->steps ? "in each" : "at each", late->times,
                           late->steps ? "steps" : "collectives");
    insight_add_words (text, "from %.1f s on; others wait %.3g s",
                       (late->since - s->start) / 1e9, late->others_s);
    if (late->why < BILL_COUNT)
        insight_add_words (text, "; it has %.3g s more of: %s", late->why_s,
                           bill_table[late->why].title);
    return text;
}

char *insight_advice (char text[INSIGHT_ADVICE],
                      const struct finding *found,
                      const struct summary *s)
{
    const char *between = "; ";

    if (found->rule == INSIGHT_late_rank && found->late.lane)
        return insight_late_words (text, &found->late, s);
    if (found->rule != INSIGHT_cpu_wait) {
        snprintf (text, INSIGHT_ADVICE, "%s",
                  insight_table[found->rule].advice);
        return text;
    }
    snprintf (text, INSIGHT_ADVICE, "%s", insight_cpu_advice (found, s));
    if (s->cpus) {
        insight_add_words (text, "%s%" PRIu64 " processor%s allowed", between,
                           s->cpus, s->cpus == 1 ? "" : "s");
        if (found->at_once)
            insight_add_words (text, " for %zu process%s at once",
                               found->at_once, found->at_once == 1 ? "" : "es");
        if (found->threads > 1 + THREADS_NEAR)
            insight_add_words (text, ", in one %.1f threads", found->threads);
        between = ", ";
    }
    if (s->cpu_limit > 0) {
        insight_add_words (text, "%sa limit of %g by cgroup", between,
                           s->cpu_limit);
        between = ", ";
    }
    if (s->throttled_s > 0)
        insight_add_words (text, "%sthrottled for %.3g s by cgroup", between,
                           s->throttled_s);
    return text;
}

/* --- all findings -----------------------------------------------------------
 */

size_t insights_find (struct finding found[INSIGHT_COUNT],
                      const struct summary *s,
                      const struct totals *t)
{
    struct facts all, *f = &all;
    size_t n = 0;

    facts_of (f, s, t);
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    n += insight_judge (                                                       \
        &found[n], INSIGHT_##NAME, f, APPLIES,                                 \
        (const double[3]){(double)(A), (double)(B), (double)(COST)});
#include "lib/model/insights.def"
#undef INSIGHT
    n = insight_drop_said (found, n);
    insight_lead (found, n, f);
    SORT (found, n, insight_order);
    for (size_t i = 0; i < n; i++) {
        insight_set_who (&found[i], f, s, t);
        insight_set_when (&found[i], s, t);
        if (found[i].rule == INSIGHT_cpu_wait)
            insight_set_at_once (&found[i], t);
    }
    return n;
}

size_t insights_worth (const struct finding *found, size_t n)
{
    size_t worth = 0;

    for (size_t i = 0; i < n; i++)
        worth += found[i].severity > SEVERITY_DETAIL;
    return worth;
}

int insights_any (const struct summary *s, const struct totals *t)
{
    struct finding found[INSIGHT_COUNT];

    return insights_find (found, s, t) > 0;
}

const char *severity_name (enum severity severity)
{
    static const char *const names[] = {"none", "minor", "detail", "warning",
                                        "critical"};

    return names[severity];
}

/* --- what no finding stands for ---------------------------------------------
 */

double insights_unexplained (const struct summary *s)
{
    double left = s->wall[BILL_other];
    double job = s->end - s->start;

    if (!(job > 0) || summary_is_profile (s))
        return 0;
    if (!s->foreign)
        left -=
            (double)s->n.events * TRACE_OUTSIDE_NS / fmax (1, s->lanes_at_once);
    return left > 0 ? 100 * left / job : 0;
}

/* Percent of the job in which any process was in I/O. */
static double insights_io (const struct summary *s)
{
    double job = s->end - s->start, ns = s->io_time;

    if (summary_is_profile (s))
        for (int row = 0; row < COST_COUNT; row++)
            ns += s->n.cost[row].ns;
    return job > 0 ? 100 * MIN (ns / job, 1) : 0;
}

/* Shares of the job, percent. */
#define IO_MATTERS          1
#define UNEXPLAINED_MATTERS 5

char *insights_nothing (char text[INSIGHT_WORDS], const struct summary *s)
{
    double io = insights_io (s), left = insights_unexplained (s);

    if (io >= IO_MATTERS)
        snprintf (text, INSIGHT_WORDS,
                  "%.1f %% of the job is I/O, none of it known to hold "
                  "up the job.",
                  io);
    else if (left > UNEXPLAINED_MATTERS)
        snprintf (text, INSIGHT_WORDS,
                  "No I/O that was seen costs more than 1 %% of the job.");
    else
        snprintf (text, INSIGHT_WORDS, "%s costs more than 1 %% of the job.",
                  s->untraced ? "Nothing that was traced" : "Nothing here");
    return text;
}
