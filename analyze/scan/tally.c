/* SPDX-License-Identifier: MIT
 *
 * tally.c - counts, histograms and sets of time: make, add, free
 *
 * In:  filled by scan.c
 * Out: to load.c, which merges them, and summary.c
 */
#include "config.h"

#include "analyze/scan/tally.h"
#include "analyze/scan/timemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tally_init (struct tally *t)
{
    memset (t, 0, sizeof (*t));
    t->ops = strmap_create ();
    t->files = strmap_create ();
    t->objects = strmap_create ();
    if (t->ops && t->files && t->objects)
        return 0;
    tally_clear (t);
    errno = ENOMEM;
    return -1;
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
    map_clear (t->ops);
    for (size_t i = 0; t->files && i < strmap_count (t->files); i++) {
        const struct file_total *f = strmap_value (t->files, i);

        accessvalues_free (f ? f->sizes : NULL);
        accessvalues_free (f ? f->strides : NULL);
    }
    map_clear (t->files);
    map_clear (t->blocks);
    map_clear (t->objects);
    map_clear (t->time);
    pointfaults_clear (&t->points);
    pfw_sums_clear (&t->sums);
    mounts_clear (&t->mounts);
    memset (t, 0, sizeof (*t));
    errno = saved;
}

static int merge_calls (struct tally *t, const struct tally *other)
{
    for (int i = 0; i < CALL_MAX; i++) {
        if (!other->call[i])
            continue;
        if (!t->call[i] && !(t->call[i] = calloc (1, sizeof (*t->call[i]))))
            return -1;
        t->call[i]->bytes += other->call[i]->bytes;
        t->call[i]->errors += other->call[i]->errors;
        t->call[i]->libc += other->call[i]->libc;
        hist_merge (&t->call[i]->time, &other->call[i]->time);
    }
    return 0;
}

/* The value under a key in `to`, zeroed of `size` when it is new. */
void *tally_value (
    struct strmap *to, const char *key, size_t length, size_t size, int *isnew)
{
    int64_t at = strmap_intern (to, key, length, isnew);
    void *value;

    if (at < 0)
        return NULL;
    if (!(value = strmap_value (to, (size_t)at))) {
        if (!(value = calloc (1, size)))
            return NULL;
        strmap_set (to, (size_t)at, value);
    }
    return value;
}

int tally_add_op (struct tally *t,
                  const char *key,
                  size_t length,
                  const struct op_total *from)
{
    int isnew;
    struct op_total *to =
        tally_value (t->ops, key, length, sizeof (*to), &isnew);

    if (!to)
        return -1;
    to->role = from->role;
    to->sample = from->sample;
    to->foreign = from->foreign;
    to->self += from->self;
    hist_merge (&to->time, &from->time);
    return 0;
}

static int merge_ops (struct tally *t, const struct tally *other)
{
    for (size_t i = 0; other->ops && i < strmap_count (other->ops); i++) {
        size_t length;
        const char *key = strmap_key (other->ops, i, &length);
        const struct op_total *from = strmap_value (other->ops, i);

        if (from && tally_add_op (t, key, length, from) < 0)
            return -1;
    }
    return 0;
}

static void tally_larger (uint64_t *to, uint64_t value)
{
    if (value > *to)
        *to = value;
}

