/* SPDX-License-Identifier: MIT
 *
 * mpifile.h - open files of MPI: handle -> name
 */
#ifndef DFT_MPI_MPIFILE_H
#define DFT_MPI_MPIFILE_H

#include "preload/mpi/mpireal.h"

struct mpifile {
    mpiword handle;  /* 0: free */
    uint32_t name;   /* names_intern, of when it was last asked for */
    uint8_t ignored; /* filters leave it out */
    uint8_t has_view;
};

/* What path means to the file system: without "ufs:", "lustre:" and their
 * kind. */
const char *mpifile_path (const char *path);

/* A file was opened. Where there is no room, calls on it have no name, and
 * that is counted. Not 0: filters leave it out. */
int mpifile_open (const struct layerdoor *door, mpiword fh, const char *path);

/* The entry of a handle, or NULL. It stays until the file is closed. */
struct mpifile *mpifile_of (mpiword fh);

/* Id of its name now; 0: none. */
uint32_t mpifile_name (const struct layerdoor *door, struct mpifile *f);

void mpifile_close (struct mpifile *f);

#endif
