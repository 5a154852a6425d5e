/* SPDX-License-Identifier: MIT
 *
 * querypartial.c - fuzzing: the context and the cells of another task, made of
 *                anything
 *
 * In:  first byte: which of them; then pieces of type (1 byte), length (2
 *      bytes), bytes; magic and checksums that fit are added, or nothing would
 *      get past them
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/query/partial.h"
#include "analyze/scan/packer.h"
#include "analyze/tables/groups.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void put_context (const uint8_t *data, size_t size, FILE *out)
{
    struct packer p = {0};

    pack_bytes (&p, "dftframe", sizeof ("dftframe"));
    pack_uint (&p, 1);
    pack_bytes (&p, data, size);
    (void)pack_section (&p, 1, out);
    packer_clear (&p);
}

static void put_rows (const uint8_t *data, size_t size, FILE *out)
{
    const struct partial_head head = {0, 1, 1, 1};
    struct packer p = {0};

    (void)partial_put_head (&p, &head, out);
    while (size > 3) {
        size_t n = data[1] | (size_t)data[2] << 8;

        if (n > size - 3)
            n = size - 3;
        pack_bytes (&p, data + 3, n);
        (void)pack_section (&p, 2 + data[0] % 4u, out);
        data += 3 + n;
        size -= 3 + n;
    }
    (void)pack_section (&p, 4, out);
    packer_clear (&p);
}

static void read_context (const char *path)
{
    static char host[] = "n1";
    struct trace_process who = {.text = {host}};
    struct query_context context;
    struct errtext err;

    if (query_context_read (&context, path, 1, &err) < 0)
        return;
    (void)query_context_find (&context, &who);
    query_context_clear (&context);
}

static void read_rows (char *dir)
{
    const struct query by = {
        .key = {{GROUP_class, ""}, {GROUP_rank, ""}}, .keys = 2, .running = 1};
    const struct query_context context = {.interval = 1};
    const struct job job = {.dir = dir, .label = dir};
    const struct querypartial w = {&job, &by, &context, NULL, 1};
    const struct show usual = {.items = 0};
    struct textable *t = textable_create ();
    struct query_answer cells;
    struct errtext err;

    groups_columns (t, &by, &usual);
    if (querypartial_read_all (&cells, &w, 1, &err) == 0)
        groups_rows (t, &by, &usual, &cells, 0, 0);
    query_answer_clear (&cells);
    textable_destroy (t);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char dir[64], partials[80], path[96];
    FILE *out;

    if (!size)
        return 0;
    (void)snprintf (dir, sizeof (dir), "/dev/shm/fuzz-groups-%d",
                    (int)getpid ());
    (void)snprintf (partials, sizeof (partials), "%s/partials", dir);
    (void)snprintf (path, sizeof (path), "%s/1-of-1.rows", partials);
    (void)mkdir (dir, 0700);
    (void)mkdir (partials, 0700);
    if (!(out = fopen (path, "we")))
        return 0;
    if (data[0] & 1)
        put_rows (data + 1, size - 1, out);
    else
        put_context (data + 1, size - 1, out);
    (void)fclose (out);
    if (data[0] & 1)
        read_rows (dir);
    else
        read_context (path);
    (void)unlink (path);
    (void)rmdir (partials);
    (void)rmdir (dir);
    return 0;
}
