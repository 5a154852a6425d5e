/* SPDX-License-Identifier: MIT
 *
 * cmd_stat.c - `dftrace stat`: what is in a trace, and what is missing
 *
 * In:  trace files, job directories
 * Out: a few lines per process from the block headers; with --events every
 *      event
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/scan/pointfault.h"
#include "analyze/tables/eventprint.h"
#include "analyze/trace/find.h"
#include "analyze/trace/parts.h"
#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

struct stat_options {
    int events;
    const char *format;
};

static const struct verb_help stat_help = {
    .usage = "dftrace stat [OPTION...] FILE|DIR...",
    .summary = "Show what a trace contains, and what is missing.",
    .text =
        "This command reads only the headers of the blocks and the few "
        "blocks with metadata, so it is fast for any trace. Checksums are "
        "checked with --events, and by dftrace-analyze(1).\n\n"
        "--events prints the events of one thread after the other, in the "
        "order in which they ended. Times are relative to the start of the "
        "process; with --format jsonl they (time_ns) are ns since 1970, as in "
        "dftrace-export(1).",
    .example = "  $ dftrace stat dftrace/pretrain-4711\n"
               "  $ dftrace stat --events --format jsonl shard.dft | head\n",
    .exits = "0  read\n"
             "1  cannot be read\n"
             "2  wrong words on the command line\n"
             "5  read, but something is lost or damaged\n",
};

/* --- one process ------------------------------------------------------ */

/* Sums over the chunks of a process. */
struct sums {
    uint64_t events, bytes, threads, cut;
    uint64_t first, last; /* ns of CLOCK_MONOTONIC, bases of chunks */
};

static struct sums cmd_stat_sum_up (const struct part *part)
{
    struct sums s = {.first = UINT64_MAX};

    for (size_t i = 0; i < part->chunks; i++) {
        const struct shard_block *b = &part->chunk[i]->head;

        s.events += part->chunk[i]->events;
        s.bytes += part->chunk[i]->used;
        if (part->chunk[i]->present < part->chunk[i]->used)
            s.cut += part->chunk[i]->events;
        if (b->base_ns < s.first)
            s.first = b->base_ns;
        if (b->base_ns > s.last)
            s.last = b->base_ns;
    }
    for (size_t i = 0; i < part->chunks; i = part_thread_end (part, i))
        s.threads++;
    return s;
}

/* The rest of a line, whatever it is made of. */
static void print_words (const char *text)
{
    for (; *text; text++)
        putchar (*text == 0x1f                 ? ' '
                 : (unsigned char)*text < 0x20 ? '?'
                                               : *text);
    putchar ('\n');
}

static void print_ids (const struct shard_process *p)
{
    if (p->job_id)
        printf ("  job      %" PRIu64, p->job_id);
    if (p->array_job_id && p->array_task_id >= 0)
        printf (" (%" PRIu64 "_%" PRId64 ")", p->array_job_id,
                p->array_task_id);
    if (p->step_id >= 0)
        printf (" step %" PRId64, p->step_id);
    if (p->restart)
        printf (" restart %u", p->restart);
    if (p->job_id)
        putchar ('\n');
    if (p->rank >= 0)
        printf ("  rank     %d of %u, local %d\n", p->rank, p->ranks,
                p->local_rank);
}

static void print_losses (const struct part *part, const struct sums *s)
{
    const struct shard_process *p = &part->who->p;
    const struct {
        uint64_t count;
        const char *what;
    } losses[] = {
        {p->lost_busy, "events inside our own code"},
        {p->lost_space, "events without room, or of children without a file"},
        {p->lost_names, "names without room"},
        {p->untraced, "children not traced"},
        {p->rings, "io_urings: the results of their requests"},
        {p->requests, "requests of io_urings: their results"},
        {part->missing, "events no longer in the file, or more"},
        {s->cut, "events in a chunk that is cut, or fewer"},
        {part->who->damaged != 0, "process block damaged"},
    };

    for (size_t i = 0; i < ITEMS (losses); i++)
        if (losses[i].count)
            printf ("  lost     %" PRIu64 " %s\n", losses[i].count,
                    losses[i].what);
}

