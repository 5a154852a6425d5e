/* SPDX-License-Identifier: MIT
 *
 * pfw.c - traces of a job -> DFTracer's JSON lines (dialect of 2025)
 *
 * In:  struct parts, from parts.c
 * Out: combined.pfw.gz: "[", a line per event or name, "]"; hashes are 16 hex
 *      digits; times are microseconds of CLOCK_REALTIME
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gzblock.h"
#include "analyze/md5.h"
#include "analyze/pfw.h"
#include "analyze/stream.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/progress.h"
#include "lib/util/strmap.h"

enum { PFW_MODE = 0600, HASH_TEXT = 17 };

struct pfw {
    struct gzblock *gz;
    struct strmap *names; /* "FH" and text; the value is its hash */
    struct streams streams;
    uint64_t id, lines;
};

/* --- names --------------------------------------------------------------- */

/* As dftracer makes them: bytes 0, 2, … 14 of the MD5, in hex. */
static void hash_text (const char *text, size_t n, char hash[HASH_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[MD5_BYTES];

    md5 (text, n, digest);
    for (int i = 0; i < MD5_BYTES / 2; i++) {
        hash[2 * i] = digits[digest[2 * i] >> 4];
        hash[2 * i + 1] = digits[digest[2 * i] & 15];
    }
    hash[HASH_TEXT - 1] = '\0';
}

static int end_line (struct pfw *p, uint64_t time)
{
    p->lines++;
    return fputc ('\n', gzblock_stream (p->gz)) < 0
               ? -1
               : gzblock_line (p->gz, time);
}

/* {"id":…,"name":"…","cat":"…","pid":…,"tid":… */
static FILE *begin_line (struct pfw *p,
                         const struct trace_process *who,
                         uint32_t tid,
                         const char *name,
                         size_t name_length,
                         const char *category,
                         size_t category_length)
{
    FILE *out = gzblock_stream (p->gz);

    (void)fprintf (out, "{\"id\":%" PRIu64 ",\"name\":\"", ++p->id);
    json_escape (out, name, name_length);
    (void)fputs ("\",\"cat\":\"", out);
    json_escape (out, category, category_length);
    (void)fprintf (out, "\",\"pid\":%u,\"tid\":%u", who->p.pid, tid);
    return out;
}

static FILE *begin_own (struct pfw *p,
                        const struct trace_process *who,
                        uint32_t tid,
                        const char *name)
{
    return begin_line (p, who, tid, name, strlen (name), "dftracer", 8);
}

/* The hash of a text, after a line that says so the first time. NULL: no
 * memory, or a failed write. */
static const char *name_hash (struct pfw *p,
                              const struct trace_process *who,
                              uint32_t tid,
                              const char *kind,
                              const char *text,
                              size_t n)
{
    const char *host = who->text[SHARD_STRING_HOST];
    char *key = malloc (n + 3), hhash[HASH_TEXT], *hash;
    int64_t at = -1;
    int isnew;
    FILE *out;

    if (!key)
        return NULL;
    memcpy (key, kind, 2);
    memcpy (key + 2, text, n);
    at = strmap_intern (p->names, key, n + 2, &isnew);
    free (key);
    if (at < 0)
        return NULL;
    if (!isnew)
        return strmap_value (p->names, (size_t)at);
    if (!(hash = malloc (HASH_TEXT)))
        return NULL;
    strmap_set (p->names, (size_t)at, hash);
    hash_text (text, n, hash);
    hash_text (host, strlen (host), hhash);
    out = begin_own (p, who, tid, kind);
    (void)fprintf (out, ",\"ph\":\"M\",\"args\":{\"hhash\":\"%s\",\"name\":\"",
                   hhash);
    json_escape (out, text, n);
    (void)fprintf (out, "\",\"value\":\"%s\"}}", hash);
    return end_line (p, 0) < 0 ? NULL : hash;
}

static const char *text_hash (struct pfw *p,
                              const struct trace_process *who,
                              const char *kind,
                              const char *text)
{
    return name_hash (p, who, who->p.pid, kind, text, strlen (text));
}

/* The command line with blanks between its words. */
static const char *command_hash (struct pfw *p, const struct trace_process *who)
{
    char *text = strdup (who->text[SHARD_STRING_ARGV]);
    const char *hash = NULL;

    for (char *c = text; c && *c; c++)
        if (*c == 0x1f)
            *c = ' ';
    if (text)
        hash = text_hash (p, who, "SH", text);
    free (text);
    return hash;
}

/* --- processes ------------------------------------------------------------ */

static int
put_rank (struct pfw *p, const struct trace_process *who, const char *hhash)
{
    FILE *out = begin_own (p, who, who->p.pid, "PR");

    (void)fprintf (out,
                   ",\"ph\":\"M\",\"args\":{\"hhash\":\"%s\",\"name\":"
                   "\"rank\",\"value\":\"%d\"}}",
                   hhash, who->p.rank);
    return end_line (p, 0);
}

static int put_process (struct pfw *p, const struct trace_process *who)
{
    const char *hhash = text_hash (p, who, "HH", who->text[SHARD_STRING_HOST]);
    const char *exec = text_hash (p, who, "SH", who->text[SHARD_STRING_EXE]);
    const char *cmd = command_hash (p, who);
    const char *cwd = text_hash (p, who, "FH", who->text[SHARD_STRING_CWD]);
    uint64_t us = who->p.start_real / 1000;
    FILE *out;

    if (!hhash || !exec || !cmd || !cwd ||
        (who->p.rank >= 0 && put_rank (p, who, hhash) < 0))
        return -1;
    out = begin_own (p, who, who->p.pid, "start");
    (void)fprintf (out,
                   ",\"ts\":%" PRIu64
                   ",\"dur\":0,\"ph\":\"X\",\"args\":{\"hhash\":\"%s\","
                   "\"exec_hash\":\"%s\",\"cmd_hash\":\"%s\",\"cwd\":\"%s\","
                   "\"ppid\":%u,\"job_id\":%" PRIu64 "}}",
                   us, hhash, exec, cmd, cwd, who->p.ppid, who->p.job_id);
    return end_line (p, us);
}

/* --- events --------------------------------------------------------------- */

static void
put_call_args (FILE *out, const struct event *ev, const struct call_info *info)
{
    if (info->fields & F_FD)
        (void)fprintf (out, ",\"fd\":%d", ev->fd);
    if (info->fields & F_SIZE)
        (void)fprintf (out, ",\"count\":%" PRIu64, ev->size);
    if (info->fields & F_OFFSET && ev->offset >= 0)
        (void)fprintf (out, ",\"offset\":%" PRId64, ev->offset);
    if (info->fields & F_FLAGS)
        (void)fprintf (out, ",\"flags\":%" PRIu64, ev->flags);
    (void)fprintf (out, ",\"ret\":%" PRId64, ev->ret);
    if (ev->err)
        (void)fprintf (out, ",\"errno\":%d", ev->err);
}

static void put_app_args (FILE *out, const struct stream *t)
{
    char number[32];

    for (int i = 0; i < t->ev.nargs; i++) {
        const struct event_arg *arg = &t->ev.args[i];
        const struct name *key = decoder_name (&t->decoder, arg->key);
        const struct name *text = decoder_name (&t->decoder, arg->text);

        if (!key)
            continue;
        (void)fputs (",\"", out);
        json_escape (out, key->text, key->length);
        (void)fputs ("\":", out);
        if (arg->type == EVENT_ARG_INT)
            (void)fprintf (out, "%" PRId64, arg->i);
        else if (arg->type == EVENT_ARG_DOUBLE)
            (void)fputs (json_number (number, sizeof (number), arg->d), out);
        else {
            (void)fputc ('"', out);
            if (text)
                json_escape (out, text->text, text->length);
            (void)fputc ('"', out);
        }
    }
}

/* Microseconds from a nanosecond on; what follows can never begin before the
 * end of what came before, and lengths add up. */
static void put_times (FILE *out, const struct stream *t, uint64_t *us)
{
    *us = trace_real_ns (t->part->who, t->ev.start) / 1000;
    (void)fprintf (out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"ph\":\"X\"",
                   *us, t->end / 1000 - *us);
}

static int put_event (struct pfw *p, const struct stream *t)
{
    const struct trace_process *who = t->part->who;
    const struct call_info *info = &call_table[t->ev.call];
    const struct name *name = decoder_name (&t->decoder, t->ev.file);
    int app = info->category == CALL_CATEGORY_APP;
    const char *category = call_category_name (info->category);
    const char *called = info->name, *fhash = NULL;
    const char *hhash = text_hash (p, who, "HH", who->text[SHARD_STRING_HOST]);
    size_t category_length = strlen (category), length = strlen (called);
    uint64_t us;
    FILE *out;

    if (app && name) {
        category = name->text;
        category_length = strnlen (name->text, name->length);
        called = category + category_length + 1;
        length = name->length > category_length
                     ? name->length - category_length - 1
                     : 0;
    } else if (name && !(fhash = name_hash (p, who, t->tid, "FH", name->text,
                                            name->length)))
        return -1;
    if (!hhash)
        return -1;
    out =
        begin_line (p, who, t->tid, called, length, category, category_length);
    put_times (out, t, &us);
    (void)fprintf (out, ",\"args\":{\"hhash\":\"%s\"", hhash);
    if (fhash)
        (void)fprintf (out, ",\"fhash\":\"%s\"", fhash);
    if (app)
        put_app_args (out, t);
    else
        put_call_args (out, &t->ev, info);
    (void)fputs ("}}", out);
    return end_line (p, us);
}

static int
put_all (struct pfw *p, const struct parts *parts, struct pfw_report *report)
{
    struct stream *t;

    if (fputs ("[", gzblock_stream (p->gz)) < 0 || end_line (p, 0) < 0)
        return -1;
    for (size_t i = 0; i < parts->count; i++)
        if (put_process (p, parts->item[i].who) < 0)
            return -1;
    while ((t = streams_top (&p->streams))) {
        if (put_event (p, t) < 0 || streams_next (&p->streams) < 0)
            return -1;
        report->events++;
        if (report->events % 1024 == 0)
            progress_add (1024);
    }
    report->bad = p->streams.bad;
    return fputs ("]", gzblock_stream (p->gz)) < 0 ? -1 : end_line (p, 0);
}

/* --- files ------------------------------------------------------------------
 */

static uint64_t events_of (const struct parts *parts)
{
    uint64_t events = 0;

    for (size_t i = 0; i < parts->count; i++)
        for (size_t c = 0; c < parts->item[i].chunks; c++)
            events += parts->item[i].chunk[c]->events;
    return events;
}

static int write_lines (const struct parts *parts,
                        FILE *out,
                        FILE *index,
                        struct pfw_report *report)
{
    struct pfw p = {.gz = gzblock_create (out, index),
                    .names = strmap_create ()};
    int rc = -1;

    progress_start ("export", events_of (parts), "events");
    if (p.gz && p.names && streams_open (&p.streams, parts) == 0)
        rc = put_all (&p, parts, report);
    progress_end ();
    if (p.gz && gzblock_destroy (p.gz) < 0)
        rc = -1;
    for (size_t i = 0; p.names && i < strmap_count (p.names); i++)
        free (strmap_value (p.names, i));
    strmap_destroy (p.names);
    streams_close (&p.streams);
    return rc;
}

int pfw_write (const struct parts *parts,
               const char *path,
               struct pfw_report *report,
               struct errtext *err)
{
    char *idx = text_format ("%s.idx", path);
    struct atomic_file *lines = atomic_open (path, PFW_MODE, err);
    struct atomic_file *index =
        idx && lines ? atomic_open (idx, PFW_MODE, err) : NULL;

    free (idx);
    memset (report, 0, sizeof (*report));
    if (!index) {
        atomic_abort (lines);
        return -1;
    }
    if (write_lines (parts, atomic_stream (lines), atomic_stream (index),
                     report) < 0) {
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
        atomic_abort (lines);
        atomic_abort (index);
        return -1;
    }
    if (atomic_commit (lines, err) < 0) {
        atomic_abort (index);
        return -1;
    }
    return atomic_commit (index, err);
}
