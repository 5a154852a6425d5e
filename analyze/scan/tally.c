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

/* --- values ----------------------------------------------------------------
 */

/* How two numbers become one. */
enum tally_rule { TALLY_SUM = 0, TALLY_MAX, TALLY_BITS };

static const uint8_t file_rules[FILE_NUMBERS] = {
#define FILE_NUMBER(NAME) [FILE_##NAME] = TALLY_MAX,
    FILE_MAXIMA (FILE_NUMBER)
#undef FILE_NUMBER
};

enum { BLOCK_NUMBERS = sizeof (struct block_total) / sizeof (uint64_t) };
static const uint8_t block_rules[BLOCK_NUMBERS] = {
    [offsetof (struct block_total, read_most) / sizeof (uint64_t)] = TALLY_MAX,
    [offsetof (struct block_total, write_most) / sizeof (uint64_t)] =
        TALLY_MAX};

static const uint8_t object_rules[] = {
#define OBJECTCOUNT(RULE, NAME, HELP) TALLY_##RULE,
#include "lib/model/objectcounts.def"
#undef OBJECTCOUNT
};

/* rule: of each number; NULL: all of them are sums. */
static void
numbers_add (uint64_t *to, const uint64_t *from, const uint8_t *rule, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!rule || rule[i] == TALLY_SUM)
            to[i] += from[i];
        else if (rule[i] == TALLY_MAX)
            to[i] = MAX (to[i], from[i]);
        else
            to[i] |= from[i];
}

void file_total_add (struct file_total *to, const struct file_total *from)
{
    numbers_add (to->number, from->number, file_rules, FILE_NUMBERS);
}

/* Processes may see one path as different things; which of them is met first
 * must not matter. */
static void file_join (void *value, void *more, int isnew)
{
    struct file_total *to = value, *from = more;

    if (isnew || to->class == FILE_CLASS_UNKNOWN ||
        (from->class != FILE_CLASS_UNKNOWN && from->class < to->class)) {
        to->class = from->class;
        to->kind = from->kind;
    } else if (from->kind == KIND_CHECKPOINT && to->class == from->class)
        to->kind = from->kind; /* which only a checkpoint's writer knows */
    file_total_add (to, from);
    accessvalues_merge (&to->sizes, &from->sizes);
    accessvalues_merge (&to->strides, &from->strides);
}

static void file_free (void *value)
{
    struct file_total *f = value;

    accessvalues_free (f->sizes);
    accessvalues_free (f->strides);
}

static void op_join (void *value, void *more, int isnew)
{
    struct op_total *to = value;
    const struct op_total *from = more;

    to->role = from->role;
    to->sample = from->sample;
    to->foreign = from->foreign;
    to->self += from->self;
    thinhist_merge (&to->time, &from->time);
}

static void op_free (void *value)
{
    struct op_total *op = value;

    thinhist_free (&op->time);
}

/* By enum tally_map. */
static const struct tally_kind {
    size_t size;         /* of a value */
    size_t numbers;      /* that it has, and nothing else, */
    const uint8_t *rule; /* as of numbers_add (); or, when there are none, */
    void (*join) (void *to, void *from, int isnew);
    void (*free) (void *value); /* what a value owns; NULL: nothing */
} kinds[TALLY_MAPS] = {
#define NUMBERS(N, RULE)                             \
    {                                                \
        (N) * sizeof (uint64_t), N, RULE, NULL, NULL \
    }
    {sizeof (struct op_total), 0, NULL, op_join, op_free},
    {sizeof (struct file_total), 0, NULL, file_join, file_free},
    NUMBERS (BLOCK_NUMBERS, block_rules),
    NUMBERS (sizeof (struct peer_total) / sizeof (uint64_t), NULL),
    NUMBERS (ITEMS (object_rules), object_rules),
    {sizeof (struct mount_entry), 0, NULL, mounts_join, NULL},
    NUMBERS (PROFILE_BIN_COUNTERS, NULL),
#undef NUMBERS
};

/* --- maps ------------------------------------------------------------------
 */

static void *tally_value_of (struct tally *t,
                             enum tally_map map,
                             const char *key,
                             size_t length,
                             int *isnew)
{
    struct strmap **m = &t->map[map];
    size_t at;

    if (!*m)
        *m = strmap_create ();
    at = strmap_intern (*m, key, length, isnew);
    if (!strmap_value (*m, at))
        strmap_set (*m, at, xcalloc (1, kinds[map].size));
    return strmap_value (*m, at);
}

void *tally_value (struct tally *t,
                   enum tally_map map,
                   const char *key,
                   size_t length)
{
    return tally_value_of (t, map, key, length, NULL);
}

void tally_add (struct tally *t,
                enum tally_map map,
                const char *key,
                size_t length,
                void *from)
{
    int isnew;
    void *to = tally_value_of (t, map, key, length, &isnew);

    if (kinds[map].numbers)
        numbers_add (to, from, kinds[map].rule, kinds[map].numbers);
    else
        kinds[map].join (to, from, isnew);
}

void tally_free (enum tally_map map, void *value)
{
    if (value && kinds[map].free)
        kinds[map].free (value);
    free (value);
}

void tally_init (struct tally *t)
{
    ZERO (t);
    t->ops = strmap_create ();
    t->files = strmap_create ();
    t->objects = strmap_create ();
}

void tally_clear (struct tally *t)
{
    for (int i = 0; i < CALL_MAX; i++)
        free (t->call[i]);
    for (int m = 0; m < TALLY_MAPS; m++) {
        for (size_t i = 0; t->map[m] && i < strmap_count (t->map[m]); i++)
            tally_free (m, strmap_value (t->map[m], i));
        strmap_destroy (t->map[m]);
    }
    pointfaults_clear (&t->points);
    pfw_sums_clear (&t->sums);
    ZERO (t);
}

void tally_merge (struct tally *t, const struct tally *other)
{
    for (int i = 0; i < CALL_MAX; i++) {
        const struct call_total *from = other->call[i];

        if (!from)
            continue;
        if (!t->call[i])
            NEW (t->call[i], 1);
        t->call[i]->bytes += from->bytes;
        t->call[i]->errors += from->errors;
        t->call[i]->libc += from->libc;
        hist_merge (&t->call[i]->time, &from->time);
    }
    for (int m = 0; m < TALLY_MAPS; m++)
        for (size_t i = 0; other->map[m] && i < strmap_count (other->map[m]);
             i++) {
            size_t length;
            const char *key = strmap_key (other->map[m], i, &length);
            void *value = strmap_value (other->map[m], i);

            if (value)
                tally_add (t, m, key, length, value);
        }
    pointfaults_merge (&t->points, &other->points);
    pfw_sums_merge (&t->sums, &other->sums);
}

/* --- objects ---------------------------------------------------------------
 */

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

    for (int i = 0; i < 3; i++) {
        size_t m = strnlen (texts[i], EVENT_NAME_MAX);

        memcpy (key + n, texts[i], m);
        n += m;
        key[n++] = '\0';
    }
    return tally_value (t, TALLY_OBJECTS, key, n - 1);
}

/* --- order ------------------------------------------------------------------
 */

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
