/* SPDX-License-Identifier: MIT
 *
 * compat.c - events -> the numbers DFAnalyzer prints, and exact ones
 *
 * In:  DFTracer's lines as they are; our events under the names the export
 *      gives them
 * Out: struct compat, to compatview.c
 *
 * DFAnalyzer's rules (release of July 2025, views proc_name and time_range):
 * an event belongs to the second in which it starts; the time of a layer is
 * the sum of durations (process view), or of the busiest thread of each
 * second (time view); it is overlapped by compute where compute took longer
 * in the same thread or second. Intervals are never intersected; that is what
 * the exact values are for.
 */
#include "config.h"

#include "analyze/compat.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/interval.h"
#include "analyze/pattern.h"
#include "analyze/pfwnames.h"
#include "analyze/stream.h"
#include "lib/util/strmap.h"

enum { US_PER_S = 1000000 };

struct thread {
    uint32_t process;
    struct intervals set[LAYERSET_MAX]; /* us */
};

/* One thread in one second. */
struct cell {
    uint64_t us[LAYERSET_MAX], n[LAYERSET_MAX], bytes[LAYERSET_MAX];
};

struct operation {
    uint32_t layers; /* it is in; 0 for what is ignored */
    int ignored, moves;
};

struct reader {
    struct compat *c;
    uint64_t start, end; /* us, of the job */
    struct strmap *ops, *threads, *processes, *cells;
    struct pfw_names *names;
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
static struct operation *operation_of (struct reader *r, const struct item *e)
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

static struct thread *
thread_of (struct reader *r, const struct item *e, int64_t *number)
{
    char key[2 * sizeof (uint64_t) + 64];
    size_t n = e->host_length < 64 ? e->host_length : 64;
    struct thread *t;
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

static int count (struct reader *r, const struct item *e)
{
    struct operation *op = operation_of (r, e);
    uint64_t second = e->ts > r->start ? (e->ts - r->start) / US_PER_S : 0;
    int64_t number, at;
    struct thread *t;
    struct cell *cell;
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

static void saw (struct reader *r, uint64_t end)
{
    if (end > r->end)
        r->end = end;
}

static int take_line (void *cookie, const struct pfw_line *l)
{
    struct reader *r = cookie;
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

static int read_pfw (struct reader *r, const char *path)
{
    struct pfw_account account;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc;

    if (fd < 0)
        return -1;
    rc = pfw_read (fd, &account, take_line, r);
    (void)close (fd);
    return rc;
}

static int take_event (struct reader *r, const struct stream *t)
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
static int read_shards (struct reader *r, const struct parts *parts)
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

static void find_bounds (struct reader *r, const struct parts *parts)
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

static int read_job (struct reader *r, const struct job *job)
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

/* --- DFAnalyzer's sums ------------------------------------------------- */

/* A row of a view: a thread, or a second. */
struct row {
    uint64_t us[LAYERSET_MAX], n[LAYERSET_MAX], bytes[LAYERSET_MAX];
};

static void
add_row (struct compat *c, enum compat_view view, const struct row *r)
{
    uint64_t compute = c->layers.compute < 0 ? 0 : r->us[c->layers.compute];

    for (size_t l = 0; l < c->layers.layers; l++) {
        struct compat_layer *to = &c->view[view][l];

        to->time_s += (double)r->us[l] / 1e6;
        to->count += r->n[l];
        to->bytes += r->bytes[l];
        if (r->us[l] > compute) {
            to->u_time_s += (double)(r->us[l] - compute) / 1e6;
            to->u_count += r->n[l];
            to->u_bytes += r->bytes[l];
        }
    }
}

/* Cells of one key into rows: over[i] says of cell i's key what row it is in;
 * times are summed, or the largest counts. */
static int sum_view (struct reader *r, enum compat_view view)
{
    size_t cells = strmap_count (r->cells), rows = 0;
    struct row *row;

    for (size_t i = 0; i < cells; i++) {
        const uint32_t *key = (const void *)strmap_key (r->cells, i, NULL);
        uint32_t id;

        memcpy (&id, &key[view == COMPAT_PROCESS], sizeof (id));
        if (id >= rows)
            rows = (size_t)id + 1;
    }
    if (!(row = calloc (rows + 1, sizeof (*row))))
        return -1;
    for (size_t i = 0; i < cells; i++) {
        const struct cell *c = strmap_value (r->cells, i);
        uint32_t id[2];
        struct row *to;

        memcpy (id, strmap_key (r->cells, i, NULL), sizeof (id));
        to = &row[id[view == COMPAT_PROCESS]];
        for (int l = 0; l < LAYERSET_MAX; l++) {
            if (view == COMPAT_PROCESS)
                to->us[l] += c->us[l];
            else if (c->us[l] > to->us[l])
                to->us[l] = c->us[l];
            to->n[l] += c->n[l];
            to->bytes[l] += c->bytes[l];
        }
    }
    for (size_t i = 0; i < rows; i++)
        add_row (r->c, view, &row[i]);
    free (row);
    return 0;
}

/* --- exactly ----------------------------------------------------------- */

/* Union of a layer over the threads of a process, or all (UINT32_MAX). */
static int
unite (struct reader *r, uint32_t process, int layer, struct intervals *out)
{
    size_t n = strmap_count (r->threads), used = 0;
    const struct intervals **sets = calloc (n + 1, sizeof (*sets));
    int rc;

    if (!sets)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct thread *t = strmap_value (r->threads, i);

        if (t->set[layer].count &&
            (process == UINT32_MAX || t->process == process))
            sets[used++] = &t->set[layer];
    }
    rc = intervals_union (out, sets, used);
    free (sets);
    return rc;
}

/* Lengths of a layer and of what compute has in common with it. */
static int exact_of (
    struct reader *r, uint32_t process, int layer, double *s, double *common)
{
    struct intervals all = {0}, compute = {0};
    int rc = unite (r, process, layer, &all);

    if (rc == 0 && r->c->layers.compute >= 0)
        rc = unite (r, process, r->c->layers.compute, &compute);
    if (rc == 0) {
        *s += (double)intervals_length (&all) / 1e6;
        *common += (double)intervals_common (&all, &compute) / 1e6;
    }
    intervals_clear (&all);
    intervals_clear (&compute);
    return rc;
}

static int make_exact (struct reader *r)
{
    for (size_t l = 0; l < r->c->layers.layers; l++) {
        struct compat_exact *e = &r->c->exact[l];

        e->sum_s = r->c->view[COMPAT_PROCESS][l].time_s;
        if (exact_of (r, UINT32_MAX, (int)l, &e->union_s, &e->job_overlap_s) <
            0)
            return -1;
        for (size_t p = 0; p < strmap_count (r->processes); p++)
            if (exact_of (r, (uint32_t)p, (int)l, &e->rank_sum_s,
                          &e->rank_overlap_s) < 0)
                return -1;
    }
    return 0;
}

/* --- all of it --------------------------------------------------------- */

static void free_values (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

static void free_reader (struct reader *r)
{
    for (size_t i = 0; r->threads && i < strmap_count (r->threads); i++) {
        struct thread *t = strmap_value (r->threads, i);

        for (int l = 0; t && l < LAYERSET_MAX; l++)
            intervals_clear (&t->set[l]);
    }
    free_values (r->ops);
    free_values (r->threads);
    free_values (r->processes);
    free_values (r->cells);
    pfw_names_destroy (r->names);
}

static int load (struct compat *c, const struct job *job)
{
    struct reader r = {.c = c,
                       .ops = strmap_create (),
                       .threads = strmap_create (),
                       .processes = strmap_create (),
                       .cells = strmap_create (),
                       .names = pfw_names_create ()};
    int rc = -1;

    if (r.ops && r.threads && r.processes && r.cells && r.names &&
        read_job (&r, job) == 0 && sum_view (&r, COMPAT_PROCESS) == 0 &&
        sum_view (&r, COMPAT_TIME) == 0 && make_exact (&r) == 0) {
        c->job_s = r.end > r.start ? (double)(r.end - r.start) / 1e6 : 0;
        c->threads = strmap_count (r.threads);
        rc = 0;
    }
    free_reader (&r);
    return rc;
}

/* Has the preset found the layer that every run of DLIO has? */
static int is_dlio (const struct compat *c)
{
    return c->view[COMPAT_PROCESS][0].count > 0;
}

int compat_load (struct compat *c,
                 const struct job *job,
                 const char *layers,
                 struct errtext *err)
{
    memset (c, 0, sizeof (*c));
    if (layerset_load (&c->layers, layers ? layers : "dlio", err) < 0)
        return -1;
    if (load (c, job) < 0) {
        (void)errf (err, "%s: %s", job->label, strerror (errno));
        compat_clear (c);
        return -1;
    }
    if (layers || is_dlio (c))
        return 0;
    compat_clear (c);
    return compat_load (c, job, "ai", err);
}

void compat_clear (struct compat *c)
{
    layerset_clear (&c->layers);
    memset (c, 0, sizeof (*c));
}
