/* SPDX-License-Identifier: MIT
 *
 * screen.c - one job -> what fits a terminal of 80 columns and 24 lines
 *
 * In:  struct result
 * Out: lines of text: where the time went, what I/O costs, what to do
 *
 * No line has more than 80 places, and a terminal gets what a pipe gets.
 */
#include "config.h"

#include "analyze/tables/screen.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/facts/failure.h"
#include "analyze/facts/metrics.h"
#include "analyze/tables/screenfilter.h"
#include "analyze/tables/screenfindings.h"
#include "analyze/tables/screenline.h"
#include "analyze/tables/screenhalves.h"
#include "lib/util/numwords.h"

enum {
    SCREEN_ROWS = 7, /* parts of the time */
    SCREEN_BAR = 16,
    FAULT_COLUMNS = 56 /* of a trace point that does not work */
};

/* Less of the time is in a row for several. */
#define SCREEN_SMALL 0.005

/* --- parts of the time ------------------------------------------------------
 */

static enum metric screen_metric (int row)
{
    static const enum metric metrics[BILL_COUNT] = {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, NEED, HELP) \
    METRIC_bill_##NAME,
#include "lib/model/bill.def"
#undef BILL
    };

    return metrics[row];
}

enum { COLUMN_TIME = 41, COLUMN_PART = 50, COLUMN_LONGEST = 61 };

/* longest: UINT64_MAX is not known. */
static void screen_put_part (struct screen *s,
                             const struct summary *sum,
                             const char *title,
                             uint64_t ns,
                             uint64_t longest)
{
    double part = (double)ns / (double)sum->billed;
    int bar = (int)(part * SCREEN_BAR + 0.5);
    char words[WORDS_MAX], percent[16];

    screen_add (s, "  %s", title);
    screen_add_right (
        s, COLUMN_TIME,
        value_words (words, (double)ns / 1e9 / sum->lanes_at_once, "s"));
    (void)snprintf (percent, sizeof (percent), "%.1f %%", 100 * part);
    screen_add_right (s, COLUMN_PART, percent);
    if (sum->lanes > 1 && longest != UINT64_MAX)
        screen_add_right (s, COLUMN_LONGEST,
                          value_words (words, (double)longest / 1e9, "s"));
    if (bar) {
        screen_add_right (s, COLUMN_LONGEST + 2, "");
        screen_add (s, "%.*s", bar, "################");
    }
    screen_end_line (s);
}

static uint64_t screen_longest (const struct summary *s, int row)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < s->lanes; i++)
        if (s->lane[i].time[row] > longest)
            longest = s->lane[i].time[row];
    return longest;
}

/* What a row must have to be shown: so much that no more than SCREEN_ROWS
 * have it. */
static uint64_t screen_least (const struct summary *s)
{
    uint64_t least = (uint64_t)(SCREEN_SMALL * (double)s->billed) + 1;
    int rows = BILL_COUNT;

    while (rows > SCREEN_ROWS) {
        uint64_t next = UINT64_MAX;

        rows = 0;
        for (int row = 0; row < BILL_COUNT; row++)
            if (s->bill[row] >= least) {
                rows++;
                if (s->bill[row] < next)
                    next = s->bill[row];
            }
        if (rows > SCREEN_ROWS)
            least = next + 1;
    }
    return least;
}

/* "page faults", of "waiting for data: page faults"; "start", of "start
 * (imports, index)". */
static void screen_add_short (struct screen *s, const char *title)
{
    static const char waiting[] = "waiting for ";
    const char *colon = strchr (title, ':');
    size_t n;

    if (colon)
        title = colon + 2;
    else if (strncmp (title, waiting, sizeof (waiting) - 1) == 0)
        title += sizeof (waiting) - 1;
    n = strcspn (title, "(");
    while (n && title[n - 1] == ' ')
        n--;
    screen_add (s, "%.*s", (int)n, title);
}

static void screen_put_unseen (struct screen *s, const struct summary *sum)
{
    const char *between = "  not seen: ";

    /* most jobs have nothing to do with MPI-IO, HDF5 */
    for (int row = 0; row < BILL_COUNT; row++)
        if (row != BILL_mpi && row != BILL_format &&
            !metric_compute (sum, screen_metric (row)).known) {
            screen_add (s, "%s", between);
            screen_add_short (s, bill_table[row].title);
            between = ", ";
        }
    if (s->line[0])
        screen_end_line (s);
}

