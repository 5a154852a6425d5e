/* SPDX-License-Identifier: MIT
 *
 * otfio.c - what an event does to files, in the words of OTF2
 *
 * In:  an event
 * Out: its operations and handles as records of OTF2, in locations where
 * records are properly inside each other
 *
 * A handle is a file as a process has opened it in a layer, by descriptor where
 * the trace has it; it is the same one when that is opened again.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otf.h"

#include "lib/base/array.h"

#include "lib/model/kind.h"
#include "lib/util/xalloc.h"

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

/* Calls that are more to OTF2 than their class in calls.def says. LATER: the
 * transfer of a request, from its submission until its end was seen: it has an
 * operation, but no region, as its thread did other things meanwhile. */
static const uint8_t otfio_acts[CALL_MAX] = {
    [CALL_open] = OTFACT_CREATE,
    [CALL_openat] = OTFACT_CREATE,
    [CALL_creat] = OTFACT_CREATE,
    [CALL_mkstemp] = OTFACT_CREATE,
    [CALL_memfd_create] = OTFACT_CREATE,
    [CALL_shm_open] = OTFACT_CREATE,
    [CALL_open_by_handle_at] = OTFACT_CREATE,
    [CALL_fopen] = OTFACT_CREATE,
    [CALL_fdopen] = OTFACT_CREATE,
    [CALL_tmpfile] = OTFACT_CREATE,
    [CALL_MPI_File_open] = OTFACT_CREATE,
    [CALL_H5Fopen] = OTFACT_CREATE,
    [CALL_H5Fcreate] = OTFACT_CREATE,
    [CALL_nc_open] = OTFACT_CREATE,
    [CALL_nc_create] = OTFACT_CREATE,
    [CALL_ncmpi_open] = OTFACT_CREATE,
    [CALL_ncmpi_create] = OTFACT_CREATE,
    [CALL_close] = OTFACT_DESTROY,
    [CALL_fclose] = OTFACT_DESTROY,
    [CALL_MPI_File_close] = OTFACT_DESTROY,
    [CALL_H5Fclose] = OTFACT_DESTROY,
    [CALL_nc_close] = OTFACT_DESTROY,
    [CALL_ncmpi_close] = OTFACT_DESTROY,
    [CALL_dup] = OTFACT_DUPLICATE,
    [CALL_lseek] = OTFACT_SEEK,
    [CALL_fseek] = OTFACT_SEEK,
    [CALL_MPI_File_seek] = OTFACT_SEEK,
    [CALL_MPI_File_seek_shared] = OTFACT_SEEK,
    [CALL_unlink] = OTFACT_DELETE,
    [CALL_unlinkat] = OTFACT_DELETE,
    [CALL_remove] = OTFACT_DELETE,
    [CALL_shm_unlink] = OTFACT_DELETE,
    [CALL_MPI_File_delete] = OTFACT_DELETE,
    [CALL_aio_read] = OTFACT_LATER,
    [CALL_aio_write] = OTFACT_LATER,
    [CALL_aio_fsync] = OTFACT_LATER,
    [CALL_MPI_iread_done] = OTFACT_LATER,
    [CALL_MPI_iwrite_done] = OTFACT_LATER,
    [CALL_ncmpi_iget_done] = OTFACT_LATER,
    [CALL_ncmpi_iput_done] = OTFACT_LATER,
    [CALL_block_read] = OTFACT_LATER,
    [CALL_block_write] = OTFACT_LATER,
    [CALL_block_flush] = OTFACT_LATER,
};

static enum call_category otfio_category (const struct otfevent *e)
{
    return call_table[e->call].category;
}

/* The handle of the event, with this descriptor, which is used at that time. */
static uint32_t otfio_handle (struct otfdefs *d,
                              size_t process,
                              const struct otfevent *e,
                              int64_t fd,
                              uint32_t name,
                              uint64_t time)
{
    struct otfhandle h;
    uint32_t ref;

    ZERO (&h);
    h.process = process;
    h.name = name;
    h.fd = (int32_t)fd;
    h.paradigm = otfdefs_paradigm (otfio_category (e));
    ref = otfdefs_handle (d, &h);
    d->life[ref].used = MIN (time, d->life[ref].used);
    return ref;
}

