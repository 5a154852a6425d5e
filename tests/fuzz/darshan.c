/* SPDX-License-Identifier: MIT
 *
 * darshan.c - any bytes as a log of Darshan: no crash, rows and events that the
 * analysis can take
 *
 * make fuzz-darshan FUZZ_SECONDS=60
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/import/darshan/darshan.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char path[64];

static void check (const struct tracefile *f, const struct profrows *rows)
{
    if (tracefile_processes (f) == 0)
        abort ();
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->row[i].proc >= tracefile_processes (f) ||
            rows->row[i].name > rows->names ||
            rows->row[i].name2 > rows->names || rows->row[i].call >= CALL_MAX)
            abort ();
    for (size_t i = 0; i < rows->values; i++)
        if (rows->value[i].proc >= tracefile_processes (f) ||
            rows->value[i].name < 1 || rows->value[i].name > rows->names ||
            !rows->value[i].times)
            abort ();
    for (size_t i = 0; i < rows->bins; i++)
        if (rows->bin[i].proc >= tracefile_processes (f) || !rows->bin[i].width)
            abort ();
    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);
        unsigned char *buf = malloc (c->present + 1);

        if (!buf || tracefile_read (f, c, buf) < 0)
            abort ();
        free (buf);
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct profrows rows = {.names = 0};
    struct darshan_facts facts = {.mounts = 0};
    struct darshan_account account;
    struct errtext err = {""};
    struct tracefile *f;
    FILE *out;

    if (!path[0])
        (void)snprintf (path, sizeof (path), "/tmp/fuzz-%d.darshan",
                        (int)getpid ());
    if (!(out = fopen (path, "w")))
        return 0;
    (void)fwrite (data, 1, size, out);
    (void)fclose (out);
    if ((f = darshan_open (path, &rows, &facts, &account, &err)))
        check (f, &rows);
    else if (!err.text[0])
        abort ();
    tracefile_close (f);
    profrows_clear (&rows);
    darshan_facts_clear (&facts);
    (void)unlink (path);
    return 0;
}
