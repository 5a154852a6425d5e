/* SPDX-License-Identifier: MIT
 *
 * pfw.c - traces of a job -> DFTracer's JSON lines (dialect of 2025)
 *
 * In:  struct parts, from parts.c
 * Out: combined.pfw.gz: "[", a line per event or name, "]"; hashes are 16 hex
 *      digits; times are microseconds of CLOCK_REALTIME
 *
 * Each worker takes the next events while the others may not, makes and packs
 * their lines while they do theirs, and writes when its turn has come.
 */
#include "config.h"

#include "analyze/export/pfw.h"
#include "analyze/trace/parts.h"
#include "analyze/trace/stream.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/gz.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

enum state {
    STATE_BEGIN,
    STATE_PROCESSES,
    STATE_EVENTS,
    STATE_ENDS, /* of processes */
    STATE_END
};

struct pfw_taker {
    const struct parts *parts;
    struct streams streams;
    struct pfw_source *source;     /* of each stream; owned */
    const struct pfw_named **name; /* of each number of the dictionary; owned */
    size_t names;                  /* room */
    struct pfw_hashes *hashes;
    enum state state;
    size_t process; /* the next one */
    uint64_t id;
    uint64_t moments; /* starts and ends of processes, so far */
    struct pfw_records *out;
};

/* --- traces of a job -> records of DFTracer's JSON lines, by time -----------
 */

enum {
    LINES = 4096,         /* of a member: about 1 MB */
    TEXTS_BYTES = 1 << 20 /* enough for a member, too */
};

/* --- texts ------------------------------------------------------------- */

/* End a line that begins at `from` in texts. */
static void pfw_taker_end (struct pfw_taker *t, size_t from, uint64_t us)
{
    struct pfw_record *r = pfw_records_add (t->out);

    OUTBUF_PUT (&t->out->texts, "\n");
    r->arg = from;
    r->length = t->out->texts.n - from;
    r->us = us;
}

/* {"id":…,"name":"…","cat":"dftracer","pid":…,"tid":… */
static size_t pfw_taker_begin (struct pfw_taker *t,
                               const struct trace_process *who,
                               uint32_t tid,
                               const char *name)
{
    struct outbuf *b = &t->out->texts;
    size_t from = b->n;

    OUTBUF_PUT (b, "{\"id\":");
    outbuf_u64 (b, ++t->id);
    OUTBUF_PUT (b, ",\"name\":\"");
    outbuf_put (b, name, strlen (name));
    OUTBUF_PUT (b, "\",\"cat\":\"dftracer\",\"pid\":");
    outbuf_u64 (b, who->p.pid);
    OUTBUF_PUT (b, ",\"tid\":");
    outbuf_u64 (b, tid);
    return from;
}

/* A hash behind what stands before it. */
static void pfw_taker_hash (struct pfw_taker *t,
                            const char *before,
                            const struct pfw_named *name)
{
    outbuf_put (&t->out->texts, before, strlen (before));
    outbuf_put (&t->out->texts, name->hash, PFW_HASH_TEXT);
}

static const struct pfw_named *pfw_taker_host (struct pfw_taker *t,
                                               const struct trace_process *who,
                                               uint32_t tid);

/* The hash of a text, after a line that says so the first time. */
static const struct pfw_named *pfw_taker_text (struct pfw_taker *t,
                                               const struct trace_process *who,
                                               uint32_t tid,
                                               const char *kind,
                                               const char *text,
                                               size_t n)
{
    int isnew;
    const struct pfw_named *name =
        pfw_hashes_text (t->hashes, kind, text, n, &isnew);
    const struct pfw_named *host = name;
    size_t from;

    if (!isnew)
        return name;
    if (strcmp (kind, "HH") != 0)
        host = pfw_taker_host (t, who, tid);
    from = pfw_taker_begin (t, who, tid, kind);
    pfw_taker_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (&t->out->texts, "\",\"name\":\"");
    outbuf_put (&t->out->texts, name->text, name->length);
    pfw_taker_hash (t, "\",\"value\":\"", name);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    pfw_taker_end (t, from, 0);
    return name;
}