/* The handle that the event makes: it is used from its end on. */
static uint32_t otfio_made (struct otfdefs *d,
                            size_t process,
                            const struct otfevent *e,
                            int64_t fd)
{
    uint32_t ref = otfio_handle (d, process, e, fd, e->name, e->end);

    d->life[ref].made = MIN (e->end, d->life[ref].made);
    return ref;
}

/* --- operations ----------------------------------------------------------- */

static int otfio_is_collective (const struct otfevent *e)
{
    enum call_category category = otfio_category (e);
    unsigned says;
    enum mpikind kind;

    if (category >= CALL_CATEGORY_HDF5)
        return (e->flags & CALL_ABOVE_COLLECTIVE) != 0;
    kind = mpikind_of_call (e->call, &says);
    if (e->call == CALL_MPI_iread_done || e->call == CALL_MPI_iwrite_done)
        return e->flags == CALL_MPI_File_iread_all ||
               e->flags == CALL_MPI_File_iread_at_all ||
               e->flags == CALL_MPI_File_iwrite_all ||
               e->flags == CALL_MPI_File_iwrite_at_all;
    return kind == MPIKIND_coll_read || kind == MPIKIND_coll_write;
}

static void otfio_add (struct otfdefs *d,
                       size_t process,
                       const struct otfevent *e,
                       uint32_t name,
                       int32_t fd,
                       struct otfop *op)
{
    op->handle = otfio_handle (d, process, e, fd, name, e->start);
    op->asked = e->size;
    op->flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (otfio_acts[e->call] == OTFACT_LATER)
        op->flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (otfio_is_collective (e))
        op->flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
}

/* The operations of an event; the number of them. */
static int otfio_ops (struct otfdefs *d,
                      size_t process,
                      const struct otfevent *e,
                      struct otfop op[OTFIO_OPS])
{
    enum call_class class = call_table[e->call].class;
    int32_t fd = call_table[e->call].fields & F_FD ? e->fd : -1;
    int n = 0;

