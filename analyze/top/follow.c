/* SPDX-License-Identifier: MIT
 *
 * follow.c - a job's shards while it runs -> the events that are new
 *
 * In:  DIR/shards, growing
 * Out: each event once, to live.c
 * Caveat: a chunk is decoded from its start at every look, because records
 *         count from one another; what was seen is stepped over.
 */
#include "config.h"

#include <dirent.h>

#include "analyze/top/follow.h"
#include "analyze/trace/profread.h"
#include "lib/base/array.h"
#include "lib/format/proclines.h"
#include "lib/model/kind.h"
#include "lib/settings/nodename.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

/* How far a chunk has been read. */
struct mark {
    uint64_t offset; /* of the chunk */
    uint32_t events;
};

/* A process of a shard: its number there, and among all. */
struct member {
    uint32_t number;
    size_t process;
    struct counted counted; /* up to the last look */
};

struct shard {
    struct member *member; /* owned; by number */
    size_t members, members_room;
    struct mark *mark; /* owned; by offset */
    size_t marks, room;
    int ended; /* all there will be has been read */
};

struct follower {
    int dir;
    struct strmap *shards; /* name -> struct shard, owned */
    size_t processes;
    int looks;
    struct dict *dict; /* of all names, for as long as it follows */
    struct batch_reader *reader;
};

struct follower *follow_create (const char *jobdir, struct errtext *err)
{
    struct follower *f = ZEROED (f, 1);
    char *path = path_join (jobdir, "shards");

    f->shards = strmap_create ();
    f->dict = dict_create (NULL);
    f->reader = batch_reader_create (f->dict);
    f->dir = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0) {
        errf (err, "%s: %s: no job that is or was traced", path,
              strerror (errno));
        follow_destroy (f);
        f = NULL;
    }
    free (path);
    return f;
}

void follow_destroy (struct follower *f)
{
    int saved = errno;

    if (!f)
        return;
    for (size_t i = 0; i < strmap_count (f->shards); i++) {
        struct shard *s = strmap_value (f->shards, i);

        free (s->mark);
        free (s->member);
        free (s);
    }
    strmap_destroy (f->shards);
    batch_reader_destroy (f->reader);
    dict_destroy (f->dict);
    if (f->dir >= 0)
        close (f->dir);
    free (f);
    errno = saved;
}

/* --- one chunk ---------------------------------------------------------- */

/* Chunks come in the order of their offsets, and new ones behind the old. */
static struct mark *follow_mark_of (struct shard *s, size_t i, uint64_t offset)
{
    if (i < s->marks && s->mark[i].offset == offset)
        return &s->mark[i];
    GROW (s->mark, s->room, s->marks + 1);
    /* one that could not be read before lies between */
    memmove (s->mark + i + 1, s->mark + i, (s->marks - i) * sizeof (*s->mark));
    s->marks++;
    s->mark[i] = (struct mark){.offset = offset};
    return &s->mark[i];
}

/* Hand over what is behind the mark. */
static void follow_give_new (struct follower *f,
                             const struct follow_sink *sink,
                             struct mark *mark)
{
    const struct batch *b;

    while (batch_reader_next (f->reader, &b) > 0) {
        uint64_t before = batch_reader_events (f->reader) - b->count;
        uint64_t seen = mark->events > before ? mark->events - before : 0;

        if (seen >= b->count)
            continue;
        mark->events += (uint32_t)(b->count - seen);
        sink->events (sink->arg, f->dict, b, seen);
    }
}

static void follow_look_at_chunk (struct follower *f,
                                  const struct follow_sink *sink,
                                  const struct part *part,
                                  size_t process,
                                  const struct trace_chunk *c,
                                  struct mark *mark)
{
    if (f->looks == 0)
        mark->events = c->events;
    if (c->events > mark->events &&
        batch_reader_chunk (f->reader, part, process, c) == 0)
        follow_give_new (f, sink, mark);
}

/* --- one shard ---------------------------------------------------------- */

