/* SPDX-License-Identifier: MIT
 *
 * otfio.c - what an event does to files, in the words of OTF2
 *
 * In:  an event
 * Out: its operations and handles, to otfput.c
 *
 * A handle is a file as a process has opened it in a layer, by descriptor where
 * the trace has it; it is the same one when that is opened again.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otfio.h"

#include <fcntl.h>
#include <string.h>

#include "lib/model/mpikind.h"

/* Modes of MPI_File_open, the same in MPICH and Open MPI; flags of H5Fopen and
 * nc_open. */
enum {
    OTFIO_MPI_CREATE = 1,
    OTFIO_MPI_RDONLY = 2,
    OTFIO_MPI_WRONLY = 4,
    OTFIO_MPI_DELETE = 16,
    OTFIO_MPI_UNIQUE = 32,
    OTFIO_MPI_EXCL = 64,
    OTFIO_MPI_APPEND = 128,
    OTFIO_MPI_SEQUENTIAL = 256,
    OTFIO_LIBRARY_WRITE = 1
};

struct otfio_flag {
    uint64_t ours;
    uint32_t otf2;
};

static const uint8_t otfio_acts[CALL_MAX] = {
#define OTFCALL(CALL, ACT) [CALL_##CALL] = OTFACT_##ACT,
#include "analyze/export/otfcalls.def"
#undef OTFCALL
};

enum otfact otfio_act (unsigned call)
{
    return (enum otfact)otfio_acts[call];
}

static enum call_category otfio_category (const struct otfevent *e)
{
    return (enum call_category)call_table[e->call].category;
}

/* The handle of the event, with this descriptor; -1: ENOMEM. */
static int64_t otfio_handle (struct otfdefs *d,
                             size_t process,
                             const struct otfevent *e,
                             uint32_t name,
                             int64_t fd)
{
    struct otfhandle h;
    int64_t ref;

    memset (&h, 0, sizeof (h));
    h.process = process;
    h.name = name;
    h.fd = (int32_t)fd;
    h.paradigm = otfdefs_paradigm (otfio_category (e));
    if ((ref = otfdefs_handle (d, &h)) >= 0 && e->start < d->life[ref].used)
        d->life[ref].used = e->start;
    return ref;
}

static void otfio_made (struct otfdefs *d, int64_t handle, uint64_t time)
{
    if (time < d->life[handle].made)
        d->life[handle].made = time;
}

/* --- operations ----------------------------------------------------------- */

static int otfio_is_collective (const struct otfevent *e)
{
    enum call_category category = otfio_category (e);
    unsigned says;
    enum mpikind kind;

    if (category >= CALL_CATEGORY_HDF5)
        return (e->flags & CALL_ABOVE_COLLECTIVE) != 0;
    kind = mpikind_of_call ((enum call)e->call, &says);
    if (e->call == CALL_MPI_iread_done || e->call == CALL_MPI_iwrite_done)
        return e->flags == CALL_MPI_File_iread_all ||
               e->flags == CALL_MPI_File_iread_at_all ||
               e->flags == CALL_MPI_File_iwrite_all ||
               e->flags == CALL_MPI_File_iwrite_at_all;
    return kind == MPIKIND_coll_read || kind == MPIKIND_coll_write;
}

static int otfio_add (struct otfdefs *d,
                      size_t process,
                      const struct otfevent *e,
                      uint32_t name,
                      int32_t fd,
                      struct otfop *op)
{
    int64_t handle = otfio_handle (d, process, e, name, fd);

    if (handle < 0)
        return -1;
    op->handle = (uint32_t)handle;
    op->asked = e->size;
    op->flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (otfio_act (e->call) == OTFACT_LATER)
        op->flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (otfio_is_collective (e))
        op->flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    return 1;
}

int otfio_ops (struct otfdefs *d,
               size_t process,
               const struct otfevent *e,
               struct otfop op[OTFIO_OPS])
{
    enum call_class class = (enum call_class)call_table[e->call].class;
    int32_t fd = call_table[e->call].fields & F_FD ? e->fd : -1;
    int n = 0;

