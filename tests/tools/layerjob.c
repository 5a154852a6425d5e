/* SPDX-License-Identifier: MIT
 *
 * layerjob.c - a process whose calls of MPI-IO and HDF5 are written by hand
 *
 *     layerjob JOBDIR <EVENTS
 *
 * In:  lines "CALL FILE OBJECT OFFSET BYTES FLAGS START DURATION [KEY=VALUE…]",
 *      in the order of the ends; OBJECT "-": none; times in ticks from the
 *      first event; VALUE is a number or a text. The rank and the node are from
 *      the environment (SLURM_PROCID, SLURMD_NODENAME)
 * Out: a shard as the libraries would have written it
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/event.h"
#include "preload/record/recorder.h"
#include "lib/settings/settings.h"

enum { WORD = 200 };

static int layerjob_call (const char *name)
{
    for (int i = 0; i < CALL_MAX; i++)
        if (strcmp (call_table[i].name, name) == 0)
            return i;
    (void)fprintf (stderr, "layerjob: no call %s\n", name);
    exit (2);
}

static uint32_t layerjob_name (enum shard_name_kind kind, const char *text)
{
    return names_intern (kind, kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE : 0,
                         text, strlen (text));
}

static uint8_t layerjob_args (char *text, struct record_arg *arg)
{
    uint8_t n = 0;

    for (char *word = strtok (text, " \n"); word; word = strtok (NULL, " \n")) {
        char *value = strchr (word, '='), *end;

        if (!value || n == EVENT_ARGS_MAX)
            break;
        *value++ = '\0';
        arg[n] =
            (struct record_arg){.key = layerjob_name (SHARD_NAME_KEY, word),
                                .type = EVENT_ARG_INT,
                                .i = strtoll (value, &end, 10)};
        if (*end) {
            arg[n].type = EVENT_ARG_TEXT;
            arg[n].text = layerjob_name (SHARD_NAME_TEXT, value);
        }
        n++;
    }
    return n;
}

/* The tick of its end. */
static uint64_t layerjob_event (char *line, uint64_t base)
{
    char call[WORD], file[WORD], object[WORD];
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = {.fd = -1, .args = args};
    long long offset, bytes, flags, start, duration;
    int used = 0;

    if (sscanf (line, "%199s %199s %199s %lld %lld %lld %lld %lld%n", call,
                file, object, &offset, &bytes, &flags, &start, &duration,
                &used) != 8)
        exit (2);
    r.call = (uint16_t)layerjob_call (call);
    r.file = layerjob_name (SHARD_NAME_FILE, file);
    if (strcmp (object, "-") != 0)
        r.file2 = layerjob_name (SHARD_NAME_FILE, object);
    r.offset = offset;
    r.size = (uint64_t)bytes;
    r.ret = bytes;
    r.flags = (unsigned)flags;
    r.start = base + (uint64_t)start;
    r.end = r.start + (uint64_t)duration;
    r.nargs = layerjob_args (line + used, args);
    if (!recorder_enter ())
        exit (3);
    recorder_record (&r);
    recorder_leave ();
    return r.end;
}

int main (int argc, char **argv)
{
    static struct settings s;
    char line[1024];
    uint64_t base, end = 0;

    if (argc != 2)
        return 2;
    settings_init (&s);
    s.share = 0;
    if (settings_set (&s, "layers", "posix,mpiio,hdf5", NULL) < 0 ||
        settings_set (&s, "job_dir", argv[1], NULL) < 0 ||
        recorder_start (&s, NULL) < 0)
        return 1;
    base = clock_tick ();
    while (fgets (line, (int)sizeof (line), stdin))
        end = layerjob_event (line, base);
    while (clock_tick () < end)
        ;
    recorder_finish ();
    return 0;
}
