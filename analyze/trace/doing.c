/* SPDX-License-Identifier: MIT
 *
 * doing.c - headers of chunks that are not sealed -> calls under way
 *
 * In:  lastword.h in the shards of a job; events before it
 * Out: call, file and begin, to the tables and to top
 *
 * The word has a descriptor, whose file is that of the latest event with it; or
 * the path follows the bytes of the chunk; or it says what kind of file it is.
 */
#include "config.h"

#include "analyze/trace/doing.h"

#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "lib/format/lastword.h"
#include "lib/format/proclines.h"
#include "lib/util/xalloc.h"

enum { DOING_CHUNKS = 16 /* that are looked through for a file */ };

/* Name of the call, or NULL. */
static const char *doing_name (unsigned call)
{
    static const char *const waits[] = {"sleep",      "poll",    "select",
                                        "epoll_wait", "waitpid", "lock"};

    _Static_assert(ITEMS (waits) == LASTWORD_WAIT_END - LASTWORD_WAIT_FIRST,
                   "as enum lastword_wait");
    if (call >= LASTWORD_WAIT_FIRST && call < LASTWORD_WAIT_END)
        return waits[call - LASTWORD_WAIT_FIRST];
    return call > CALL_NONE && call < CALL_MAX && call_table[call].name[0]
               ? call_table[call].name
               : NULL;
}

static uint64_t doing_word (const struct trace_chunk *c)
{
    uint64_t word = c->head.checksum;

    return c->head.type == SHARD_BLOCK_EVENTS &&
                   !(c->head.flags & SHARD_SEALED) &&
                   doing_name (lastword_call (word))
               ? word
               : 0;
}

/* The kind of a file that is not recorded, or NULL. */
static const char *doing_left (uint64_t word)
{
    static const char *const left[LEFTOUTS] = {[LEFTOUT_pipe] = "a pipe",
                                               [LEFTOUT_socket] = "a socket",
                                               [LEFTOUT_terminal] =
                                                   "a terminal",
                                               [LEFTOUT_device] = "a device"};
    unsigned what = (unsigned)lastword_what (word) - LASTWORD_LEFT;

    return what < LEFTOUTS ? left[what] : NULL;
}

/* It waits for another process, or for time to pass: what threads beside the
 * main one do that serve it. */
static int doing_waits (uint64_t word)
{
    return lastword_call (word) >= LASTWORD_WAIT_FIRST ||
           doing_left (word) != NULL;
}

static uint64_t doing_tick (const struct trace_chunk *c)
{
    return lastword_tick (doing_word (c), c->head.base);
}

/* How well it tells what a process does; 0: not. */
static int doing_rank (const struct trace_chunk *c, uint32_t pid)
{
    int is_main = c->head.tid == pid;

    if (!doing_word (c))
        return 0;
    return doing_waits (doing_word (c)) ? is_main : 2 + is_main;
}

static const struct trace_chunk *doing_chunk (const struct tracefile *f,
                                              size_t proc)
{
    uint32_t pid = tracefile_process (f, proc)->p.pid;
    const struct trace_chunk *best = NULL;

    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);
        int rank = c->head.proc == proc ? doing_rank (c, pid) : 0;
        int than = best ? doing_rank (best, pid) : 0;

        if (rank > than ||
            (rank > 0 && rank == than && doing_tick (c) < doing_tick (best)))
            best = c;
    }
    return best;
}

/* --- events before it ------------------------------------------------------
 */

/* The search in chunks. */
struct doing_search {
    int fd;
    char *file;         /* of the latest event with it; owned, NULL: none */
    uint64_t tick;      /* to be placed in the first chunk, */
    uint64_t ns;        /* there */
    uint64_t last;      /* end of the last event there, ns */
    unsigned char *buf; /* SHARD_CHUNK_MAX bytes */
};

static int doing_opens (const struct event *ev)
{
    return ev->call == CALL_open || ev->call == CALL_openat ||
           ev->call == CALL_creat || ev->call == CALL_dup;
}

static void doing_keep (struct doing_search *s,
                        const struct decoder *d,
                        const struct event *ev)
{
    const struct name *n = decoder_name (d, ev->file);
    char *file;

    if (s->fd < 0 || !n || n->kind != SHARD_NAME_FILE ||
        (ev->fd != s->fd && !(doing_opens (ev) && ev->ret == s->fd)))
        return;
    if (s->file && strncmp (s->file, n->text, n->length) == 0 &&
        !s->file[n->length])
        return;
    file = xstrndup (n->text, n->length);
    free (s->file);
    s->file = file;
}

