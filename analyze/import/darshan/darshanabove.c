/* SPDX-License-Identifier: MIT
 *
 * darshanabove.c - counters of HDF5 and PnetCDF -> rows of a profile
 *
 * In:  records of files (H5F, PNETCDF_FILE) and of what is in them (H5D,
 *      PNETCDF_VAR), which have names like FILE:OBJECT
 * Out: struct profrow with file and object
 */
#include "config.h"

#include <string.h>

#include "analyze/import/darshan/darshanwork.h"

static const struct darshan_seen darshan_nothing = {0, 0, 0};

static int64_t darshan_some (int64_t n)
{
    return n > 0 ? n : 0;
}

/* --- files ---------------------------------------------------------------- */

static int darshan_h5f_rows (struct darshan_target *to,
                             const struct darshan_record *r)
{
    return darshan_put_meta (to, CALL_H5Fopen, r->n[H5F_OPENS]) < 0 ||
                   darshan_put_meta (to, CALL_H5Fflush, r->n[H5F_FLUSHES]) < 0
               ? -1
               : 0;
}

static int darshan_pnetcdf_rows (struct darshan_target *to,
                                 const struct darshan_record *r)
{
    const int64_t *n = r->n;
    struct darshan_row wait = {.call = CALL_ncmpi_wait,
                               .calls =
                                   darshan_some (n[PNETCDF_FILE_INDEP_WAITS]) +
                                   darshan_some (n[PNETCDF_FILE_COLL_WAITS]),
                               .bytes = -1,
                               .s = r->t[DARSHAN_READ_TIME],
                               .longest = -1,
                               .first = r->t[DARSHAN_READ_START],
                               .last = r->t[DARSHAN_READ_END]};

    if (to->w->log.module_version[DARSHAN_PNETCDF_FILE] < 3)
        return darshan_put_meta (to, CALL_ncmpi_open,
                                 darshan_some (n[PNETCDF_FILE_CREATES]) +
                                     darshan_some (n[PNETCDF_FILE_OPENS]));
    return darshan_put_meta (to, CALL_ncmpi_create, n[PNETCDF_FILE_CREATES]) <
                       0 ||
                   darshan_put_meta (to, CALL_ncmpi_open,
                                     n[PNETCDF_FILE_OPENS]) < 0 ||
                   darshan_put_meta (to, CALL_ncmpi_sync,
                                     n[PNETCDF_FILE_SYNCS]) < 0 ||
                   darshan_put (to, &wait) < 0
               ? -1
               : 0;
}

int darshan_above_rows (struct darshan_target *to,
                        const struct darshan_record *r,
                        const struct darshan_known *k)
{
    return k->module == DARSHAN_H5F ? darshan_h5f_rows (to, r)
                                    : darshan_pnetcdf_rows (to, r);
}

/* --- datasets, variables -------------------------------------------------- */

static int darshan_h5d_rows (struct darshan_target *to,
                             const struct darshan_record *r)
{
    const int64_t *n = r->n;
    struct darshan_row read = darshan_moved (
        CALL_H5Dread, n[H5D_READS], n[H5D_BYTES_READ], r, &darshan_nothing, 0);
    struct darshan_row write =
        darshan_moved (CALL_H5Dwrite, n[H5D_WRITES], n[H5D_BYTES_WRITTEN], r,
                       &darshan_nothing, 1);

    return darshan_put_meta (to, CALL_H5Dopen, n[H5D_OPENS]) < 0 ||
                   darshan_put (to, &read) < 0 ||
                   darshan_put (to, &write) < 0 ||
                   darshan_put_meta (to, CALL_H5Dflush, n[H5D_FLUSHES]) < 0
               ? -1
               : 0;
}

/* Bytes and time are one sum of calls that block and posts: they stand at the
 * first kind that there was. */
static int darshan_var_moved (struct darshan_target *to,
                              const struct darshan_record *r,
                              int write)
{
    static const enum call calls[] = {CALL_ncmpi_get, CALL_ncmpi_put};
    static const enum call posts[] = {CALL_ncmpi_iget, CALL_ncmpi_iput};
    const int64_t *n = r->n + write;
    int64_t independent = darshan_some (n[PNETCDF_VAR_INDEP_READS]);
    int64_t collective = darshan_some (n[PNETCDF_VAR_COLL_READS]);
    struct darshan_row row =
        darshan_moved (calls[write], independent + collective,
                       n[PNETCDF_VAR_BYTES_READ], r, &darshan_nothing, write);
    struct darshan_row post = {.longest = -1, .first = -1, .last = -1};

    if (row.calls == 0)
        post = row;
    row.independent = (uint64_t)independent;
    row.collective = (uint64_t)collective;
    post.call = posts[write];
    post.calls = n[PNETCDF_VAR_NB_READS];
    return darshan_put (to, &row) < 0 || darshan_put (to, &post) < 0 ? -1 : 0;
}

/* FILE and OBJECT of the name of a record; the file's own name, where that is
 * known, says where the colon is. 0, or -1 (ENOMEM). */
static int
darshan_split (struct darshan_work *w, struct darshan_name *name, int64_t file)
{
    const char *text = name->text, *colon = strrchr (text, ':');
    struct profname like = {.kind = SHARD_NAME_FILE, .class = name->class};
    size_t n = file ? strlen (w->name[file - 1].text) : 0;

    if (file && strncmp (text, w->name[file - 1].text, n) == 0 &&
        text[n] == ':')
        colon = text + n;
    if (file)
        name->file = darshan_row_name (w, file);
    else
        name->file =
            profrows_name (w->rows, &like, text,
                           colon ? (size_t)(colon - text) : strlen (text));
    text = colon ? colon + 1 : text;
    name->object = profrows_name (w->rows, &like, text, strlen (text));
    return name->file && name->object ? 0 : -1;
}

int darshan_object_rows (struct darshan_target *to,
                         const struct darshan_record *r,
                         const struct darshan_known *k,
                         int64_t name)
{
    struct darshan_work *w = to->w;
    int64_t at =
        r->file ? strmap_find (w->ids, (const char *)&r->file, sizeof (r->file))
                : -1;
    int64_t file =
        at >= 0 && w->name[at].text && w->name[at].text[0] ? at + 1 : 0;

    if (name) {
        struct darshan_name *own = &w->name[name - 1];

        if (!own->object && darshan_split (w, own, file) < 0)
            return -1;
        to->name = own->file;
        to->object = own->object;
    }
    if (k->module == DARSHAN_H5D)
        return darshan_h5d_rows (to, r);
    return darshan_var_moved (to, r, 0) < 0 ? -1 : darshan_var_moved (to, r, 1);
}