    if (otfdefs_paradigm (otfio_category (e)) < 0)
        return 0;
    if (class == CALL_CLASS_READ || class == CALL_CLASS_COPY) {
        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_READ,
                               .moved = e->bytes_read};
        otfio_add (d, process, e, e->name, fd, &op[n++]);
    }
    if (class == CALL_CLASS_WRITE || class == CALL_CLASS_COPY) {
        int copy = class == CALL_CLASS_COPY;

        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_WRITE,
                               .moved = e->bytes_written};
        otfio_add (d, process, e, copy ? e->name2 : e->name, copy ? -1 : fd,
                   &op[n++]);
    }
    if (class == CALL_CLASS_SYNC) {
        op[n] = (struct otfop){.mode = OTF2_IO_OPERATION_MODE_FLUSH};
        otfio_add (d, process, e, e->name, fd, &op[n++]);
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
    done->creation = otfio_flags (flags, creation, ITEMS (creation));
    done->status = otfio_flags (flags, status, ITEMS (status));
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
    done->creation = otfio_flags (flags, creation, ITEMS (creation));
    done->status = otfio_flags (flags, status, ITEMS (status));
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

/* act is OTFACT_NONE where there is nothing. */
static struct otfdone
otfio_done (struct otfdefs *d, size_t process, const struct otfevent *e)
{
    int32_t fd = call_table[e->call].fields & F_FD ? e->fd : -1;
    struct otfdone done = {.act = otfio_acts[e->call]};

    if (e->error || e->ret < 0 || (done.act == OTFACT_SEEK && e->offset < 0) ||
        (done.act == OTFACT_DELETE && !e->name))
        done.act = OTFACT_NONE;
    done.offset = e->offset < 0 ? 0 : e->offset;
    switch (done.act) {
    case OTFACT_LATER:
    case OTFACT_NONE:
        done.act = OTFACT_NONE;
        break;
    case OTFACT_DELETE:
        done.handle = (uint32_t)otfdefs_paradigm (otfio_category (e));
        done.other = otfdefs_file (d, e->name);
        break;
    case OTFACT_CREATE:
        done.handle = otfio_made (d, process, e, fd);
        otfio_open_flags (e, &done);
        break;
    case OTFACT_DUPLICATE:
        done.handle = otfio_handle (d, process, e, fd, e->name, e->start);
        done.other = otfio_made (d, process, e, e->ret);
        break;
    case OTFACT_DESTROY:
    case OTFACT_SEEK:
        done.handle = otfio_handle (d, process, e, fd, e->name, e->start);
        break;
    }
    return done;
}

/* --- begin and end of an event -> records of OTF2 ---------------------------
 */

/* --- attributes ----------------------------------------------------------- */

static OTF2_AttributeList *otfput_list (struct otfput *o)
{
    return otf2.AttributeList_GetNumberOfElements (o->list) ? o->list : NULL;
}

static void otfput_text (struct otfput *o, uint32_t attribute, uint32_t name)
{
    const struct dict_entry *e = dict_entry (o->defs->dict, name);

    OTF (o, AttributeList_AddStringRef, o->list, attribute,
         otfdefs_string (o->defs, e ? e->text : ""));
}

static void otfput_arg (struct otfput *o, const struct batch_arg *a)
{
    const struct dict_entry *key = dict_entry (o->defs->dict, a->key);
    OTF2_Type type = a->type == EVENT_ARG_INT      ? OTF2_TYPE_INT64
                     : a->type == EVENT_ARG_DOUBLE ? OTF2_TYPE_DOUBLE
                                                   : OTF2_TYPE_STRING;
    uint32_t attribute =
        otfdefs_attribute (o->defs, key ? key->text : "", type);

    if (otf2.AttributeList_TestAttributeByID (o->list, attribute))
        return; /* a key twice: the first one counts */
    if (type == OTF2_TYPE_INT64)
        OTF (o, AttributeList_AddInt64, o->list, attribute, a->i);
    else if (type == OTF2_TYPE_DOUBLE)
        OTF (o, AttributeList_AddDouble, o->list, attribute, a->d);
    else
        otfput_text (o, attribute, a->text);
}

static void otfput_int (struct otfput *o, const char *name, int64_t value)
{
    uint32_t attribute = otfdefs_attribute (o->defs, name, OTF2_TYPE_INT64);

    OTF (o, AttributeList_AddInt64, o->list, attribute, value);
}

/* Write the place of an operation: offset in the file, object of the file (a
 * dataset, a variable). */
static void otfput_place (struct otfput *o, const struct otfevent *e)
{
    const struct call_info *info = &call_table[e->call];

    if (info->fields & F_OFFSET && e->offset >= 0)
        otfput_int (o, "offset", e->offset);
    if (info->category >= CALL_CATEGORY_HDF5 && e->name2)
        otfput_text (o, otfdefs_attribute (o->defs, "object", OTF2_TYPE_STRING),
                     e->name2);
}

/* --- records -------------------------------------------------------------- */

static void otfput_op (struct otfput *o,
                       OTF2_EvtWriter *writer,
                       const struct otfevent *e,
                       struct otfop *op)
{
    op->id = ++o->op_id;
    OTF (o, AttributeList_RemoveAllAttributes, o->list);
    otfput_place (o, e);
    OTF (o, EvtWriter_IoOperationBegin, writer, otfput_list (o), e->start,
         op->handle, op->mode, op->flags, op->asked, op->id);
    if (op->flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING)
        OTF (o, EvtWriter_IoOperationIssued, writer, NULL, e->start, op->handle,
             op->id);
}

/* Begin an event of the process in a location; *open is for its end. With
 * region: Enter and, at its end, Leave; else operations that do not block. */
static void otfput_begin (struct otfput *o,
                          OTF2_EvtWriter *writer,
                          size_t process,
                          const struct otfevent *e,
                          int region,
                          struct otfopen *open)
{
    struct otfdefs *d = o->defs;

    ZERO (open);
    open->end = e->end;
    open->error = e->error;
    if (e->start < d->first)
        d->first = e->start;
    if (e->end > d->last)
        d->last = e->end;
    if (region) {
        open->region = otfdefs_region (d, e->call, e->name);
        OTF (o, AttributeList_RemoveAllAttributes, o->list);
        for (unsigned i = 0; i < e->args; i++)
            otfput_arg (o, &e->arg[i]);
        OTF (o, EvtWriter_Enter, writer, otfput_list (o), e->start,
             open->region);
    }
    open->ops = otfio_ops (d, process, e, open->op);
    open->done = otfio_done (d, process, e);
    for (int i = 0; i < open->ops; i++)
        otfput_op (o, writer, e, &open->op[i]);
}

static void otfput_done (struct otfput *o,
                         OTF2_EvtWriter *writer,
                         uint64_t time,
                         const struct otfdone *done)
{
    switch (done->act) {
    case OTFACT_CREATE:
        OTF (o, EvtWriter_IoCreateHandle, writer, NULL, time, done->handle,
             done->mode, done->creation, done->status);
        break;
    case OTFACT_DESTROY:
        OTF (o, EvtWriter_IoDestroyHandle, writer, NULL, time, done->handle);
        break;
    case OTFACT_DUPLICATE:
        OTF (o, EvtWriter_IoDuplicateHandle, writer, NULL, time, done->handle,
             done->other, OTF2_IO_STATUS_FLAG_NONE);
        break;
    case OTFACT_SEEK:
        OTF (o, EvtWriter_IoSeek, writer, NULL, time, done->handle,
             done->offset, OTF2_IO_SEEK_FROM_START, done->offset);
        break;
    case OTFACT_DELETE:
        OTF (o, EvtWriter_IoDeleteFile, writer, NULL, time, done->handle,
             done->other);
        break;
    case OTFACT_LATER:
    case OTFACT_NONE:
        break;
    }
}

static void otfput_end (struct otfput *o,
                        OTF2_EvtWriter *writer,
                        const struct otfopen *open,
                        int region)
{
    for (int i = open->ops; i-- > 0;)
        OTF (o, EvtWriter_IoOperationComplete, writer, NULL, open->end,
             open->op[i].handle, open->op[i].moved, open->op[i].id);
    otfput_done (o, writer, open->end, &open->done);
    if (!region)
        return;
    OTF (o, AttributeList_RemoveAllAttributes, o->list);
    if (open->error)
        otfput_int (o, "errno", open->error);
    OTF (o, EvtWriter_Leave, writer, otfput_list (o), open->end, open->region);
}

/* --- events of a thread by their starts -> locations ---------------------- */

/* --- requests ------------------------------------------------------------- */

static void otflanes_swap (struct otfopen *a, struct otfopen *b)
{
    struct otfopen t = *a;

    *a = *b;
    *b = t;
}

static void otflanes_push_later (struct otflanes *l, const struct otfopen *o)
{
    size_t i = l->laters++;

    l->later[i] = *o;
    for (; i && l->later[i].end < l->later[(i - 1) / 2].end; i = (i - 1) / 2)
        otflanes_swap (&l->later[i], &l->later[(i - 1) / 2]);
}

static struct otfopen otflanes_pop_later (struct otflanes *l)
{
    struct otfopen first = l->later[0];

    l->later[0] = l->later[--l->laters];
    for (size_t i = 0;;) {
        size_t least = i;

        for (size_t c = 2 * i + 1; c < 2 * i + 3 && c < l->laters; c++)
            if (l->later[c].end < l->later[least].end)
                least = c;
        if (least == i)
            return first;
        otflanes_swap (&l->later[i], &l->later[least]);
        i = least;
    }
}

/* --- lanes ---------------------------------------------------------------- */

/* End what has ended by this time, in its order. */
static void
otflanes_until (struct otflanes *l, struct otflane *lane, uint64_t t)
{
    int first = lane == &l->lane[0]; /* it has the requests, too */

    for (;;) {
        struct otfopen *top = lane->depth ? &lane->open[lane->depth - 1] : NULL;

        if (first && l->laters && l->later[0].end <= t &&
            (!top || l->later[0].end <= top->end)) {
            struct otfopen o = otflanes_pop_later (l);

            otfput_end (l->put, lane->writer, &o, 0);
        } else if (top && top->end <= t) {
            otfput_end (l->put, lane->writer, top, 1);
            lane->depth--;
        } else
            return;
    }
}

static int otflanes_add (struct otflanes *l)
{
    struct otflane *lane = &l->lane[l->lanes];
    struct otfput *put = l->put;
    size_t location =
        otfdefs_location (put->defs, l->process, l->tid, (uint32_t)l->lanes);

    lane->depth = 0;
    lane->writer = otf2.Archive_GetEvtWriter (put->archive, location);
    if (!lane->writer) {
        otf_wrote (&put->failed, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return -1;
    }
    lane->location = location;
    l->lanes++;
    return 0;
}

void otflanes_begin (struct otflanes *l, size_t process, uint32_t tid)
{
    l->process = process;
    l->tid = tid;
    l->lanes = l->laters = 0;
    otflanes_add (l);
}

static void otflanes_take_later (struct otflanes *l, const struct otfevent *e)
{
    struct otfopen open;

    otflanes_until (l, &l->lane[0], e->start);
    if (l->laters == OTFLANES_LATER) {
        l->left_out++;
        return;
    }
    GROW (l->later, l->laters_room, l->laters + 1);
    otfput_begin (l->put, l->lane[0].writer, l->process, e, 0, &open);
    otflanes_push_later (l, &open);
}

/* The first lane in which the event is inside what is open; NULL: none. */
static struct otflane *otflanes_find (struct otflanes *l,
                                      const struct otfevent *e)
{
    for (size_t i = 0; i < OTFLANES_MAX; i++) {
        struct otflane *lane = &l->lane[i];

        if (i == l->lanes && otflanes_add (l) < 0)
            return NULL;
        otflanes_until (l, lane, e->start);
        if ((!lane->depth || lane->open[lane->depth - 1].end >= e->end) &&
            lane->depth < OTFLANES_DEPTH)
            return lane;
    }
    return NULL;
}

void otflanes_take (struct otflanes *l, const struct otfevent *e)
{
    struct otflane *lane;

    if (l->lanes == 0)
        return;
    if (otfio_acts[e->call] == OTFACT_LATER) {
        otflanes_take_later (l, e);
        return;
    }
    if (!(lane = otflanes_find (l, e))) {
        l->left_out++;
        return;
    }
    GROW (lane->open, lane->room, lane->depth + 1);
    otfput_begin (l->put, lane->writer, l->process, e, 1,
                  &lane->open[lane->depth]);
    lane->depth++;
}

void otflanes_end (struct otflanes *l)
{
    struct otfput *put = l->put;

    for (size_t i = 0; i < l->lanes; i++) {
        struct otflane *lane = &l->lane[i];
        struct otflocation *location = &put->defs->location[lane->location];

        otflanes_until (l, lane, UINT64_MAX);
        OTF (put, EvtWriter_GetNumberOfEvents, lane->writer, &location->events);
        OTF (put, Archive_CloseEvtWriter, put->archive, lane->writer);
    }
    l->lanes = 0;
}

void otflanes_clear (struct otflanes *l)
{
    for (size_t i = 0; i < OTFLANES_MAX; i++)
        free (l->lane[i].open);
    free (l->later);
}

#endif
