/* SPDX-License-Identifier: MIT
 *
 * partialread.c - the files of all partitions of a job -> its totals
 *
 * In:  files of partial.c; hostile input is refused, never trusted
 * Out: struct totals, as load.c would have made them
 */
#include "config.h"

#include "analyze/query/partial.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/mmlog.h"
#include "analyze/scan/packer.h"
#include "analyze/scan/spanlog.h"
#include "analyze/scan/timemap.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

#include <pthread.h>

struct partial_reader {
    struct unpacker u;
    struct job *job;
    struct totals *t;
    char *has; /* of each source: this partition has it */
    size_t processes_room;
};

/* partial_get_X: take in the section at hand. 0, or -1: r->u.bad, or errno.
 * Spans and what layer mmap says are those of the process before them. */

static int partial_get_time (struct partial_reader *r)
{
    uint64_t n[PROFILE_BIN_COUNTERS];
    struct timemap_bin bin;

    unpack_bytes (&r->u, &bin, sizeof (bin));
    unpack_bytes (&r->u, n, sizeof (n));
    if (r->u.bad || !bin.width)
        return -1;
    tally_add (&r->t->tally, TALLY_TIME, (const char *)&bin, sizeof (bin), n);
    return 0;
}

static void partialvalues_pack (struct packer *p, const struct accessvalues *f)
{
    static const struct accessvalues_of none;

    for (int way = 0; way < ACCESS_WAYS; way++) {
        const struct accessvalues_of *s =
            f && f->way[way] ? f->way[way] : &none;
        size_t n;
        struct valuecount_slot *all = accessvalues_sorted (s, &n);

        pack_uint (p, s->unknown);
        pack_uint (p, s->bits);
        pack_uint (p, n);
        for (size_t i = 0; i < n; i++) {
            pack_uint (p, all[i].value);
            pack_uint (p, all[i].times);
        }
        free (all);
    }
}

void partial_pack_values (struct packer *p, const struct file_total *f)
{
    partialvalues_pack (p, f->sizes);
    partialvalues_pack (p, f->strides);
}

/* Sizes or strides of the file whose section is at hand. */
static void partialvalues_get (struct partial_reader *r,
                               struct accessvalues **f)
{
    for (int w = 0; w < ACCESS_WAYS; w++) {
        enum access_way way = w;
        uint64_t unknown = unpack_uint (&r->u), bits = unpack_uint (&r->u);
        uint64_t n = unpack_uint (&r->u);

        if (bits > 64)
            r->u.bad = 1;
        if (unknown)
            accessvalues_add_unknown (f, way, unknown);
        accessvalues_bound (f, way, r->u.bad ? 0 : (unsigned)bits);
        for (uint64_t i = 0; i < n && !r->u.bad; i++) {
            uint64_t bytes = unpack_uint (&r->u), times = unpack_uint (&r->u);

            if (!r->u.bad && times)
                accessvalues_add (f, way, bytes, times);
        }
    }
}

/* --- processes ------------------------------------------------------------ */

/* One block of memory, owned by the totals. */
static struct trace_process *get_who (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct trace_process head = {0}, *who;
    const char *text[SHARD_STRING_COUNT];
    size_t length[SHARD_STRING_COUNT], bytes = 0;
    char *to;

    unpack_bytes (u, &head.p, sizeof (head.p));
    head.offset = unpack_uint (u);
    head.damaged = (int)unpack_uint (u);
    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        text[i] = unpack_text (u, &length[i]);
        bytes += length[i] + 1;
    }
    if (u->bad)
        return NULL;
    who = xmalloc (sizeof (*who) + bytes);
    *who = head;
    to = (char *)(who + 1);
    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        memcpy (to, text[i], length[i]);
        to[length[i]] = '\0';
        who->text[i] = to;
        to += length[i] + 1;
    }
    return who;
}

