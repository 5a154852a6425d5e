/* SPDX-License-Identifier: MIT
 *
 * mpistub.h - handles of a stub MPI, as Open MPI's (pointers) or, with
 *             MPISTUB_MPICH, as MPICH's (ints)
 */
#ifndef DFT_TESTS_MPISTUB_H
#define DFT_TESTS_MPISTUB_H

#include <stddef.h>
#include <stdint.h>

typedef struct stub_file *MPI_File;
typedef int64_t MPI_Offset;

#ifdef MPISTUB_MPICH
typedef int MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request;
typedef struct {
    int low, high, source, tag, error;
} MPI_Status;
#define MPI_COMM_WORLD    0x44000000
#define MPI_BYTE          0x4c00010d
#define MPI_INT           0x4c000405
#define MPI_INFO_NULL     0x1c000000
#define MPI_REQUEST_NULL  0x2c000000
#define MPI_STATUS_IGNORE ((MPI_Status *)1)
#else
struct stub_object {
    int size;
};
extern struct stub_object ompi_mpi_comm_world, ompi_mpi_byte, ompi_mpi_int,
    ompi_mpi_info_null, ompi_request_null;
typedef struct stub_object *MPI_Comm, *MPI_Datatype, *MPI_Info, *MPI_Request;
typedef struct {
    int source, tag, error, cancelled;
    size_t count;
} MPI_Status;
#define MPI_COMM_WORLD    (&ompi_mpi_comm_world)
#define MPI_BYTE          (&ompi_mpi_byte)
#define MPI_INT           (&ompi_mpi_int)
#define MPI_INFO_NULL     (&ompi_mpi_info_null)
#define MPI_REQUEST_NULL  (&ompi_request_null)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#endif

/* An info with two hints. */
extern MPI_Info stub_hints;

/* Fortran's handles of the same. */
enum { STUB_WORLD = 1, STUB_INT = 2, STUB_NO_INFO = 3 };

#define STUB_DATA(N, T) \
    int N (MPI_File fh, void *buf, T count, MPI_Datatype type, MPI_Status *last)
#define STUB_DATA_AT(N, T)                                                    \
    int N (MPI_File fh, MPI_Offset at, void *buf, T count, MPI_Datatype type, \
           MPI_Status *last)
#define STUB_POST(N, T)                                        \
    int N (MPI_File fh, void *buf, T count, MPI_Datatype type, \
           MPI_Request *last)
#define STUB_POST_AT(N, T)                                                    \
    int N (MPI_File fh, MPI_Offset at, void *buf, T count, MPI_Datatype type, \
           MPI_Request *last)
#define STUB_BEGIN(N, T) \
    int N (MPI_File fh, void *buf, T count, MPI_Datatype type)
#define STUB_BEGIN_AT(N, T) \
    int N (MPI_File fh, MPI_Offset at, void *buf, T count, MPI_Datatype type)
#define STUB_END(N, T) int N (MPI_File fh, void *buf, MPI_Status *last)

#define FTN_DATA(N) \
    void N (int *fh, void *buf, int *count, int *type, int *last, int *ierr)
#define FTN_DATA_AT(N)                                                 \
    void N (int *fh, MPI_Offset *at, void *buf, int *count, int *type, \
            int *last, int *ierr)
#define FTN_POST    FTN_DATA
#define FTN_POST_AT FTN_DATA_AT
#define FTN_BEGIN(N) \
    void N (int *fh, void *buf, int *count, int *type, int *ierr)
#define FTN_BEGIN_AT(N)                                                \
    void N (int *fh, MPI_Offset *at, void *buf, int *count, int *type, \
            int *ierr)
#define FTN_END(N) void N (int *fh, void *buf, int *last, int *ierr)

/* Symbols of Fortran's names that are there: those of gfortran, of MPICH also
 * with two underscores, of Open MPI those of mpi_f08. */
#ifdef MPISTUB_MPICH
#define FTN_OTHER(F) F##__
#else
#define FTN_OTHER(F) F##_f08_
#endif

#define TRANSFER(NAME, FORTRAN, SHAPE) \
    STUB_##SHAPE (NAME, int);          \
    STUB_##SHAPE (NAME##_c, int64_t);  \
    FTN_##SHAPE (FORTRAN##_);          \
    FTN_##SHAPE (FTN_OTHER (FORTRAN));
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER

int MPI_Init (int *argc, char ***argv);
int MPI_Init_thread (int *argc, char ***argv, int required, int *provided);
int MPI_File_open (MPI_Comm, const char *, int, MPI_Info, MPI_File *);
int MPI_File_close (MPI_File *);
int MPI_File_delete (const char *, MPI_Info);
int MPI_File_set_view (
    MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *, MPI_Info);
int MPI_File_set_size (MPI_File, MPI_Offset);
int MPI_File_preallocate (MPI_File, MPI_Offset);
int MPI_File_sync (MPI_File);
int MPI_File_seek (MPI_File, MPI_Offset, int);
int MPI_File_seek_shared (MPI_File, MPI_Offset, int);
int MPI_Wait (MPI_Request *, MPI_Status *);
int MPI_Waitall (int, MPI_Request *, MPI_Status *);
int MPI_Waitany (int, MPI_Request *, int *, MPI_Status *);
int MPI_Waitsome (int, MPI_Request *, int *, int *, MPI_Status *);
int MPI_Test (MPI_Request *, int *, MPI_Status *);
int MPI_Testall (int, MPI_Request *, int *, MPI_Status *);
int MPI_Testany (int, MPI_Request *, int *, int *, MPI_Status *);
int MPI_Testsome (int, MPI_Request *, int *, int *, MPI_Status *);
void mpi_file_open_ (int *, char *, int *, int *, int *, int *, size_t);
void mpi_file_close_ (int *, int *);
void mpi_file_seek_ (int *, MPI_Offset *, int *, int *);
void mpi_file_set_view_ (
    int *, MPI_Offset *, int *, int *, char *, int *, int *, size_t);
void mpi_wait_ (int *, int *, int *);
void mpi_waitall_ (int *, int *, int *, int *);
int PMPI_File_c2f (MPI_File);

/* What MPI_F_STATUS_IGNORE points to. */
extern int stub_ignored[6];

#endif