void file_total_add (struct file_total *to, const struct file_total *from)
{
    to->opens += from->opens;
    to->meta += from->meta;
    to->meta_ns += from->meta_ns;
    to->stdio_read_bytes += from->stdio_read_bytes;
    to->stdio_write_bytes += from->stdio_write_bytes;
    to->stdio_ns += from->stdio_ns;
    to->syncs += from->syncs;
    to->sync_ns += from->sync_ns;
    to->maps += from->maps;
    to->reads += from->reads;
    to->read_bytes += from->read_bytes;
    to->read_ns += from->read_ns;
    to->writes += from->writes;
    to->write_bytes += from->write_bytes;
    to->write_ns += from->write_ns;
    to->libc_read += from->libc_read;
    to->libc_written += from->libc_written;
    to->fills += from->fills;
    to->fill_bytes += from->fill_bytes;
    to->missed_bytes += from->missed_bytes;
    to->unsure_bytes += from->unsure_bytes;
    to->direct_bytes += from->direct_bytes;
    for (int i = 0; i < PLACED_COUNT; i++)
        to->placed[i] += from->placed[i];
    to->switches += from->switches;
    to->unaligned += from->unaligned;
    tally_larger (&to->extent, from->extent);
    tally_larger (&to->stripes, from->stripes);
    tally_larger (&to->stripe_bytes, from->stripe_bytes);
    tally_larger (&to->components, from->components);
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

int tally_add_file (struct tally *t,
                    const char *path,
                    size_t length,
                    struct file_total *from)
{
    int isnew;
    struct file_total *to =
        tally_value (t->files, path, length, sizeof (*to), &isnew);

    return to ? file_total_join (to, from, isnew) : -1;
}

static int merge_files (struct tally *t, const struct tally *other)
{
    for (size_t i = 0; other->files && i < strmap_count (other->files); i++) {
        size_t length;
        const char *path = strmap_key (other->files, i, &length);
        struct file_total *from = strmap_value (other->files, i);

        if (from && tally_add_file (t, path, length, from) < 0)
            return -1;
    }
    return 0;
}

void block_total_add (struct block_total *to, const struct block_total *from)
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

int tally_add_block (struct tally *t,
                     const char *key,
                     size_t length,
                     const struct block_total *from)
{
    struct block_total *to;
    int isnew;

    if (!t->blocks && !(t->blocks = strmap_create ()))
        return -1;
    to = tally_value (t->blocks, key, length, sizeof (*to), &isnew);
    if (to)
        block_total_add (to, from);
    return to ? 0 : -1;
}

static int merge_blocks (struct tally *t, const struct tally *other)
{
    for (size_t i = 0; other->blocks && i < strmap_count (other->blocks); i++) {
        size_t length;
        const char *key = strmap_key (other->blocks, i, &length);
        const struct block_total *from = strmap_value (other->blocks, i);

        if (from && tally_add_block (t, key, length, from) < 0)
            return -1;
    }
    return 0;
}

int tally_merge (struct tally *t, const struct tally *other)
{
    if (merge_calls (t, other) < 0 || merge_ops (t, other) < 0 ||
        merge_files (t, other) < 0 || merge_blocks (t, other) < 0 ||
        tally_merge_objects (t, other) < 0 ||
        mounts_merge (&t->mounts, other->mounts) < 0 ||
        timemap_merge (&t->time, other->time) < 0 ||
        pointfaults_merge (&t->points, &other->points) < 0 ||
        pfw_sums_merge (&t->sums, &other->sums) < 0) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

void transfer_add (struct transfer *t, const struct transfer *more)
{
    t->count += more->count;
    t->bytes += more->bytes;
    t->ns += more->ns;
}

#define COUNTS_ADD_NUMBER(TO, MORE)   (*(TO) += *(MORE))
#define COUNTS_ADD_WIDE(TO, MORE)     (*(TO) += *(MORE))
#define COUNTS_ADD_TRANSFER(TO, MORE) transfer_add (TO, MORE)

void counts_add (struct counts *n, const struct counts *more)
{
#define COUNT(TYPE, NAME, HELP) COUNTS_ADD_##TYPE (&n->NAME, &more->NAME);
#include "lib/model/counts.def"
#undef COUNT
    for (int i = 0; i < ROLE_COUNT; i++)
        n->regions[i] += more->regions[i];
    for (int i = 0; i < COST_COUNT; i++)
        transfer_add (&n->cost[i], &more->cost[i]);
}

void unit_init (struct unit *u,
                const struct trace_process *who,
                uint32_t main_tid)
{
    memset (u, 0, sizeof (*u));
    u->who = who;
    u->main_tid = main_tid;
    u->first = UINT64_MAX;
}

static void add_sample (void *cookie, const struct nest_region *r)
{
    struct counts *n = cookie;
    uint64_t ns = r->end - r->start, bytes = r->tag & ~NEST_WINS;

    n->sample.count++;
    n->sample.bytes += bytes;
    if (!bytes)
        return;
    n->sample.ns += ns;
    if (ns) {
        n->sample_timed++;
        n->sample_rate +=
            (uint128_t)bytes * SAMPLE_RATE_UNIT * 1000000000u / ns;
    }
}

int unit_finish (struct unit *u)
{
    int rc = nest_drain (&u->samples, add_sample, &u->n);

    nest_clear (&u->samples);
    nest_clear (&u->regions);
    nest_clear (&u->own);
    strides_clear (&u->strides);
    return rc;
}

struct spans *unit_new_spans (struct unit *u, struct span_key key)
{
    struct spans *s = calloc (1, sizeof (*s));

    if (!s)
        return NULL;
    s->key = key;
    s->main = u->main_thread != 0;
    s->next = u->call[key.call];
    return u->call[key.call] = s;
}

int unit_keep_own (struct unit *u, enum role role)
{
    struct span_key key = {
        .call = CALL_region,
        .sets = role == ROLE_COMPUTE ? 1u << SET_COMPUTE : 0,
        .bill = (uint8_t)(u->main_thread ? bill_of_role (role) : BILL_NONE)};

    if (role != ROLE_COMPUTE && role != ROLE_BODY)
        return 0;
    for (size_t i = u->own.gaps; i-- > 0;)
        if (unit_keep (u, key, u->own.gap[i].start, u->own.gap[i].end) < 0)
            return -1;
    return 0;
}

struct spans *unit_take_spans (struct unit *u, struct spans *others)
{
    for (int i = 0; i < CALL_MAX; i++)
        while (u->call[i]) {
            struct spans *s = u->call[i];

            u->call[i] = s->next;
            s->next = others;
            others = s;
        }
    return others;
}

void spans_clear (struct spans *s)
{
    for (struct spans *next; s; s = next) {
        next = s->next;
        spanlog_clear (&s->log);
        free (s);
    }
}

void unit_clear (struct unit *u)
{
    mmlog_clear (&u->mm);
    scanabove_clear (&u->above);
    shares_clear (&u->shares);
    spans_clear (unit_take_spans (u, NULL));
    for (int i = 0; i < MARK_KINDS; i++)
        marks_clear (&u->marks[i]);
    nest_clear (&u->samples);
    nest_clear (&u->regions);
    nest_clear (&u->own);
    strides_clear (&u->strides);
}