/* Print what a trace without events has instead. */
static void cmd_stat_profile (const struct part *part)
{
    const struct trace_process *first = tracefile_process (part->file, 0);
    size_t blocks = 0;
    uint64_t bytes = 0;

    for (size_t i = 0; i < tracefile_profiles (part->file); i++) {
        const struct trace_chunk *c = tracefile_profile (part->file, i);

        if (first + c->head.proc != part->who)
            continue;
        blocks++;
        bytes += c->used;
    }
    if (blocks)
        printf ("  profile  %" PRIu64 " bytes in %zu blocks\n", bytes, blocks);
}

static void print_part (const struct part *part)
{
    const struct trace_process *who = part->who;
    struct sums s = cmd_stat_sum_up (part);
    char layers[128];

    printf ("process %u on %s\n", who->p.pid, who->text[SHARD_STRING_HOST]);
    printf ("  exe      %s\n", who->text[SHARD_STRING_EXE]);
    fputs ("  argv     ", stdout);
    print_words (who->text[SHARD_STRING_ARGV]);
    printf ("  parent   %u\n", who->p.ppid);
    print_ids (&who->p);
    printf ("  layers   %s\n",
            layers_format (who->p.layers, layers, sizeof (layers)));
    if (who->p.end_ns)
        printf ("  time     %.6f s\n", (who->p.end_ns - who->p.start_ns) / 1e9);
    else if (who->p.exec_ns)
        printf ("  time     %.6f s until an exec\n",
                (who->p.exec_ns - who->p.start_ns) / 1e9);
    else
        printf ("  time     %.6f s or more: no orderly end\n",
                s.events ? (s.last - who->p.start_ns) / 1e9 : 0);
    printf ("  threads  %" PRIu64 "\n", s.threads);
    printf ("  events   %" PRIu64 " in %zu chunks, %.1f bytes each\n", s.events,
            part->chunks, s.events ? (double)s.bytes / (double)s.events : 0);
    cmd_stat_profile (part);
    print_losses (part, &s);
}

/* --- one trace -------------------------------------------------------- */

static void print_total (const struct job *job, const struct parts *parts)
{
    uint64_t bytes = 0, payload = 0, events = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            bytes += tracefile_health (job->source[i].file)->bytes;
    for (size_t i = 0; i < parts->count; i++) {
        struct sums s = cmd_stat_sum_up (&parts->item[i]);

        events += s.events;
        payload += s.bytes;
    }
    printf ("%s: %zu files, %zu processes, %" PRIu64 " events, %" PRIu64
            " bytes, %" PRIu64 " of them events\n",
            job->label, job->sources, parts->count, events, bytes, payload);
}

/* As dftrace analyze says it. */
static void cmd_stat_untraced (const struct job *job, const struct parts *parts)
{
    enum { PLACES = 400 };
    struct untraced u = {.count = 0};
    char words[2 * PLACES];
    uint64_t counted = 0;

    for (size_t i = 0; i < parts->count; i++)
        counted += parts->item[i].who->p.untraced;
    untraced_load (&u, job->dir);
    untracedlist_look (&u, job->dir);
    if (*untracedlist_words (&u, counted > u.lines ? counted - u.lines : 0,
                             words, sizeof (words), PLACES))
        printf ("not traced: %s\n", words);
    untracedlist_clear (&u);
}

/* --- trace points ----------------------------------------------------- */

static void chunk_points (struct pointfaults *p,
                          const struct dict *dict,
                          struct batch_reader *r)
{
    const struct batch *b;

    while (batch_reader_next (r, &b) > 0)
        for (size_t i = 0; i < b->count; i++)
            if (b->call[i] == CALL_metadata)
                pointfaults_take (p, dict, b, i);
}

/* Only the chunks that say that there is metadata in them are read. */
static void find_points (struct pointfaults *p, const struct parts *parts)
{
    struct dict *dict = dict_create (NULL);
    struct batch_reader *r = batch_reader_create (dict);

    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->item[i];

        for (size_t c = 0; c < part->chunks; c++)
            if (part->chunk[c]->head.flags & SHARD_FACTS &&
                batch_reader_chunk (r, part, i, part->chunk[c]) == 0)
                chunk_points (p, dict, r);
    }
    batch_reader_destroy (r);
    dict_destroy (dict);
}

