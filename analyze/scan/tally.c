/* SPDX-License-Identifier: MIT
 *
 * tally.c - counts and histograms: make, add, merge, sort, free
 *
 * In:  filled by scan*.c
 * Out: to load.c, which merges them, and to the tables
 */
#include "config.h"

#include "analyze/scan/tally.h"
#include "analyze/scan/timemap.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

void tally_init (struct tally *t)
{
    ZERO (t);
    t->ops = strmap_create ();
    t->files = strmap_create ();
    t->objects = strmap_create ();
}

static void map_clear (struct strmap *m)
{
    for (size_t i = 0; m && i < strmap_count (m); i++)
        free (strmap_value (m, i));
    strmap_destroy (m);
}

void tally_clear (struct tally *t)
{
    int saved = errno;

    for (int i = 0; i < CALL_MAX; i++)
        free (t->call[i]);
    for (size_t i = 0; t->ops && i < strmap_count (t->ops); i++) {
        struct op_total *op = strmap_value (t->ops, i);

        if (op)
            thinhist_free (&op->time);
    }
    map_clear (t->ops);
    for (size_t i = 0; t->files && i < strmap_count (t->files); i++) {
        const struct file_total *f = strmap_value (t->files, i);

        accessvalues_free (f ? f->sizes : NULL);
        accessvalues_free (f ? f->strides : NULL);
    }
    map_clear (t->files);
    map_clear (t->blocks);
    map_clear (t->peers);
    map_clear (t->objects);
    map_clear (t->time);
    pointfaults_clear (&t->points);
    pfw_sums_clear (&t->sums);
    mounts_clear (&t->mounts);
    ZERO (t);
    errno = saved;
}

static int merge_calls (struct tally *t, const struct tally *other)
{
    for (int i = 0; i < CALL_MAX; i++) {
        if (!other->call[i])
            continue;
        if (!t->call[i])
            NEW (t->call[i], 1);
        t->call[i]->bytes += other->call[i]->bytes;
        t->call[i]->errors += other->call[i]->errors;
        t->call[i]->libc += other->call[i]->libc;
        hist_merge (&t->call[i]->time, &other->call[i]->time);
    }
    return 0;
}

/* The value under a key in `to`, zeroed of `size` when it is new. */
static void *tally_value (
    struct strmap *to, const char *key, size_t length, size_t size, int *isnew)
{
    int64_t at = strmap_intern (to, key, length, isnew);
    void *value;

    if (!(value = strmap_value (to, at))) {
        value = xcalloc (1, size);
        strmap_set (to, at, value);
    }
    return value;
}

void tally_add_op (struct tally *t, const char *key, size_t length, void *more)
{
    const struct op_total *from = more;
    int isnew;
    struct op_total *to =
        tally_value (t->ops, key, length, sizeof (*to), &isnew);

    to->role = from->role;
    to->sample = from->sample;
    to->foreign = from->foreign;
    to->self += from->self;
    thinhist_merge (&to->time, &from->time);
}

static void tally_larger (uint64_t *to, uint64_t value)
{
    if (value > *to)
        *to = value;
}

void file_total_add (struct file_total *to, const struct file_total *from)
{
    for (int i = 0; i < FILE_extent; i++)
        to->number[i] += from->number[i];
    for (int i = FILE_extent; i < FILE_NUMBERS; i++)
        tally_larger (&to->number[i], from->number[i]);
    for (int i = 0; i < PLACED_COUNT; i++)
        to->placed[i] += from->placed[i];
}

/* Processes may see one path as different things; which of them is met first
 * must not matter. */
int file_total_join (struct file_total *to, struct file_total *from, int isnew)
{
    if (isnew || to->class == FILE_CLASS_UNKNOWN ||
        (from->class != FILE_CLASS_UNKNOWN && from->class < to->class)) {
        to->class = from->class;
        to->kind = from->kind;
    } else if (from->kind == KIND_CHECKPOINT && to->class == from->class)
        to->kind = from->kind; /* which only a checkpoint's writer knows */
    file_total_add (to, from);
    if (accessvalues_merge (&to->sizes, &from->sizes) < 0)
        return -1;
    return accessvalues_merge (&to->strides, &from->strides);
}

void tally_add_file (struct tally *t,
                     const char *path,
                     size_t length,
                     void *from)
{
    int isnew;
    struct file_total *to =
        tally_value (t->files, path, length, sizeof (*to), &isnew);

    file_total_join (to, from, isnew);
}

static void block_total_add (struct block_total *to,
                             const struct block_total *from)
{
    to->reads += from->reads;
    to->read_bytes += from->read_bytes;
    to->read_ns += from->read_ns;
    tally_larger (&to->read_most, from->read_most);
    to->writes += from->writes;
    to->write_bytes += from->write_bytes;
    to->write_ns += from->write_ns;
    tally_larger (&to->write_most, from->write_most);
    to->others += from->others;
    to->other_ns += from->other_ns;
    to->direct_bytes += from->direct_bytes;
    to->late_bytes += from->late_bytes;
    to->failed += from->failed;
}

void tally_add_block (struct tally *t,
                      const char *key,
                      size_t length,
                      void *from)
{
    struct block_total *to;
    int isnew;

    if (!t->blocks)
        t->blocks = strmap_create ();
    to = tally_value (t->blocks, key, length, sizeof (*to), &isnew);
    block_total_add (to, from);
}