static int partial_get_process (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct trace_process *who = get_who (r);
    struct process *p;

    if (!who)
        return -1;
    p = APPEND (r->t->process, r->t->processes, r->processes_room);
    p->who = p->owned = who;
    p->threads = (uint32_t)unpack_uint (u);
    unpack_bytes (u, &p->n, sizeof (p->n));
    unpack_bytes (u, &p->startup, sizeof (p->startup));
    p->start = unpack_uint (u);
    p->end = unpack_uint (u);
    for (int kind = 0; kind < MARK_KINDS; kind++)
        if (marks_unpack (u, &p->marks[kind]) < 0)
            return -1;
    return u->bad ? -1 : 0;
}

/* Read the times of the process before this section. */
static int partial_get_spans (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t call = unpack_uint (u), sets = unpack_uint (u);
    uint64_t bill = unpack_uint (u), flags = unpack_uint (u);
    uint64_t main = unpack_uint (u);
    struct process *p;
    struct spans *s;

    if (u->bad || !r->t->processes || call >= CALL_MAX || sets >> SET_COUNT ||
        bill > BILL_NONE || flags > 3 || main > 1)
        return -1;
    NEW (s, 1);
    p = &r->t->process[r->t->processes - 1];
    s->key = (struct span_key){.call = (uint16_t)call,
                               .sets = (uint16_t)sets,
                               .bill = (uint8_t)bill,
                               .storage = flags & 1,
                               .estimate = (uint8_t)(flags >> 1)};
    s->main = (uint8_t)main;
    s->next = p->spans;
    p->spans = s;
    return spanlog_unpack (u, &s->log);
}

static int partial_get_mmap (struct partial_reader *r)
{
    if (!r->t->processes)
        return -1;
    return mmlog_unpack (&r->u, &r->t->process[r->t->processes - 1].mm);
}

static int partial_get_shares (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t count = unpack_uint (u);
    struct shares *to;

    if (u->bad || !r->t->processes)
        return -1;
    if (count > SHARES_MAX) {
        r->t->shares_dropped = 1;
        return 0;
    }
    to = &r->t->process[r->t->processes - 1].shares;
    for (uint64_t i = 0; i < count && !u->bad; i++) {
        struct share one;
        struct shares single = {.item = &one, .count = 1};

        unpack_bytes (u, &one, sizeof (one));
        if (!u->bad)
            shares_append (to, &single);
    }
    return u->bad ? -1 : 0;
}

struct joining {
    struct totals *t;
    struct job *job;
    unsigned partitions;
    size_t room; /* of processes */
    pthread_mutex_t lock;
    int failed;
    struct errtext *err;
};

/* Facts about the file are equal in every partition; counts of decoded events
 * are added up. */
static void
partialjoin_add_health (struct health *h, const struct health *more, int first)
{
    if (first) {
        *h = *more;
        return;
    }
    h->events += more->events;
    h->undecoded += more->undecoded;
    h->chunks_bad += more->chunks_bad;
    h->io_errors += more->io_errors;
    h->cut_events += more->cut_events;
}

static void join_processes (struct joining *x, struct totals *more)
{
    struct totals *t = x->t;

    GROW (t->process, x->room, t->processes + more->processes + 1);
    if (more->processes)
        memcpy (t->process + t->processes, more->process,
                more->processes * sizeof (*t->process));
    t->processes += more->processes;
    more->processes = 0; /* they have moved */
}

static void
partialjoin_join (struct joining *x, struct totals *more, const char *has)
{
    tally_merge (&x->t->tally, &more->tally);
    join_processes (x, more);
    x->t->shares_dropped |= more->shares_dropped;
    totals_limit_shares (x->t);
    for (size_t i = 0; i < x->t->sources; i++)
        if (has[i]) {
            partialjoin_add_health (&x->t->health[i], &more->health[i],
                                    !x->job->source[i].taken);
            x->job->source[i].taken = 1;
        }
}

static void begin (struct totals *t, size_t sources)
{
    ZERO (t);
    t->sources = sources;
    NEW (t->health, sources + 1);
    tally_init (&t->tally);
}

