/* SPDX-License-Identifier: MIT
 *
 * mpifile.c - a table of open files, of fixed size
 */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "preload/mpi/mpifile.h"

enum {
    FILES = 128,
    PREFIX_MAX = 16 /* "testfs:" is the longest of ROMIO's */
};

static struct mpifile files[FILES];
static char paths[FILES][PATH_MAX]; /* untouched pages cost nothing */

const char *mpifile_path (const char *path)
{
    size_t n = strspn (path, "abcdefghijklmnopqrstuvwxyz0123456789");

    return n > 1 && n < PREFIX_MAX && path[n] == ':' ? path + n + 1 : path;
}

static struct mpifile *mpifile_free (mpiword fh)
{
    for (int i = 0; i < FILES; i++) {
        mpiword none = 0;

        if (__atomic_compare_exchange_n (&files[i].handle, &none, fh, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return &files[i];
    }
    return NULL;
}

int mpifile_open (const struct layerdoor *door, mpiword fh, const char *path)
{
    struct mpifile *f = mpifile_free (fh);

    if (!f) {
        door->lose_name ();
        return 0;
    }
    f->has_view = 0;
    f->ignored =
        !door->file (mpifile_path (path), &f->name, paths[f - files], PATH_MAX);
    return f->ignored;
}

struct mpifile *mpifile_of (mpiword fh)
{
    for (int i = 0; fh && i < FILES; i++)
        if (__atomic_load_n (&files[i].handle, __ATOMIC_ACQUIRE) == fh)
            return &files[i];
    return NULL;
}

uint32_t mpifile_name (const struct layerdoor *door, struct mpifile *f)
{
    uint32_t name = f->name;
    char same[1];

    if (door->knows (name))
        return name;
    if (!paths[f - files][0] || !door->file (paths[f - files], &name, same, 0))
        return 0;
    f->name = name;
    return name;
}

void mpifile_close (struct mpifile *f)
{
    __atomic_store_n (&f->handle, 0, __ATOMIC_RELEASE);
}
