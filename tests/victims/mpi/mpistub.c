/* SPDX-License-Identifier: MIT
 *
 * mpistub.c - a stub of MPI-IO for one process: what the wrappers of layer
 *             mpiio stand before, where no MPI is installed
 *
 * Each transfer moves one item less than it is asked for, so that what was
 * asked and what was moved differ. Requests do their transfer when they are
 * waited for. MPI_Comm_size says 4, MPI_Comm_rank 2.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/victims/mpi/mpistubs.h"

struct stub_file stub_files[STUB_FILES];

struct stub_request stub_requests[STUB_REQUESTS];
static int posted;

int stub_ignored[6];
int *MPI_F_STATUS_IGNORE = stub_ignored, *MPI_F_STATUSES_IGNORE = stub_ignored;

static char memory[1 << 16];

#ifdef MPISTUB_MPICH
MPI_Info stub_hints = 0x5c000001;
MPI_Request stub_request_of (int i)
{
    return 0x6c000000 + i;
}
int stub_index_of (MPI_Request r)
{
    return r - 0x6c000000;
}
int stub_size_of (MPI_Datatype type)
{
    return type >> 8 & 0xff;
}
void stub_set_bytes (MPI_Status *s, int64_t n)
{
    s->low = (int)n;
    s->high = 0;
}
static int64_t bytes_of (const MPI_Status *s)
{
    return s->low;
}
int PMPI_Get_library_version (char *text, int *n)
{
    strcpy (text, "MPICH Version: stub");
    *n = (int)strlen (text);
    return 0;
}
#else
struct stub_object ompi_mpi_comm_world, ompi_mpi_byte = {1}, ompi_mpi_int = {4},
                                        ompi_mpi_info_null, ompi_request_null;
static struct stub_object hints, request[STUB_REQUESTS];
MPI_Info stub_hints = &hints;
MPI_Request stub_request_of (int i)
{
    return &request[i];
}
int stub_index_of (MPI_Request r)
{
    return (int)(r - request);
}
int stub_size_of (MPI_Datatype type)
{
    return type->size;
}
void stub_set_bytes (MPI_Status *s, int64_t n)
{
    s->count = (size_t)n;
}
static int64_t bytes_of (const MPI_Status *s)
{
    return (int64_t)s->count;
}
MPI_Datatype PMPI_Type_f2c (int type)
{
    return type == STUB_INT ? &ompi_mpi_int : &ompi_mpi_byte;
}
MPI_Comm PMPI_Comm_f2c (int comm)
{
    return comm == STUB_WORLD ? &ompi_mpi_comm_world : NULL;
}
MPI_Info PMPI_Info_f2c (int info)
{
    return info == STUB_NO_INFO ? &ompi_mpi_info_null : &hints;
}
#endif

/* --- questions ------------------------------------------------------------ */

int PMPI_Type_size (MPI_Datatype type, int *n)
{
    *n = stub_size_of (type);
    return 0;
}

int PMPI_Type_get_extent (MPI_Datatype type, intptr_t *low, intptr_t *extent)
{
    *low = 0;
    *extent = stub_size_of (type);
    return 0;
}

int PMPI_Get_elements_x (const MPI_Status *s, MPI_Datatype type, int64_t *n)
{
    *n = bytes_of (s) / stub_size_of (type);
    return 0;
}

int PMPI_Comm_rank (MPI_Comm comm, int *rank)
{
    *rank = comm == MPI_COMM_WORLD ? 2 : -1;
    return 0;
}

int PMPI_Comm_size (MPI_Comm comm, int *size)
{
    *size = comm == MPI_COMM_WORLD ? 4 : -1;
    return 0;
}

int PMPI_File_get_byte_offset (MPI_File fh, MPI_Offset n, MPI_Offset *at)
{
    *at = fh->displacement + n * fh->etype;
    return 0;
}

int PMPI_Info_get_nkeys (MPI_Info info, int *n)
{
    if (info == MPI_INFO_NULL)
        abort (); /* as real ones do, by default */
    *n = 2;
    return 0;
}

int PMPI_Info_get_nthkey (MPI_Info info, int n, char *key)
{
    (void)info;
    strcpy (key, n ? "striping_factor" : "cb_nodes");
    return 0;
}

int PMPI_Info_get (
    MPI_Info info, const char *key, int n, char *value, int *flag)
{
    (void)info;
    (void)n;
    *flag = 1;
    strcpy (value, *key == 'c' ? "2" : "8");
    return 0;
}

MPI_File PMPI_File_f2c (int fh)
{
    return &stub_files[fh];
}

int PMPI_File_c2f (MPI_File fh)
{
    return (int)(fh - stub_files);
}

int PMPI_Status_f2c (const int *from, MPI_Status *to)
{
    memcpy (to, from, sizeof (*to));
    return 0;
}

/* --- transfers --------------------------------------------------------------
 */

int64_t stub_move (MPI_File fh, MPI_Offset at, int64_t bytes, int writes)
{
    return at < 0 && writes ? write (fh->fd, memory, (size_t)bytes)
           : at < 0         ? read (fh->fd, memory, (size_t)bytes)
           : writes         ? pwrite (fh->fd, memory, (size_t)bytes, at)
                            : pread (fh->fd, memory, (size_t)bytes, at);
}

