/* SPDX-License-Identifier: MIT
 *
 * sharedfiles.c - lists of processes -> a row for each file of several ranks
 *
 * In:  struct share of each process and file; the ranks of processes
 * Out: struct sharedfile, to a table and to findings
 */

/* Design. Files of several ranks (scan/shares): each thread has a list of
 * the files it used, known by a hash of their paths, with sums; those of a
 * process are one list, of which facts/sharedfiles makes a row for each file
 * when the ranks are known. Lists end where a job has more than SHARES_MAX
 * pairs of process and file. */

#include "config.h"

#include "analyze/facts/sharedfiles.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

struct sharedfiles_pair {
    struct share share;
    size_t rank;
};

struct sharedfiles_name {
    uint64_t id;
    size_t file; /* ordinal of the tally's files */
};

static int sharedfiles_by_file (const void *a, const void *b)
{
    const struct sharedfiles_pair *x = a, *y = b;

    return ORDER (x->share.id, y->share.id) ?: ORDER (x->rank, y->rank);
}

static int sharedfiles_by_id (const void *a, const void *b)
{
    const struct sharedfiles_name *x = a, *y = b;

    return ORDER (x->id, y->id);
}

static int sharedfiles_by_weight (const void *a, const void *b)
{
    const struct sharedfile *x = a, *y = b;

    return ORDER (y->ns, x->ns) ?: strcmp (x->path, y->path);
}

/* Reads and writes decide, else every program that looks for another one would
 * share its directories. */
static int sharedfiles_used (const struct share *s)
{
    return s->reads + s->writes > 0;
}

/* All pairs, those of one file and rank as one; malloc'd. */
static struct sharedfiles_pair *sharedfiles_pairs (const struct totals *t,
                                                   size_t *count)
{
    struct sharedfiles_pair *pair;
    size_t n = 0, used = 0;

    for (size_t i = 0; i < t->processes; i++)
        n += t->process[i].shares.count;
    NEW (pair, n + 1);
    n = 0;
    for (size_t i = 0; i < t->processes; i++)
        for (size_t k = 0; k < t->process[i].shares.count; k++)
            if (sharedfiles_used (&t->process[i].shares.item[k]))
                pair[n++] = (struct sharedfiles_pair){
                    t->process[i].shares.item[k], t->process[i].rank};
    SORT (pair, n, sharedfiles_by_file);
    for (size_t i = 0; i < n; i++) {
        struct share *to = used ? &pair[used - 1].share : NULL;
        const struct share *from = &pair[i].share;

        if (!to || to->id != from->id || pair[used - 1].rank != pair[i].rank) {
            pair[used++] = pair[i];
            continue;
        }
        to->reads += from->reads;
        to->read_bytes += from->read_bytes;
        to->writes += from->writes;
        to->write_bytes += from->write_bytes;
        to->ns += from->ns;
        to->write_ns += from->write_ns;
    }
    *count = used;
    return pair;
}

static struct sharedfiles_name *sharedfiles_names (const struct tally *t)
{
    size_t n = strmap_count (t->files);
    struct sharedfiles_name *name = ZEROED (name, n + 1);

    for (size_t i = 0; i < n; i++) {
        size_t length;
        const char *path = strmap_key (t->files, i, &length);

        name[i] = (struct sharedfiles_name){shares_id (path, length), i};
    }
    SORT (name, n, sharedfiles_by_id);
    return name;
}

static double sharedfiles_deviation (double mean, double squares, size_t n)
{
    double variance = squares / (double)n - mean * mean;

    return variance > 0 ? sqrt (variance) : 0;
}

/* The n pairs of one file. */
static void sharedfiles_fold (struct sharedfile *f,
                              const struct sharedfiles_pair *pair,
                              size_t n)
{
    double ns = 0, bytes = 0, ns_squares = 0, bytes_squares = 0;

    f->ranks = n;
    for (size_t i = 0; i < n; i++) {
        const struct share *s = &pair[i].share;
        struct sharedfile_rank one = {pair[i].rank, s->ns,
                                      s->read_bytes + s->write_bytes};

        f->readers += s->read_bytes > 0;
        f->writers += s->write_bytes > 0;
        f->reads += s->reads;
        f->read_bytes += s->read_bytes;
        f->writes += s->writes;
        f->write_bytes += s->write_bytes;
        f->ns += s->ns;
        f->write_ns += s->write_ns;
        if (i == 0 || one.ns > f->slowest.ns)
            f->slowest = one;
        if (i == 0 || one.ns < f->fastest.ns)
            f->fastest = one;
    }
    ns = (double)f->ns / (double)n;
    bytes = (double)(f->read_bytes + f->write_bytes) / (double)n;
    for (size_t i = 0; i < n; i++) { /* of distances, which are exact */
        const struct share *s = &pair[i].share;
        double d = (double)s->ns - ns;
        double b = (double)(s->read_bytes + s->write_bytes) - bytes;

        ns_squares += d * d;
        bytes_squares += b * b;
    }
    f->ns_deviation = sharedfiles_deviation (0, ns_squares, n);
    f->bytes_deviation = sharedfiles_deviation (0, bytes_squares, n);
}

static void sharedfiles_fill (struct sharedfiles *s,
                              const struct totals *t,
                              const struct sharedfiles_pair *pair,
                              size_t pairs,
                              const struct sharedfiles_name *name,
                              size_t least)
{
    size_t names = strmap_count (t->tally.files), next;

    NEW (s->item, pairs + 1);
    for (size_t i = 0; i < pairs; i = next) {
        struct sharedfiles_name key = {pair[i].share.id, 0};
        const struct sharedfiles_name *found =
            bsearch (&key, name, names, sizeof (*name), sharedfiles_by_id);
        struct sharedfile *f = &s->item[s->count];

        for (next = i + 1;
             next < pairs && pair[next].share.id == pair[i].share.id;)
            next++;
        if (!found || next - i < least)
            continue;
        f->path = strmap_key (t->tally.files, found->file, NULL);
        f->total = strmap_value (t->tally.files, found->file);
        sharedfiles_fold (f, pair + i, next - i);
        s->count++;
    }
    SORT (s->item, s->count, sharedfiles_by_weight);
}

void sharedfiles_make (struct sharedfiles *s,
                       const struct totals *t,
                       size_t least)
{
    size_t pairs = 0;
    struct sharedfiles_pair *pair = sharedfiles_pairs (t, &pairs);
    struct sharedfiles_name *name = sharedfiles_names (&t->tally);

    ZERO (s);
    sharedfiles_fill (s, t, pair, pairs, name, least);
    free (pair);
    free (name);
}

void sharedfiles_clear (struct sharedfiles *s)
{
    free (s->item);
    ZERO (s);
}
