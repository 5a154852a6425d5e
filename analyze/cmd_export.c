/* SPDX-License-Identifier: MIT
 *
 * cmd_export.c - `dftrace export`: events of a job -> CSV, JSON lines, Chrome
 *
 * In:  a job directory, or trace files of ours or of DFTracer
 * Out: every event, or those that --where lets through, by their ends
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cmd.h"
#include "analyze/filelimit.h"
#include "analyze/stream.h"
#include "analyze/where.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

enum format { FORMAT_CSV, FORMAT_JSONL, FORMAT_CHROME };
enum { EXPORT_MODE = 0600, TEXT_MAX = EVENT_NAME_MAX + 1 };

struct export
{
    const char *format_word, *output;
    struct opt_list conditions;
    enum format format;
    struct where where;
    FILE *out;
    uint64_t start, events; /* ns of CLOCK_REALTIME; written */
    /* texts of the event at hand */
    char category[TEXT_MAX], name[TEXT_MAX], file[TEXT_MAX];
};

static const struct verb_help export_help = {
    .usage = "dftrace export [OPTION…] DIR|FILE",
    .summary = "events of a job -> CSV, JSON lines, Chrome's trace viewer",
    .text = "Conditions: cat, name, file and host take shell patterns (file: "
            "as for --data-pattern of analyze), pid, tid, rank and time "
            "(seconds from the start of the job) a number or a range: N, N-M, "
            "N-, -M. All have to hold; != turns one round. DFTracer's format "
            "is written by dftrace merge --pfw.",
    .example = "  $ dftrace export dftrace/pretrain-4711 >events.csv\n"
               "  $ dftrace export -f chrome -w rank=0 -w time=10-12 -o "
               "rank0.json dftrace/pretrain-4711\n"
               "  $ dftrace export -f jsonl -w cat=POSIX -w 'file=*.bin' "
               "a.pfw.gz | jq .size",
    .exits = "0  all events\n"
             "1  nothing to export, or not writable\n"
             "2  wrong words on the command line\n"
             "5  done, but something is lost or damaged",
};

/* --- one event -------------------------------------------------------- */

static void copy_text (char *to, const char *from, size_t n)
{
    if (n >= TEXT_MAX)
        n = TEXT_MAX - 1;
    if (n)
        memcpy (to, from, n);
    to[n] = '\0';
}

static void take_texts (struct export *x, const struct stream *t)
{
    const struct call_info *info = &call_table[t->ev.call];
    const struct name *name = decoder_name (&t->decoder, t->ev.file);
    const char *category = call_category_name (info->category);
    size_t n;

    copy_text (x->category, category, strlen (category));
    copy_text (x->name, info->name ? info->name : "",
               info->name ? strlen (info->name) : 0);
    x->file[0] = '\0';
    if (!name)
        return;
    if (info->category != CALL_CATEGORY_APP) {
        copy_text (x->file, name->text, name->length);
        return;
    }
    n = strnlen (name->text, name->length);
    copy_text (x->category, name->text, n);
    copy_text (x->name, name->text + n + 1,
               name->length > n ? name->length - n - 1 : 0);
}

static int
wanted (const struct export *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    const struct where_event e = {
        .text = {x->category, x->name, x->file, who->text[SHARD_STRING_HOST]},
        .number = {[WHERE_PID] = who->p.pid,
                   [WHERE_TID] = t->tid,
                   [WHERE_RANK] = who->p.rank,
                   [WHERE_TIME] = (double)(start - x->start) / 1e9}};

    return where_match (&x->where, &e);
}

/* --- CSV ---------------------------------------------------------------- */

static void put_cell (FILE *out, const char *text)
{
    if (text[strcspn (text, ",\"\n\r")] == '\0') {
        (void)fprintf (out, ",%s", text);
        return;
    }
    (void)fputs (",\"", out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc ('"', out);
        (void)fputc (*text, out);
    }
    (void)fputc ('"', out);
}

static void put_csv (struct export *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    const struct event *ev = &t->ev;
    unsigned fields = call_table[ev->call].fields;
    int app = call_table[ev->call].category == CALL_CATEGORY_APP;
    FILE *out = x->out;

    (void)fprintf (out, "%" PRIu64 ",%" PRIu64, start, t->end - start);
    put_cell (out, who->text[SHARD_STRING_HOST]);
    (void)fprintf (out, ",%u,%u,", who->p.pid, t->tid);
    if (who->p.rank >= 0)
        (void)fprintf (out, "%d", who->p.rank);
    put_cell (out, x->category);
    put_cell (out, x->name);
    put_cell (out, x->file);
    (void)fputc (',', out);
    if (fields & F_SIZE)
        (void)fprintf (out, "%" PRIu64, ev->size);
    (void)fputc (',', out);
    if (fields & F_OFFSET && ev->offset >= 0)
        (void)fprintf (out, "%" PRId64, ev->offset);
    (void)fputc (',', out);
    if (!app)
        (void)fprintf (out, "%" PRId64, ev->ret);
    (void)fprintf (out, ",%d\n", ev->err);
}

/* --- JSON ---------------------------------------------------------------- */

static void
put_arg (struct json *j, const struct stream *t, const struct event_arg *arg)
{
    const struct name *key = decoder_name (&t->decoder, arg->key);
    const struct name *text = decoder_name (&t->decoder, arg->text);
    char name[256];
    size_t n = key ? key->length : 0;

    if (n >= sizeof (name))
        n = sizeof (name) - 1;
    if (n)
        memcpy (name, key->text, n);
    name[n] = '\0';
    if (arg->type == EVENT_ARG_INT)
        json_int (j, name, arg->i);
    else if (arg->type == EVENT_ARG_DOUBLE)
        json_double (j, name, arg->d);
    else
        json_bytes (j, name, text ? text->text : "", text ? text->length : 0);
}

static void
put_facts (struct json *j, const struct export *x, const struct stream *t)
{
    const struct event *ev = &t->ev;
    unsigned fields = call_table[ev->call].fields;

    if (x->file[0])
        json_bytes (j, "file", x->file, strlen (x->file));
    if (fields & F_SIZE)
        json_uint (j, "size", ev->size);
    if (fields & F_OFFSET && ev->offset >= 0)
        json_int (j, "offset", ev->offset);
    if (call_table[ev->call].category != CALL_CATEGORY_APP)
        json_int (j, "ret", ev->ret);
    if (ev->err)
        json_int (j, "errno", ev->err);
}

static void put_jsonl (struct export *x, const struct stream *t, uint64_t start)
{
    const struct trace_process *who = t->part->who;
    struct json j;

    json_init (&j, x->out, 1);
    json_open (&j, NULL, '{');
    json_uint (&j, "time_ns", start);
    json_uint (&j, "dur_ns", t->end - start);
    json_text (&j, "host", who->text[SHARD_STRING_HOST]);
    json_uint (&j, "pid", who->p.pid);
    json_uint (&j, "tid", t->tid);
    if (who->p.rank >= 0)
        json_int (&j, "rank", who->p.rank);
    json_bytes (&j, "cat", x->category, strlen (x->category));
    json_bytes (&j, "name", x->name, strlen (x->name));
    put_facts (&j, x, t);
    if (t->ev.nargs)
        json_open (&j, "args", '{');
    for (int i = 0; i < t->ev.nargs; i++)
        put_arg (&j, t, &t->ev.args[i]);
    if (t->ev.nargs)
        json_close (&j, '}');
    json_close (&j, '}');
}

/* Times in us from the start of the job: Chrome's are doubles. */
static void
put_chrome (struct export *x, const struct stream *t, uint64_t start)
{
    struct json j;

    if (x->events)
        (void)fputc (',', x->out);
    json_init (&j, x->out, 1);
    json_open (&j, NULL, '{');
    json_bytes (&j, "name", x->name, strlen (x->name));
    json_bytes (&j, "cat", x->category, strlen (x->category));
    json_text (&j, "ph", "X");
    json_double (&j, "ts", (double)(start - x->start) / 1e3);
    json_double (&j, "dur", (double)(t->end - start) / 1e3);
    json_uint (&j, "pid", t->part->who->p.pid);
    json_uint (&j, "tid", t->tid);
    json_open (&j, "args", '{');
    put_facts (&j, x, t);
    for (int i = 0; i < t->ev.nargs; i++)
        put_arg (&j, t, &t->ev.args[i]);
    json_close (&j, '}');
    json_close (&j, '}');
}

/* --- a job -------------------------------------------------------------- */

static void put_event (struct export *x, const struct stream *t)
{
    uint64_t start = trace_real_ns (t->part->who, t->ev.start);

    take_texts (x, t);
    if (!wanted (x, t, start))
        return;
    if (x->format == FORMAT_CSV)
        put_csv (x, t, start);
    else if (x->format == FORMAT_JSONL)
        put_jsonl (x, t, start);
    else
        put_chrome (x, t, start);
    x->events++;
}

static void find_start (struct export *x, const struct parts *parts)
{
    x->start = UINT64_MAX;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->item[i].who->p.start_real < x->start)
            x->start = parts->item[i].who->p.start_real;
}