static int stub_transfer (MPI_File fh,
                          MPI_Offset at,
                          int64_t count,
                          MPI_Datatype type,
                          MPI_Status *last,
                          int writes)
{
    int64_t n = stub_move (fh, at < 0 ? at : fh->displacement + at * fh->etype,
                           (count - 1) * stub_size_of (type), writes);

    if (last != MPI_STATUS_IGNORE)
        stub_set_bytes (last, n);
    fh->split = n;
    return n < 0 ? 32 : 0;
}

static int stub_post (MPI_File fh,
                      MPI_Offset at,
                      int64_t count,
                      MPI_Datatype type,
                      MPI_Request *last,
                      int writes)
{
    stub_requests[posted].file = fh;
    stub_requests[posted].at = at < 0 ? at : fh->displacement + at * fh->etype;
    stub_requests[posted].bytes = (count - 1) * stub_size_of (type);
    stub_requests[posted].writes = writes;
    *last = stub_request_of (posted++);
    return 0;
}

static int stub_end (MPI_File fh, MPI_Status *last)
{
    if (last != MPI_STATUS_IGNORE)
        stub_set_bytes (last, fh->split);
    return 0;
}

#define WRITES(NAME) (strstr (#NAME, "write") != NULL)
#define DO_DATA(NAME, T) \
    (void)buf;           \
    return stub_transfer (fh, -1, count, type, last, WRITES (NAME));
#define DO_DATA_AT(NAME, T) \
    (void)buf;              \
    return stub_transfer (fh, at, count, type, last, WRITES (NAME));
#define DO_POST(NAME, T) \
    (void)buf;           \
    return stub_post (fh, -1, count, type, last, WRITES (NAME));
#define DO_POST_AT(NAME, T) \
    (void)buf;              \
    return stub_post (fh, at, count, type, last, WRITES (NAME));
#define DO_BEGIN(NAME, T)                                         \
    (void)buf;                                                    \
    return stub_transfer (fh, -1, count, type, MPI_STATUS_IGNORE, \
                          WRITES (NAME));
#define DO_BEGIN_AT(NAME, T)                                      \
    (void)buf;                                                    \
    return stub_transfer (fh, at, count, type, MPI_STATUS_IGNORE, \
                          WRITES (NAME));
#define DO_END(NAME, T) \
    (void)buf;          \
    return stub_end (fh, last);

#ifdef MPISTUB_MPICH
#define F_TYPE       (*type)
#define F_REQUEST(I) (last[I])
#else
#define F_TYPE PMPI_Type_f2c (*type)
#endif
#define F_STATUS \
    MPI_Status own, *s = last == stub_ignored ? MPI_STATUS_IGNORE : &own;
#define F_GIVE                          \
    if (last != stub_ignored && !*ierr) \
        memcpy (last, &own, sizeof (own));
#define F_DATA(NAME)                                                 \
    F_STATUS *ierr =                                                 \
        C_NAME (NAME) (PMPI_File_f2c (*fh), buf, *count, F_TYPE, s); \
    F_GIVE
#define F_DATA_AT(NAME)                                                   \
    F_STATUS *ierr =                                                      \
        C_NAME (NAME) (PMPI_File_f2c (*fh), *at, buf, *count, F_TYPE, s); \
    F_GIVE
#define F_POST(NAME)                                                      \
    MPI_Request r;                                                        \
    *ierr = C_NAME (NAME) (PMPI_File_f2c (*fh), buf, *count, F_TYPE, &r); \
    *last = stub_index_of (r);
#define F_POST_AT(NAME)                                                        \
    MPI_Request r;                                                             \
    *ierr = C_NAME (NAME) (PMPI_File_f2c (*fh), *at, buf, *count, F_TYPE, &r); \
    *last = stub_index_of (r);
#define F_BEGIN(NAME) \
    *ierr = C_NAME (NAME) (PMPI_File_f2c (*fh), buf, *count, F_TYPE);
#define F_BEGIN_AT(NAME) \
    *ierr = C_NAME (NAME) (PMPI_File_f2c (*fh), *at, buf, *count, F_TYPE);
#define F_END(NAME)                                               \
    F_STATUS *ierr = C_NAME (NAME) (PMPI_File_f2c (*fh), buf, s); \
    F_GIVE

#define C_FUNCTION(NAME, SHAPE, T)                                    \
    STUB_##SHAPE (P##NAME, T);                                        \
    STUB_##SHAPE (NAME, T) __attribute__ ((weak, alias ("P" #NAME))); \
    STUB_##SHAPE (P##NAME, T)                                         \
    {                                                                 \
        DO_##SHAPE (NAME, T)                                          \
    }
#define F_FUNCTION(NAME, FORTRAN, SHAPE) \
    FTN_##SHAPE (FORTRAN)                \
    {                                    \
        F_##SHAPE (NAME)                 \
    }
#define TRANSFER(NAME, FORTRAN, SHAPE)    \
    C_FUNCTION (NAME, SHAPE, int)         \
    C_FUNCTION (NAME##_c, SHAPE, int64_t) \
    F_FUNCTION (NAME, FORTRAN##_, SHAPE)  \
    F_FUNCTION (NAME, FTN_OTHER (FORTRAN), SHAPE)
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER
