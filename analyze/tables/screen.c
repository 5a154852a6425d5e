/* SPDX-License-Identifier: MIT
 *
 * screen.c - one job -> what fits a terminal of 24 lines and any width
 *
 * In:  struct result, COLUMNS or the terminal
 * Out: lines of text: where the time went, what I/O costs, what to do
 *
 * A pipe gets lines of at most 80 places, and no colours.
 */
#include "config.h"

#include <stdarg.h>

#include "analyze/facts/failure.h"
#include "analyze/facts/insight.h"
#include "analyze/facts/metrics.h"
#include "analyze/facts/summary.h"
#include "analyze/tables/subject.h"
#include "analyze/tables/screen.h"
#include "analyze/tables/views.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/settings/paths.h"
#include "lib/util/optparse.h"
#include "lib/util/terminal.h"

/* --- words -> a line of a terminal ------------------------------------------
 */

/* Places that UTF-8 text takes. */
static int screen_places (const char *text)
{
    int places = 0;

    for (; *text; text++)
        places += ((unsigned char)*text & 0xc0) != 0x80;
    return places;
}

/* The characters of optparse.h that are not of ASCII become ones that are. */
static void screen_plain (char *words)
{
    static const struct {
        const char *from, *to;
    } plain[] = {{"\u00a0", " "}, {"\u202f", " "}, {"\u2009", " "}, {"µ", "u"}};

    for (size_t i = 0; i < ITEMS (plain); i++) {
        size_t n = strlen (plain[i].from);

        for (char *p = words; (p = strstr (p, plain[i].from)); p++) {
            *p = plain[i].to[0];
            memmove (p + 1, p + n, strlen (p + n) + 1);
        }
    }
}

/* Cut the line after the last column: it then ends with "...". */
static void screen_trim (char *line, int columns)
{
    static const char cut[] = "...";
    char *end = line;
    int places = 0;

    for (char *p = line; *p; p++) {
        places += ((unsigned char)*p & 0xc0) != 0x80;
        if (places > columns) {
            memcpy (end, cut, sizeof (cut));
            return;
        }
        if (places == columns - (int)sizeof (cut) + 1)
            end = p + 1;
    }
}

/* Add to the line what there is room for. Names of a user may hold anything:
 * what is no plain character is escaped. */
__attribute__ ((format (printf, 2, 0))) static void
screen_vadd (struct screen *s, const char *format, va_list args)
{
    size_t used = strlen (s->line);
    char text[sizeof (s->line)];

    vsnprintf (text, sizeof (text), format, args);
    screen_plain (text);
    escape_text (s->line + used, sizeof (s->line) - used, text, ESCAPE_LINES);
    screen_trim (s->line, s->columns);
}

void screen_add (struct screen *s, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    screen_vadd (s, format, args);
    va_end (args);
}

/* Add text, after blanks so that it ends at that column. */
static void screen_add_right (struct screen *s, int column, const char *text)
{
    char words[WORDS_MAX];
    int pad;

    FORMAT (words, "%s", text);
    screen_plain (words);
    pad = column - screen_places (s->line) - screen_places (words);
    screen_add (s, "%*s%s", MAX (pad, 0), "", words);
}

void screen_end_line (struct screen *s)
{
    if (s->lines < SCREEN_KEPT) {
        struct screen_line *to = &s->kept[s->lines++];

        to->keep = s->keep;
        memcpy (to->text, s->line, sizeof (s->line));
    }
    s->line[0] = '\0';
}

void screen_line (struct screen *s, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    screen_vadd (s, format, args);
    va_end (args);
    screen_end_line (s);
}

static void screen_drop (struct screen *s, int at)
{
    s->lines--;
    memmove (&s->kept[at], &s->kept[at + 1],
             (size_t)(s->lines - at) * sizeof (s->kept[0]));
}

/* Drop the last one of the lines that matter least, until the screen has no
 * more than `lines` of them. Return the number of warnings dropped. */
static int screen_fit (struct screen *s, int lines)
{
    int warnings = 0;

    for (enum screen_keep keep = KEEP_NOTE; keep > KEEP_ALWAYS; keep--)
        for (int i = s->lines - 1; i >= 0 && s->lines > lines; i--)
            if (s->kept[i].keep == keep) {
                warnings += keep == KEEP_WARNING;
                /* no words without those that they go on from */
                while (i > 0 && memcmp (s->kept[i].text, "    ", 4) == 0 &&
                       s->kept[i - 1].keep == keep)
                    screen_drop (s, i--);
                screen_drop (s, i);
            }
    for (int i = s->lines - 2; i >= 0; i--) {
        size_t n = strlen (s->kept[i].text);

        if (n && s->kept[i].text[n - 1] == ':' && s->kept[i + 1].text[0] != ' ')
            screen_drop (s, i); /* the head of what was dropped */
    }
    return warnings;
}

