/* SPDX-License-Identifier: MIT
 *
 * fakelustre.c - a process that writes to a file system which is not here
 *
 *     fakelustre JOBDIR TYPE PATH STRIPES WRITES FILES
 *
 * In:  these words; the rank from the environment (SLURM_PROCID)
 * Out: a shard as the preload library would have written it: PATH, below the
 *      mount /scratch of TYPE, opened, written WRITES times 1 MiB, 2 ms each,
 *      closed; the same of FILES small files of 100 bytes
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/event.h"
#include "preload/record/usage.h"
#include "lib/settings/settings.h"

enum { MIB = 1 << 20, TICKS = 2000000 };

static uint64_t now;

static void put (enum call call,
                 const char *path,
                 uint64_t bytes,
                 const struct record_arg *args,
                 unsigned nargs)
{
    struct record r = {.call = (uint16_t)call,
                       .fd = 3,
                       .size = bytes,
                       .ret = call == CALL_open ? 3 : (int64_t)bytes,
                       .args = args,
                       .nargs = (uint8_t)nargs};

    r.file =
        names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, path, strlen (path));
    r.start = now;
    now += TICKS;
    r.end = now;
    if (!recorder_enter ())
        exit (3);
    recorder_record (&r);
    recorder_leave ();
}

static void use (const char *path, uint64_t bytes, int writes, int stripes)
{
    struct record_arg args[EVENT_ARGS_MAX];
    uint32_t n = 0;
    static int told;

    if (stripes) {
        n = usage_put (args, n, USAGE_LUSTRE_STRIPES, (uint64_t)stripes);
        n = usage_put (args, n, USAGE_LUSTRE_STRIPE_SIZE, 4 * MIB);
        n = usage_put (args, n, USAGE_LUSTRE_COMPONENTS, 1);
    }
    if (!told++) {
        const char *type = getenv ("FAKE_TYPE");

        n = usage_put_text (args, n, USAGE_FS_TYPE, type, strlen (type));
        n = usage_put_text (args, n, USAGE_FS_MOUNT, "/scratch", 8);
        n = usage_put (args, n, USAGE_FS_BLOCK, 4 * MIB);
    }
    put (CALL_open, path, 0, args, n);
    for (int i = 0; i < writes; i++)
        put (CALL_write, path, bytes, NULL, 0);
    put (CALL_close, path, 0, NULL, 0);
}

int main (int argc, char **argv)
{
    static struct settings s;

    if (argc != 7)
        return 2;
    (void)setenv ("FAKE_TYPE", argv[2], 1);
    settings_init (&s);
    s.share = 0;
    if (settings_set (&s, "layers", "posix,app", NULL) < 0 ||
        settings_set (&s, "job_dir", argv[1], NULL) < 0 ||
        recorder_start (&s, NULL) < 0)
        return 1;
    now = clock_tick ();
    if (atoi (argv[5]))
        use (argv[3], MIB, atoi (argv[5]), atoi (argv[4]));
    for (int i = 0; i < atoi (argv[6]); i++) {
        char path[200];

        (void)snprintf (path, sizeof (path), "/scratch/small/%d", i);
        use (path, 100, 1, 1);
    }
    while (clock_tick () < now)
        ;
    recorder_finish ();
    return 0;
}
