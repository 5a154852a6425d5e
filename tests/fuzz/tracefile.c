/* SPDX-License-Identifier: MIT
 *
 * tracefile.c - any bytes as a trace: no crash, no leak, sums hold
 *
 * make fuzz-tracefile; the corpus to start from is made by mkshard. Inputs of
 * odd length get the right sums before they are read, so that the decoder is
 * reached; the others test the sums.
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/tables/results.h"
#include "analyze/tables/views.h"
#include "analyze/trace/merge.h"
#include "lib/util/pool.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void mend (unsigned char *data, size_t size)
{
    struct shard_block b;

    for (size_t at = 0; at + sizeof (b) <= size; at += SHARD_MERGED_ALIGN) {
        size_t left = size - at - sizeof (b);

        memcpy (&b, data + at, sizeof (b));
        if (b.magic != SHARD_MAGIC || b.capacity < sizeof (b) ||
            (b.type == SHARD_BLOCK_DENSE ? b.capacity - sizeof (b)
                                         : (uint32_t)b.commit) > left)
            continue;
        b.check = shard_block_check (&b);
        if (b.type == SHARD_BLOCK_EVENTS || b.type == SHARD_BLOCK_DENSE ||
            b.type == SHARD_BLOCK_PROFILE || b.type == SHARD_BLOCK_LINES)
            b.checksum = shard_events_sum (&b, data + at + sizeof (b));
        else if (left > sizeof (struct shard_process) &&
                 (uint32_t)b.commit > sizeof (struct shard_process))
            b.checksum = shard_process_sum (data + at + sizeof (b),
                                            (uint32_t)b.commit -
                                                sizeof (struct shard_process));
        memcpy (data + at, &b, sizeof (b));
    }
}

static void put_file (const char *path, const uint8_t *data, size_t size)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    unsigned char *copy = malloc (size + 1);

    if (fd < 0 || !copy)
        abort ();
    if (size)
        memcpy (copy, data, size);
    if (size % 2)
        mend (copy, size);
    if (write (fd, copy, size) != (ssize_t)size)
        abort ();
    free (copy);
    (void)close (fd);
}

/* Counts of a view add up: none is more than its file has. */
static void look_at (const struct result *r, enum view view)
{
    struct textable *t = view_make (r, view, 0);

    if (t && textable_rows (t) > 0 &&
        !(textable_number (t, 0, 3) >= 0 && textable_number (t, 0, 4) <= 100))
        abort ();
    textable_destroy (t);
}

static void show (const struct result *r)
{
    static FILE *null;

    if (!null && !(null = fopen ("/dev/null", "w")))
        abort ();
    results_json (r, 1, null);
    look_at (r, VIEW_accesssize);
    look_at (r, VIEW_accessstride);
}

static uint64_t analyze (struct job *job, int shown)
{
    static const struct kind_rules rules;
    struct totals t;
    struct summary s;
    uint64_t events = 0;

    if (totals_load (&t, job, &rules, NULL, 1, NULL) == 0) {
        if (summary_make (&s, &t, job, NULL) == 0) {
            events = s.n.events;
            if (shown)
                show (&(struct result){job, &t, &s});
            summary_clear (&s);
        }
        totals_clear (&t);
    }
    return events;
}

/* The copy has the same events. */
static void
merge (struct job *job, const char *path, uint64_t events, enum merge_pack pack)
{
    struct merge_report report;
    struct parts parts;
    struct joblist merged = {0};

    if (parts_make (&parts, job) < 0)
        abort ();
    parts.lines = tracefile_lines (job->source[0].path, &parts.lines_bytes);
    if (parts.count &&
        merge_write (&parts, path, 0, pack, &report, NULL) == 0) {
        if (joblist_add (&merged, path, NULL) < 0 ||
            job_open (&merged.item[0], NULL) < 0)
            abort ();
        if (merged.item[0].source[0].file &&
            analyze (&merged.item[0], 0) != events)
            abort ();
        joblist_clear (&merged);
    }
    parts_clear (&parts);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct joblist jobs = {0};
    char path[64], merged[64];

    pool_use (1); /* as many runs as can be */
    (void)snprintf (path, sizeof (path), "/dev/shm/fuzz-%d.dft",
                    (int)getpid ());
    (void)snprintf (merged, sizeof (merged), "/dev/shm/fuzz-%d.merged.dft",
                    (int)getpid ());
    put_file (path, data, size);
    if (joblist_add (&jobs, path, NULL) < 0 ||
        job_open (&jobs.item[0], NULL) < 0)
        abort ();
    if (jobs.item[0].source[0].file) {
        /* tables take as long as the reading, a merge many times as long */
        uint64_t events = analyze (&jobs.item[0], size / 2 % 8 == 0);

        if (size / 2 % 64 == 0)
            merge (&jobs.item[0], merged, events,
                   size % 256 < 128 ? MERGE_DENSE : MERGE_PLAIN);
    }
    joblist_clear (&jobs);
    (void)unlink (path);
    (void)unlink (merged);
    return 0;
}
