/* SPDX-License-Identifier: MIT
 *
 * mpistubs.h - inside the stub of MPI
 */
#ifndef DFT_TESTS_MPISTUBS_H
#define DFT_TESTS_MPISTUBS_H

#include "tests/victims/mpi/mpistub.h"

#define BOTH(RESULT, NAME, PARAMS)                                \
    RESULT P##NAME PARAMS;                                        \
    RESULT NAME PARAMS __attribute__ ((weak, alias ("P" #NAME))); \
    RESULT P##NAME PARAMS

/* Fortran's functions of Open MPI call PMPI_…, those of MPICH MPI_…. */
#ifdef MPISTUB_MPICH
#define C_NAME(NAME) NAME
#else
#define C_NAME(NAME) P##NAME
int PMPI_File_open (MPI_Comm, const char *, int, MPI_Info, MPI_File *);
int PMPI_File_close (MPI_File *);
int PMPI_File_seek (MPI_File, MPI_Offset, int);
int PMPI_File_set_view (
    MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *, MPI_Info);
#endif

enum { STUB_FILES = 4, STUB_REQUESTS = 64 };

struct stub_file {
    int fd;
    MPI_Offset displacement;
    int etype; /* bytes */
    int64_t split;
};
extern struct stub_file stub_files[STUB_FILES];

struct stub_request {
    struct stub_file *file;
    int64_t bytes;
    MPI_Offset at;
    int writes;
};
extern struct stub_request stub_requests[STUB_REQUESTS];

MPI_Request stub_request_of (int i);
int stub_index_of (MPI_Request r);
int stub_size_of (MPI_Datatype type);
void stub_set_bytes (MPI_Status *s, int64_t n);
int64_t stub_move (MPI_File fh, MPI_Offset at, int64_t bytes, int writes);
MPI_File PMPI_File_f2c (int fh);

#endif