void tally_add_peer (struct tally *t,
                     const char *key,
                     size_t length,
                     void *from)
{
    const struct peer_total *more = from;
    struct peer_total *to;
    int isnew;

    if (!t->peers)
        t->peers = strmap_create ();
    to = tally_value (t->peers, key, length, sizeof (*to), &isnew);
#define PEER_TOTAL(NAME) to->NAME += more->NAME;
    PEER_TOTALS (PEER_TOTAL)
#undef PEER_TOTAL
}

static void object_rule_SUM (uint64_t *to, uint64_t from)
{
    *to += from;
}

static void object_rule_MAX (uint64_t *to, uint64_t from)
{
    if (from > *to)
        *to = from;
}

static void object_rule_BITS (uint64_t *to, uint64_t from)
{
    *to |= from;
}

static void object_total_add (struct object_total *to,
                              const struct object_total *from)
{
#define OBJECTCOUNT(RULE, NAME, HELP) \
    object_rule_##RULE (&to->NAME, from->NAME);
#include "lib/model/objectcounts.def"
#undef OBJECTCOUNT
}

int object_name_of (const char *key, size_t length, struct object_name *name)
{
    const char *end = key + length;

    name->layer = key;
    name->file = memchr (key, '\0', length);
    if (!name->file)
        return -1;
    name->file++;
    name->object = memchr (name->file, '\0', end - name->file);
    if (!name->object)
        return -1;
    name->object++;
    return memchr (name->object, '\0', end - name->object) ? -1 : 0;
}

struct object_total *tally_object (struct tally *t,
                                   enum call_category layer,
                                   const char *file,
                                   const char *object)
{
    const char *texts[] = {call_category_name (layer), file, object};
    char key[2 * EVENT_NAME_MAX + 32];
    size_t n = 0;
    int isnew;

    if (!t->objects)
        t->objects = strmap_create (); /* that of a worker begins empty */
    for (int i = 0; i < 3; i++) {
        size_t m = strnlen (texts[i], EVENT_NAME_MAX);

        memcpy (key + n, texts[i], m);
        n += m;
        key[n++] = '\0';
    }
    return tally_value (t->objects, key, n - 1, sizeof (struct object_total),
                        &isnew);
}

void tally_add_object (struct tally *t,
                       const char *key,
                       size_t length,
                       void *from)
{
    int isnew;
    struct object_total *to =
        tally_value (t->objects, key, length, sizeof (*to), &isnew);

    object_total_add (to, from);
}

/* Add each value of a map (NULL: none) with one of the functions above. */
static int
merge_map (struct tally *t,
           const struct strmap *from,
           void (*add) (struct tally *, const char *, size_t, void *))
{
    for (size_t i = 0; from && i < strmap_count (from); i++) {
        size_t length;
        const char *key = strmap_key (from, i, &length);
        void *value = strmap_value (from, i);

        if (value)
            add (t, key, length, value);
    }
    return 0;
}

int tally_merge (struct tally *t, const struct tally *other)
{
    merge_calls (t, other);
    merge_map (t, other->ops, tally_add_op);
    merge_map (t, other->files, tally_add_file);
    merge_map (t, other->blocks, tally_add_block);
    merge_map (t, other->peers, tally_add_peer);
    merge_map (t, other->objects, tally_add_object);
    mounts_merge (&t->mounts, other->mounts);
    timemap_merge (&t->time, other->time);
    pointfaults_merge (&t->points, &other->points);
    pfw_sums_merge (&t->sums, &other->sums);
    return 0;
}

/* qsort_r would be GNU only in its argument order; a key per row is clear. */
struct weighted {
    uint64_t weight;
    const char *name;
    size_t length, index;
};

static int by_weight (const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    size_t n = MIN (x->length, y->length);

    return ORDER (y->weight, x->weight)
           ?: memcmp (x->name, y->name, n)
           ?: ORDER (x->length, y->length);
}

size_t *rows_sorted (const struct strmap *m,
                     uint64_t (*weight) (const void *value))
{
    size_t n = m ? strmap_count (m) : 0;
    struct weighted *row;
    size_t *order;

    if (!m)
        return NULL;
    NEW (row, n + 1);
    NEW (order, n + 1);
    for (size_t i = 0; i < n; i++) {
        row[i].index = i;
        row[i].weight = weight (strmap_value (m, i));
        row[i].name = strmap_key (m, i, &row[i].length);
    }
    SORT (row, n, by_weight);
    for (size_t i = 0; i < n; i++)
        order[i] = row[i].index;
    free (row);
    return order;
}

static uint64_t op_weight (const void *value)
{
    return ((const struct op_total *)value)->time.sum;
}

/* Time counts, then bytes where no time is known. */
static uint64_t file_weight (const void *value)
{
    const struct file_total *f = value;
    uint64_t ns = f->read_ns + f->write_ns + f->sync_ns + f->meta_ns;

    return ns ? ns : f->read_bytes + f->write_bytes;
}

size_t *operations_sorted (const struct tally *t)
{
    return rows_sorted (t->ops, op_weight);
}

size_t *files_sorted (const struct tally *t)
{
    return rows_sorted (t->files, file_weight);
}