/* The title of a row; without regions what a program computes is in the
 * rest. */
static const char *screen_title (const struct summary *sum, int row)
{
    return row == BILL_other && !metric_compute (sum, METRIC_bill_compute).known
               ? "other, computing included"
               : bill_table[row].title;
}

/* Rows with less than that are one, unless there is but one. */
static void screen_put_rows (struct screen *s, const struct summary *sum)
{
    uint64_t least = screen_least (sum), small = 0;
    char title[40] = "";
    int smalls = 0;

    for (int row = 0; row < BILL_COUNT; row++)
        if (sum->bill[row] && sum->bill[row] < least)
            smalls++;
    for (int row = 0; row < BILL_COUNT; row++)
        if (sum->bill[row] >= least || (sum->bill[row] && smalls == 1))
            screen_put_part (s, sum, screen_title (sum, row), sum->bill[row],
                             screen_longest (sum, row));
        else
            small += sum->bill[row];
    (void)snprintf (title, sizeof (title), "%d smaller parts", smalls);
    if (small)
        screen_put_part (s, sum, title, small, UINT64_MAX);
}

static void screen_put_times (struct screen *s, const struct summary *sum)
{
    int together = sum->lanes_at_once >= (double)sum->lanes;
    char words[WORDS_MAX];

    if (!sum->billed || summary_is_profile (sum))
        return;
    screen_end_line (s);
    if (sum->lanes < 2)
        screen_add (s, "time of the main thread");
    else if (together)
        screen_add (s, "time of the ranks' main threads");
    else
        screen_add (s, "%zu main threads, %.1f at once", sum->lanes,
                    sum->lanes_at_once);
    screen_add_right (
        s, COLUMN_TIME,
        value_words (words, (double)sum->billed / 1e9 / sum->lanes_at_once,
                     "s"));
    if (sum->lanes > 1) {
        screen_add_right (s, COLUMN_PART, together ? "mean" : "");
        screen_add_right (s, COLUMN_LONGEST, "longest");
    }
    screen_end_line (s);
    screen_put_rows (s, sum);
    screen_put_unseen (s, sum);
}

/* --- I/O --------------------------------------------------------------------
 */

static void screen_put_cost (struct screen *s,
                             const struct summary *sum,
                             int row,
                             int first)
{
    char time[WORDS_MAX], bytes[WORDS_MAX], all[4 * WORDS_MAX];
    const struct transfer *n = &sum->n.cost[row];
    uint64_t ns = summary_is_profile (sum) ? n->ns : sum->cost[row].own;
    int at = snprintf (all, sizeof (all), "%s %s", cost_table[row].title,
                       value_words (time, (double)ns / 1e9, "s"));

    if (cost_table[row].moves && n->bytes)
        (void)snprintf (all + at, sizeof (all) - (size_t)at, " (%s)",
                        value_words (bytes, (double)n->bytes, "B"));
    screen_flow (s, all, first);
}

/* Of a profile: durations of all threads, added up. */
static void screen_put_sums (struct screen *s, const struct summary *sum)
{
    uint64_t calls = 0, first = 1;

    for (int row = 0; row < COST_COUNT; row++)
        calls += sum->n.cost[row].count;
    screen_add (s, calls ? "I/O, sum over all threads:"
                         : "no I/O on files known to be on storage was "
                           "recorded");
    screen_end_line (s);
    for (int row = 0; row < COST_COUNT; row++)
        if (sum->n.cost[row].count) {
            screen_put_cost (s, sum, row, (int)first);
            first = 0;
        }
    screen_end_line (s);
}

static void screen_put_costs (struct screen *s, const struct summary *sum)
{
    double job = (double)(sum->end - sum->start);
    char words[WORDS_MAX];
    int first = 1;

    screen_end_line (s);
    if (summary_is_profile (sum)) {
        screen_put_sums (s, sum);
        return;
    }
    if (!sum->io_time) {
        screen_add (s, "no I/O on files known to be on storage was recorded");
        screen_end_line (s);
        return;
    }
    screen_add (s, "I/O of any process: %s, %.1f %% of the job",
                value_words (words, (double)sum->io_time / 1e9, "s"),
                job > 0 ? 100 * (double)sum->io_time / job : 0);
    screen_end_line (s);
    for (int row = 0; row < COST_COUNT; row++)
        if (sum->cost[row].own) {
            screen_put_cost (s, sum, row, first);
            first = 0;
        }
    screen_end_line (s);
}

