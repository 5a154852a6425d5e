/* SPDX-License-Identifier: MIT
 *
 * tracefile.c - any bytes as a trace: no crash, no leak, sums hold
 *
 * make fuzz-tracefile reads a trace and adds its events up; fuzz-tracetables
 * makes tables of the sums, and fuzz-tracemerge reads a merged copy, too. All
 * are this program, which looks at its name: most faults are in what reads, and
 * tables and merges take several times as long.
 *
 * The corpus to start from is made by mkshard. Inputs of odd length get the
 * right sums before they are read, so that the decoder is reached; the others
 * test the sums.
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
#include "lib/base/array.h"
#include "lib/util/pool.h"

int LLVMFuzzerInitialize (int *argc, char ***argv);
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

/* The input, written into one file again and again. */
static char path[64], merged[64];
static enum { PART_READ, PART_TABLES, PART_MERGE } part;

static void drop_files (void)
{
    (void)unlink (path);
    (void)unlink (merged);
}

static void put_file (const uint8_t *data, size_t size)
{
    static unsigned char copy[1 << 16];
    static int fd;

    if (!path[0]) {
        (void)FORMAT (path, "/dev/shm/fuzz-%d.dft", (int)getpid ());
        (void)FORMAT (merged, "/dev/shm/fuzz-%d.merged.dft", (int)getpid ());
        fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        (void)atexit (drop_files);
    }
    if (size % 2 && size < sizeof (copy)) {
        memcpy (copy, data, size);
        mend (copy, size);
        data = copy;
    }
    if (pwrite (fd, data, size, 0) != (ssize_t)size ||
        ftruncate (fd, (off_t)size) < 0)
        abort ();
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

static void tables (const struct job *job, struct totals *t)
{
    struct summary s;

    if (summary_make (&s, t, job, NULL) < 0)
        return;
    show (&(struct result){job, t, &s});
    summary_clear (&s);
}

static uint64_t analyze (struct job *job)
{
    static const struct kind_rules rules;
    struct totals t;
    uint64_t events = 0;

    if (totals_load (&t, job, &rules, NULL, 1, NULL) < 0)
        return 0;
    for (size_t i = 0; i < t.processes; i++)
        events += t.process[i].n.events;
    if (part == PART_TABLES)
        tables (job, &t);
    totals_clear (&t);
    return events;
}

/* The copy of a trace without damage has the same events. */
static void merge (struct job *job, uint64_t events, enum merge_pack pack)
{
    struct merge_report report;
    struct parts parts;
    struct joblist jobs = {0};

    parts_make (&parts, job);
    parts.lines = tracefile_lines (job->source[0].path, &parts.lines_bytes);
    if (parts.count &&
        merge_write (&parts, merged, 0, pack, &report, NULL) == 0) {
        if (joblist_add (&jobs, merged, NULL) < 0 ||
            job_open (&jobs.item[0], NULL) < 0)
            abort ();
        if (jobs.item[0].source[0].file && analyze (&jobs.item[0]) != events &&
            !report.chunks_bad)
            abort ();
        joblist_clear (&jobs);
    }
    parts_clear (&parts);
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
    (void)argc;
    part = strstr ((*argv)[0], "tracetables")  ? PART_TABLES
           : strstr ((*argv)[0], "tracemerge") ? PART_MERGE
                                               : PART_READ;
    pool_use (1); /* as many runs as can be */
    return 0;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct joblist jobs = {0};

    put_file (data, size);
    if (joblist_add (&jobs, path, NULL) < 0 ||
        job_open (&jobs.item[0], NULL) < 0)
        abort ();
    if (jobs.item[0].source[0].file) {
        uint64_t events = analyze (&jobs.item[0]);

        if (part == PART_MERGE)
            merge (&jobs.item[0], events,
                   size % 4 < 2 ? MERGE_DENSE : MERGE_PLAIN);
    }
    joblist_clear (&jobs);
    return 0;
}