/* 0, or -1 (ENOMEM); *bad gets the events that cannot be decoded. */
static int put_all (struct export *x, const struct parts *parts, uint64_t *bad)
{
    struct streams streams;
    struct stream *t;
    int rc = 0;

    find_start (x, parts);
    if (streams_open (&streams, parts) < 0)
        return -1;
    if (x->format == FORMAT_CSV)
        (void)fputs ("time_ns,dur_ns,host,pid,tid,rank,cat,name,file,size,"
                     "offset,ret,errno\n",
                     x->out);
    else if (x->format == FORMAT_CHROME)
        (void)fputs ("{\"traceEvents\":[\n", x->out);
    while (rc == 0 && (t = streams_top (&streams))) {
        put_event (x, t);
        rc = streams_next (&streams);
    }
    if (x->format == FORMAT_CHROME)
        (void)fputs ("]}\n", x->out);
    *bad = streams.bad;
    streams_close (&streams);
    return rc;
}

static int
write_out (struct export *x, const struct parts *parts, uint64_t *bad)
{
    struct atomic_file *a = NULL;
    struct errtext err;

    x->out = stdout;
    if (x->output) {
        if (!(a = atomic_open (x->output, EXPORT_MODE, &err)))
            goto error;
        x->out = atomic_stream (a);
    }
    if (put_all (x, parts, bad) < 0 || fflush (x->out) != 0) {
        (void)errf (&err, "%s: %s", x->output ? x->output : "standard output",
                    strerror (errno));
        atomic_abort (a);
        goto error;
    }
    if (!a || atomic_commit (a, &err) == 0)
        return 0;
error:
    log_error ("%s", err.text);
    return -1;
}

static int damaged (const struct job *job)
{
    int bad = 0;

    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];
        const struct trace_health *h =
            s->file ? tracefile_health (s->file) : NULL;

        if (!h)
            log_warn ("%s", s->problem.text);
        bad |= !h || h->lost || h->missing || h->cut || pfw_lost (&s->lines) ||
               s->lines.in.cut || s->lines.in.members_bad;
    }
    return bad;
}

static int export_job (struct export *x, struct job *job)
{
    struct parts parts = {0};
    struct errtext err;
    uint64_t lost = 0;
    int status = EXIT_FAILED, bad;

    if (job_open (job, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    bad = damaged (job);
    if (parts_make (&parts, job) < 0)
        log_error ("%s: out of memory", job->label);
    else if (parts.count == 0)
        log_error ("%s: no readable trace in it", job->label);
    else if (write_out (x, &parts, &lost) == 0)
        status = bad || lost ? EXIT_DAMAGED : EXIT_OK;
    if (status == EXIT_DAMAGED)
        log_warn ("%s: events are missing: see dftrace analyze --view health",
                  job->label);
    parts_clear (&parts);
    job_close (job);
    return status;
}

/* --- options -------------------------------------------------------------- */

static int take_words (struct export *x, struct errtext *err)
{
    static const char *const formats[] = {"csv", "jsonl", "chrome", NULL};
    int i = 0;

    while (formats[i] && strcmp (formats[i], x->format_word) != 0)
        i++;
    if (!formats[i])
        return errf (err,
                     "--format %s: no such format: use csv, jsonl or chrome",
                     x->format_word);
    x->format = (enum format)i;
    for (i = 0; i < x->conditions.count; i++)
        if (where_add (&x->where, x->conditions.item[i], err) < 0)
            return -1;
    return 0;
}

int cmd_export (int argc, char **argv)
{
    static struct export x;
    const struct opt opts[] = {
        {"format", 'f', OPT_TEXT, &x.format_word, "FORMAT",
         "csv, jsonl or chrome (csv)"},
        {"where", 'w', OPT_LIST, &x.conditions, "CONDITION",
         "only events for which this holds; may be given again"},
        {"output", 'o', OPT_TEXT, &x.output, "FILE",
         "write there, atomically (standard output)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct joblist jobs = {0};
    struct errtext err;
    int operands = 0, status = EXIT_USAGE;

    memset (&x, 0, sizeof (x));
    x.format_word = "csv";
    switch (optparse (opts, &export_help, argc, argv, 0, &operands, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return EXIT_USAGE;
    default:
        break;
    }
    if (argc - operands != 1)
        log_error ("export: name one job directory or trace file");
    else if (take_words (&x, &err) < 0)
        log_error ("%s", err.text);
    else {
        filelimit_raise ();
        status = EXIT_FAILED;
        if (joblist_add (&jobs, argv[operands], &err) < 0)
            log_error ("%s", err.text);
        else if (jobs.count != 1)
            log_error ("%s: a sweep: name one of its runs", argv[operands]);
        else
            status = export_job (&x, &jobs.item[0]);
        joblist_clear (&jobs);
    }
    return status;
}
