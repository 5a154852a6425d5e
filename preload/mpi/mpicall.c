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

#include "lib/format/event.h"
#include "preload/mpi/mpicall.h"

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
        real = mpireal (c->row, MPIFORM_C); /* see mpicall.h */
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

/* Return the offset of the call in bytes; offsets of MPI count elements of the
 * view. */
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

/* ---- a table of open files, of fixed size ---- */

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

/* ---- a count of 64 bit and a type -> a count of int, a type of blocks ---- */

enum { BLOCKS = 256 }; /* of 2^31 - 1 elements: 5e11 */

static int
mpilarge_blocks (int64_t count, int64_t extent, int *lengths, intptr_t *places)
{
    int n = 0;

    for (int64_t done = 0; done < count; done += lengths[n++]) {
        if (n == BLOCKS)
            return -1;
        lengths[n] = count - done < INT_MAX ? (int)(count - done) : INT_MAX;
        places[n] = (intptr_t)(done * extent);
    }
    return n;
}

static int mpilarge_make (struct mpilarge *l, int64_t count, mpiword type)
{
    int lengths[BLOCKS];
    intptr_t places[BLOCKS];
    int n =
        mpilarge_blocks (count, mpireal_type_extent (type), lengths, places);

    return n < 0 ? -1 : mpireal_type_make (n, lengths, places, type, &l->made);
}

int mpilarge_begin (struct mpilarge *l,
                    enum mpirow row,
                    mpiword *count,
                    mpiword *type)
{
    int saved_errno = errno;
    int rc;

    l->made = 0;
    if ((int64_t)*count <= INT_MAX || mpireal (row, MPIFORM_LARGE))
        return 0;
    rc = mpilarge_make (l, (int64_t)*count, *type);
    errno = saved_errno;
    if (rc < 0)
        return -1;
    *count = 1;
    *type = l->made;
    return 0;
}

void mpilarge_end (struct mpilarge *l)
{
    int saved_errno = errno;

    if (l->made)
        mpireal_type_free (&l->made);
    errno = saved_errno;
}

/* ---- calls in which ranks wait for each other ---- */

static _Thread_local struct {
    uint64_t left; /* ticks of short ones */
    int inside;
} meets __attribute__ ((tls_model ("initial-exec")));

void mpimeet_begin (struct mpimeet *m)
{
    m->door = mpicall_inside || meets.inside ? NULL : mpireal_door ();
    if (!m->door)
        return;
    meets.inside = 1;
    m->start = m->door->tick ();
}

void mpimeet_end (const struct mpimeet *m, const char *name)
{
    if (!m->door)
        return;
    meets.inside = 0;
    m->door->meet (name, m->start, &meets.left);
}

/* ---- a table of requests, of fixed size ---- */

enum { REQUESTS = 2048, LOOK = 32 };

struct mpirequest {
    uint64_t key; /* 0: free, 1: being filled */
    uint64_t start, size;
    int64_t offset;
    struct mpifile *file;
    mpiword fh; /* of the file, if it is still open */
    uint16_t call;
};

static struct mpirequest requests[REQUESTS];

unsigned mpirequest_pending;

/* Fortran's ints and C's handles may be the same numbers; of MPICH they are the
 * same handles, and its mpi_f08 posts by a function of C. */
static uint64_t mpirequest_key (const void *all, int i, int fortran)
{
    if (mpireal_abi () == MPIABI_MPICH)
        return (uint64_t)((const unsigned *)all)[i] << 2 | 2;
    if (fortran)
        return (uint64_t)((const unsigned *)all)[i] << 2 | 3;
    return ((const mpiword *)all)[i] | 1u << 1;
}

static unsigned mpirequest_place (uint64_t key, unsigned i)
{
    return (unsigned)((key * 0x9e3779b97f4a7c15u >> 40) + i) % REQUESTS;
}

