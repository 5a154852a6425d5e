/* SPDX-License-Identifier: MIT
 *
 * partial.c - fuzzing: the partition of another task, its sections made of
 *             anything
 *
 * In:  pieces of type (1 byte), length (2 bytes), bytes; a checksum that fits
 *      is added, or nothing would get past it
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/facts/summary.h"
#include "analyze/query/partial.h"
#include "analyze/scan/packer.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void put_head (struct packer *p, FILE *out)
{
    pack_bytes (p, PARTIAL_MAGIC, sizeof (PARTIAL_MAGIC));
    for (int i = 0; i < 4; i++)
        pack_uint (p, 1);
    (void)pack_section (p, PARTIAL_HEAD, out);
}

static void put_pieces (const uint8_t *data, size_t size, FILE *out)
{
    struct packer p = {0};

    put_head (&p, out);
    while (size > 3) {
        size_t n = data[1] | (size_t)data[2] << 8;

        if (n > size - 3)
            n = size - 3;
        pack_bytes (&p, data + 3, n);
        (void)pack_section (&p, data[0] % (PARTIAL_END + 2u), out);
        data += 3 + n;
        size -= 3 + n;
    }
    (void)pack_section (&p, PARTIAL_END, out);
    packer_clear (&p);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char path[] = "/dev/shm/fuzz-partial.XXXXXX", name[] = "d/x.dft",
         dir[] = "d";
    struct source source = {.path = name};
    struct job job = {
        .dir = dir, .label = dir, .source = &source, .sources = 1};
    struct errtext err;
    struct summary summary = {.rank = NULL};
    struct totals t;
    char has = 0;
    int fd = mkstemp (path);
    FILE *out = fd < 0 ? NULL : fdopen (fd, "w");

    if (!out)
        return 0;
    put_pieces (data, size, out);
    (void)fclose (out);
    memset (&t, 0, sizeof (t));
    t.sources = 1;
    t.health = calloc (2, sizeof (*t.health));
    tally_init (&t.tally);
    if (t.health && partial_add (path, &job, &t, &has, &err) == 0)
        (void)summary_make (&summary, &t, &job, &err);
    summary_clear (&summary);
    totals_clear (&t);
    (void)unlink (path);
    return 0;
}
