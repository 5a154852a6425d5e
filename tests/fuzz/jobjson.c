/* SPDX-License-Identifier: MIT
 *
 * jobjson.c - any bytes as job.json: no crash, no leak, texts are texts
 *
 * make fuzz-jobjson
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/trace/find.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char dir[] = "/dev/shm/dftrace-fuzz.XXXXXX", file[64];

static void drop_dir (void)
{
    (void)unlink (file);
    (void)rmdir (dir);
}

static void make_dir (void)
{
    if (file[0])
        return;
    if (!mkdtemp (dir))
        abort ();
    (void)snprintf (file, sizeof (file), "%s/job.json", dir);
    (void)atexit (drop_dir);
}

static void put (const uint8_t *data, size_t size)
{
    int fd = open (file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write (fd, data, size) != (ssize_t)size)
        abort ();
    (void)close (fd);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct job_info info;
    struct errtext err = {""};
    int rc;

    make_dir ();
    put (data, size);
    rc = jobinfo_load (&info, dir, &err);
    if (rc < 0 && !err.text[0])
        abort ();
    if (!info.name || !info.user || !info.nodelist || !info.layers ||
        !info.point || !info.created || strlen (info.name) > 4 * size)
        abort ();
    jobinfo_clear (&info);
    return 0;
}
