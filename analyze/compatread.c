/* SPDX-License-Identifier: MIT
 *
 * compatread.c - events -> sums by thread and second, by DFAnalyzer's rules
 *
 * In:  DFTracer's lines as they are; our events under the names the export
 *      gives them
 * Out: struct compat_reader, to compat.c
 */
#include "config.h"

#include "analyze/compatread.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/pattern.h"
#include "analyze/stream.h"

struct operation {
    uint32_t layers; /* it is in; 0 for what is ignored */
    int ignored, moves;
};

/* An event on its way. */
struct item {
    const char *category, *name, *path;
    size_t category_length, name_length;
    uint64_t pid, tid, ts, dur, bytes;
    const void *host;
    size_t host_length;
};

/* --- what an event is ------------------------------------------------- */

static int ignored_path (const char *path)
{
    static const char *const parts[] = {
#define PATH(TEXT) TEXT,
#define FUNC(TEXT)
#include "analyze/ignored.def"
#undef PATH
#undef FUNC
    };

    for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++)
        if (strstr (path, parts[i]))
            return 1;
    return 0;
}

static int ignored_name (const char *name)
{
    static const char *const patterns[] = {
#define PATH(TEXT)
#define FUNC(TEXT) TEXT,
#include "analyze/ignored.def"
#undef PATH
#undef FUNC
    };

    for (size_t i = 0; i < sizeof (patterns) / sizeof (patterns[0]); i++)
        if (pattern_match (patterns[i], name))
            return 1;
    return 0;
}

/* "POSIX" and a path -> "posix_reader_lustre". */
static void
category_of (const struct item *e, const char *path, char *out, size_t room)
{
    static const char *const parts[][2] = {{"/checkpoint", "_checkpoint"},
                                           {"/data", "_reader"},
                                           {"/lustre", "_lustre"},
                                           {"/ssd", "_ssd"}};
    size_t n = e->category_length < 64 ? e->category_length : 64;

    for (size_t i = 0; i < n; i++)
        out[i] = (char)tolower ((unsigned char)e->category[i]);
    out[n] = '\0';
    if (!path || (strcmp (out, "posix") != 0 && strcmp (out, "stdio") != 0))
        return;
    for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++)
        if (strstr (path, parts[i][0]))
            n += (size_t)snprintf (out + n, room - n, "%s", parts[i][1]);
}

static int moves (const char *category, const char *name)
{
    return (strncmp (category, "posix", 5) == 0 ||
            strncmp (category, "stdio", 5) == 0) &&
           pattern_match ("fread,pread,preadv,read,readv,fwrite,pwrite,"
                          "pwritev,write,writev",
                          name);
}

/* Category, name and path -> what it counts for. The path decides by its
 * parts only, but to remember all is simpler. NULL: ENOMEM. */
static struct operation *operation_of (struct compat_reader *r,
                                       const struct item *e)
{
    char key[1024], category[128], name[256];
    size_t path_length = e->path ? strlen (e->path) : 0, n;
    struct operation *op;
    int isnew;
    int64_t at;

    n = (size_t)snprintf (
        key, sizeof (key), "%.*s\"%.*s\"%.*s", (int)(e->category_length % 256),
        e->category, (int)(e->name_length % 256), e->name,
        (int)(path_length < 480 ? path_length : 480), e->path ? e->path : "");
    if ((at = strmap_intern (r->ops, key, n, &isnew)) < 0)
        return NULL;
    if (!isnew)
        return strmap_value (r->ops, (size_t)at);
    if (!(op = calloc (1, sizeof (*op))))
        return NULL;
    strmap_set (r->ops, (size_t)at, op);
    category_of (e, e->path, category, sizeof (category));
    (void)snprintf (name, sizeof (name), "%.*s", (int)(e->name_length % 256),
                    e->name);
    op->ignored = ignored_name (name) || (e->path && ignored_path (e->path));
    op->layers =
        op->ignored ? 0 : layerset_match (&r->c->layers, category, name);
    op->moves = moves (category, name);
    return op;
}

/* --- where it counts -------------------------------------------------- */

/* The value under a key, new and zeroed if need be. */
static void *
value_of (struct strmap *m, const void *key, size_t n, size_t size, int64_t *at)
{
    int isnew;
    void *value;

    if ((*at = strmap_intern (m, key, n, &isnew)) < 0)
        return NULL;
    if (!isnew)
        return strmap_value (m, (size_t)*at);
    if ((value = calloc (1, size)))
        strmap_set (m, (size_t)*at, value);
    return value;
}

static struct compat_thread *
thread_of (struct compat_reader *r, const struct item *e, int64_t *number)
{
    char key[2 * sizeof (uint64_t) + 64];
    size_t n = e->host_length < 64 ? e->host_length : 64;
    struct compat_thread *t;
    int64_t process;

    memcpy (key, &e->pid, sizeof (e->pid));
    if (n)
        memcpy (key + sizeof (e->pid), e->host, n);
    if (!value_of (r->processes, key, n + sizeof (e->pid), 1, &process))
        return NULL;
    memcpy (key + sizeof (e->pid) + n, &e->tid, sizeof (e->tid));
    t = value_of (r->threads, key, n + 2 * sizeof (e->pid), sizeof (*t),
                  number);
    if (t)
        t->process = (uint32_t)process;
    return t;
}