/* --- head -------------------------------------------------------------------
 */

/* What is missing, if anything is. */
static void screen_put_losses (struct screen *s, const struct summary *sum)
{
    screen_put_loss (s, sum->unfinished, "process did not end in order; ",
                     "processes did not end in order; ");
    screen_put_loss (s, summary_rings_matter (sum) ? sum->requests : 0,
                     "request of an io_uring, whose result cannot be seen; ",
                     "requests of io_urings, whose results cannot be seen; ");
    screen_put_loss (s, sum->far_starts,
                     "process began at another time than its job: its clock "
                     "is doubtful; ",
                     "processes began at another time than their job: their "
                     "clocks are doubtful; ");
    screen_put_loss (s, sum->stages, "stage of a node was not collected; ",
                     "stages of nodes were not collected; ");
    screen_put_loss (s, sum->lost, "event is missing; ",
                     "events are missing; ");
    if (s->line[0]) {
        s->line[strlen (s->line) - 2] = '\0'; /* "; " */
        screen_end_line (s);
    }
}

/* One line: the programs that were not traced, with the reasons. */
static void screen_put_untraced (struct screen *s, const struct summary *sum)
{
    static const char head[] = "not traced: ";
    char words[SUMMARY_WORDS];

    if (!*summary_words (sum, words, SCREEN_COLUMNS - (int)sizeof (head)))
        return;
    screen_add (s, "%s%s", head, words);
    screen_end_line (s);
}

/* Trace points that do not work, a line for each reason: why the regions are
 * not there. */
static void screen_put_points (struct screen *s, const struct pointfaults *p)
{
    for (int f = 0; f < POINTFAULT_COUNT; f++) {
        enum pointfault what = (enum pointfault)f;
        size_t n = pointfaults_count (p, what);
        struct pointfault_text said;

        if (!n)
            continue;
        said = pointfaults_text (p, what, 0);
        screen_add (
            s, "trace points, %s: %.*s%s%.24s%s", pointfault_table[f].word,
            said.where_length < FAULT_COLUMNS ? (int)said.where_length
                                              : FAULT_COLUMNS,
            said.where, *said.what ? ": " : "", said.what, n > 1 ? ", …" : "");
        screen_end_line (s);
    }
}

/* How the program that failed has ended. */
static void screen_put_failure (struct screen *s, const struct result *r)
{
    char text[FAILURE_SENTENCE_MAX];

    if (!failure_sentence (text, r->job, r->totals, r->summary))
        return;
    screen_add (s, "%s", text);
    screen_end_line (s);
}

static void screen_put_head (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const char *slash = strrchr (r->job->label, '/');
    char words[WORDS_MAX];

    screen_add (s, "%.30s: ", slash && slash[1] ? slash + 1 : r->job->label);
    screen_put_count (s, sum->processes, "process, ", "processes, ");
    screen_put_count (s, sum->launched.found, "rank, ", "ranks, ");
    screen_put_count (s, sum->hosts, "host, ", "hosts, ");
    screen_add (s, "%.3f s, %s events", (double)(sum->end - sum->start) / 1e9,
                number_words (words, (double)sum->n.events));
    screen_end_line (s);
    screenhalves_put (s, r);
    screen_put_failure (s, r);
    screen_put_losses (s, sum);
    screen_put_untraced (s, sum);
    screen_put_points (s, &r->totals->tally.points);
}

void screen_print (const struct result *r, FILE *out)
{
    struct screen s = {.out = out};

    screen_put_head (&s, r);
    screen_put_times (&s, r->summary);
    screen_put_costs (&s, r->summary);
    screenfilter_put (&s, r);
    screen_put_findings (&s, r);
    screen_add (&s, "all tables: --view all; one of them: --view NAME, see "
                    "dftrace help views");
    screen_end_line (&s);
}