static struct shard *follow_shard_of (struct follower *f, const char *name)
{
    int fresh;
    int64_t at = strmap_intern (f->shards, name, strlen (name), &fresh);

    if (fresh)
        strmap_set (f->shards, at, xcalloc (1, sizeof (struct shard)));
    return strmap_value (f->shards, at);
}

/* The member of that number, or where it would be. */
static size_t follow_member_at (const struct shard *s, uint32_t number)
{
    size_t low = 0, high = s->members;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->member[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A process may appear before those that began earlier. */
static struct member *follow_member_of (struct follower *f,
                                        struct shard *s,
                                        uint32_t number,
                                        int *fresh)
{
    size_t at = follow_member_at (s, number);

    *fresh = at == s->members || s->member[at].number != number;
    if (!*fresh)
        return &s->member[at];
    GROW (s->member, s->members_room, s->members + 1);
    memmove (s->member + at + 1, s->member + at,
             (s->members - at) * sizeof (*s->member));
    s->members++;
    s->member[at] =
        (struct member){.number = number, .process = f->processes++};
    return &s->member[at];
}

/* 0 once all processes have ended, 1 before. */
static int follow_look_at_processes (struct follower *f,
                                     const struct follow_sink *sink,
                                     const struct tracefile *t,
                                     struct shard *s)
{
    int live = tracefile_is_shared (t);

    for (size_t i = 0; i < tracefile_processes (t); i++) {
        const struct trace_process *who = tracefile_process (t, i);
        int fresh;
        const struct member *m = follow_member_of (f, s, who->number, &fresh);

        struct doing d = {.host = NULL};
        int in = !who->p.end_ns && doing_find (&d, t, i) > 0;

        sink->process (sink->arg, m->process, who, in ? &d : NULL, fresh);
        doing_clear (&d);
        live |= who->p.end_ns == 0;
    }
    return live;
}

/* Counters of all processes of a shard. */
static void follow_look_at_profiles (struct follower *f,
                                     const struct follow_sink *sink,
                                     const struct tracefile *t,
                                     struct shard *s)
{
    size_t n = tracefile_processes (t);
    struct counted *now = ZEROED (now, n);

    counted_read (now, t);
    for (size_t i = 0; i < n; i++) {
        struct member *m =
            &s->member[follow_member_at (s, tracefile_process (t, i)->number)];
        const struct counted more = counted_since (&now[i], &m->counted);

        if (f->looks > 0 && more.events)
            sink->counted (sink->arg, m->process, &more);
        m->counted = now[i];
    }
    free (now);
}

static void follow_look_inside (struct follower *f,
                                const struct follow_sink *sink,
                                const struct tracefile *t,
                                struct shard *s)
{
    int live = follow_look_at_processes (f, sink, t, s);

    for (size_t i = 0; i < tracefile_chunks (t); i++) {
        const struct trace_chunk *c = tracefile_chunk (t, i);
        struct mark *mark = follow_mark_of (s, MIN (i, s->marks), c->offset);
        const struct part part = {.file = t,
                                  .who = tracefile_process (t, c->head.proc)};
        size_t member = follow_member_at (s, part.who->number);

        follow_look_at_chunk (f, sink, &part, s->member[member].process, c,
                              mark);
    }
    if (tracefile_profiles (t))
        follow_look_at_profiles (f, sink, t, s);
    s->ended = !live;
}

static void follow_look_at (struct follower *f,
                            const struct follow_sink *sink,
                            const char *name)
{
    struct errtext err;
    struct tracefile *t;
    struct shard *s;
    int64_t at = strmap_find (f->shards, name, strlen (name));

    if (at >= 0 && (s = strmap_value (f->shards, at)) && s->ended)
        return;
    t = tracefile_openat (f->dir, name, &err);
    if (t && tracefile_processes (t) > 0)
        follow_look_inside (f, sink, t, follow_shard_of (f, name));
    tracefile_close (t);
}

/* --- all ------------------------------------------------------------------ */

static int follow_is_shard (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    return d->d_name[0] != '.' && n > 4 &&
           strcmp (d->d_name + n - 4, ".dft") == 0;
}

void follow_look (struct follower *f, const struct follow_sink *sink)
{
    struct dirent **names = NULL;
    int n = scandirat (f->dir, ".", &names, follow_is_shard, versionsort);

    for (int i = 0; i < n; i++) {
        follow_look_at (f, sink, names[i]->d_name);
        free (names[i]);
    }
    free (names);
    f->looks++;
}

/* ---- profiles of a running job -> what each process has done so far ---- */

static const struct profname *counted_name (const struct profrows *rows,
                                            uint32_t name)
{
    return name ? &rows->name[name - 1] : NULL;
}

static int counted_stored (const struct profname *n)
{
    return n && n->kind == SHARD_NAME_FILE && n->class == FILE_CLASS_STORAGE;
}

static const char *counted_region (const struct profname *n)
{
    size_t category = strlen (n->text);

    return category < n->length ? n->text + category + 1 : "";
}

static void counted_call (struct counted *c,
                          const struct profrows *rows,
                          const struct profrow *r)
{
    const struct call_info *info = &call_table[r->call];
    const struct profname *from = counted_name (rows, r->name);
    const struct profname *to =
        info->class == CALL_CLASS_COPY ? counted_name (rows, r->name2) : from;

    c->calls += r->n[PROFILE_calls];
    if (info->category != CALL_CATEGORY_POSIX)
        return;
    if (info->class != CALL_CLASS_WRITE && counted_stored (from))
        c->bytes[0] += r->n[PROFILE_bytes];
    if (info->class != CALL_CLASS_READ && counted_stored (to))
        c->bytes[1] += r->n[PROFILE_bytes];
    if (counted_stored (from) || counted_stored (to))
        c->io_ns += r->n[PROFILE_time];
}

/* Find the last call of a process. */
static void counted_last (struct counted *c,
                          const struct profrows *rows,
                          const struct profrow *r,
                          const struct trace_process *who)
{
    const struct profname *n = counted_name (rows, r->name);
    uint64_t ns =
        r->n[PROFILE_last] ? trace_real_ns (who, r->n[PROFILE_last]) : 0;
    int region = call_table[r->call].category == CALL_CATEGORY_APP;

    if (ns <= c->last_ns)
        return;
    c->last_ns = ns;
    FORMAT (c->file, "%s", n && !region ? n->text : "");
    if (!region)
        FORMAT (c->last, "%s", call_table[r->call].name);
    else if (n)
        FORMAT (c->last, "%s%s%s", n->text, *counted_region (n) ? "/" : "",
                counted_region (n));
}

static void counted_row (struct counted *c,
                         const struct profrows *rows,
                         const struct profrow *r,
                         const struct trace_process *who)
{
    enum call_category category = call_table[r->call].category;
    const struct profname *n = counted_name (rows, r->name);

    c->events += r->n[PROFILE_calls];
    if (call_category_is_above (category))
        return; /* done by POSIX calls inside */
    if (category != CALL_CATEGORY_APP)
        counted_call (c, rows, r);
    else if (n && role_of (n->text, counted_region (n)) == ROLE_STALL)
        c->stall_ns += r->n[PROFILE_time];
    counted_last (c, rows, r, who);
}

void counted_read (struct counted *all, const struct tracefile *t)
{
    struct profrows rows = {.names = 0};
    uint64_t bad;

    profread (t, &rows, &bad);
    for (size_t i = 0; i < rows.rows; i++) {
        uint32_t proc = rows.row[i].proc;

        if (proc < tracefile_processes (t))
            counted_row (&all[proc], &rows, &rows.row[i],
                         tracefile_process (t, proc));
    }
    profrows_clear (&rows);
}

static uint64_t counted_more (uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

struct counted counted_since (const struct counted *now,
                              const struct counted *before)
{
    struct counted c = *now;

    c.events = counted_more (now->events, before->events);
    c.calls = counted_more (now->calls, before->calls);
    c.io_ns = counted_more (now->io_ns, before->io_ns);
    c.stall_ns = counted_more (now->stall_ns, before->stall_ns);
    for (int w = 0; w < 2; w++)
        c.bytes[w] = counted_more (now->bytes[w], before->bytes[w]);
    return c;
}

/* ---- job directory, /proc -> whether a job or a process has ended ---- */

enum {
    EVIDENCE_BYTES = 1 << 20, /* of a file */
    EVIDENCE_NS = 1000000000
};

/* --- a job ------------------------------------------------------------- */

static int evidence_has (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int has = access (path, F_OK) == 0;

    free (path);
    return has;
}

static int evidence_has_node (const char *dir, const char *host)
{
    char *name = xasprintf ("node.%s.json", host);
    int has = evidence_has (dir, name);

    free (name);
    return has;
}

static int evidence_is_command (const struct procrecord *r, void *unused)
{
    return strcmp (r->who, PROCLINE_RUN) == 0;
}

static int evidence_has_command (const char *job)
{
    struct proclines p = {.kinds = PROCRECORD_ENDED, .f = evidence_is_command};

    return proclines_read (&p, job) > 0;
}

enum evidence evidence_of_job (const char *job)
{
    static const char started[] = "started.";
    char *path = path_join (job, "shards");
    DIR *dir = opendir (path);
    size_t nodes = 0, done = 0;
    const struct dirent *e;

    while (dir && (e = readdir (dir)))
        if (strncmp (e->d_name, started, sizeof (started) - 1) == 0) {
            nodes++;
            done += evidence_has_node (job, e->d_name + sizeof (started) - 1);
        }
    if (dir)
        closedir (dir);
    free (path);
    if (nodes && nodes == done)
        return EVIDENCE_ALL;
    if (!nodes && evidence_has_command (job))
        return EVIDENCE_COMMAND;
    return evidence_has (job, "job.json") ? EVIDENCE_NONE : EVIDENCE_NOBODY;
}

/* --- a process --------------------------------------------------------- */

/* Return CLOCK_REALTIME at which the process of that number began; 0 if there
 * is none, or it has ended and its parent has not waited for it. The state is
 * that of the main thread, which may end before others. */
static uint64_t evidence_began (uint32_t pid)
{
    char *path = xasprintf ("/proc/%u/stat", pid);
    char *text = read_file (path, EVIDENCE_BYTES, NULL, NULL);
    const char *at = text ? strrchr (text, ')') : NULL;
    struct timespec real, boot;
    uint64_t threads, ticks;
    char state;
    int runs =
        at &&
        sscanf (at,
                ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                "%*s %*s %" SCNu64 " %*s %" SCNu64,
                &state, &threads, &ticks) == 3 &&
        (state != 'Z' || threads > 1);

    free (text);
    free (path);
    if (!runs)
        return 0;
    clock_gettime (CLOCK_REALTIME, &real);
    clock_gettime (CLOCK_BOOTTIME, &boot);
    return (uint64_t)(real.tv_sec - boot.tv_sec) * EVIDENCE_NS +
           ticks * (EVIDENCE_NS / (uint64_t)sysconf (_SC_CLK_TCK));
}

int evidence_of_process (const struct trace_process *who)
{
    char node[NODENAME_MAX];
    uint64_t began;

    if (who->p.end_ns || who->p.exec_ns)
        return 1;
    if (strcmp (nodename_find (settings_environ, NULL, node),
                who->text[SHARD_STRING_HOST]) != 0 ||
        access ("/proc/self/stat", R_OK) < 0)
        return 0;
    began = evidence_began (who->p.pid);
    /* a later one has the same number; clocks may have been set a little */
    return !began || began > who->p.start_real + 2 * (uint64_t)EVIDENCE_NS;
}
