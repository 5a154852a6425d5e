/* SPDX-License-Identifier: MIT
 *
 * mpicall.c - what a call of MPI-IO was given and gave -> a record
 *
 * In:  arguments as they came, the status of the real call
 * Out: struct record; the bytes asked for from type and count, those moved
 *      from the status
 * Caveat: MPI is asked (PMPI_Type_size and the like) only after the call has
 *         succeeded: for bad arguments it may end the program.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/format/event.h"
#include "preload/mpi/mpicall.h"
#include "preload/mpi/mpirequest.h"

_Thread_local int mpicall_inside __attribute__ ((tls_model ("initial-exec")));

static const uint16_t calls[MPIROW_COUNT] = {
#define TRANSFER(NAME, FORTRAN, SHAPE) [MPIROW_##NAME] = CALL_##NAME,
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER
};

static int has_status (enum mpishape shape)
{
    return shape == MPISHAPE_DATA || shape == MPISHAPE_DATA_AT ||
           shape == MPISHAPE_END;
}

static int has_offset (enum mpishape shape)
{
    return shape == MPISHAPE_DATA_AT || shape == MPISHAPE_POST_AT ||
           shape == MPISHAPE_BEGIN_AT;
}

static int has_request (enum mpishape shape)
{
    return shape == MPISHAPE_POST || shape == MPISHAPE_POST_AT;
}

/* Fortran's are addresses of ints, and of an integer of 8 bytes. */
static void mpicall_convert (struct mpicall *c)
{
    if (c->form == MPIFORM_C)
        c->count = (mpiword)(int)c->count;
    if (!mpi_is_fortran (c->form))
        return;
    c->fh = mpireal_f2c (MPIHANDLE_FILE, *(const int *)c->fh);
    if (c->count)
        c->count = (mpiword) * (const int *)c->count;
    if (c->type)
        c->type = mpireal_f2c (MPIHANDLE_TYPE, *(const int *)c->type);
    if (c->offset)
        c->offset = (mpiword) * (const int64_t *)c->offset;
}

void *mpicall_begin (struct mpicall *c)
{
    void *real = mpireal (c->row, c->form);
    const struct layerdoor *door;

    if (!real && c->form == MPIFORM_LARGE)
        real = mpireal (c->row, MPIFORM_C); /* see mpilarge.h */
    c->door = NULL;
    if (!real || mpicall_inside || !(door = mpireal_door ()))
        return real;
    c->door = door;
    mpicall_inside = 1;
    if (has_status (c->shape) &&
        mpireal_ignores ((const void *)c->last, mpi_is_fortran (c->form)))
        c->last = (mpiword)c->own_status;
    c->start = door->tick ();
    return real;
}

void mpicall_result (const struct mpicall *c,
                     struct record *r,
                     enum call call,
                     int rc)
{
    *r = (struct record){.start = c->start,
                         .end = c->door->tick (),
                         .call = (uint16_t)call,
                         .fd = -1,
                         .offset = -1,
                         .err = rc ? EIO : 0,
                         .ret = rc ? -1 : 0};
}

void mpicall_record (struct mpicall *c, struct record *r, struct mpifile *f)
{
    if (f && !f->ignored)
        r->file = mpifile_name (c->door, f);
    if (!f || !f->ignored)
        c->door->record (r);
    mpicall_drop (c);
}

void mpicall_drop (struct mpicall *c)
{
    if (c->door)
        mpicall_inside = 0;
    c->door = NULL;
}

/* Where it worked, in bytes: offsets count elements of the view. */
static int64_t mpicall_offset (const struct mpicall *c, const struct mpifile *f)
{
    if (!has_offset (c->shape))
        return -1;
    return f && f->has_view ? mpireal_byte_offset (c->fh, (int64_t)c->offset)
                            : (int64_t)c->offset;
}

static void mpicall_transfer (struct mpicall *c, struct record *r)
{
    int64_t moved = -1;

    if (c->shape != MPISHAPE_END)
        r->size = (uint64_t)((int64_t)c->count * mpireal_type_size (c->type));
    if (has_status (c->shape))
        moved = mpireal_status_bytes ((const void *)c->last,
                                      mpi_is_fortran (c->form));
    if (c->shape == MPISHAPE_END && moved > 0)
        r->size = (uint64_t)moved;
    if (call_table[r->call].ret == CALL_RET_SIZE)
        r->ret = moved >= 0 ? moved : (int64_t)r->size;
}

void mpicall_end (struct mpicall *c, int rc)
{
    int saved_errno = errno;
    struct record r;
    struct mpifile *f;

    if (!c->door)
        return;
    mpicall_result (c, &r, (enum call)calls[c->row], rc);
    mpicall_convert (c);
    f = mpifile_of (c->fh);
    if (rc == 0) {
        mpicall_transfer (c, &r);
        r.offset = mpicall_offset (c, f);
    }
    if (rc == 0 && has_request (c->shape) && !(f && f->ignored))
        mpirequest_post ((const void *)c->last, mpi_is_fortran (c->form), &r,
                         f);
    mpicall_record (c, &r, f);
    errno = saved_errno;
}

struct record_arg
mpicall_int (const struct layerdoor *door, const char *key, int64_t value)
{
    return (struct record_arg){.key = door->name (SHARD_NAME_KEY, key),
                               .type = EVENT_ARG_INT,
                               .i = value};
}

struct record_arg
mpicall_text (const struct layerdoor *door, const char *key, const char *text)
{
    return (struct record_arg){.key = door->name (SHARD_NAME_KEY, key),
                               .type = EVENT_ARG_TEXT,
                               .text = door->name (SHARD_NAME_TEXT, text)};
}

/* A world of one says nothing: a program that was started without the MPI's
 * own launcher is its own world, whatever rank of a job it is. */
void mpicall_rank (const struct layerdoor *door)
{
    static int said;
    struct record r = {
        .call = CALL_MPI_Init, .nargs = 2, .fd = -1, .offset = -1};
    struct record_arg args[2];
    int rank, size;

    if (__atomic_exchange_n (&said, 1, __ATOMIC_RELAXED) ||
        mpireal_comm (mpireal_world (), &rank, &size) < 0)
        return;
    if (size > 1)
        door->rank (rank, (uint32_t)size);
    args[0] = mpicall_int (door, "mpi.rank", rank);
    args[1] = mpicall_int (door, "mpi.ranks", size);
    r.args = args;
    r.start = r.end = door->tick ();
    door->record (&r);
}