static const struct pfw_named *pfw_taker_host (struct pfw_taker *t,
                                               const struct trace_process *who,
                                               uint32_t tid)
{
    const char *host = who->text[SHARD_STRING_HOST];

    return pfw_taker_text (t, who, tid, "HH", host, strlen (host));
}

/* --- processes of a job -> lines of metadata, "start" and "end" -------------
 */

static const struct pfw_named *string_hash (struct pfw_taker *t,
                                            const struct trace_process *who,
                                            const char *kind,
                                            enum shard_string string)
{
    return pfw_taker_text (t, who, who->p.pid, kind, who->text[string],
                           strlen (who->text[string]));
}

/* The command line with blanks between its words. */
static const struct pfw_named *command_hash (struct pfw_taker *t,
                                             const struct trace_process *who)
{
    char *text = xstrdup (who->text[SHARD_STRING_ARGV]);
    const struct pfw_named *name;

    for (char *c = text; *c; c++)
        if (*c == 0x1f)
            *c = ' ';
    name = pfw_taker_text (t, who, who->p.pid, "SH", text, strlen (text));
    free (text);
    return name;
}

static void put_rank (struct pfw_taker *t,
                      const struct trace_process *who,
                      const struct pfw_named *host)
{
    size_t from = pfw_taker_begin (t, who, who->p.pid, "PR");

    pfw_taker_hash (t, ",\"ph\":\"M\",\"args\":{\"hhash\":\"", host);
    OUTBUF_PUT (&t->out->texts, "\",\"name\":\"rank\",\"value\":\"");
    outbuf_i64 (&t->out->texts, who->p.rank);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    pfw_taker_end (t, from, 0);
}

/* The begin of "start" or "end". */
static size_t begin_moment (struct pfw_taker *t,
                            const struct trace_process *who,
                            const char *name,
                            uint64_t us,
                            const struct pfw_named *host)
{
    size_t from = pfw_taker_begin (t, who, who->p.pid, name);

    t->moments++;
    OUTBUF_PUT (&t->out->texts, ",\"ts\":");
    outbuf_u64 (&t->out->texts, us);
    pfw_taker_hash (t, ",\"dur\":0,\"ph\":\"X\",\"args\":{\"hhash\":\"", host);
    return from;
}

/* Lines of a process: what it is and when it began; when it ended, if it is
 * known. */
static void pfw_taker_process (struct pfw_taker *t,
                               const struct trace_process *who)
{
    struct outbuf *b = &t->out->texts;
    const struct pfw_named *host = pfw_taker_host (t, who, who->p.pid);
    const struct pfw_named *exec = string_hash (t, who, "SH", SHARD_STRING_EXE);
    const struct pfw_named *cmd = command_hash (t, who);
    const struct pfw_named *cwd = string_hash (t, who, "FH", SHARD_STRING_CWD);
    uint64_t us = who->p.start_real / 1000;
    size_t from;

    if (who->p.rank >= 0)
        put_rank (t, who, host);
    from = begin_moment (t, who, "start", us, host);
    pfw_taker_hash (t, "\",\"exec_hash\":\"", exec);
    pfw_taker_hash (t, "\",\"cmd_hash\":\"", cmd);
    pfw_taker_hash (t, "\",\"cwd\":\"", cwd);
    OUTBUF_PUT (b, "\",\"ppid\":");
    outbuf_u64 (b, who->p.ppid);
    OUTBUF_PUT (b, ",\"job_id\":");
    outbuf_u64 (b, who->p.job_id);
    OUTBUF_PUT (b, "}}");
    pfw_taker_end (t, from, us);
}

static void pfw_taker_ended (struct pfw_taker *t,
                             const struct trace_process *who)
{
    const struct pfw_named *host = pfw_taker_host (t, who, who->p.pid);
    uint64_t end = shard_in_order (&who->p) ? who->p.end_ns : who->p.exec_ns;
    uint64_t us;
    size_t from;

    if (!end)
        return;
    us = trace_real_ns (who, end) / 1000;
    from = begin_moment (t, who, "end", us, host);
    OUTBUF_PUT (&t->out->texts, "\"}}");
    pfw_taker_end (t, from, us);
}

/* --- events ------------------------------------------------------------- */

