/* SPDX-License-Identifier: MIT
 *
 * totalscache.c - fuzzing: what was kept of a job's tables, made of anything
 *
 * In:  a summary, ranks and lanes; then pieces of type (1 byte), length (2
 *      bytes), bytes; lengths and checksums that fit are added, or nothing
 *      would get past them
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/totalscache.h"
#include "analyze/query/partial.h"
#include "analyze/tables/results.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

struct input {
    const uint8_t *p;
    size_t left;
};

/* n bytes of the input, zeros behind it. */
static void take (struct input *in, void *to, size_t n)
{
    size_t some = n < in->left ? n : in->left;

    memset (to, 0, n);
    memcpy (to, in->p, some);
    in->p += some;
    in->left -= some;
}

static void put_sources (struct input *in, struct packer *p)
{
    struct pfw_account lines;
    struct health health;

    take (in, &lines, sizeof (lines));
    take (in, &health, sizeof (health));
    pack_uint (p, 0);
    pack_uint (p, 1);
    pack_text (p, "/trace.dft");
    pack_uint (p, 0);
    pack_bytes (p, &lines, sizeof (lines));
    pack_bytes (p, &health, sizeof (health));
}

/* Of a job of so many processes. */
static void put_summary (struct input *in, struct packer *p, unsigned processes)
{
    struct summary s;
    struct rank rank;
    struct bill_lane lane;

    take (in, &s, sizeof (s));
    s.ranks = s.ranks % 4;
    s.lanes = s.lanes % 4;
    pack_bytes (p, &s, sizeof (s));
    for (size_t i = 0; i < s.ranks; i++) {
        take (in, &rank, sizeof (rank));
        pack_uint (p, i % (processes + 1));
        pack_bytes (p, &rank, sizeof (rank));
    }
    for (size_t i = 0; i < s.lanes; i++) {
        take (in, &lane, sizeof (lane));
        pack_uint (p, i % (processes + 1));
        pack_bytes (p, &lane, sizeof (lane));
    }
    pack_uint (p, processes);
    for (size_t i = 0; i < processes * (2 + SET_COUNT) + CALL_MAX; i++) {
        uint8_t byte;

        take (in, &byte, 1);
        pack_uint (p, byte);
    }
}

static void put_process (struct input *in, struct packer *p)
{
    struct shard_process head;
    struct counts n;
    struct startup startup;

    take (in, &head, sizeof (head));
    take (in, &n, sizeof (n));
    take (in, &startup, sizeof (startup));
    pack_bytes (p, &head, sizeof (head));
    pack_uint (p, 0);
    pack_uint (p, 0);
    for (int i = 0; i < SHARD_STRING_COUNT; i++)
        pack_text (p, "text");
    pack_uint (p, 1);
    pack_bytes (p, &n, sizeof (n));
    pack_bytes (p, &startup, sizeof (startup));
    for (int i = 0; i < 2 + MARK_KINDS; i++)
        pack_uint (p, 0);
}

static void put_all (struct input *in, FILE *out)
{
    struct packer p = {0};
    unsigned processes = in->left ? in->p[0] % 3u : 0;

    put_sources (in, &p);
    (void)pack_section (&p, TOTALSCACHE_SOURCES, out);
    put_summary (in, &p, processes);
    (void)pack_section (&p, TOTALSCACHE_SUMMARY, out);
    for (unsigned i = 0; i < processes; i++) {
        put_process (in, &p);
        (void)pack_section (&p, PARTIAL_PROCESS, out);
    }
    while (in->left > 3) {
        size_t n = in->p[1] | (size_t)in->p[2] << 8;
        unsigned type = in->p[0] % (PARTIAL_END + 2u);

        in->p += 3;
        in->left -= 3;
        n = n < in->left ? n : in->left;
        pack_bytes (&p, in->p, n);
        (void)pack_section (&p, type, out);
        in->p += n;
        in->left -= n;
    }
    (void)pack_section (&p, PARTIAL_END, out);
    packer_clear (&p);
}

static void show (const struct result *r)
{
    FILE *out = fopen ("/dev/null", "we");

    if (!out)
        return;
    results_json (r, 1, out);
    for (int v = 0; v < VIEW_COUNT; v++) {
        struct textable *t = view_make (r, (enum view)v, 0);

        if (t)
            (void)textable_print (t, out, TABLE_CSV);
        textable_destroy (t);
    }
    (void)fclose (out);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    char dir[] = "d", *bytes = NULL;
    struct job job = {.dir = dir, .label = dir};
    struct summary s = {.rank = NULL};
    struct totals t = {.processes = 0};
    const struct result r = {&job, &t, &s};
    size_t n = 0;
    FILE *out = open_memstream (&bytes, &n), *from;

    if (!out)
        return 0;
    put_all (&in, out);
    (void)fclose (out);
    if ((from = fmemopen (bytes, n, "r"))) {
        if (totalscache_read (from, &job, &t, &s) == 0)
            show (&r);
        (void)fclose (from);
    }
    summary_clear (&s);
    totals_clear (&t);
    job_drop_sources (&job);
    free (bytes);
    return 0;
}
