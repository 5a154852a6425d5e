/* SPDX-License-Identifier: MIT
 *
 * chunkindex.c - fuzzing: the index of a merged trace, made of anything; magic
 * and a checksum that fits are added, or nothing would get past them
 *
 * make fuzz-chunkindex FUZZ_SECONDS=60
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/query/chunkindex.h"
#include "analyze/scan/packer.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* What is there may be looked at. */
static void look (const struct chunkindex *x, const struct dict *dict)
{
    size_t seen = 0;

    for (size_t i = 0; i < x->chunks; i++) {
        const struct chunk_facts *c = &x->chunk[i];
        struct trace_chunk same = {.offset = c->offset, .events = c->events};

        same.head.checksum = c->checksum;
        (void)chunkindex_find (x, &same);
        for (size_t k = 0; k < c->calls; k++)
            seen += x->call[c->call_at + k] < CALL_MAX;
        for (size_t k = 0; c->names != CHUNKINDEX_MANY && k < c->names; k++)
            seen += dict_entry (dict, x->name[c->name_at + k]) != NULL;
    }
    if (seen > x->calls + x->names)
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const char trace[] = ".fuzz/chunkindex.dft";
    struct dict *dict = dict_create (NULL);
    char *path = chunkindex_path (trace);
    FILE *out = dict && path ? fopen (path, "w") : NULL;
    struct packer p = {0};
    struct chunkindex *x;

    if (!out)
        abort ();
    pack_bytes (&p, CHUNKINDEX_MAGIC, sizeof (CHUNKINDEX_MAGIC));
    pack_bytes (&p, data, size);
    if (pack_section (&p, CHUNKINDEX_SECTION, out) < 0 || fclose (out) != 0)
        abort ();
    packer_clear (&p);
    if ((x = chunkindex_read (trace, dict)))
        look (x, dict);
    chunkindex_destroy (x);
    dict_destroy (dict);
    (void)unlink (path);
    free (path);
    return 0;
}
