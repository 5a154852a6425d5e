/* SPDX-License-Identifier: MIT
 *
 * darshanopen.c - a log of Darshan by its name -> what it has, step by step
 *
 * In:  a path, from sources.c
 * Out: a trace, rows of counters, mounts and striping
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/import/darshan/darshanwork.h"

void darshan_facts_clear (struct darshan_facts *f)
{
    for (size_t i = 0; i < f->mounts; i++) {
        free (f->mount[i].point);
        free (f->mount[i].type);
    }
    for (size_t i = 0; i < f->stripings; i++)
        free (f->striping[i].path);
    free (f->mount);
    free (f->striping);
    memset (f, 0, sizeof (*f));
}

static int darshan_open_file (const char *path, struct errtext *err)
{
    int fd =
        open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0)
        (void)errf (err, "%s: cannot open: %s", path, strerror (errno));
    else if (!S_ISREG (st.st_mode)) {
        (void)errf (err, "%s: not a regular file", path);
        errno = EINVAL;
    } else
        return fd;
    if (fd >= 0)
        (void)close (fd);
    return -1;
}

/* Modules with data of which nothing is read. */
static void darshan_count_skipped (struct darshan_work *w)
{
    static const int read[] = {
        DARSHAN_POSIX,        DARSHAN_MPIIO,      DARSHAN_LUSTRE,
        DARSHAN_STDIO,        DARSHAN_DXT_POSIX,  DARSHAN_DXT_MPIIO,
        DARSHAN_HEATMAP,      DARSHAN_H5F,        DARSHAN_H5D,
        DARSHAN_PNETCDF_FILE, DARSHAN_PNETCDF_VAR};

    for (int i = 0; i < DARSHAN_MODULES; i++) {
        int known = 0;

        for (size_t k = 0; k < sizeof (read) / sizeof (read[0]); k++)
            known |= read[k] == i;
        w->log.account->skipped += !known && w->log.module[i].bytes > 0;
    }
}

static int darshan_read (struct darshan_work *w)
{
    if (!(w->ids = strmap_create ()) || !(w->ranks = strmap_create ()) ||
        !(w->records = strmap_create ()))
        return -1;
    darshan_count_skipped (w);
    if (darshan_read_job (w) < 0 || darshan_read_names (w) < 0 ||
        darshan_read_counters (w, DARSHAN_POSIX) < 0 ||
        darshan_read_counters (w, DARSHAN_MPIIO) < 0 ||
        darshan_read_counters (w, DARSHAN_STDIO) < 0 ||
        darshan_read_counters (w, DARSHAN_H5F) < 0 ||
        darshan_read_counters (w, DARSHAN_H5D) < 0 ||
        darshan_read_counters (w, DARSHAN_PNETCDF_FILE) < 0 ||
        darshan_read_counters (w, DARSHAN_PNETCDF_VAR) < 0 ||
        darshan_read_dxt (w, DARSHAN_DXT_POSIX) < 0 ||
        darshan_read_dxt (w, DARSHAN_DXT_MPIIO) < 0 ||
        darshan_read_lustre (w) < 0 || darshan_make_rows (w) < 0 ||
        darshan_read_heat (w) < 0)
        return -1;
    if (w->processes == 0) /* a job without I/O */
        return darshan_process_of (w, w->nprocs == 1 ? 0 : -1) < 0 ? -1 : 0;
    return 0;
}

static void darshan_work_clear (struct darshan_work *w)
{
    for (size_t i = 0; i < w->names; i++)
        free (w->name[i].text);
    for (size_t i = 0; i < w->processes; i++)
        free (w->process[i].host);
    for (size_t i = 0; w->records && i < strmap_count (w->records); i++)
        free (strmap_value (w->records, i));
    for (int i = 0; i < DARSHAN_MODULES; i++)
        darshan_bytes_clear (&w->region[i]);
    strmap_destroy (w->ids);
    strmap_destroy (w->ranks);
    strmap_destroy (w->records);
    free (w->name);
    free (w->process);
    free (w->segment);
    free (w->exe);
}

struct tracefile *darshan_open (const char *path,
                                struct profrows *rows,
                                struct darshan_facts *facts,
                                struct darshan_account *account,
                                struct errtext *err)
{
    struct darshan_work w = {.rows = rows, .facts = facts};
    struct tracefile *f = NULL;
    int saved, fd = darshan_open_file (path, err);

    memset (account, 0, sizeof (*account));
    if (fd < 0)
        return NULL;
    if (darshan_log_begin (&w.log, fd, account, path, err) == 0) {
        if (darshan_read (&w) == 0)
            f = darshan_write (&w, path, err);
        else
            (void)errf (err, "%s: cannot read: %s", path, strerror (errno));
    }
    saved = errno;
    darshan_work_clear (&w);
    (void)close (fd);
    errno = saved;
    return f;
}
