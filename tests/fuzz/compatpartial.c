/* SPDX-License-Identifier: MIT
 *
 * compatpartial.c - fuzzing: DFAnalyzer's sums of another task, made of
 * anything
 *
 * In:  pieces of type (1 byte), length (2 bytes), bytes; a head and checksums
 *      that fit are added, or nothing would get past them
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/compat/compat.h"
#include "analyze/compat/compatpartial.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const struct partial_head head = {0, 1, 1, 1};

static void put (const uint8_t *data, size_t size, FILE *out)
{
    struct packer p = {0};

    (void)partial_put_head (&p, &head, out);
    while (size > 3) {
        size_t n = data[1] | (size_t)data[2] << 8;

        if (n > size - 3)
            n = size - 3;
        pack_bytes (&p, data + 3, n);
        (void)pack_section (
            &p, LAYER_SOURCE + data[0] % (LAYER_END - LAYER_SOURCE + 1u), out);
        data += 3 + n;
        size -= 3 + n;
    }
    (void)pack_section (&p, LAYER_END, out);
    packer_clear (&p);
}

/* As compat_reduce: when the job began, then the sums, then the tables. */
static void take (char *dir)
{
    struct job job = {.dir = dir, .label = dir};
    struct compat_layers layers;
    struct compat_tally t = {0};
    struct compat c = {0};
    struct errtext err;
    uint64_t start;

    if (compat_layers_load (&layers, compat_version_find (NULL), NULL, &err) <
        0)
        return;
    if (compat_tally_init (&t, &layers, 1) == 0 &&
        compatpartial_read_all (&head, &job, &t, &start, &err) == 0 &&
        compat_tally_resolve (&t) == 0)
        (void)compat_make (&c, &t, &layers);
    compat_tally_clear (&t);
    compat_clear (&c);
    compat_layers_clear (&layers);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char dir[64], partials[80], *path;
    FILE *out;

    (void)snprintf (dir, sizeof (dir), "/dev/shm/fuzz-sums-%d", (int)getpid ());
    (void)snprintf (partials, sizeof (partials), "%s/partials", dir);
    (void)mkdir (dir, 0700);
    (void)mkdir (partials, 0700);
    path = partial_path (dir, PARTIAL_LAYERS, 0, 1);
    if (path && (out = fopen (path, "we"))) {
        put (data, size, out);
        (void)fclose (out);
        take (dir);
    }
    if (path)
        (void)unlink (path);
    free (path);
    (void)rmdir (partials);
    (void)rmdir (dir);
    return 0;
}