static void partialjoin_do_partition (void *cookie, size_t index, int worker)
{
    struct joining *x = cookie;
    char *path = partial_path (x->job->dir, PARTIAL_TOTALS, (unsigned)index,
                               x->partitions);
    char *has = ZEROED (has, x->job->sources);
    struct errtext err;
    struct totals t;
    int rc;

    begin (&t, x->job->sources);
    rc = partial_add (path, x->job, &t, has, &err);
    pthread_mutex_lock (&x->lock);
    if (rc < 0 && !x->failed)
        *x->err = err;
    x->failed |= rc < 0;
    if (!x->failed)
        partialjoin_join (x, &t, has);
    pthread_mutex_unlock (&x->lock);
    totals_clear (&t);
    free (has);
    free (path);
    progress_add (1);
}

int partial_add_all (struct totals *t,
                     struct job *job,
                     unsigned partitions,
                     int threads,
                     struct errtext *err)
{
    struct joining x = {.t = t,
                        .job = job,
                        .partitions = partitions,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .err = err};

    begin (t, job->sources);
    progress_start ("reduce", partitions, "partitions");
    pool_run (partitions, threads, partialjoin_do_partition, &x);
    progress_end ();
    return x.failed ? -1 : 0;
}

uint64_t partial_rules (const struct kind_rules *rules)
{
    const uint64_t layout[] = {sizeof (struct shard_process),
                               sizeof (struct counts),
                               sizeof (struct file_total),
                               sizeof (struct block_total),
                               sizeof (struct peer_total),
                               sizeof (struct object_total),
                               PROFILE_BIN_COUNTERS,
                               sizeof (struct health),
                               sizeof (struct pfw_account),
                               sizeof (struct pfw_sum),
                               sizeof (struct mount_entry),
                               sizeof (struct share),
                               sizeof (struct startup),
                               sizeof (struct mm_log),
                               sizeof (struct mm_part),
                               sizeof (struct mm_look),
                               sizeof (struct mm_seen),
                               SHARD_STRING_COUNT,
                               SHARD_VERSION,
                               CALL_MAX,
                               HIST_BUCKETS,
                               SET_COUNT,
                               MARK_KINDS,
                               BILL_COUNT,
                               COST_COUNT,
                               POINTFAULT_COUNT,
                               mmlog_layout ()};
    uint64_t sum = shard_checksum (layout, sizeof (layout), 0);

    sum = shard_checksum (PACKAGE_VERSION, sizeof (PACKAGE_VERSION), sum);
    for (int i = 0; i < KIND_COUNT; i++) {
        const char *p =
            rules->patterns[i] ? rules->patterns[i] : kind_patterns (i);

        sum = shard_checksum (p, strlen (p), sum);
    }
    return sum >> 1;
}

const char *partial_suffix (enum partial_what what)
{
    static const char *const suffix[PARTIAL_WHATS] = {
        [PARTIAL_TOTALS] = "part",
        [PARTIAL_GROUPS] = "rows",
    };

    return suffix[what];
}

char *partial_path (const char *dir,
                    enum partial_what what,
                    unsigned partition,
                    unsigned partitions)
{
    return xasprintf ("%s/partials/%u-of-%u.%s", dir, partition + 1, partitions,
                      partial_suffix (what));
}

/* --- pieces --------------------------------------------------------------- */

static int partialread_get_head (struct unpacker *u, struct partial_head *head)
{
    char magic[sizeof (PARTIAL_MAGIC)];

    unpack_bytes (u, magic, sizeof (magic));
    head->rules = unpack_uint (u);
    head->partition = (unsigned)unpack_uint (u);
    head->partitions = (unsigned)unpack_uint (u);
    head->sources = unpack_uint (u);
    if (u->bad || memcmp (magic, PARTIAL_MAGIC, sizeof (magic)) != 0) {
        errno = EPROTO;
        return -1;
    }
    return 0;
}

static int partialread_get_source (struct partial_reader *r)
{
    int64_t i = partial_unpack_source (&r->u, r->job);
    struct health health;

    unpack_bytes (&r->u, &health, sizeof (health));
    if (i < 0 || r->u.bad)
        return -1;
    r->t->health[i] = health;
    r->has[i] = 1;
    return 0;
}