static int count (struct compat_reader *r, const struct item *e)
{
    struct operation *op = operation_of (r, e);
    uint64_t second = e->ts > r->start ? (e->ts - r->start) / US_PER_S : 0;
    int64_t number, at;
    struct compat_thread *t;
    struct compat_cell *cell;
    uint32_t key[2];

    if (!op)
        return -1;
    if (op->ignored)
        return 0;
    if (!(t = thread_of (r, e, &number)))
        return -1;
    if (!op->layers)
        return 0;
    key[0] = (uint32_t)second;
    key[1] = (uint32_t)number;
    if (!(cell = value_of (r->cells, key, sizeof (key), sizeof (*cell), &at)))
        return -1;
    for (uint32_t set = op->layers; set; set &= set - 1) {
        int l = __builtin_ctz (set);

        cell->us[l] += e->dur;
        cell->n[l]++;
        cell->bytes[l] += op->moves ? e->bytes : 0;
        if (intervals_add (&t->set[l], e->ts, e->ts + e->dur) < 0)
            return -1;
    }
    return 0;
}

/* --- reading ---------------------------------------------------------- */

static void saw (struct compat_reader *r, uint64_t end)
{
    if (end > r->end)
        r->end = end;
}

static int take_line (void *cookie, const struct pfw_line *l)
{
    struct compat_reader *r = cookie;
    struct item e = {.category = l->cat.p ? l->cat.p : "",
                     .category_length = l->cat.n,
                     .name = l->name.p,
                     .name_length = l->name.n,
                     .pid = l->pid,
                     .tid = l->tid,
                     .ts = l->ts,
                     .dur = l->dur,
                     .host = l->hhash.p,
                     .host_length = l->hhash.n};

    if (l->phase == PFW_PHASE_AGGREGATED)
        return 0;
    if (l->phase == PFW_PHASE_META)
        return l->meta_name.p && l->meta_value.n && l->name.n == 2 &&
                       l->name.p[1] == 'H'
                   ? pfw_names_define (r->names, &l->meta_value, &l->meta_name)
                   : 0;
    saw (r, l->ts + l->dur);
    e.bytes = l->has & PFW_HAS_SIZE_SUM ? (uint64_t)l->size_sum
              : l->ret > 0              ? (uint64_t)l->ret
                                        : 0;
    if (l->fhash.n) {
        uint32_t number = pfw_names_hash (r->names, &l->fhash);

        if (!number)
            return -1;
        e.path = pfw_names_get (r->names, number)->text;
    }
    return count (r, &e);
}

static int read_pfw (struct compat_reader *r, const char *path)
{
    struct pfw_account account;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc;

    if (fd < 0)
        return -1;
    rc = pfw_read (fd, &account, take_line, r);
    (void)close (fd);
    return rc;
}

static int take_event (struct compat_reader *r, const struct stream *t)
{
    const struct trace_process *who = t->part->who;
    const struct call_info *info = &call_table[t->ev.call];
    const struct name *name = decoder_name (&t->decoder, t->ev.file);
    const char *category = call_category_name (info->category);
    char path[EVENT_NAME_MAX + 1];
    struct item e = {.category = category,
                     .category_length = strlen (category),
                     .name = info->name ? info->name : "",
                     .pid = who->p.pid,
                     .tid = t->tid,
                     .ts = trace_real_ns (who, t->ev.start) / 1000,
                     .host = who->text[SHARD_STRING_HOST],
                     .host_length = strlen (who->text[SHARD_STRING_HOST])};

    e.name_length = strlen (e.name);
    e.dur = t->end / 1000 - e.ts;
    e.bytes = t->ev.ret > 0 ? (uint64_t)t->ev.ret : 0;
    if (info->category == CALL_CATEGORY_APP && name) {
        e.category = name->text;
        e.category_length = strnlen (name->text, name->length);
        e.name = e.category + e.category_length + 1;
        e.name_length = name->length > e.category_length
                            ? name->length - e.category_length - 1
                            : 0;
    } else if (name) {
        memcpy (path, name->text, name->length);
        path[name->length] = '\0';
        e.path = path;
    }
    saw (r, t->end / 1000);
    return count (r, &e);
}

/* All our own shards; DFTracer's files are left out here. */
static int read_shards (struct compat_reader *r, const struct parts *parts)
{
    struct streams streams;
    struct stream *t;
    int rc = 0;

    if (streams_open (&streams, parts) < 0)
        return -1;
    while (rc == 0 && (t = streams_top (&streams)))
        rc = take_event (r, t) < 0 || streams_next (&streams) < 0 ? -1 : 0;
    streams_close (&streams);
    return rc;
}

static void keep_shards (struct parts *parts, const struct job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < parts->count; i++)
        if (!job->source[parts->item[i].source].is_pfw)
            parts->item[kept++] = parts->item[i];
    parts->count = kept;
}

static void find_bounds (struct compat_reader *r, const struct parts *parts)
{
    r->start = UINT64_MAX;
    for (size_t i = 0; i < parts->count; i++) {
        const struct shard_process *p = &parts->item[i].who->p;

        if (p->start_real && p->start_real / 1000 < r->start)
            r->start = p->start_real / 1000;
        if (p->end_ns > p->start_ns)
            saw (r, (p->start_real + p->end_ns - p->start_ns) / 1000);
    }
}

int compat_read (struct compat_reader *r, const struct job *job)
{
    struct parts parts;
    int rc = parts_make (&parts, job);

    if (rc == 0) {
        find_bounds (r, &parts);
        keep_shards (&parts, job);
        rc = read_shards (r, &parts);
    }
    parts_clear (&parts);
    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].file && job->source[i].is_pfw)
            rc = read_pfw (r, job->source[i].path);
    return rc;
}
