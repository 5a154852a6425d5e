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

#include "analyze/top/follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"

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

struct follow {
    int dir;
    struct strmap *shards; /* name -> struct shard, owned */
    size_t processes, unreadable;
    int looks;
    struct dict *dict; /* of all names, for as long as it follows */
    struct batch_reader *reader;
};

struct follow *follow_create (const char *jobdir, struct errtext *err)
{
    struct follow *f = calloc (1, sizeof (*f));
    char *path = path_join (jobdir, "shards");

    if (!f || !path || !(f->shards = strmap_create ()) ||
        !(f->dict = dict_create (NULL)) ||
        !(f->reader = batch_reader_create (f->dict))) {
        (void)errf (err, "%s: %s", jobdir, strerror (ENOMEM));
        goto error;
    }
    f->dir = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0) {
        (void)errf (err, "%s: %s: no job that is or was traced", path,
                    strerror (errno));
        goto error;
    }
    free (path);
    return f;
error:
    free (path);
    if (f) {
        strmap_destroy (f->shards);
        batch_reader_destroy (f->reader);
        dict_destroy (f->dict);
    }
    free (f);
    return NULL;
}

void follow_destroy (struct follow *f)
{
    int saved = errno;

    if (!f)
        return;
    for (size_t i = 0; i < strmap_count (f->shards); i++) {
        struct shard *s = strmap_value (f->shards, i);

        if (s) {
            free (s->mark);
            free (s->member);
        }
        free (s);
    }
    strmap_destroy (f->shards);
    batch_reader_destroy (f->reader);
    dict_destroy (f->dict);
    (void)close (f->dir);
    free (f);
    errno = saved;
}

size_t follow_processes (const struct follow *f)
{
    return f->processes;
}

size_t follow_unreadable (const struct follow *f)
{
    return f->unreadable;
}

/* --- one chunk ---------------------------------------------------------- */

/* Chunks come in the order of their offsets, and new ones behind the old. */
static struct mark *follow_mark_of (struct shard *s, size_t i, uint64_t offset)
{
    size_t room = s->room ? 2 * s->room : 16;
    struct mark *m = s->mark;

    if (i < s->marks && m[i].offset == offset)
        return &m[i];
    if (s->marks == s->room) {
        if (!(m = reallocarray (m, room, sizeof (*m))))
            return NULL;
        s->mark = m;
        s->room = room;
    }
    /* one that could not be read before lies between */
    memmove (m + i + 1, m + i, (s->marks - i) * sizeof (*m));
    s->marks++;
    m[i] = (struct mark){.offset = offset};
    return &m[i];
}

/* Hand over what is behind the mark. */
static int follow_give_new (struct follow *f,
                            const struct follow_sink *sink,
                            struct mark *mark)
{
    const struct batch *b;
    int rc;

    while ((rc = batch_reader_next (f->reader, &b)) > 0) {
        uint64_t before = batch_reader_events (f->reader) - b->count;
        uint64_t seen = mark->events > before ? mark->events - before : 0;

        if (seen >= b->count)
            continue;
        mark->events += (uint32_t)(b->count - seen);
        if (sink->events (sink->arg, f->dict, b, (size_t)seen) < 0)
            return -1;
    }
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

static int follow_look_at_chunk (struct follow *f,
                                 const struct follow_sink *sink,
                                 const struct part *part,
                                 size_t process,
                                 const struct trace_chunk *c,
                                 struct mark *mark)
{
    if (f->looks == 0)
        mark->events = c->events;
    if (c->events <= mark->events)
        return 0;
    if (batch_reader_chunk (f->reader, part, process, c) < 0)
        return errno == ENOMEM ? -1 : 0;
    return follow_give_new (f, sink, mark);
}

/* --- one shard ---------------------------------------------------------- */

static struct shard *follow_shard_of (struct follow *f, const char *name)
{
    int fresh;
    int64_t at = strmap_intern (f->shards, name, strlen (name), &fresh);
    struct shard *s;

