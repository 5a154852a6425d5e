/* SPDX-License-Identifier: MIT
 *
 * blockindex.c - fuzzing: the index of a .pfw.gz, made of anything; type,
 * length and checksum of its sections are added, or nothing would get past
 * them
 *
 * make fuzz-blockindex FUZZ_SECONDS=60
 *
 * Its blocks are said to be those of .fuzz/blockindex.pfw.gz.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/blockindex.h"
#include "analyze/scan/packer.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Chunks are to be read only where all of it was as the index says. */
static void look (struct pfw_kept *k)
{
    struct tracefile *f = pfw_store_index (k->store);

    for (size_t i = 0; i < k->chunks; i++)
        pfw_kept_want (k, k->chunk[i].offset);
    (void)pfw_kept_load (k, k->store, 1);
    tracefile_close (f);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const char path[] = ".fuzz/blockindex.pfw.gz";
    struct job job = {.label = NULL};
    struct blockindex none = {.n = 0};
    struct packer p = {0};
    char *bytes = NULL;
    size_t n = 0;
    FILE *out = open_memstream (&bytes, &n), *in;

    if (!out)
        abort ();
    pack_text (&p, path);
    pack_bytes (&p, data, size);
    (void)pack_section (&p, BLOCKINDEX_SOURCE, out);
    (void)pack_section (&p, BLOCKINDEX_FACTS, out);
    (void)pack_section (&p, BLOCKINDEX_END, out);
    packer_clear (&p);
    (void)fclose (out);
    if ((in = fmemopen (bytes, n, "r"))) {
        if (blockindex_read (&job, in) == 0)
            for (size_t i = 0; i < job.kepts; i++)
                look (job.kept[i]);
        (void)fclose (in);
    }
    blockindex_clear (&none, &job);
    free (bytes);
    return 0;
}