/* Add words to a list; where they do not fit, on a line of their own. */
void screen_flow (struct screen *s, const char *words, int first)
{
    int room = s->columns - screen_places (s->line) - 3;

    if (!first)
        screen_add (s, ",");
    if (!first && screen_places (words) > room) {
        screen_end_line (s);
        first = 1;
    }
    screen_add (s, first ? "  %s" : " %s", words);
}

/* "4 ranks, "; nothing for 0. */
static void screen_put_count (struct screen *s,
                              uint64_t n,
                              const char *one,
                              const char *many)
{
    if (n)
        screen_add (s, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* Add a count, on a new line if it does not fit, without its "; " at the end of
 * a line. */
static void screen_put_loss (struct screen *s,
                             uint64_t n,
                             const char *one,
                             const char *many)
{
    enum { DIGITS_MAX = 20 };

    if (n && s->line[0] &&
        screen_places (s->line) + screen_places (many) + DIGITS_MAX >
            s->columns) {
        s->line[strlen (s->line) - 2] = '\0';
        screen_end_line (s);
    }
    screen_put_count (s, n, one, many);
}

/* --- what of a job is in a profile -> lines of the first screen -------------
 */

/* Print what the events cover, and up to when. */
static void screen_put_trace_part (struct screen *s, const struct result *r)
{
    const struct profparts *p = &r->summary->profparts;
    double weight = jobinfo_weight (&r->job->info, r->summary->launched.found);
    char words[WORDS_MAX], until[PROFPARTS_WORDS];

    screen_line (s, "the trace alone%s; %s calls more are in the profile",
                 profparts_until (until, p, r->summary->start),
                 number_words (words, p->calls));
    if (weight > 1) {
        screen_line (s, "drawn by %.30s: sums times %g estimate the job's",
                     r->job->info.detail, weight);
    }
}

/* That there are sums only, and what of them is not apart. */
static void screenhalves_put (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const uint64_t folded = r->totals->profile.folded;
    char words[WORDS_MAX], parts[PROFPARTS_WORDS];

    if (r->job->trace_part && sum->profparts.calls)
        screen_put_trace_part (s, r);
    if (!summary_is_profile (sum))
        return;
    if (sum->profparts.events) {
        screen_line (s, "%s",
                     profparts_words (parts, &sum->profparts, sum->start));
        screen_line (s, "calls, bytes and sums are of both; where tables say "
                        "n/a, see --trace-part");
    } else
        screen_line (s, "a profile: sums, no events; where tables say n/a, "
                        "only a trace knows");
    if (folded)
        screen_line (s, "%s calls are of many files, in %zu series of them",
                     number_words (words, folded), r->totals->profile.series);
}

/* --- settings of a job -> which files its trace leaves out ------------------
 */

/* Nobody expects I/O on storage of /proc and /dev. */
static int screenfilter_is_storage (const char *element, size_t n)
{
    char file[PATH_MAX];

    if (element[0] != '/' || n + 2 > sizeof (file))
        return 1;
    memcpy (file, element, n);
    memcpy (file + n, "/", 2);
    return pathfilter_class (file, n + 1) == FILE_CLASS_STORAGE;
}

static void
screenfilter_put_list (struct screen *s, const char *words, const char *list)
{
    int first = 1;

    for (const char *end; *list; list = *end ? end + 1 : end) {
        size_t n;
        char word[SCREEN_COLUMNS_MOST];

        end = strchrnul (list, ':');
        n = end - list;
        if (!n || !screenfilter_is_storage (list, n))
            continue;
        FORMAT (word, "%.*s", (int)n, list);
        if (first)
            screen_add (s, "  %s", words);
        if (screen_places (s->line) + screen_places (word) + 1 > s->columns) {
            screen_end_line (s);
            screen_add (s, " ");
        }
        screen_add (s, " %s", word);
        first = 0;
    }
    if (!first)
        screen_end_line (s);
}

/* The settings: nothing of them where no job.json says how the job was traced.
 */
static void screenfilter_put (struct screen *s, const struct result *r)
{
    const struct job_info *info = &r->job->info;

    if (info->present && info->include[0] && strcmp (info->include, "all") != 0)
        screenfilter_put_list (s, "recorded only (include):", info->include);
    if (info->present)
        screenfilter_put_list (s, "not recorded (exclude):", info->exclude);
}

/* --- what could be saved -> the last lines of the first screen --------------
 */

/* Columns of a line of a finding, up to which a number stands. */
enum { FINDING_TIME = 19, FINDING_PERCENT = 28 };

/* Print words in lines, all but the first of them indented. */
static void screen_wrap (struct screen *s, const char *words)
{
    while (*words) {
        size_t n = strcspn (words, " ");

        if (screen_places (s->line) + (int)n + 1 > s->columns) {
            screen_end_line (s);
            screen_add (s, "   ");
        }
        screen_add (s, " %.*s", (int)n, words);
        words += n + (words[n] == ' ');
    }
    screen_end_line (s);
}

/* ", at data.py:57, 12.0 ms to 1.30 s, pid 4711" where the line has room. */
static void screen_put_place (struct screen *s,
                              const struct finding *f,
                              const struct result *r)
{
    char words[3 * WORDS_MAX], from[WORDS_MAX], until[WORDS_MAX];
    const struct row_time *when = &f->when;
    char source[SUBJECT_SOURCES];

    if (*finding_source (source, f, r, 0) &&
        screen_places (s->line) + screen_places (source) + 5 <= s->columns)
        screen_add (s, ", at %s", source);
    if (when->until > when->from) {
        FORMAT (words, ", %s to %s",
                value_words (from, finding_from (f, r->summary), "s"),
                value_words (until, finding_until (f, r->summary), "s"));
        if (screen_places (s->line) + screen_places (words) <= s->columns)
            screen_add (s, "%s", words);
    }
    if (!f->who || f->equals || !when->processes || r->summary->processes < 2 ||
        &r->totals->process[when->most[0].process] != f->who)
        return;
    FORMAT (words, ", pid %u", f->who->who->p.pid);
    if (screen_places (s->line) + screen_places (words) <= s->columns)
        screen_add (s, "%s", words);
}

/* "waiting for reads: train.py, shard-N.bin [read_stall], at data.py:57"; where
 * the line has no room for that, "read_stall: train.py, shard-N.bin". */
static void screen_put_cause (struct screen *s,
                              const struct finding *f,
                              const struct result *r)
{
    const struct insight_info *rule = &insight_table[f->rule];
    int room = s->columns - screen_places (s->line);
    char subject[SUBJECT_MAX], words[2 * SUBJECT_MAX], source[SUBJECT_SOURCES];
    const char *colon = *subject_words (subject, f, r) ? ": " : "";

    FORMAT (words, "  %s%s%s [%s]", rule->finding, colon, subject, rule->name);
    if (*finding_source (source, f, r, 0))
        room -= screen_places (source) + 5;
    if (screen_places (words) > room)
        FORMAT (words, "  %s: %s", rule->name,
                *subject ? subject : rule->finding);
    screen_add (s, "%s", words);
    screen_put_place (s, f, r);
}

/* "critical   1.68 s  41.0 %  waiting for reads: …" */
static void screen_put_finding (struct screen *s,
                                const struct finding *f,
                                const struct result *r)
{
    const struct insight_info *rule = &insight_table[f->rule];
    char words[WORDS_MAX], b[WORDS_MAX], advice[INSIGHT_ADVICE];

    s->keep = f->severity == SEVERITY_CRITICAL ? KEEP_ALWAYS : KEEP_WARNING;
    screen_add (s, "%s", severity_name (f->severity));
    if (f->costs) {
        screen_add_right (s, FINDING_TIME, value_words (words, f->cost, "s"));
        FORMAT (words, "%.1f %%", f->percent);
        screen_add_right (s, FINDING_PERCENT, words);
        screen_put_cause (s, f, r);
        screen_end_line (s);
    } else
        screen_line (s, "  %s: %s of %s %s", rule->finding,
                     number_words (words, f->a), number_words (b, f->b),
                     rule->what_b);
    if (f->late.lane) {
        screen_add (s, "   ");
        screen_wrap (s, insight_advice (advice, f, r->summary));
    }
}

/* Advice on a finding that stands above, with the calls that it is about. */
static void screen_put_advice (struct screen *s,
                               const struct finding *f,
                               const struct result *r)
{
    const struct insight_info *rule = &insight_table[f->rule];
    struct insight_rows rows = {.count = 0};
    char advice[INSIGHT_ADVICE];

    s->keep = KEEP_ADVICE;
    screen_add (s, "  %s", rule->name);
    if (strcmp (rule->from, "call") == 0)
        insight_rows (&rows, f->rule, r);
    for (size_t k = 0; k < rows.count; k++) {
        const char *slash = strrchr (rows.name[k], '/');

        screen_add (s, "%s%s", k ? ", " : " (",
                    slash && slash[1] ? slash + 1 : rows.name[k]);
    }
    screen_add (s, "%s", rows.count ? ")" : "");
    insight_rows_clear (&rows);
    screen_add (s, ":");
    screen_wrap (s, insight_advice (advice, f, r->summary));
}

/* One line for all that costs less than 1 %. */
static void
screen_put_minor (struct screen *s, const struct finding *found, size_t n)
{
    size_t minor = 0, shown = 0;

    for (size_t i = 0; i < n; i++)
        minor += found[i].severity == SEVERITY_MINOR;
    if (!minor)
        return;
    s->keep = KEEP_NOTE;
    screen_add (s, "%zu more below 1 %% of the job", minor);
    for (size_t i = 0; i < n; i++) {
        const char *name = insight_table[found[i].rule].name;

        if (found[i].severity != SEVERITY_MINOR)
            continue;
        if (screen_places (s->line) + screen_places (name) + 7 > s->columns) {
            screen_add (s, ", ...");
            break;
        }
        screen_add (s, "%s%s", shown++ ? ", " : ": ", name);
    }
    screen_end_line (s);
}

/* The costs of all, then what to do about them: specific advice first. */
static void screen_put_findings (struct screen *s, const struct result *r)
{
    struct finding found[INSIGHT_COUNT];
    size_t n = insights_find (found, r->summary, r->totals);
    char words[INSIGHT_WORDS];

    screen_end_line (s);
    s->found = insights_worth (found, n);
    if (s->found)
        screen_line (s, "What could be saved, at most");
    else
        screen_line (s, "%s", insights_nothing (words, r->summary));
    for (size_t i = 0; i < n; i++)
        if (found[i].severity > SEVERITY_DETAIL)
            screen_put_finding (s, &found[i], r);
    for (size_t i = 0; i < n; i++)
        if (found[i].severity > SEVERITY_MINOR && !found[i].late.lane)
            screen_put_advice (s, &found[i], r);
    screen_put_minor (s, found, n);
}

/* --- what would show the time that nothing explains -------------------------
 */

#define UNEXPLAINED_MATTERS 5   /* percent */
#define UNEXPLAINED_MOST    50  /* the remedy matters more than advice */
#define TRACING_MATTERS     0.5 /* is named */
#define UNMAPPED_MATTERS    (1 << 24)

/* Lines of a file of trace points for the functions of a module. */
static void screen_put_lines (struct screen *s, const char *module)
{
    static const char *const lines[] = {
        "train_step = compute.step", "next_batch = dataloader.fetch",
        "load_item = data.item", "save = checkpoint.save"};

    screen_line (s, "  these lines, with your functions, in a file F and "
                    "DFTRACE_POINTS=F show it:");
    for (size_t i = 0; i < ITEMS (lines); i++) {
        screen_line (s, "    %s:%s", module, lines[i]);
    }
}

/* "train" of train.py, "pkg.train" of python3 -m pkg.train; "": no Python. */
static void screen_find_module (char module[SUBJECT_MAX], const char *program)
{
    const char *m = strstr (program, " -m ");
    size_t n = strlen (program);

    module[0] = '\0';
    if (m)
        snprintf (module, SUBJECT_MAX, "%s", m + 4);
    else if (n > 3 && strcmp (program + n - 3, ".py") == 0)
        snprintf (module, SUBJECT_MAX, "%.*s", (int)n - 3, program);
}

/* The means to show it: a layer, or lines of trace points. */
static void screen_put_remedy (struct screen *s,
                               const struct result *r,
                               const char *program)
{
    const struct summary *sum = r->summary;
    char module[SUBJECT_MAX];

    screen_find_module (module, program);
    if (*module && sum->layers & LAYER_APP) {
        screen_put_lines (s, module);
        return;
    }
    screen_line (s, *module ? "  --layers posix,app shows the steps of the "
                              "program (doc/app.md)"
                            : "  regions of dftrace.h show the steps of the "
                              "program (doc/app.md)");
}

static uint64_t screen_job (const struct summary *s)
{
    return s->end - s->start;
}

/* Put how much is not explained, of which program, and the remedy, if it is
 * more than 5 % without what tracing costs outside of calls. */
static void screen_put_unexplained (struct screen *s, const struct result *r)
{
    double left = insights_unexplained (r->summary);
    double all = 100 * (double)r->summary->wall[BILL_other] /
                 (double)screen_job (r->summary);
    const struct bill_lane *lane = insights_lane (BILL_other, r->summary);
    char program[SUBJECT_MAX] = "";

    if (left <= UNEXPLAINED_MATTERS || !lane)
        return;
    subject_program (program, insights_program (r->totals, lane)->who);
    screen_add (s, "%.1f %% not explained: ", all);
    if (all - left >= TRACING_MATTERS)
        screen_add (s, "tracing (~%.1f %%), ", all - left);
    screen_add (s, "computing, or waiting %snot seen",
                all - left >= TRACING_MATTERS ? "" : "that was ");
    screen_line (s, *program ? ": %s" : "%s", program);
    if (s->found && left < UNEXPLAINED_MOST)
        return;
    s->keep = KEEP_REMEDY;
    screen_put_remedy (s, r, program);
}

/* --- all of it --------------------------------------------------------------
 */
enum {
    SCREEN_ROWS = 7, /* parts of the time */
    SCREEN_BAR = 16, /* where there are 80 columns */
    SCREEN_BAR_MOST = 40,
    FAULT_COLUMNS = 56 /* of a trace point that does not work */
};

/* Less of the time is in a row for several. */
#define SCREEN_SMALL 0.005

/* --- parts of the time ------------------------------------------------------
 */

static enum metric screen_metric (int row)
{
    static const enum metric metrics[BILL_COUNT] = {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, WAITS, NEED, HELP) \
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
    double part = (double)ns / (double)screen_job (sum);
    int room = SCREEN_BAR + s->columns - SCREEN_COLUMNS;
    int bar = (int)(part * MIN (room, SCREEN_BAR_MOST) + 0.5);
    char words[WORDS_MAX], percent[16];

    screen_add (s, "  %s", title);
    screen_add_right (s, COLUMN_TIME, value_words (words, ns / 1e9, "s"));
    FORMAT (percent, "%.1f %%", 100 * part);
    screen_add_right (s, COLUMN_PART, percent);
    if (sum->lanes > 1 && longest && longest != UINT64_MAX && room > 0)
        screen_add_right (s, COLUMN_LONGEST,
                          value_words (words, longest / 1e9, "s"));
    if (bar > 0) {
        screen_add_right (s, COLUMN_LONGEST + 2, "");
        screen_add (s, "%.*s", bar, "########################################");
    }
    screen_end_line (s);
}

/* Return the least time of a row that is shown: at most SCREEN_ROWS rows have
 * it. */
static uint64_t screen_least (const struct summary *s)
{
    uint64_t least = (uint64_t)(SCREEN_SMALL * (double)screen_job (s)) + 1;
    int rows = BILL_COUNT;

    while (rows > SCREEN_ROWS) {
        uint64_t next = UINT64_MAX;

        rows = 0;
        for (int row = 0; row < BILL_COUNT; row++)
            if (s->wall[row] >= least) {
                rows++;
                if (s->wall[row] < next)
                    next = s->wall[row];
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

/* Most jobs have nothing to do with MPI-IO, HDF5, GPUs, and those without
 * regions nothing with the steps of a training; of waits all or none are seen.
 * Time on a CPU is shown as computing. */
static int screen_is_asked (const struct summary *sum, int row)
{
    static const unsigned rare =
        1u << BILL_mpi | 1u << BILL_format | 1u << BILL_gpu;
    static const unsigned steps = 1u << BILL_decode | 1u << BILL_loader |
                                  1u << BILL_ranks | 1u << BILL_start |
                                  1u << BILL_end;
    unsigned bit = 1u << row;
    uint64_t app = 0;

    for (int role = 0; role < ROLE_COUNT; role++)
        if (role != ROLE_BARRIER && role != ROLE_COLLECTIVE)
            app += sum->n.regions[role];
    if (row == BILL_ranks && sum->lanes > 1 &&
        sum->lane[0].first->who->p.rank >= 0)
        return 1;
    return !(rare & bit) && !(steps & bit && !app) &&
           !(row == BILL_compute && sum->wall[BILL_cpu]) &&
           !(bill_table[row].waits && row != BILL_fault);
}

static int screen_has_times (const struct summary *s)
{
    return screen_job (s) && !summary_is_profile (s);
}

/* Print the causes that are not measured, with the layer that measures them.
 * Much that is mapped is always reported. */
static void screen_put_unseen (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const char *between = "  not measured: ";
    char bytes[WORDS_MAX];

    if (!screen_has_times (sum))
        return;
    if (sum->n.mapped_bytes >= UNMAPPED_MATTERS && !sum->mm.measured) {
        s->keep = KEEP_REMEDY;
        screen_add (s, "%swaits for %s of mapped files (--layers mmap)",
                    between, value_words (bytes, sum->n.mapped_bytes, "B"));
        between = ", ";
    }
    for (int row = 0; row < BILL_COUNT; row++)
        if (screen_is_asked (sum, row) &&
            !(row == BILL_fault && s->keep == KEEP_REMEDY) &&
            !metric_compute (sum, screen_metric (row)).known) {
            screen_add (s, "%s", between);
            screen_add_short (s, bill_table[row].title);
            if (row == BILL_fault)
                screen_add (s, " (--layers mmap)");
            if (row == BILL_ranks && !(sum->layers & LAYER_MPIIO))
                screen_add (s, " (of MPI: --layers mpiio)");
            between = ", ";
        }
    if (!sum->n.waits)
        screen_add (s, "%swaits", between);
    if (s->line[0])
        screen_end_line (s);
}

/* The title of a row; without regions what a program computes is on a CPU, or,
 * without waits, not seen. */
static const char *screen_title (const struct summary *sum, int row)
{
    if (metric_compute (sum, METRIC_bill_compute).known ||
        (row != BILL_cpu && row != BILL_other))
        return bill_table[row].title;
    if (row == BILL_cpu)
        return bill_table[BILL_compute].title;
    return sum->n.waits ? bill_table[row].title : "not explained, or computing";
}

/* Rows with less than that are one, unless there is but one. */
static void screen_put_rows (struct screen *s, const struct summary *sum)
{
    uint64_t least = screen_least (sum), small = 0;
    char title[40] = "";
    int smalls = 0;

    for (int row = 0; row < BILL_COUNT; row++)
        if (sum->wall[row] && sum->wall[row] < least)
            smalls++;
    for (int row = 0; row < BILL_COUNT; row++)
        if (sum->wall[row] >= least || (sum->wall[row] && smalls == 1))
            screen_put_part (s, sum, screen_title (sum, row), sum->wall[row],
                             bill_longest (sum, row));
        else
            small += sum->wall[row];
    FORMAT (title, "%d smaller parts", smalls);
    if (small)
        screen_put_part (s, sum, title, small, UINT64_MAX);
}

static void screen_put_times (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    char words[WORDS_MAX];

    if (!screen_has_times (sum))
        return;
    screen_end_line (s);
    screen_add (s, "time of the job");
    screen_add_right (s, COLUMN_TIME,
                      value_words (words, screen_job (sum) / 1e9, "s"));
    if (sum->lanes > 1 && s->columns > COLUMN_LONGEST + 2)
        screen_add_right (s, COLUMN_LONGEST, "longest");
    screen_end_line (s);
    screen_put_rows (s, sum);
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
    int at = FORMAT (all, "%s %s", cost_table[row].title,
                     value_words (time, ns / 1e9, "s"));

    if (cost_table[row].moves && n->bytes)
        snprintf (all + at, sizeof (all) - (size_t)at, " (%s)",
                  value_words (bytes, n->bytes, "B"));
    screen_flow (s, all, first);
}

/* Print the durations of a profile, added up over all threads. */
static void screen_put_sums (struct screen *s, const struct summary *sum)
{
    uint64_t calls = 0, first = 1;

    for (int row = 0; row < COST_COUNT; row++)
        calls += sum->n.cost[row].count;
    screen_line (s, calls ? "I/O, sum over all threads:"
                          : "no I/O on files known to be on storage was "
                            "recorded");
    for (int row = 0; row < COST_COUNT; row++)
        if (sum->n.cost[row].count) {
            screen_put_cost (s, sum, row, (int)first);
            first = 0;
        }
    screen_end_line (s);
}

/* The file, or the series of files, that took most of the time. */
static void screen_put_file (struct screen *s, const struct result *r)
{
    char file[SUBJECT_MAX];

    if (subject_file (file, r) > screen_job (r->summary) / 100)
        screen_add (s, ", most in %s", file);
}

/* I/O that is little of the job gives room to what matters more. */
static void screen_put_io (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    enum { LITTLE = 100 }; /* 1 / so much of the job */
    double job = sum->end - sum->start;
    char words[WORDS_MAX];
    int first = 1;

    if (!summary_is_profile (sum) && sum->io_time < screen_job (sum) / LITTLE)
        s->keep = KEEP_NOTE;
    screen_end_line (s);
    if (summary_is_profile (sum)) {
        screen_put_sums (s, sum);
        return;
    }
    if (!sum->io_time) {
        screen_line (s, "no I/O on files known to be on storage was recorded");
        return;
    }
    screen_add (s, "I/O of any process: %s, %.1f %% of the job",
                value_words (words, sum->io_time / 1e9, "s"),
                job > 0 ? 100 * (double)sum->io_time / job : 0);
    screen_put_file (s, r);
    screen_end_line (s);
    for (int row = 0; row < COST_COUNT; row++)
        if (sum->cost[row].own) {
            screen_put_cost (s, sum, row, first);
            first = 0;
        }
    screen_end_line (s);
}

/* --- the network ------------------------------------------------------------
 */

/* The peer of IP that took the most time; NULL: none. */
static const char *screennet_first (const struct strmap *peers, uint64_t *ns)
{
    const char *first = NULL;

    *ns = 0;
    for (size_t i = 0; peers && i < strmap_count (peers); i++) {
        const struct peer_total *p = strmap_value (peers, i);
        const char *name = strmap_key (peers, i, NULL);

        if (strcmp (name, "local") == 0 || p->ns < *ns ||
            (first && p->ns == *ns && strcmp (name, first) > 0))
            continue;
        *ns = p->ns;
        first = name;
    }
    return first;
}

/* A line, where at least a hundredth of the job's time went there. */
static void screen_put_network (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    char received[WORDS_MAX], sent[WORDS_MAX], time[WORDS_MAX];
    const char *first;
    uint64_t ns;

    if (sum->n.net_sent.ns < (sum->end - sum->start) / 100 ||
        !(first = screennet_first (r->totals->tally.peers, &ns)))
        return;
    screen_add (s, "network (--view peer): %s received, %s sent; ",
                value_words (received, sum->n.net_received, "B"),
                value_words (sent, sum->n.net_sent.bytes, "B"));
    screen_line (s, "%.40s %s", first, value_words (time, ns / 1e9, "s"));
}

/* --- head -------------------------------------------------------------------
 */

/* Print the losses, if any. */
static void screen_put_losses (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const struct {
        uint64_t n;
        const char *one, *many;
    } losses[] = {
        {sum->unfinished, "process did not end in order; ",
         "processes did not end in order; "},
        {summary_rings_matter (sum) ? sum->requests : 0,
         "request of an io_uring, whose result cannot be seen; ",
         "requests of io_urings, whose results cannot be seen; "},
        {sum->far_starts,
         "process began at another time than its job: its clock is doubtful; ",
         "processes began at another time than their job: their clocks are "
         "doubtful; "},
        {sum->stages, "stage of a node was not collected; ",
         "stages of nodes were not collected; "},
        {sum->lost, "event is missing; ", "events are missing; "},
    };

    for (size_t i = 0; i < ITEMS (losses); i++)
        screen_put_loss (s, losses[i].n, losses[i].one, losses[i].many);
    if (s->line[0]) {
        s->line[strlen (s->line) - 2] = '\0'; /* "; " */
        screen_end_line (s);
    }
}

/* One line: the programs that were not traced, with the reasons. */
static void screen_put_untraced (struct screen *s, const struct result *r)
{
    static const char head[] = "not traced: ";
    char words[SUMMARY_WORDS];

    if (!*summary_words (r->summary, words, s->columns - (int)sizeof (head)))
        return;
    screen_line (s, "%s%s", head, words);
}

/* Trace points that do not work, a line for each reason: why the regions are
 * not there. */
static void screen_put_points (struct screen *s, const struct result *r)
{
    const struct pointfaults *p = &r->totals->tally.points;

    for (int f = 0; f < POINTFAULT_FAULTS; f++) {
        enum pointfault what = f;
        size_t n = pointfaults_count (p, what);
        struct pointfault_text report;

        if (!n)
            continue;
        report = pointfaults_text (p, what, 0);
        screen_line (
            s, "trace points, %s: %.*s%s%.24s%s", pointfault_table[f].word,
            report.where_length < FAULT_COLUMNS ? (int)report.where_length
                                                : FAULT_COLUMNS,
            report.where, *report.what ? ": " : "", report.what,
            n > 1 ? ", …" : "");
    }
}

/* How the program that failed has ended. */
static void screen_put_failure (struct screen *s, const struct result *r)
{
    char text[FAILURE_SENTENCE_MAX];
    const char *region;

    s->failed = failure_sentence (text, r->job, r->totals, r->summary);
    region = strstr (text, ", in region ");
    if (region && screen_places (text) > s->columns) {
        screen_line (s, "%.*s,", (int)(region - text), text);
        screen_line (s, " %s", region + 1);
    } else if (s->failed)
        screen_line (s, "%s", text);
}

/* "2 processes and 15 short (30 ms), ": those of less than a hundredth of
 * the job count as short. */
static void screen_put_processes (struct screen *s, const struct result *r)
{
    const struct totals *t = r->totals;
    uint64_t least = screen_job (r->summary) / 100, sum = 0;
    size_t n = 0;
    char words[WORDS_MAX];

    for (size_t i = 0; i < t->processes; i++) {
        uint64_t ns = t->process[i].end - t->process[i].start;

        if (ns < least) {
            sum += ns;
            n++;
        }
    }
    if (n < 2 || n >= r->summary->processes)
        n = 0;
    screen_put_count (s, r->summary->processes - n, n ? "process" : "process, ",
                      n ? "processes" : "processes, ");
    if (n)
        screen_add (s, " and %zu short (%s), ", n,
                    value_words (words, sum / 1e9, "s"));
}

/* One of the programs with an exit status that is not 0; count: of how many. */
struct screen_status {
    char program[SUBJECT_MAX];
    unsigned status;
    size_t count;
};
enum { STATUSES_MOST = 8 };

static size_t screen_count_statuses (struct screen_status found[STATUSES_MOST],
                                     const struct totals *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++) {
        const struct trace_process *who = t->process[i].who;
        struct screen_status one = {"", who->p.ended & SHARD_ENDED_NUMBER, 1};
        size_t at = 0;

        if (!(who->p.ended & SHARD_ENDED_EXIT) || !one.status)
            continue;
        subject_program (one.program, who);
        while (at < n && (found[at].status != one.status ||
                          strcmp (found[at].program, one.program) != 0))
            at++;
        if (at < n)
            found[at].count++;
        else if (n < STATUSES_MOST)
            found[n++] = one;
    }
    return n;
}

/* "exit status not 0: grep 1 (3 times), train.py 2"; nothing where the only
 * one stands in the line of the process that failed. */
static void screen_put_statuses (struct screen *s, const struct result *r)
{
    struct screen_status found[STATUSES_MOST];
    size_t n = screen_count_statuses (found, r->totals);

    if (s->failed == FAILED_STATUS && n == 1 && found[0].count == 1)
        return;
    for (size_t i = 0; i < n; i++) {
        screen_add (s, "%s%s %u",
                    i ? ", " : "  exit status not 0: ", found[i].program,
                    found[i].status);
        if (found[i].count > 1)
            screen_add (s, " (%zu times)", found[i].count);
    }
    if (n)
        screen_end_line (s);
}

/* Print the command, or the program of the first main thread. */
static void screen_put_command (struct screen *s, const struct result *r)
{
    const char *command = r->job->info.command;
    char program[SUBJECT_MAX] = "";

    if ((!command || !*command) && r->summary->lanes)
        command = subject_program (
            program, insights_program (r->totals, &r->summary->lane[0])->who);
    if (!command || !*command)
        return;
    screen_line (s, "  %s", command);
}

static void screen_put_framework (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const struct pointfaults *p = &r->totals->tally.points;

    if (!pointfaults_count (p, POINTFAULT_FRAMEWORK) || sum->train.steps ||
        sum->over[SET_COMPUTE].ranks || sum->over[SET_STALL].ranks)
        return;
    screen_line (
        s,
        "%s was imported, but no step was seen: trace points show them "
        "(doc/app.md)",
        pointfaults_text (p, POINTFAULT_FRAMEWORK, 0).where);
}

static void screen_put_head (struct screen *s, const struct result *r)
{
    const struct summary *sum = r->summary;
    const char *slash = strrchr (r->job->label, '/');
    char words[WORDS_MAX];

    screen_add (s, "%.30s: ", slash && slash[1] ? slash + 1 : r->job->label);
    screen_put_processes (s, r);
    screen_put_count (s, sum->launched.found, "rank, ", "ranks, ");
    screen_put_count (s, sum->hosts, "host, ", "hosts, ");
    screen_line (s, "%.3f s, %s events", (sum->end - sum->start) / 1e9,
                 number_words (words, sum->n.events));
}

/* The parts of the screen, and how long their lines are kept; some parts keep
 * lines longer or shorter than that. */
static const struct screen_part {
    enum screen_keep keep;
    void (*put) (struct screen *s, const struct result *r);
} screen_parts[] = {
    {KEEP_ALWAYS, screen_put_head},       {KEEP_ALWAYS, screenhalves_put},
    {KEEP_ALWAYS, screen_put_failure},    {KEEP_ALWAYS, screen_put_command},
    {KEEP_ADVICE, screen_put_statuses},   {KEEP_ALWAYS, screen_put_losses},
    {KEEP_ALWAYS, screen_put_untraced},   {KEEP_ADVICE, screen_put_points},
    {KEEP_REMEDY, screen_put_framework},  {KEEP_ALWAYS, screen_put_times},
    {KEEP_NOTE, screen_put_unseen},       {KEEP_ALWAYS, screen_put_io},
    {KEEP_ALWAYS, screen_put_network},    {KEEP_ADVICE, screencoverage_put},
    {KEEP_NOTE, screenfilter_put},        {KEEP_ALWAYS, screen_put_findings},
    {KEEP_ALWAYS, screen_put_unexplained}};

static int screen_width (FILE *out)
{
    int columns = terminal_columns_asked (out);

    if (!columns)
        return SCREEN_COLUMNS;
    return columns < SCREEN_COLUMNS_LEAST  ? SCREEN_COLUMNS_LEAST
           : columns > SCREEN_COLUMNS_MOST ? SCREEN_COLUMNS_MOST
                                           : columns;
}

/* A severity stands at the begin of its line, and so do heads. */
static void screen_put_line (FILE *out, const char *text, int head, int colors)
{
    char word[16];
    int n = (int)strcspn (text, " ");
    enum term_style style;

    FORMAT (word, "%.*s", n, text);
    style = head ? TERM_HEAD : terminal_style (word);
    if (head)
        n = (int)strlen (text);
    if (colors)
        fprintf (out, "%s%.*s%s%s\n", terminal_begin (style), n, text,
                 terminal_end (style), text + n);
    else
        fprintf (out, "%s\n", text);
}

void screen_print (const struct result *r, FILE *out)
{
    struct screen s = {.out = out, .columns = screen_width (out)};
    int dropped, colors = terminal_colors (out);

    for (size_t i = 0; i < ITEMS (screen_parts); i++) {
        s.keep = screen_parts[i].keep;
        screen_parts[i].put (&s, r);
    }
    dropped = screen_fit (&s, SCREEN_LINES - 1);
    s.keep = KEEP_ALWAYS;
    if (dropped)
        screen_add (&s, "%d more: --view insight; ", dropped);
    screen_add (&s, "a finding: dftrace help RULE; tables: %s",
                dropped ? "help views"
                        : "--view all, --view NAME (help views)");
    screen_end_line (&s);
    for (int i = 0; i < s.lines; i++)
        screen_put_line (out, s.kept[i].text,
                         i == 0 ||
                             (s.kept[i].text[0] && i && !s.kept[i - 1].text[0]),
                         colors);
}