static struct pfw_source *source_of (struct pfw_taker *t,
                                     const struct stream *s)
{
    struct pfw_source *source = &t->source[s - t->streams.item];

    if (!source->ids_length)
        pfw_source_set (source, s->part->who->p.pid, s->tid,
                        pfw_taker_host (t, s->part->who, s->tid));
    return source;
}

/* The name of a number. NULL: there is none. */
static const struct pfw_named *
pfwtake_name_of (struct pfw_taker *t, const struct stream *s, uint32_t number)
{
    const struct dict_entry *e = dict_entry (t->streams.dict, number);

    if (!e)
        return NULL;
    GROW_ZEROED (t->name, t->names, (size_t)number + 1);
    if (t->name[number])
        return t->name[number];
    t->name[number] =
        e->kind == SHARD_NAME_EVENT
            ? pfw_hashes_event (t->hashes, e->text, e->length)
        : e->kind == SHARD_NAME_KEY
            ? pfw_hashes_text (t->hashes, "ky", e->text, e->length, &(int){0})
            : pfw_taker_text (t, s->part->who, s->tid, "FH", e->text,
                              e->length);
    return t->name[number];
}

/* 1, 0 there is no key. */
static int
put_arg (struct pfw_taker *t, const struct stream *s, const struct batch_arg *a)
{
    const struct pfw_named *key = pfwtake_name_of (t, s, a->key);
    const struct dict_entry *text;
    struct pfw_record_arg *arg;

    if (!key)
        return 0;
    arg = pfw_records_add_arg (t->out);
    arg->key = key;
    arg->type = a->type;
    if (a->type == EVENT_ARG_INT)
        arg->i = a->i;
    else if (a->type == EVENT_ARG_DOUBLE)
        arg->d = a->d;
    else if ((text = dict_entry (t->streams.dict, a->text))) {
        arg->text = t->out->texts.n;
        arg->length = text->length;
        outbuf_put (&t->out->texts, text->text, text->length);
    }
    return 1;
}

static void pfwtake_put_event (struct pfw_taker *t, const struct stream *s)
{
    const struct batch *b = s->batch;
    size_t i = s->at, first = t->out->args;
    int app = call_table[b->call[i]].category == CALL_CATEGORY_APP;
    const struct pfw_source *source = source_of (t, s);
    const struct pfw_named *name = pfwtake_name_of (t, s, b->name[i]);
    struct pfw_record *r;
    int nargs = 0;

    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++)
        nargs += put_arg (t, s, &b->args[a]);
    r = pfw_records_add (t->out);
    r->source = source;
    r->name = app ? name : NULL;
    r->file = app ? NULL : name;
    r->id = ++t->id;
    /* so that lengths add up, and nothing overlaps that did not */
    r->us = b->start[i] / 1000;
    r->duration = s->end / 1000 - r->us;
    r->call = b->call[i];
    r->nargs = (uint16_t)nargs;
    r->arg = first;
    r->fd = b->fd[i];
    r->err = b->error[i];
    r->size = b->size[i];
    r->flags = b->flags[i];
    r->offset = b->offset[i];
    r->ret = b->ret[i];
}

/* --- all of them -------------------------------------------------------- */

static void pfw_taker_destroy (struct pfw_taker *t)
{
    free (t->source);
    free (t->name);
    streams_close (&t->streams);
    pfw_hashes_destroy (t->hashes);
    free (t);
}

/* parts stay the caller's. */
static struct pfw_taker *pfw_taker_create (const struct parts *parts)
{
    struct pfw_taker *t = ZEROED (t, 1);

    t->parts = parts;
    t->hashes = pfw_hashes_create ();
    streams_open (&t->streams, parts);
    NEW (t->source, t->streams.count + 1);
    return t;
}

static void put_bracket (struct pfw_taker *t, const char *bracket)
{
    size_t from = t->out->texts.n;

    outbuf_put (&t->out->texts, bracket, 1);
    pfw_taker_end (t, from, 0);
}

/* One step of the job; *events counts up. */
static void pfwtake_step (struct pfw_taker *t, size_t *events)
{
    const struct stream *s;

    switch (t->state) {
    case STATE_BEGIN:
        t->state = STATE_PROCESSES;
        put_bracket (t, "[");
        break;
    case STATE_PROCESSES:
        if (t->process < t->parts->count)
            pfw_taker_process (t, t->parts->item[t->process++].who);
        else
            t->state = STATE_EVENTS;
        break;
    case STATE_EVENTS:
        if ((s = streams_top (&t->streams))) {
            ++*events;
            pfwtake_put_event (t, s);
            streams_next (&t->streams);
        } else {
            t->state = STATE_ENDS;
            t->process = 0;
        }
        break;
    case STATE_ENDS:
        if (t->process < t->parts->count) {
            pfw_taker_ended (t, t->parts->item[t->process++].who);
            break;
        }
        t->state = STATE_END;
        put_bracket (t, "]");
        break;
    case STATE_END:
        break;
    }
}

/* The next lines: about as many as a member of the file has. *events gets how
 * many events are among them. 1, 0 at the end. Which lines these are depends on
 * the traces only. Records point to what t owns. */
static int
pfw_taker_next (struct pfw_taker *t, struct pfw_records *r, size_t *events)
{
    pfw_records_empty (r);
    t->out = r;
    *events = 0;
    while (t->state != STATE_END && r->count < LINES &&
           r->texts.n < TEXTS_BYTES)
        pfwtake_step (t, events);
    return r->count > 0;
}

/* --- all of it --------------------------------------------------------------
 */
enum { PFW_MODE = 0600 };

struct pfw {
    struct pfw_taker *taker;
    struct gzblock gz;
    uint64_t events; /* written */
};

/* A worker's. */
struct split {
    struct pfw_records records;
    struct outbuf lines;
    struct gzpack *pack;
    struct gzmember member;
    size_t events;
};

static int take_split (void *cookie, void *item)
{
    struct split *m = item;

    return pfw_taker_next (((struct pfw *)cookie)->taker, &m->records,
                           &m->events);
}

static void find_times (struct split *m)
{
    m->member.first_time = m->member.last_time = 0;
    for (size_t i = 0; i < m->records.count; i++) {
        uint64_t us = m->records.item[i].us;

        if (us && (!m->member.first_time || us < m->member.first_time))
            m->member.first_time = us;
        if (us > m->member.last_time)
            m->member.last_time = us;
    }
}

static int make_split (void *cookie, void *item)
{
    struct split *m = item;

    if (!m->pack)
        m->pack = xalloc_checked (gzpack_create ());
    m->lines.n = 0;
    pfw_lines_put (&m->lines, &m->records);
    find_times (m);
    m->member.lines = m->records.count;
    m->member.plain = m->lines.n;
    m->member.packed =
        gzpack_member (m->pack, m->lines.p, m->lines.n, &m->member.bytes);
    return m->member.packed ? 0 : -1;
}

static int put_split (void *cookie, void *item)
{
    struct pfw *p = cookie;
    const struct split *m = item;

    p->events += m->events;
    progress_add (m->events);
    return gzblock_put (&p->gz, &m->member);
}

static void clear_split (void *item)
{
    struct split *m = item;

    pfw_records_clear (&m->records);
    outbuf_clear (&m->lines);
    gzpack_destroy (m->pack);
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
    static const struct pool_line line = {take_split, make_split, put_split,
                                          clear_split, sizeof (struct split)};
    struct pfw p = {.events = 0};
    int error;

    if (gzblock_open (&p.gz, out, index) < 0)
        return -1;
    p.taker = pfw_taker_create (parts);
    progress_start ("export", events_of (parts), "events");
    error = pool_line (&line, 0, &p);
    progress_end ();
    report->events = p.events;
    report->moments = p.taker->moments;
    report->bad = p.taker->streams.bad;
    pfw_taker_destroy (p.taker);
    errno = error;
    return error ? -1 : 0;
}

int pfw_write (const struct parts *parts,
               const char *path,
               struct pfw_report *report,
               struct errtext *err)
{
    char *idx = xasprintf ("%s.idx", path);
    struct atomic_file *lines = atomic_open (path, PFW_MODE, err);
    struct atomic_file *index = lines ? atomic_open (idx, PFW_MODE, err) : NULL;

    free (idx);
    ZERO (report);
    if (!index) {
        atomic_abort (lines);
        return -1;
    }
    if (write_lines (parts, atomic_stream (lines), atomic_stream (index),
                     report) < 0) {
        errf (err, "%s: cannot write: %s", path, strerror (errno));
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
