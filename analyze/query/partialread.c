/* SPDX-License-Identifier: MIT
 *
 * partialread.c - the files of all partitions of a job -> its totals
 *
 * In:  files of partialwrite.c; hostile input is refused, never believed
 * Out: struct totals, as load.c would have made them
 */
#include "config.h"

#include "analyze/query/partial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/mmpack.h"
#include "analyze/scan/histpack.h"
#include "analyze/query/partialreader.h"
#include "lib/util/fsutil.h"

uint64_t partial_rules (const struct kind_rules *rules)
{
    const uint64_t layout[] = {sizeof (struct shard_process),
                               sizeof (struct counts),
                               sizeof (struct file_total),
                               sizeof (struct block_total),
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
        const char *p = rules->patterns[i] ? rules->patterns[i]
                                           : kind_patterns ((enum file_kind)i);

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
    return text_format ("%s/partials/%u-of-%u.%s", dir, partition + 1,
                        partitions, partial_suffix (what));
}

/* --- pieces --------------------------------------------------------------- */

/* The value of a key of the map, zeroed of `size` when it is new. */
static void *partialread_value_of (struct unpacker *u,
                                   struct strmap *m,
                                   size_t size,
                                   int *isnew)
{
    size_t n;
    const char *key = unpack_text (u, &n);
    int64_t at = key ? strmap_intern (m, key, n, isnew) : -1;
    void *value;

    if (at < 0)
        return NULL;
    if ((value = strmap_value (m, (size_t)at)) || !(value = calloc (1, size)))
        return value;
    strmap_set (m, (size_t)at, value);
    return value;
}

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
    if (!*to && !(*to = calloc (1, sizeof (**to))))
        return -1;
    (*to)->bytes += got.bytes;
    (*to)->errors += got.errors;
    (*to)->libc += got.libc;
    hist_merge (&(*to)->time, &got.time);
    return 0;
}

static int get_operation (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    int isnew;
    struct op_total *op =
        partialread_value_of (u, r->t->tally.ops, sizeof (*op), &isnew);
    uint64_t role = unpack_uint (u), foreign = unpack_uint (u);
    uint64_t self = unpack_uint (u);
    struct hist time;

    hist_unpack (u, &time);
    if (!op || u->bad || role >= ROLE_COUNT || foreign > CALL_CATEGORY_APP)
        return -1;
    op->role = (enum role)role;
    op->foreign = (enum call_category)foreign;
    op->self += self;
    hist_merge (&op->time, &time);
    return 0;
}

static int get_file (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    int isnew;
    struct file_total got,
        *f = partialread_value_of (u, r->t->tally.files, sizeof (*f), &isnew);

    unpack_bytes (u, &got, sizeof (got));
    got.sizes = got.strides = NULL;
    if (!f || u->bad || got.class > FILE_CLASS_OTHER || got.kind > KIND_COUNT)
        return -1;
    return file_total_join (f, &got, isnew) < 0 ? -1
                                                : partial_get_values (r, f);
}

static int get_block (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct block_total got;
    size_t n;
    const char *key = unpack_text (u, &n);

    unpack_bytes (u, &got, sizeof (got));
    return u->bad ? -1 : tally_add_block (&r->t->tally, key, n, &got);
}

static int get_object (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    int isnew;
    struct object_total got,
        *o = partialread_value_of (u, r->t->tally.objects, sizeof (*o), &isnew);

    unpack_bytes (u, &got, sizeof (got));
    if (!o || u->bad)
        return -1;
    object_total_add (o, &got);
    return 0;
}

static int get_point (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    uint64_t what = unpack_uint (u), times;
    size_t n;
    const char *text = unpack_text (u, &n);

    times = unpack_uint (u);
    if (u->bad || what >= POINTFAULT_COUNT)
        return -1;
    return pointfaults_say (&r->t->tally.points, (enum pointfault)what, text, n,
                            times);
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
    return mounts_say (&r->t->tally.mounts, prefix, n, &m);
}

static int get_sum (struct partial_reader *r)
{
    struct unpacker *u = &r->u;
    struct pfw_sum sum;
    size_t n;
    const char *key = unpack_text (u, &n);

    unpack_bytes (u, &sum, sizeof (sum));
    return u->bad ? -1 : pfw_sums_put (&r->t->tally.sums, key, n, &sum);
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
    (void)errf (err, "%s: %s", path,
                errno == EPROTO    ? "not a partial result of this version"
                : errno == EBADMSG ? "damaged"
                                   : strerror (errno));
    rc = errno;
    if (in)
        (void)fclose (in);
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
        (void)errf (err, "%s: %s", path,
                    u->bad            ? "damaged"
                    : errno == ENOENT ? "it is of traces that are no longer "
                                        "there"
                    : errno == EEXIST ? "has a process that another partition "
                                        "has, too: analyze it without "
                                        "--partial"
                    : errno == ENOMEM || errno == EIO || errno == ENOSPC
                        ? strerror (errno)
                        : "damaged");
    (void)fclose (in);
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
    (void)fclose (in);
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
    int rc = -1;

    memset (t, 0, sizeof (*t));
    if (tally_init (&t->tally) == 0)
        rc = read_sections (&r.u, in, PARTIAL_END, partialread_get_sums, &r);
    unpacker_clear (&r.u);
    return rc;
}
