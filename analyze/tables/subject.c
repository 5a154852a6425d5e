/* SPDX-License-Identifier: MIT
 *
 * subject.c - a finding -> the program and the files that it is about
 *
 * In:  struct finding, processes, times of files
 * Out: words for tables and the first screen
 */
#include "config.h"

#include <ctype.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "analyze/tables/subject.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/format/shard.h"
#include "lib/model/kind.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"

/* --- programs ---------------------------------------------------------------
 */

enum { ARGV_BETWEEN = 0x1f };

static const char *subject_base (const char *path)
{
    const char *slash = strrchr (path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static int subject_interprets (const char *program)
{
    static const char *const names[] = {"python", "pypy", "perl", "ruby",
                                        "bash",   "dash", "sh",   "Rscript",
                                        "julia",  "java", "node", "lua"};

    for (size_t i = 0; i < ITEMS (names); i++) {
        size_t n = strlen (names[i]);

        if (strncmp (program, names[i], n) == 0 &&
            !isalpha ((unsigned char)program[n]))
            return 1;
    }
    return 0;
}

/* Find the first argument that is no option, or -c or -m. */
static const char *subject_script (const char *argv)
{
    for (const char *p = strchr (argv, ARGV_BETWEEN); p;
         p = strchr (p, ARGV_BETWEEN)) {
        p++;
        if (*p != '-' ||
            ((p[1] == 'c' || p[1] == 'm') && (!p[2] || p[2] == ARGV_BETWEEN)))
            return p;
    }
    return "";
}

char *subject_program (char text[SUBJECT_MAX], const struct trace_process *who)
{
    const char *program = subject_base (who->text[SHARD_STRING_EXE]);
    const char *script = subject_interprets (program)
                             ? subject_script (who->text[SHARD_STRING_ARGV])
                             : "";
    char argument[PATH_MAX];

    FORMAT (argument, "%.*s", (int)strcspn (script, "\x1f"), script);
    if (strcmp (argument, "-m") == 0 && script[2])
        snprintf (text, SUBJECT_MAX, "%.60s -m %.*s", program,
                  (int)strcspn (script + 3, "\x1f"), script + 3);
    else if (*argument == '-')
        snprintf (text, SUBJECT_MAX, "%.60s %.20s", program, argument);
    else
        snprintf (text, SUBJECT_MAX, "%.80s",
                  *argument ? subject_base (argument) : program);
    return text;
}

/* With its rank, or its pid where others of its kind are compared with it. */
static void subject_put_who (char text[SUBJECT_MAX],
                             const struct finding *f,
                             const struct result *r)
{
    const struct shard_process *p = &f->who->who->p;
    char more[48] = "";
    size_t n;

    subject_program (text, f->who->who);
    if (p->rank >= 0 && r->summary->ranks > 1)
        FORMAT (more, "rank %d", p->rank);
    else if (f->equals)
        FORMAT (more, "pid %u", p->pid);
    n = strlen (more);
    if (f->equals > 1)
        snprintf (more + n, sizeof (more) - n, " of %zu", f->equals);
    n = strlen (text);
    if (*more)
        snprintf (text + n, SUBJECT_MAX - n, " (%s)", more);
    n = strlen (text);
    if (f->since)
        snprintf (text + n, SUBJECT_MAX - n, ", alone from %.2f s",
                  (f->since - r->summary->start) / 1e9);
}

/* --- files ------------------------------------------------------------------
 */

/* The time of files that a row of the bill is about, and of which kind; of all
 * other rows no file is named. */
static const struct subject_time {
    enum bill part;
    enum file_kind kind; /* KIND_COUNT: any */
    enum file_number ns, more;
    const char *not_of; /* opens that do not matter; "": all do */
} subject_times[] = {
    {BILL_read, KIND_DATA, FILE_read_ns, FILE_stdio_ns, "write"},
    {BILL_write, KIND_COUNT, FILE_write_ns, FILE_stdio_ns, "read"},
    {BILL_sync, KIND_COUNT, FILE_sync_ns, FILE_sync_ns, "read"},
    {BILL_open, KIND_DATA, FILE_meta_ns, FILE_meta_ns, ""},
    {BILL_checkpoint, KIND_CHECKPOINT, FILE_write_ns, FILE_sync_ns, "read"},
    {BILL_other_io, KIND_COUNT, FILE_read_ns, FILE_meta_ns, ""},
};

static uint64_t subject_ns (const struct file_total *file,
                            const struct subject_time *of)
{
    if (file->class != FILE_CLASS_STORAGE)
        return 0;
    if (of->part == BILL_COUNT)
        return file->read_ns + file->write_ns + file->sync_ns + file->meta_ns +
               file->number[FILE_stdio_ns];
    if ((of->kind != KIND_COUNT && file->kind != of->kind) ||
        (of->part == BILL_other_io && file->kind == KIND_DATA))
        return 0;
    return file->number[of->ns] +
           (of->more != of->ns ? file->number[of->more] : 0);
}

struct series {
    uint64_t ns;
    const char *path; /* of one of them */
    int several;
};

/* The files of most time whose names differ in numbers only. 0: none. */
static int subject_heaviest (struct series *most,
                             const struct strmap *files,
                             const struct subject_time *of)
{
    struct strmap *map = strmap_create ();

    *most = (struct series){0, NULL, 0};
    for (size_t i = 0; i < strmap_count (files); i++) {
        const char *path = strmap_key (files, i, NULL);
        uint64_t ns = subject_ns (strmap_value (files, i), of);
        char name[PATH_MAX];
        struct series *s;
        int64_t at;

        if (!ns)
            continue;
        path_series (name, path);
        at = strmap_intern (map, name, strlen (name), NULL);
        if (!(s = strmap_value (map, at))) {
            NEW (s, 1);
            s->path = path;
            strmap_set (map, at, s);
        } else
            s->several = 1;
        s->ns += ns;
        if (s->ns > most->ns)
            *most = *s;
    }
    for (size_t i = 0; i < strmap_count (map); i++)
        free (strmap_value (map, i));
    strmap_destroy (map);
    return most->path != NULL;
}

static void
subject_put_file (char *text, size_t room, const struct series *file)
{
    char name[PATH_MAX];

    if (file->several)
        path_series (name, file->path);
    else
        FORMAT (name, "%s", file->path);
    snprintf (text, room, "%.80s", subject_base (name));
}

uint64_t subject_file (char text[SUBJECT_MAX], const struct result *r)
{
    static const struct subject_time all = {BILL_COUNT, KIND_COUNT,
                                            FILE_read_ns, FILE_meta_ns, ""};
    struct series file;

    text[0] = '\0';
    if (!subject_heaviest (&file, r->totals->tally.files, &all))
        return 0;
    subject_put_file (text, SUBJECT_MAX, &file);
    return file.ns;
}

/* "data.example:443, 64 MB": the peer with most time. */
static void
subject_put_peer (char *text, size_t room, const struct strmap *peers)
{
    const struct peer_total *most = NULL;
    const char *name = "";
    char bytes[WORDS_MAX];

    for (size_t i = 0; peers && i < strmap_count (peers); i++) {
        const struct peer_total *p = strmap_value (peers, i);

        if (!most || p->ns > most->ns) {
            most = p;
            name = strmap_key (peers, i, NULL);
        }
    }
    if (most)
        snprintf (text, room, "%.80s, %s", name,
                  value_words (bytes, most->sent + most->received, "B"));
}

char *subject_words (char text[SUBJECT_MAX],
                     const struct finding *f,
                     const struct result *r)
{
    struct series file;
    size_t n;

    text[0] = '\0';
    if (f->who)
        subject_put_who (text, f, r);
    n = strlen (text);
    if (f->part == BILL_network && r->totals->tally.peers) {
        n += snprintf (text + n, SUBJECT_MAX - n, "%s", n ? ", " : "");
        subject_put_peer (text + n, SUBJECT_MAX - n, r->totals->tally.peers);
    }
    for (size_t i = 0; i < ITEMS (subject_times); i++)
        if (subject_times[i].part == f->part &&
            subject_heaviest (&file, r->totals->tally.files,
                              &subject_times[i])) {
            n += snprintf (text + n, SUBJECT_MAX - n, "%s", n ? ", " : "");
            subject_put_file (text + n, SUBJECT_MAX - n, &file);
        }
    return text;
}

/* --- the lines of the program --- */

enum {
    SOURCE_BETWEEN = 0x1f,
    SOURCES_NAMED = 2,
    SOURCES_KNOWN = 32,    /* places in compiled code */
    SOURCE_WAIT_MS = 5000, /* for the symbols of one */
    SOURCE_MAX = 140,      /* bytes of FILE:LINE, and of FUNCTION */
    SOURCE_NAME = 40
};

/* The kind of a place begins behind FUNCTION, its file behind that. */
static int source_is (const char *kind, const char *of)
{
    size_t n = strlen (of);

    return n && strncmp (kind, of, n) == 0 && kind[n] == SOURCE_BETWEEN;
}

/* Is a place one for the time of these files, or of the row? */
static int source_matches (const char *what,
                           enum bill part,
                           const struct subject_time *of,
                           const char *series)
{
    const char *kind = strchr (what, SOURCE_BETWEEN),
               *file = kind ? strchr (++kind, SOURCE_BETWEEN) : NULL;
    char name[PATH_MAX];

    if (!file)
        return 0;
    if (!of)
        return source_is (kind, part == BILL_network ? "connect" : "start");
    path_series (name, file + 1);
    return strcmp (name, series) == 0 && !source_is (kind, of->not_of) &&
           !(*of->not_of && source_is (kind, "look"));
}

/* A place in compiled code: where is OBJECT+OFFSET. */
struct source_code {
    char object[PATH_MAX];
    char offset[32], function[SOURCE_MAX], line[PATH_MAX];
};

/* Whether the file is what it was: else its offsets may be others. */
static int source_is_same (const char *object, const char *was)
{
    struct stat st;
    char now[64];

    if (stat (object, &st) < 0 || !S_ISREG (st.st_mode) ||
        (st.st_uid != 0 && st.st_uid != geteuid ()))
        return 0; /* a program that others have made is hostile input */
    FORMAT (now, "%jd,%jd", (intmax_t)st.st_size,
            (intmax_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
    return source_is (was, now);
}

/* Ask binutils' addr2line, which reads all kinds of symbols and debug
 * information; its output, a stream, and *pid, or NULL. */
static FILE *source_ask (const struct source_code *s, pid_t *pid)
{
    static char clean[] = "LC_ALL=C", *environment[] = {clean, NULL};
    const char *const argv[] = {"addr2line", "-f",      "-C", "-e",
                                s->object,   s->offset, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], rc;

    if (pipe2 (ends, O_CLOEXEC) < 0)
        return NULL;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2 (&actions, ends[1], 1);
    rc = posix_spawnp (pid, argv[0], &actions, NULL,
                       (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy (&actions);
    close (ends[1]);
    if (rc == 0)
        return fdopen (ends[0], "r");
    close (ends[0]);
    return NULL;
}

static void source_line (FILE *f, char *text, size_t room)
{
    if (!fgets (text, (int)room, f))
        *text = '\0';
    text[strcspn (text, "\n")] = '\0';
    if (strncmp (text, "??", 2) == 0)
        *text = '\0';
}

/* The function and line of a place, as far as its symbols tell. */
static void source_look (struct source_code *s)
{
    struct pollfd ready;
    FILE *f;
    char *end;
    pid_t pid;

    if (!(f = source_ask (s, &pid)))
        return;
    ready = (struct pollfd){.fd = fileno (f), .events = POLLIN};
    if (poll (&ready, 1, SOURCE_WAIT_MS) > 0) {
        source_line (f, s->function, sizeof (s->function));
        source_line (f, s->line, sizeof (s->line));
    }
    kill (pid, SIGKILL);
    while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
        ;
    fclose (f);
    if ((end = strstr (s->line, " (discriminator")) ||
        (end = strstr (s->line, ":?")))
        *end = '\0';
}

/* Look a place up, once; NULL: it is not in compiled code. */
static const struct source_code *
source_code (const struct pointfault_text *report)
{
    static struct source_code known[SOURCES_KNOWN];
    static size_t count;
    struct source_code s = {.function = ""}, *to = known;
    char *plus;

    /* Anybody may have written it; addr2line reads the file of "@FILE". */
    FORMAT (s.object, "%.*s", (int)report->where_length, report->where);
    if (!isdigit ((unsigned char)*report->what) || *s.object != '/' ||
        !(plus = strrchr (s.object, '+')) || strncmp (plus, "+0x", 3) != 0)
        return NULL;
    FORMAT (s.offset, "%s", plus + 1);
    *plus = '\0';
    for (; to < known + count; to++)
        if (!strcmp (to->object, s.object) && !strcmp (to->offset, s.offset))
            return to;
    if (count < SOURCES_KNOWN)
        count++;
    else
        to--;
    if (source_is_same (s.object, report->what))
        source_look (&s);
    *to = s;
    return to;
}

/* "copy.c:57", whole: "/home/u/copy.c:57 in copy_file"; where the program has
 * no debug information "copy_file" or "copy+0x1234". */
static size_t
source_add_code (char *text, size_t n, const struct source_code *s, int whole)
{
    int bare = !*s->line && !*s->function;
    const char *place = *s->line ? s->line : s->object;

    if (!whole)
        place = *s->line || bare ? subject_base (place) : s->function;
    n += snprintf (text + n, SUBJECT_SOURCES - n, "%s%.*s%s%s", n ? ", " : "",
                   SOURCE_MAX, place, bare ? "+" : "", bare ? s->offset : "");
    if (whole && *s->function)
        n += snprintf (text + n, SUBJECT_SOURCES - n, " in %.*s", SOURCE_NAME,
                       s->function);
    return n;
}

static size_t source_add (char *text,
                          size_t n,
                          const struct pointfault_text *report,
                          int whole)
{
    const char *slash = memrchr (report->where, '/', report->where_length),
               *file = slash && !whole ? slash + 1 : report->where;
    int length = (int)(report->where + report->where_length - file);
    int name = (int)strcspn (report->what, "\x1f");
    const struct source_code *code = source_code (report);

    if (code)
        return source_add_code (text, n, code, whole);
    n += snprintf (text + n, SUBJECT_SOURCES - n, "%s%.*s", n ? ", " : "",
                   MIN (length, SOURCE_MAX), file);
    if (whole)
        n += snprintf (text + n, SUBJECT_SOURCES - n, " in %.*s",
                       MIN (name, SOURCE_NAME), report->what);
    return n;
}

char *finding_source (char text[SUBJECT_SOURCES],
                      const struct finding *f,
                      const struct result *r,
                      int whole)
{
    const struct pointfaults *p = &r->totals->tally.points;
    const struct subject_time *of = NULL;
    size_t n = 0, found = 0, count = pointfaults_count (p, POINTFAULT_SOURCE);
    struct pointfault_text before = {.where = NULL};
    struct series file;
    char series[PATH_MAX] = "";

    text[0] = '\0';
    for (size_t i = 0; i < ITEMS (subject_times); i++)
        if (subject_times[i].part == f->part)
            of = &subject_times[i];
    if (!count || (!of && f->part != BILL_network && f->part != BILL_spawn) ||
        (of && !subject_heaviest (&file, r->totals->tally.files, of)))
        return text;
    if (of)
        path_series (series, file.path);
    for (size_t i = 0; i < count; i++) {
        struct pointfault_text report =
            pointfaults_text (p, POINTFAULT_SOURCE, i);

        if (!source_matches (report.what, f->part, of, series) ||
            (before.where && before.where_length == report.where_length &&
             memcmp (before.where, report.where, report.where_length) == 0))
            continue;
        before = report; /* a line may open files in several ways */
        if (found++ < SOURCES_NAMED)
            n = source_add (text, n, &report, whole);
    }
    if (found > SOURCES_NAMED)
        snprintf (text + n, SUBJECT_SOURCES - n, " and %zu more",
                  found - SOURCES_NAMED);
    return text;
}

/* --- when a finding was, and in whom --- */

static double
finding_since (const struct finding *f, const struct summary *s, uint64_t at)
{
    return f->when.until > f->when.from ? ((double)at - (double)s->start) / 1e9
                                        : NAN;
}

double finding_from (const struct finding *f, const struct summary *s)
{
    return finding_since (f, s, f->when.from);
}

double finding_until (const struct finding *f, const struct summary *s)
{
    return finding_since (f, s, f->when.until);
}

/* A process may have been several programs. */
static int finding_names (const struct finding *f,
                          const struct totals *t,
                          size_t n,
                          const struct trace_process *who)
{
    for (size_t k = 0; k < n; k++) {
        const struct trace_process *other =
            t->process[f->when.most[k].process].who;

        if (other->p.pid == who->p.pid &&
            strcmp (other->text[SHARD_STRING_HOST],
                    who->text[SHARD_STRING_HOST]) == 0)
            return 1;
    }
    return 0;
}

char *finding_pids (char text[SUBJECT_PIDS],
                    const struct finding *f,
                    const struct totals *t)
{
    size_t n = 0;

    text[0] = '\0';
    for (size_t k = 0; k < f->when.processes && k < ROW_MOST; k++) {
        const struct trace_process *who =
            t->process[f->when.most[k].process].who;

        if (!finding_names (f, t, k, who))
            n += snprintf (text + n, SUBJECT_PIDS - n, "%s%.64s:%u",
                           n ? ", " : "", who->text[SHARD_STRING_HOST],
                           who->p.pid);
    }
    return text;
}

char *finding_place (char text[SUBJECT_PLACE],
                     double from_s,
                     double until_s,
                     double processes,
                     const char *pids)
{
    char from[WORDS_MAX], until[WORDS_MAX], more[32] = "";
    size_t named = *pids != '\0', n = 0;

    for (const char *p = pids; (p = strchr (p, ',')); p++)
        named++;
    text[0] = '\0';
    if (!isnan (from_s))
        n = snprintf (text, SUBJECT_PLACE, "%s to %s of the job",
                      value_words (from, from_s, "s"),
                      value_words (until, until_s, "s"));
    if (processes > (double)named)
        FORMAT (more, " and %.0f more", processes - (double)named);
    if (*pids)
        snprintf (text + n, SUBJECT_PLACE - n, "%s%s%s", n ? "; " : "", pids,
                  more);
    return text;
}

/* --- a finding -> the rows of its view that it came from --- */

enum side { MOST, BOTH };

/* Look only at the files with the most bytes: the file of a finding is one of
 * them. */
enum { FILES_LOOKED_AT = 1000 };

#define INSIGHTROWS_MOST   0.9  /* of the time of calls, to name them */
#define INSIGHTROWS_LITTLE 0.01 /* of the first row: not worth a look */

static const struct choice {
    const char *key, *patterns, *by;
    enum side side;
    size_t most; /* 0: the whole table */
} choices[INSIGHT_COUNT] = {
#define ROWS(KEY, PATTERNS, BY, SIDE, MANY) \
    {                                       \
        KEY, PATTERNS, BY, SIDE, MANY       \
    }
#define ROWS_ALL                  \
    {                             \
        NULL, NULL, NULL, MOST, 0 \
    }
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, ...)                                \
    [INSIGHT_##NAME] = __VA_ARGS__, /* with commas where ROWS is expanded */
#include "lib/model/insights.def"
#undef INSIGHT
#undef ROWS_ALL
#undef ROWS
};

/* The columns that name a row, and what stands before and between them. */
static const struct naming {
    const char *before, *column, *between, *other;
} namings[VIEW_COUNT] = {
    [VIEW_health] = {"", "file", "", ""},
    [VIEW_metric] = {"", "metric", "", ""},
    [VIEW_peer] = {"", "peer", ":", "port"},
    [VIEW_wall] = {"", "cause", "", ""},
    [VIEW_call] = {"", "category", "/", "name"},
    [VIEW_operation] = {"", "category", "/", "name"},
    [VIEW_startup] = {"rank ", "rank", " on ", "host"},
    [VIEW_checkpoint] = {"rank ", "rank", " on ", "host"},
    [VIEW_clock] = {"", "host", "", ""},
    [VIEW_rank] = {"rank ", "rank", " on ", "host"},
    [VIEW_process] = {"", "host", ":", "pid"},
    [VIEW_file] = {"", "file", "", ""},
    [VIEW_mapping] = {"", "file", "", ""},
    [VIEW_fault] = {"", "category", "/", "name"},
    [VIEW_mount] = {"", "mount", "", ""},
    [VIEW_shared] = {"", "file", "", ""},
    [VIEW_mpiio] = {"", "kind", "", ""},
    [VIEW_hdf5] = {"", "path", "", "object"}, /* as h5ls has it */
};

/* --- cells ---------------------------------------------------------------- */

static const struct table_cell *
insightrows_cell_of (const struct textable *t, size_t row, const char *column)
{
    int at = textable_find (t, column);

    return at < 0 ? NULL : &t->cell[row * t->columns + (size_t)at];
}

static const char *
insightrows_text_of (const struct textable *t, size_t row, const char *column)
{
    const struct table_cell *c = insightrows_cell_of (t, row, column);

    return c && c->type == CELL_TEXT && c->text ? c->text : "";
}

static double
insightrows_number_of (const struct textable *t, size_t row, const char *column)
{
    return textable_number (t, row, textable_find (t, column));
}

static const char *insightrows_class_of (const struct textable *t, size_t row)
{
    const char *layer = insightrows_text_of (t, row, "category");
    const char *name = insightrows_text_of (t, row, "name");

    for (int i = 0; i < CALL_MAX; i++)
        if (call_table[i].name[0] && strcmp (call_table[i].name, name) == 0 &&
            strcmp (call_category_name (call_table[i].category), layer) == 0)
            return call_table[i].category >= CALL_CATEGORY_KERNEL
                       ? "" /* asked above POSIX, or seen below it */
                       : call_class_name (call_table[i].class);
    return "";
}

/* --- choosing ------------------------------------------------------------- */

static int
belongs (const struct textable *t, size_t row, const struct choice *c)
{
    if (!c->key[0])
        return 1;
    return pattern_match (c->patterns,
                          strcmp (c->key, "class") == 0
                              ? insightrows_class_of (t, row)
                              : insightrows_text_of (t, row, c->key));
}

/* Calls are counted on files of all kinds. Where a good part of the metadata is
 * not of data files, the rows of the view do not say what a rule about data
 * files is about. */
static int insightrows_is_about (const struct choice *c,
                                 const struct textable *t,
                                 const struct result *r)
{
    double all_s = 0, data_s = r->summary->n.data_meta.ns / 1e9;

    if (strcmp (c->patterns, "meta") != 0)
        return 1;
    for (size_t row = 0; row < t->rows; row++)
        if (belongs (t, row, c))
            all_s += insightrows_number_of (t, row, c->by);
    return data_s >= INSIGHTROWS_MOST * all_s;
}

static int insightrows_is_chosen (const struct insight_rows *rows, size_t row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i] == row + 1)
            return 1;
    return 0;
}

/* The best row that is not chosen yet; t->rows: none. Of equal ones the
 * first. */
static size_t best_row (const struct textable *t,
                        const struct choice *c,
                        const struct insight_rows *rows,
                        int least)
{
    size_t best = t->rows;
    double most = 0;

    for (size_t i = 0; i < t->rows; i++) {
        double v =
            c->by[0] ? insightrows_number_of (t, i, c->by) : (t->rows - i);

        if (isnan (v) || v == 0 || insightrows_is_chosen (rows, i) ||
            !belongs (t, i, c))
            continue;
        if (best == t->rows || (least ? v < most : v > most)) {
            best = i;
            most = v;
        }
    }
    return best;
}

/* After the largest one there may be rows that have nothing to do with what
 * was found, such as a flush of 2 us beside a second of fsync. */
static int insightrows_is_little (const struct textable *t,
                                  const struct choice *c,
                                  const struct insight_rows *rows,
                                  size_t row)
{
    if (c->side != MOST || !c->by[0] || rows->count == 0)
        return 0;
    return insightrows_number_of (t, row, c->by) <
           INSIGHTROWS_LITTLE *
               insightrows_number_of (t, rows->row[0] - 1, c->by);
}

static char *words_of (const struct textable *t, size_t row, const char *column)
{
    const struct table_cell *c =
        column[0] ? insightrows_cell_of (t, row, column) : NULL;

    if (c && c->type == CELL_NA)
        return xstrdup ("-");
    return c && c->type == CELL_UINT
               ? xasprintf ("%" PRIu64, c->u)
               : xstrdup (insightrows_text_of (t, row, column));
}

static char *insightrows_name_of (const struct textable *t,
                                  size_t row,
                                  const struct naming *n)
{
    char *first = words_of (t, row, n->column);
    char *second = words_of (t, row, n->other);
    char *name = xasprintf ("%s%s%s%s", n->before, first, n->between, second);

    free (first);
    free (second);
    return name;
}

void insight_rows (struct insight_rows *rows,
                   enum insight i,
                   const struct result *r)
{
    const struct choice *c = &choices[i];
    int view = view_parse (insight_table[i].from);
    struct textable *t;

    ZERO (rows);
    if (!c->most || view < 0 || !namings[view].column)
        return;
    t = view_make (r, view, view == VIEW_file ? FILES_LOOKED_AT : 0);
    while (insightrows_is_about (c, t, r) && rows->count < c->most) {
        size_t row = best_row (t, c, rows, c->side == BOTH && rows->count);

        if (row == t->rows || insightrows_is_little (t, c, rows, row))
            break;
        rows->row[rows->count] = row + 1;
        rows->name[rows->count++] =
            insightrows_name_of (t, row, &namings[view]);
    }
    textable_destroy (t);
}

void insight_rows_clear (struct insight_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free (rows->name[i]);
    rows->count = 0;
}
