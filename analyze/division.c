/* SPDX-License-Identifier: MIT
 *
 * division.c - into which files the partitions of a job go
 *
 * In:  a job directory and what is asked for
 * Out: which files in DIR/partials belong to that, to partial*.c
 */
#include "config.h"

#include "analyze/division.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/trace/parts.h"
#include "lib/format/shard.h"
#include "lib/util/fsutil.h"

static uint64_t division_mix (uint64_t sum, const void *data, size_t n)
{
    return shard_checksum (data, n, sum) >> 1;
}

static uint64_t mix_where (uint64_t sum, const struct analyze_options *o)
{
    for (int i = 0; i < o->conditions.count; i++)
        sum = division_mix (sum, o->conditions.item[i],
                            strlen (o->conditions.item[i]) + 1);
    return sum;
}

/* The totals of a view by key are of all events. */
struct division division_of_totals (const struct analyze_options *o)
{
    uint64_t rules = partial_rules (&o->rules);

    return (struct division){PARTIAL_TOTALS,
                             analyze_asks (o) ? rules : mix_where (rules, o),
                             o->partitions};
}

struct division division_of_groups (const struct analyze_options *o,
                                    const struct query_context *context)
{
    uint64_t rules = mix_where (partial_rules (&o->rules), o);

    rules = division_mix (rules, &context->sum, sizeof (context->sum));
    for (int k = 0; k < o->by.keys; k++) {
        const char *word = query_key_word (&o->by.key[k]);

        rules = division_mix (rules, word, strlen (word) + 1);
    }
    if (o->show_word)
        rules = division_mix (rules, o->show_word, strlen (o->show_word) + 1);

    return (struct division){PARTIAL_GROUPS, rules, o->partitions};
}

int division_has (const struct division *d,
                  const struct job *job,
                  unsigned partition)
{
    char *path = partial_path (job->dir, d->what, partition, d->partitions);
    struct partial_head head;
    struct errtext err;
    int has = path && partial_head (path, &head, &err) == 0 &&
              head.partition == partition && head.partitions == d->partitions &&
              head.rules == d->rules;

    free (path);
    return has;
}

unsigned division_missing (const struct division *d, const struct job *job)
{
    unsigned missing = 0;

    for (unsigned i = 0; i < d->partitions; i++)
        missing += !division_has (d, job, i);
    return missing;
}

/* "3-of-8.part" -> 8; 0: something else. */
static unsigned partitions_of (const char *name, enum partial_what what)
{
    unsigned partition, partitions;
    int end = 0;

    if (sscanf (name, "%u-of-%u.%n", &partition, &partitions, &end) != 2 ||
        end == 0 || strcmp (name + end, partial_suffix (what)) != 0 ||
        !partition || partition > partitions || partitions > PARTITIONS_MAX)
        return 0;
    return partitions;
}

static DIR *open_partials (const struct job *job)
{
    char *path = path_join (job->dir, "partials");
    DIR *dir = path ? opendir (path) : NULL;

    free (path);
    return dir;
}

void division_find (struct division *d, const struct job *job)
{
    DIR *dir = open_partials (job);
    struct division one = *d;
    unsigned missing = 0;

    for (const struct dirent *e; dir && (e = readdir (dir));) {
        unsigned gaps;

        one.partitions = partitions_of (e->d_name, d->what);
        if (!one.partitions || one.partitions == d->partitions)
            continue;
        gaps = division_missing (&one, job);
        if (!d->partitions || gaps < missing ||
            (gaps == missing && one.partitions < d->partitions)) {
            d->partitions = one.partitions;
            missing = gaps;
        }
    }
    if (dir)
        (void)closedir (dir);
}

int division_say_missing (const struct division *d,
                          const struct job *job,
                          struct errtext *err)
{
    unsigned missing = division_missing (d, job), first = 0;

    while (first < d->partitions && division_has (d, job, first))
        first++;
    errno = ENOENT;
    return errf (err,
                 "%s: %u of %u partitions are missing, the first is %u: run "
                 "dftrace analyze --partial --partition %u/%u",
                 job->label, missing, d->partitions, first + 1, first + 1,
                 d->partitions);
}

static int younger (const struct stat *a, const char *than)
{
    struct stat b;

    if (stat (than, &b) < 0)
        return 0;
    return a->st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a->st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

int division_is_young (const struct job *job, const char *path)
{
    struct stat st;

    if (stat (path, &st) < 0)
        return 0;
    for (size_t i = 0; i < job->sources; i++)
        if (!younger (&st, job->source[i].path))
            return 0;
    return 1;
}

char *division_context_path (const struct job *job)
{
    return text_format ("%s/partials/context", job->dir);
}

static int division_is_ours (const char *name)
{
    for (int what = 0; what < PARTIAL_WHATS; what++)
        if (partitions_of (name, (enum partial_what)what))
            return 1;
    return strcmp (name, "context") == 0;
}

void division_forget (const struct job *job)
{
    char *path = path_join (job->dir, "partials");
    DIR *dir = open_partials (job);

    for (const struct dirent *e; dir && (e = readdir (dir));)
        if (division_is_ours (e->d_name))
            (void)unlinkat (dirfd (dir), e->d_name, 0);
    if (dir)
        (void)closedir (dir);
    if (path)
        (void)rmdir (path);
    free (path);
}