    if (otfdefs_paradigm (otfio_category (e)) < 0)
        return 0;
    if (class == CALL_CLASS_READ || class == CALL_CLASS_COPY) {
        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_READ,
                               .moved = e->bytes_read};
        if (otfio_add (d, process, e, e->name, fd, &op[n++]) < 0)
            return -1;
    }
    if (class == CALL_CLASS_WRITE || class == CALL_CLASS_COPY) {
        int copy = class == CALL_CLASS_COPY;

        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_WRITE,
                               .moved = e->bytes_written};
        if (otfio_add (d, process, e, copy ? e->name2 : e->name, copy ? -1 : fd,
                       &op[n++]) < 0)
            return -1;
    }
    if (class == CALL_CLASS_SYNC) {
        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_FLUSH};
        if (otfio_add (d, process, e, e->name, fd, &op[n++]) < 0)
            return -1;
    }
    return n;
}

/* --- handles -------------------------------------------------------------- */

static uint32_t
otfio_flags (uint64_t flags, const struct otfio_flag *f, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if ((flags & f[i].ours) == f[i].ours)
            sum |= f[i].otf2;
    return sum;
}

static void otfio_posix_flags (uint64_t flags, struct otfdone *done)
{
    static const struct otfio_flag creation[] = {
        {O_CREAT, OTF2_IO_CREATION_FLAG_CREATE},
        {O_TRUNC, OTF2_IO_CREATION_FLAG_TRUNCATE},
        {O_EXCL, OTF2_IO_CREATION_FLAG_EXCLUSIVE},
        {O_DIRECTORY, OTF2_IO_CREATION_FLAG_DIRECTORY},
        {O_NOCTTY, OTF2_IO_CREATION_FLAG_NO_CONTROLLING_TERMINAL},
        {O_NOFOLLOW, OTF2_IO_CREATION_FLAG_NO_FOLLOW},
        {O_PATH, OTF2_IO_CREATION_FLAG_PATH},
        {O_TMPFILE, OTF2_IO_CREATION_FLAG_TEMPORARY_FILE},
    };
    static const struct otfio_flag status[] = {
        {O_CLOEXEC, OTF2_IO_STATUS_FLAG_CLOSE_ON_EXEC},
        {O_APPEND, OTF2_IO_STATUS_FLAG_APPEND},
        {O_NONBLOCK, OTF2_IO_STATUS_FLAG_NON_BLOCKING},
        {O_ASYNC, OTF2_IO_STATUS_FLAG_ASYNC},
        {O_SYNC, OTF2_IO_STATUS_FLAG_SYNC},
        {O_DSYNC, OTF2_IO_STATUS_FLAG_DATA_SYNC},
        {O_DIRECT, OTF2_IO_STATUS_FLAG_AVOID_CACHING},
        {O_NOATIME, OTF2_IO_STATUS_FLAG_NO_ACCESS_TIME},
    };

    done->mode = (flags & O_ACCMODE) == O_RDONLY ? OTF2_IO_ACCESS_MODE_READ_ONLY
                 : (flags & O_ACCMODE) == O_WRONLY
                     ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                     : OTF2_IO_ACCESS_MODE_READ_WRITE;
    done->creation =
        otfio_flags (flags, creation, sizeof (creation) / sizeof (creation[0]));
    done->status =
        otfio_flags (flags, status, sizeof (status) / sizeof (status[0]));
}