void mpirequest_post (const void *at,
                      int fortran,
                      const struct record *r,
                      const struct mpifile *f)
{
    uint64_t key = mpirequest_key (at, 0, fortran);

    for (unsigned i = 0; i < LOOK; i++) {
        struct mpirequest *q = &requests[mpirequest_place (key, i)];
        uint64_t none = 0;

        if (!__atomic_compare_exchange_n (&q->key, &none, 1, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        q->start = r->start;
        q->size = r->size;
        q->offset = r->offset;
        q->call = r->call;
        q->file = (struct mpifile *)(uintptr_t)f;
        q->fh = f ? f->handle : 0;
        __atomic_store_n (&q->key, key, __ATOMIC_RELEASE);
        __atomic_fetch_add (&mpirequest_pending, 1, __ATOMIC_RELAXED);
        return;
    }
}

int mpirequest_find (const void *all, int index, int fortran)
{
    uint64_t key = mpirequest_key (all, index, fortran);

    for (unsigned i = 0; i < LOOK; i++) {
        unsigned place = mpirequest_place (key, i);

        if (__atomic_load_n (&requests[place].key, __ATOMIC_ACQUIRE) == key)
            return (int)place;
    }
    return -1;
}

static int mpirequest_reads (uint16_t call)
{
    return call >= CALL_MPI_File_iread && call <= CALL_MPI_File_iread_shared;
}

int mpirequest_done (const struct layerdoor *door,
                     int found,
                     int64_t bytes,
                     int err)
{
    struct mpirequest *q = &requests[found], was = *q;
    struct record r = {.start = was.start,
                       .end = door->tick (),
                       .call = mpirequest_reads (was.call)
                                   ? CALL_MPI_iread_done
                                   : CALL_MPI_iwrite_done,
                       .fd = -1,
                       .size = was.size,
                       .offset = was.offset,
                       .flags = was.call,
                       .err = err,
                       .ret = err ? -1 : (int64_t)was.size};

    if (__atomic_exchange_n (&q->key, 0, __ATOMIC_ACQ_REL) == 0)
        return 0; /* found twice: one handle, or two threads */
    __atomic_fetch_sub (&mpirequest_pending, 1, __ATOMIC_RELAXED);
    if (was.file && was.file->handle == was.fh)
        r.file = mpifile_name (door, was.file);
    if (!err && bytes >= 0)
        r.ret = bytes;
    door->record (&r);
    return 1;
}

/* ---- requests of a call -> those of files that have ended ---- */

void mpiwait_begin (struct mpiwait *w)
{
    int fortran = mpi_is_fortran (w->form);

    w->hits = 0;
    w->door = mpicall_inside ? NULL : mpireal_door ();
    if (!w->door)
        return;
    for (int i = 0; i < w->n && w->hits < MPIWAIT_MAX; i++) {
        int found = mpirequest_find (w->requests, i, fortran);

        if (found < 0)
            continue;
        w->hit[w->hits].index = i;
        w->hit[w->hits++].found = found;
    }
    if (w->hits == 0) {
        w->door = NULL;
        return;
    }
    w->has_statuses = !mpireal_ignores (w->statuses, fortran);
    if (!w->has_statuses && (w->n <= MPIWAIT_MAX || w->waits == MPIWAITS_ANY)) {
        w->statuses = w->own;
        w->has_statuses = 1;
    }
    mpicall_inside = 1;
    w->start = w->door->tick ();
}

static const void *mpiwait_status (const struct mpiwait *w, int i)
{
    size_t bytes = mpi_is_fortran (w->form) ? MPISTATUS_INTS * sizeof (int)
                                            : MPISTATUS_BYTES;

    if (mpireal_abi () == MPIABI_MPICH)
        bytes = MPISTATUS_MPICH; /* five ints in both languages */
    return (const char *)w->statuses + (size_t)i * bytes;
}

/* The status of request `index` of the array; -1: it has not ended. */
static int mpiwait_place (const struct mpiwait *w, int index)
{
    int first = mpi_is_fortran (w->form) ? 1 : 0;

    if (w->waits == MPIWAITS_ALL)
        return index;
    if (w->waits == MPIWAITS_ANY)
        return *w->index - first == index ? 0 : -1;
    for (int i = 0; i < *w->outcount; i++)
        if (w->index[i] - first == index)
            return i;
    return -1;
}

static int mpiwait_take (const struct mpiwait *w, int rc)
{
    int fortran = mpi_is_fortran (w->form), ended = 0;

    for (int i = 0; i < w->hits; i++) {
        int place = mpiwait_place (w, w->hit[i].index);
        int64_t bytes = -1;

        if (place < 0)
            continue;
        if (rc == 0 && w->has_statuses)
            bytes = mpireal_status_bytes (mpiwait_status (w, place), fortran);
        ended +=
            mpirequest_done (w->door, w->hit[i].found, bytes, rc ? EIO : 0);
    }
    return ended;
}

void mpiwait_end (struct mpiwait *w, int rc)
{
    int saved_errno = errno;
    struct record r = {.call = CALL_MPI_Wait,
                       .fd = -1,
                       .offset = -1,
                       .start = w->start,
                       .err = rc ? EIO : 0,
                       .ret = rc ? -1 : 0};

    if (!w->door)
        return;
    mpicall_inside = 0;
    if (w->flag && !*w->flag)
        return;
    r.size = (uint64_t)mpiwait_take (w, rc);
    r.end = w->door->tick ();
    if (r.size > 0)
        w->door->record (&r);
    errno = saved_errno;
}