static void doing_place (struct doing_search *s, const struct decoder *d)
{
    int64_t ticks = (int64_t)(s->tick - d->pair_tick);

    s->ns = s->tick;
    if (d->scale)
        s->ns = d->pair_ns + (uint64_t)((__int128)ticks * d->scale >> 32);
    s->last = d->end_ns;
}

static void doing_read (struct doing_search *s,
                        const struct tracefile *f,
                        const struct trace_chunk *c,
                        int first)
{
    struct decoder d = {.p = NULL};
    ssize_t n = tracefile_read (f, c, s->buf);
    struct event ev;

    if (n >= 0 && decoder_begin (&d, &c->head, s->buf, (size_t)n) == 0) {
        while (decoder_next (&d, &ev) > 0)
            doing_keep (s, &d, &ev);
        if (first)
            doing_place (s, &d);
    }
    decoder_end (&d);
}

/* The chunks of the process from the latest one on. */
static void doing_look_back (struct doing_search *s,
                             const struct tracefile *f,
                             const struct trace_chunk *from)
{
    uint64_t before = UINT64_MAX;

    for (int looks = 0; !s->file && s->fd >= 0 && looks < DOING_CHUNKS;
         looks++) {
        const struct trace_chunk *latest = NULL;

        for (size_t i = 0; i < tracefile_chunks (f); i++) {
            const struct trace_chunk *c = tracefile_chunk (f, i);

            if (c->head.proc == from->head.proc && c != from &&
                c->head.base < before &&
                (!latest || c->head.base > latest->head.base))
                latest = c;
        }
        if (!latest)
            return;
        before = latest->head.base;
        doing_read (s, f, latest, 0);
    }
}

/* All bytes of the chunk's room, *n of them: owned, NULL if there are none or
 * no memory is left. */
static char *
doing_room (const struct tracefile *f, const struct trace_chunk *c, size_t *n)
{
    struct trace_chunk all = *c;
    uint32_t room = c->head.capacity - (uint32_t)sizeof (c->head);
    char *buf = c->used < room ? xmalloc (room) : NULL;
    ssize_t got;

    all.used = all.present = room;
    got = buf ? tracefile_read (f, &all, (unsigned char *)buf) : -1;
    *n = got < 0 ? 0 : (size_t)got;
    return buf;
}

/* The path behind the bytes of the chunk: owned, or NULL. An event that came
 * later lies over it. */
static char *doing_path (const struct trace_chunk *c, const char *buf, size_t n)
{
    uint64_t word = doing_word (c);
    size_t at = c->used + sizeof (word);

    if (lastword_what (word) != LASTWORD_PATH || n <= at ||
        memcmp (buf + c->used, &word, sizeof (word)) != 0)
        return NULL;
    return xstrndup (buf + at, n - at);
}

/* The region that is noted at the end of the chunk; owned. */
static char *
doing_region (const struct trace_chunk *c, const char *buf, size_t n)
{
    struct lastword_regions r = {.in = 0};

    if (n == c->head.capacity - sizeof (c->head) && n >= sizeof (r) + c->used)
        memcpy (&r, buf + n - sizeof (r), sizeof (r));
    if (r.mark != LASTWORD_REGION_MARK || !r.in || r.in > LASTWORD_REGIONS)
        return xstrdup ("");
    return xstrndup (r.text[r.in - 1], LASTWORD_REGION_MAX - 1);
}

/* The file that a last word names, NULL: none; and the region. */
static void doing_said (struct doing *d,
                        const struct tracefile *f,
                        const struct trace_chunk *c)
{
    const char *left = doing_left (doing_word (c));
    size_t n;
    char *buf = doing_room (f, c, &n);

    d->file = left ? xstrdup (left) : doing_path (c, buf, n);
    d->region = doing_region (c, buf, n);
    free (buf);
}

int doing_find (struct doing *d, const struct tracefile *f, size_t proc)
{
    const struct trace_process *who = tracefile_process (f, proc);
    const struct trace_chunk *c = doing_chunk (f, proc);
    struct doing_search s = {.ns = 0};

    memset (d, 0, sizeof (*d));
    if (!c)
        return 0;
    s.fd = lastword_fd (doing_word (c));
    s.tick = doing_tick (c);
    doing_said (d, f, c);
    s.file = d->file;
    s.buf = xmalloc (SHARD_CHUNK_MAX);
    doing_read (&s, f, c, 1);
    doing_look_back (&s, f, c);
    if (!s.file)
        s.file = xstrdup ("");
    d->host = xstrdup (who->text[SHARD_STRING_HOST]);
    free (s.buf);
    d->pid = who->p.pid;
    d->start_real = who->p.start_real;
    d->call = doing_name (lastword_call (doing_word (c)));
    d->file = s.file;
    if (lastword_has_tick (doing_word (c)))
        d->since = trace_real_ns (who, s.ns > s.last ? s.ns : s.last);
    return 1;
}