static void print_points (const struct parts *parts)
{
    struct pointfaults p = {0};

    find_points (&p, parts);
    for (int f = 0; f < POINTFAULT_FAULTS; f++) {
        size_t n = pointfaults_count (&p, f);

        if (n)
            printf ("trace points: %zu %s: %s\n", n, pointfault_table[f].word,
                    pointfault_table[f].meaning);
        for (size_t i = 0; i < n; i++) {
            fputs ("  ", stdout);
            print_words (pointfaults_text (&p, f, i).where);
        }
    }
    pointfaults_clear (&p);
}

/* By the headers. */
static int cmd_stat_damaged (const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        const struct trace_health *h;

        if (!job->source[i].file)
            return 1;
        h = tracefile_health (job->source[i].file);
        if (h->cut || h->chunks_cut || h->missing || h->lost || h->lost_names ||
            h->bytes_skipped)
            return 1;
    }
    return 0;
}

static int cmd_stat_show (const struct stat_options *o, const struct job *job)
{
    struct parts parts;
    uint64_t bad = 0;
    int rc = 0;

    parts_make (&parts, job);
    if (!o->events) {
        print_total (job, &parts);
        cmd_stat_untraced (job, &parts);
        for (size_t i = 0; i < parts.count; i++)
            print_part (&parts.item[i]);
        print_points (&parts);
    } else
        rc = eventwrite_by_thread (
            strcmp (o->format, "jsonl") == 0 ? EVENTS_JSONL : EVENTS_TEXT,
            stdout, &parts, &bad);
    if (rc < 0)
        log_error ("%s: out of memory", job->label);
    if (bad)
        log_warn ("%s: %" PRIu64 " events are in damaged chunks", job->label,
                  bad);
    rc = rc < 0 || parts.count == 0      ? EXIT_FAILED
         : bad || cmd_stat_damaged (job) ? EXIT_DAMAGED
                                         : EXIT_OK;
    parts_clear (&parts);
    return rc;
}

static int cmd_stat_stat_path (const struct stat_options *o, const char *path)
{
    struct joblist jobs = {0};
    struct errtext err;
    int status = EXIT_OK;

    if (joblist_add (&jobs, path, &err) < 0) {
        log_error ("%s", err.text);
        status = EXIT_FAILED;
    }
    for (size_t i = 0; i < jobs.count; i++) {
        struct job *job = &jobs.item[i];
        int one = EXIT_FAILED;

        if (job_open (job, &err) < 0)
            log_error ("%s", err.text);
        else
            one = cmd_stat_show (o, job);
        for (size_t s = 0; s < job->sources; s++)
            if (!job->source[s].file)
                log_error ("%s", job->source[s].problem.text);
        if (one == EXIT_FAILED || status == EXIT_OK)
            status = one;
        job_close (job);
    }
    joblist_clear (&jobs);
    return status;
}

int cmd_stat (int argc, char **argv)
{
    struct stat_options o = {0, "text"};
    const struct opt opts[] = {
        {"events", 'e', OPT_FLAG, &o.events, NULL, "print every event"},
        {"format", 'f', OPT_TEXT, &o.format, "FORMAT",
         "text, or jsonl: events as lines of JSON (text)"},
        OPT_END,
    };
    int operands = optparse_operands (opts, &stat_help, argc, argv);
    int status = EXIT_OK, jsonl;

    jsonl = strcmp (o.format, "jsonl") == 0;
    if (operands == argc || (!jsonl && strcmp (o.format, "text") != 0) ||
        (jsonl && !o.events)) {
        log_error (operands == argc ? "stat: no trace: name a file or a job "
                                      "directory"
                   : jsonl          ? "stat: --format jsonl is for --events"
                           : "stat: no such format: use text or jsonl");
        return EXIT_USAGE;
    }
    filelimit_raise ();
    for (int i = operands; i < argc; i++) {
        int one = cmd_stat_stat_path (&o, argv[i]);

        if (one == EXIT_FAILED || status == EXIT_OK)
            status = one;
    }
    return status;
}