    if (at < 0)
        return NULL;
    if ((s = strmap_value (f->shards, (size_t)at)))
        return s;
    if ((s = calloc (1, sizeof (*s))))
        strmap_set (f->shards, (size_t)at, s);
    return s;
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

/* A process may appear before those that began earlier. NULL: ENOMEM. */
static struct member *follow_member_of (struct follow *f,
                                        struct shard *s,
                                        uint32_t number,
                                        int *fresh)
{
    size_t at = follow_member_at (s, number);
    size_t room = s->members_room ? 2 * s->members_room : 4;
    struct member *m = s->member;

    *fresh = at == s->members || m[at].number != number;
    if (!*fresh)
        return &m[at];
    if (s->members == s->members_room) {
        if (!(m = reallocarray (m, room, sizeof (*m))))
            return NULL;
        s->member = m;
        s->members_room = room;
    }
    memmove (m + at + 1, m + at, (s->members - at) * sizeof (*m));
    s->members++;
    m[at] = (struct member){.number = number, .process = f->processes++};
    return &m[at];
}

/* 0 once all processes have ended, 1 before, -1 and errno. */
static int follow_look_at_processes (struct follow *f,
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
        int rc = who->p.end_ns ? 0 : doing_find (&d, t, i);

        if (!m || rc < 0)
            return -1;
        rc = sink->process (sink->arg, m->process, who, rc ? &d : NULL, fresh);
        doing_clear (&d);
        if (rc < 0)
            return -1;
        live |= who->p.end_ns == 0;
    }
    return live;
}

/* Counters of all processes of a shard. */
static int follow_look_at_profiles (struct follow *f,
                                    const struct follow_sink *sink,
                                    const struct tracefile *t,
                                    struct shard *s)
{
    size_t n = tracefile_processes (t);
    struct counted *now = calloc (n, sizeof (*now));
    int rc = now ? counted_read (now, t) : -1;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct member *m =
            &s->member[follow_member_at (s, tracefile_process (t, i)->number)];
        const struct counted more = counted_since (&now[i], &m->counted);

        if (f->looks > 0 && more.events)
            sink->counted (sink->arg, m->process, &more);
        m->counted = now[i];
    }
    free (now);
    return rc;
}

static int follow_look_inside (struct follow *f,
                               const struct follow_sink *sink,
                               const struct tracefile *t,
                               struct shard *s)
{
    int live = follow_look_at_processes (f, sink, t, s);

    if (live < 0)
        return -1;
    for (size_t i = 0; i < tracefile_chunks (t); i++) {
        const struct trace_chunk *c = tracefile_chunk (t, i);
        struct mark *mark =
            follow_mark_of (s, i < s->marks ? i : s->marks, c->offset);
        const struct part part = {.file = t,
                                  .who = tracefile_process (t, c->head.proc)};
        size_t member = follow_member_at (s, part.who->number);

        if (!mark ||
            follow_look_at_chunk (f, sink, &part, s->member[member].process, c,
                                  mark) < 0)
            return -1;
    }
    if (tracefile_profiles (t) && follow_look_at_profiles (f, sink, t, s) < 0)
        return -1;
    s->ended = !live;
    return 0;
}

static int follow_look_at (struct follow *f,
                           const struct follow_sink *sink,
                           const char *name)
{
    struct errtext err;
    struct tracefile *t;
    struct shard *s;
    int64_t at = strmap_find (f->shards, name, strlen (name));
    int rc = -1;

    if (at >= 0 && (s = strmap_value (f->shards, (size_t)at)) && s->ended)
        return 0;
    errno = 0; /* what an earlier look left is no shortage of memory */
    if (!(t = tracefile_openat (f->dir, name, &err)) ||
        tracefile_processes (t) == 0) {
        tracefile_close (t);
        f->unreadable++;
        return errno == ENOMEM ? -1 : 0;
    }
    if ((s = follow_shard_of (f, name)))
        rc = follow_look_inside (f, sink, t, s);
    tracefile_close (t);
    return rc;
}

/* --- all ------------------------------------------------------------------ */

static int follow_is_shard (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    return d->d_name[0] != '.' && n > 4 &&
           strcmp (d->d_name + n - 4, ".dft") == 0;
}

int follow_look (struct follow *f, const struct follow_sink *sink)
{
    struct dirent **names = NULL;
    int n = scandirat (f->dir, ".", &names, follow_is_shard, versionsort);
    int rc = n < 0 && errno == ENOMEM ? -1 : 0;

    f->unreadable = 0;
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = follow_look_at (f, sink, names[i]->d_name);
        free (names[i]);
    }
    free (names);
    f->looks++;
    return rc;
}