static int get_call (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t call = unpack_uint (u);
    struct call_total got = {.bytes = unpack_uint (u)}, **to;

    got.errors = unpack_uint (u);
    got.libc = unpack_uint (u);
    hist_unpack (u, &got.time);
    if (u->bad || call >= CALL_MAX)
        return -1;
    to = &r->t->tally.call[call];
    if (!*to)
        NEW (*to, 1);
    (*to)->bytes += got.bytes;
    (*to)->errors += got.errors;
    (*to)->libc += got.libc;
    hist_merge (&(*to)->time, &got.time);
    return 0;
}

static int get_operation (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    size_t n;
    const char *key = unpack_text (u, &n);
    uint64_t role = unpack_uint (u), foreign = unpack_uint (u);
    struct op_total got = {
        .role = role, .foreign = foreign, .self = unpack_uint (u)};
    struct hist time;

    hist_unpack (u, &time);
    if (u->bad || role >= ROLE_COUNT || foreign > CALL_CATEGORY_APP)
        return -1;
    thinhist_from (&got.time, &time);
    tally_add (&r->t->tally, TALLY_OPS, key, n, &got);
    thinhist_free (&got.time);
    return 0;
}

static int get_file (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    size_t n;
    const char *key = unpack_text (u, &n);
    struct file_total got, *f;

    unpack_bytes (u, &got, sizeof (got));
    got.sizes = got.strides = NULL;
    if (u->bad || got.class > FILE_CLASS_OTHER || got.kind > KIND_COUNT)
        return -1;
    tally_add (&r->t->tally, TALLY_FILES, key, n, &got);
    f = tally_value (&r->t->tally, TALLY_FILES, key, n);
    partialvalues_get (r, &f->sizes);
    partialvalues_get (r, &f->strides);
    return 0;
}

/* A section that is a key and a plain struct. */
#define GET_KEYED(NAME, TYPE, ADD)                 \
    static int NAME (struct partial_reader *r)     \
    {                                              \
        size_t n;                                  \
        const char *key = unpack_text (&r->u, &n); \
        TYPE got;                                  \
                                                   \
        unpack_bytes (&r->u, &got, sizeof (got));  \
        if (r->u.bad)                              \
            return -1;                             \
        ADD;                                       \
        return 0;                                  \
    }
GET_KEYED (get_block,
           struct block_total,
           tally_add (&r->t->tally, TALLY_BLOCKS, key, n, &got))
GET_KEYED (get_peer,
           struct peer_total,
           tally_add (&r->t->tally, TALLY_PEERS, key, n, &got))
GET_KEYED (get_object,
           struct object_total,
           tally_add (&r->t->tally, TALLY_OBJECTS, key, n, &got))
GET_KEYED (get_sum,
           struct pfw_sum,
           pfw_sums_put (&r->t->tally.sums, key, n, &got))

static int get_point (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t what = unpack_uint (u), times;
    size_t n;
    const char *text = unpack_text (u, &n);

    times = unpack_uint (u);
    if (u->bad || what >= POINTFAULT_COUNT)
        return -1;
    pointfaults_say (&r->t->tally.points, what, text, n, times);
    return 0;
}

static int get_mount (struct partial_reader *r)
{
    struct mount_entry m;
    size_t n;
    const char *prefix = unpack_text (&r->u, &n);

    unpack_bytes (&r->u, &m, sizeof (m));
    if (r->u.bad || m.type[sizeof (m.type) - 1] ||
        m.point[sizeof (m.point) - 1])
        return -1;
    tally_add (&r->t->tally, TALLY_MOUNTS, prefix, n, &m);
    return 0;
}

/* --- the file ------------------------------------------------------------- */

