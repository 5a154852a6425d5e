/* SPDX-License-Identifier: MIT
 *
 * mpistub_files.c - files of the stub of MPI
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/victims/mpi/mpistubs.h"

BOTH (int, MPI_Init, (int *argc, char ***argv))
{
    (void)argc;
    (void)argv;
    return 0;
}

BOTH (int,
      MPI_Init_thread,
      (int *argc, char ***argv, int required, int *provided))
{
    (void)argc;
    (void)argv;
    *provided = required;
    return 0;
}

BOTH (int,
      MPI_File_open,
      (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *fh))
{
    struct stub_file *f = stub_files;

    (void)comm;
    (void)info;
    while (f->fd)
        f++;
    path = strncmp (path, "ufs:", 4) == 0 ? path + 4 : path;
    f->fd = open (path, O_RDWR | (mode ? O_CREAT : 0), 0600);
    if (f->fd < 0) {
        f->fd = 0;
        return 37;
    }
    f->etype = 1;
    f->displacement = 0;
    *fh = f;
    return 0;
}

BOTH (int, MPI_File_close, (MPI_File * fh))
{
    (void)close ((*fh)->fd);
    (*fh)->fd = 0;
    *fh = NULL;
    return 0;
}

BOTH (int, MPI_File_delete, (const char *path, MPI_Info info))
{
    (void)info;
    return unlink (path) < 0 ? 37 : 0;
}

BOTH (int,
      MPI_File_set_view,
      (MPI_File fh,
       MPI_Offset at,
       MPI_Datatype etype,
       MPI_Datatype type,
       const char *rep,
       MPI_Info info))
{
    (void)type;
    (void)rep;
    (void)info;
    fh->displacement = at;
    fh->etype = stub_size_of (etype);
    return 0;
}

BOTH (int, MPI_File_set_size, (MPI_File fh, MPI_Offset n))
{
    return ftruncate (fh->fd, n) < 0 ? 32 : 0;
}

BOTH (int, MPI_File_preallocate, (MPI_File fh, MPI_Offset n))
{
    return posix_fallocate (fh->fd, 0, n) ? 32 : 0;
}

BOTH (int, MPI_File_sync, (MPI_File fh))
{
    return fsync (fh->fd) < 0 ? 32 : 0;
}

BOTH (int, MPI_File_seek, (MPI_File fh, MPI_Offset at, int whence))
{
    return lseek (fh->fd, at, whence) < 0 ? 32 : 0;
}

BOTH (int, MPI_File_seek_shared, (MPI_File fh, MPI_Offset at, int whence))
{
    return lseek (fh->fd, at, whence) < 0 ? 32 : 0;
}

void mpi_file_open_ (
    int *comm, char *path, int *mode, int *info, int *fh, int *ierr, size_t n)
{
    char text[4096];
    MPI_File f;

    (void)comm;
    (void)info;
    memcpy (text, path, n);
    for (text[n] = '\0'; n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    *ierr =
        C_NAME (MPI_File_open) (MPI_COMM_WORLD, text, *mode, MPI_INFO_NULL, &f);
    if (!*ierr)
        *fh = PMPI_File_c2f (f);
}

void mpi_file_close_ (int *fh, int *ierr)
{
    MPI_File f = PMPI_File_f2c (*fh);

    *ierr = C_NAME (MPI_File_close) (&f);
}

void mpi_file_seek_ (int *fh, MPI_Offset *at, int *whence, int *ierr)
{
    *ierr = C_NAME (MPI_File_seek) (PMPI_File_f2c (*fh), *at, *whence);
}

void mpi_file_set_view_ (int *fh,
                         MPI_Offset *at,
                         int *etype,
                         int *type,
                         char *rep,
                         int *info,
                         int *ierr,
                         size_t n)
{
    (void)etype;
    (void)type;
    (void)info;
    (void)n;
    *ierr = C_NAME (MPI_File_set_view) (PMPI_File_f2c (*fh), *at, MPI_INT,
                                        MPI_INT, rep, MPI_INFO_NULL);
}