static void otfio_mpi_flags (uint64_t flags, struct otfdone *done)
{
    static const struct otfio_flag creation[] = {
        {OTFIO_MPI_CREATE, OTF2_IO_CREATION_FLAG_CREATE},
        {OTFIO_MPI_EXCL, OTF2_IO_CREATION_FLAG_EXCLUSIVE},
        {OTFIO_MPI_UNIQUE, OTF2_IO_CREATION_FLAG_UNIQUE},
        {OTFIO_MPI_SEQUENTIAL, OTF2_IO_CREATION_FLAG_NO_SEEK},
    };
    static const struct otfio_flag status[] = {
        {OTFIO_MPI_APPEND, OTF2_IO_STATUS_FLAG_APPEND},
        {OTFIO_MPI_DELETE, OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE},
    };

    done->mode = flags & OTFIO_MPI_RDONLY   ? OTF2_IO_ACCESS_MODE_READ_ONLY
                 : flags & OTFIO_MPI_WRONLY ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                            : OTF2_IO_ACCESS_MODE_READ_WRITE;
    done->creation =
        otfio_flags (flags, creation, sizeof (creation) / sizeof (creation[0]));
    done->status =
        otfio_flags (flags, status, sizeof (status) / sizeof (status[0]));
}

static void otfio_open_flags (const struct otfevent *e, struct otfdone *done)
{
    done->mode = OTF2_IO_ACCESS_MODE_READ_WRITE;
    switch (e->call) {
    case CALL_open:
    case CALL_openat:
    case CALL_mkstemp:
    case CALL_shm_open:
    case CALL_open_by_handle_at:
        otfio_posix_flags (e->flags, done);
        break;
    case CALL_creat:
        otfio_posix_flags (O_WRONLY | O_CREAT | O_TRUNC, done);
        break;
    case CALL_MPI_File_open:
        otfio_mpi_flags (e->flags, done);
        break;
    case CALL_H5Fcreate:
    case CALL_nc_create:
    case CALL_ncmpi_create:
        done->creation = OTF2_IO_CREATION_FLAG_CREATE;
        break;
    case CALL_H5Fopen:
    case CALL_nc_open:
    case CALL_ncmpi_open:
        if (!(e->flags & OTFIO_LIBRARY_WRITE))
            done->mode = OTF2_IO_ACCESS_MODE_READ_ONLY;
        break;
    default: /* fopen and its like: not in the trace */
        break;
    }
}

static int
otfio_delete (struct otfdefs *d, const struct otfevent *e, struct otfdone *done)
{
    int64_t file = e->name ? otfdefs_file (d, e->name) : 0;

    if (!e->name)
        done->act = OTFACT_NONE;
    done->handle = (uint32_t)otfdefs_paradigm (otfio_category (e));
    done->other = (uint32_t)file;
    return file < 0 ? -1 : 0;
}

int otfio_done (struct otfdefs *d,
                size_t process,
                const struct otfevent *e,
                struct otfdone *done)
{
    int32_t fd = call_table[e->call].fields & F_FD ? e->fd : -1;
    int64_t handle, other = 0;

    *done = (struct otfdone){.act = otfio_act (e->call)};
    if (e->error || e->ret < 0 || done->act == OTFACT_LATER ||
        (done->act == OTFACT_SEEK && e->offset < 0))
        done->act = OTFACT_NONE;
    if (done->act == OTFACT_NONE)
        return 0;
    if (done->act == OTFACT_DELETE)
        return otfio_delete (d, e, done);
    if (done->act == OTFACT_CREATE) {
        struct otfevent made = *e; /* it is used from its end on */

        made.start = e->end;
        handle = otfio_handle (d, process, &made, e->name, fd);
    } else
        handle = otfio_handle (d, process, e, e->name, fd);
    if (handle < 0)
        return -1;
    if (done->act == OTFACT_CREATE) {
        otfio_open_flags (e, done);
        otfio_made (d, handle, e->end);
    } else if (done->act == OTFACT_DUPLICATE) {
        struct otfevent made = *e;

        made.start = e->end;
        if ((other = otfio_handle (d, process, &made, e->name, e->ret)) < 0)
            return -1;
        otfio_made (d, other, e->end);
    }
    done->handle = (uint32_t)handle;
    done->other = (uint32_t)other;
    done->offset = e->offset < 0 ? 0 : (uint64_t)e->offset;
    return 0;
}

#endif