static int partialread_get_section (void *cookie, uint64_t type)
{
    static int (*const get[]) (struct partial_reader *) = {
        [PARTIAL_SOURCE] = partialread_get_source,
        [PARTIAL_CALL] = get_call,
        [PARTIAL_OPERATION] = get_operation,
        [PARTIAL_FILE] = get_file,
        [PARTIAL_BLOCK] = get_block,
        [PARTIAL_PEER] = get_peer,
        [PARTIAL_OBJECT] = get_object,
        [PARTIAL_TIME] = partial_get_time,
        [PARTIAL_POINT] = get_point,
        [PARTIAL_SUM] = get_sum,
        [PARTIAL_MOUNT] = get_mount,
        [PARTIAL_PROCESS] = partial_get_process,
        [PARTIAL_SPANS] = partial_get_spans,
        [PARTIAL_SHARES] = partial_get_shares,
        [PARTIAL_MMAP] = partial_get_mmap,
    };
    struct partial_reader *r = cookie;

    if (type < PARTIAL_SOURCE || type > PARTIAL_MMAP)
        r->u.bad = 1;
    return r->u.bad ? -1 : get[type](r);
}

static FILE *open_file (const char *path,
                        struct unpacker *u,
                        struct partial_head *head,
                        struct errtext *err)
{
    FILE *in = fopen (path, "re");
    uint64_t type = 0;
    int rc = in ? unpack_section (u, &type, in) : -1;

    if (rc > 0 && type == PARTIAL_HEAD && partialread_get_head (u, head) == 0)
        return in;
    if (rc >= 0)
        errno = EPROTO;
    errf (err, "%s: %s", path,
          errno == EPROTO    ? "not a partial result of this version"
          : errno == EBADMSG ? "damaged"
                             : strerror (errno));
    rc = errno;
    if (in)
        fclose (in);
    errno = rc;
    return NULL;
}

/* Whether the file ended with the section that ends it. */
static int read_sections (struct unpacker *u,
                          FILE *in,
                          uint64_t end,
                          int (*get) (void *cookie, uint64_t type),
                          void *cookie)
{
    uint64_t type;
    int ended = 0, rc;

    errno = 0;
    while ((rc = unpack_section (u, &type, in)) > 0) {
        u->bad |= ended;
        ended = type == end;
        if (u->bad || (!ended && get (cookie, type) < 0) || !unpack_ended (u))
            return -1;
    }
    return rc == 0 && ended ? 0 : -1;
}

int partial_read_file (const char *path,
                       struct unpacker *u,
                       uint64_t end,
                       int (*get) (void *cookie, uint64_t type),
                       void *cookie,
                       struct errtext *err)
{
    struct partial_head head;
    FILE *in = open_file (path, u, &head, err);
    int rc;

    if (!in)
        return -1;
    if ((rc = read_sections (u, in, end, get, cookie)) < 0)
        errf (err, "%s: %s", path,
              u->bad            ? "damaged"
              : errno == ENOENT ? "it is of traces that are no longer "
                                  "there"
              : errno == EEXIST ? "has a process that another partition "
                                  "has, too: analyze it without "
                                  "--partial"
              : errno == EIO || errno == ENOSPC ? strerror (errno)
                                                : "damaged");
    fclose (in);
    return rc;
}

int partial_head (const char *path,
                  struct partial_head *head,
                  struct errtext *err)
{
    struct unpacker u = {0};
    FILE *in = open_file (path, &u, head, err);

    unpacker_clear (&u);
    if (!in)
        return -1;
    fclose (in);
    return 0;
}

int partial_add (const char *path,
                 struct job *job,
                 struct totals *t,
                 char *has,
                 struct errtext *err)
{
    struct partial_reader r = {.job = job, .t = t, .has = has};
    int rc = partial_read_file (path, &r.u, PARTIAL_END,
                                partialread_get_section, &r, err);

    unpacker_clear (&r.u);
    return rc;
}

/* Sections that partial_pack_sums does not write are damage. */
static int partialread_get_sums (void *cookie, uint64_t type)
{
    struct partial_reader *r = cookie;

    if (type == PARTIAL_SOURCE || type == PARTIAL_SPANS ||
        type == PARTIAL_MMAP) {
        r->u.bad = 1;
        return -1;
    }
    return partialread_get_section (cookie, type);
}

int partial_unpack_sums (FILE *in, struct totals *t)
{
    struct partial_reader r = {.t = t};
    int rc;

    ZERO (t);
    tally_init (&t->tally);
    rc = read_sections (&r.u, in, PARTIAL_END, partialread_get_sums, &r);
    unpacker_clear (&r.u);
    return rc;
}