void doing_clear (struct doing *d)
{
    free (d->host);
    free (d->file);
    free (d->region);
    memset (d, 0, sizeof (*d));
}

/* --- of a job ------------------------------------------------------------- */

static void doing_append (struct job *job, const struct doing *d)
{
    job->doing =
        xreallocarray (job->doing, job->doings + 1, sizeof (*job->doing));
    job->doing[job->doings++] = *d;
}

static void doing_add (struct job *job, const struct tracefile *f, size_t proc)
{
    const struct shard_process *p = &tracefile_process (f, proc)->p;
    struct doing d;

    if (!shard_in_order (p) && !p->exec_ns && doing_find (&d, f, proc))
        doing_append (job, &d);
}

/* --- kept in merged traces -------------------------------------------------
 */

static const char *doing_named (const char *call)
{
    for (unsigned i = 0; i < LASTWORD_WAIT_END; i++) {
        const char *name = doing_name (i);

        if (name && strcmp (name, call) == 0)
            return name;
    }
    return NULL;
}

static int doing_take_line (const struct procrecord *r, void *cookie)
{
    struct doing d = {.pid = r->pid,
                      .start_real = r->start,
                      .call = doing_named (r->call),
                      .since = r->end};

    if (!d.call)
        return 0;
    d.host = xstrdup (r->host);
    d.file = xstrdup (r->exe);
    d.region = xstrdup (r->reason);
    doing_append (cookie, &d);
    return 0;
}

static void doing_read_lines (struct job *job, const char *path)
{
    struct proclines p = {
        .kinds = PROCRECORD_DOING, .f = doing_take_line, .cookie = job};
    size_t n;
    char *text = tracefile_lines (path, &n);

    if (text)
        proclines_read_kept (&p, text, n);
    free (text);
}

static int doing_is_line (const char *line, size_t n)
{
    static const char kind[] = "doing ";
    const char *blank = memchr (line, ' ', n);

    return blank && n - (size_t)(blank - line) > sizeof (kind) &&
           strncmp (blank + 1, kind, sizeof (kind) - 1) == 0;
}

static void doing_put_line (FILE *out, const struct doing *d)
{
    char text[PROCLINE_MAX];
    struct procline l = {text, sizeof (text), 0};

    procline_begin (&l, "doing", d->pid);
    procline_number (&l, d->start_real);
    procline_number (&l, d->since);
    procline_word (&l, d->call);
    procline_word (&l, "");
    procline_text (&l, d->file, strlen (d->file));
    procline_word (&l, "");
    procline_text (&l, d->region, strlen (d->region));
    procline_end (&l);
    fprintf (out, "%s %.*s", d->host, (int)l.used, text);
}

void doing_put_lines (const struct job *job, char **lines, size_t *n)
{
    char *text, *end;
    size_t bytes;
    FILE *out;

    if (!job->doings)
        return;
    out = xmemstream (&text, &bytes);
    for (char *line = *lines;
         line && (end = memchr (line, '\n', *n - (size_t)(line - *lines)));
         line = end + 1)
        if (!doing_is_line (line, (size_t)(end - line)))
            (void)fwrite (line, 1, (size_t)(end + 1 - line), out);
    for (size_t i = 0; i < job->doings; i++)
        doing_put_line (out, &job->doing[i]);
    xmemstream_end (out);
    free (*lines);
    *lines = text;
    *n = bytes;
}

/* --- all of them -----------------------------------------------------------
 */

void doing_collect (struct job *job)
{
    doing_forget (job);
    for (size_t i = 0; i < job->sources; i++) {
        const struct tracefile *f = job->source[i].file;

        if (!f || job->source[i].is_pfw || job->source[i].is_darshan)
            continue;
        for (size_t k = 0; k < tracefile_processes (f); k++)
            doing_add (job, f, k);
        doing_read_lines (job, job->source[i].path);
    }
}

void doing_forget (struct job *job)
{
    for (size_t i = 0; i < job->doings; i++)
        doing_clear (&job->doing[i]);
    free (job->doing);
    job->doing = NULL;
    job->doings = 0;
}

const struct doing *doing_of (const struct job *job,
                              const struct trace_process *who)
{
    for (size_t i = 0; i < job->doings; i++) {
        const struct doing *d = &job->doing[i];

        if (d->pid == who->p.pid && d->start_real == who->p.start_real &&
            strcmp (d->host, who->text[SHARD_STRING_HOST]) == 0)
            return d;
    }
    return NULL;
}
