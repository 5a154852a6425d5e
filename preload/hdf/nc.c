/* SPDX-License-Identifier: MIT
 *
 * nc.c - questions to NetCDF and PnetCDF
 *
 * In:  ids of calls that have succeeded
 * Out: names, numbers
 * Caveat: constants are those of netcdf.h and pnetcdf.h.
 */
#include "config.h"

#include "lib/format/calls.h"
#include "preload/hdf/hdf.h"

/* -- what the NetCDF or PnetCDF at hand says of files and variables -- */

#ifdef NC_PNETCDF
#define NC_CALLS      "preload/hdf/pnccalls.def"
#define NC_NAME(NAME) "ncmpi_" #NAME
#define NC_LAYER      LAYER_PNETCDF
#else
#define NC_CALLS      "preload/hdf/nccalls.def"
#define NC_NAME(NAME) "nc_" #NAME
#define NC_LAYER      LAYER_NETCDF
#endif

enum ncrow {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) NCROW_##SYMBOL,
#include NC_CALLS
#undef NCCALL
    NCROW_CALLS,
    NCROW_BEFORE = NCROW_CALLS - 1,
    /* asked about variables; none communicates, and one of the two libraries
     * may lack some */
    NCROW_inq_path,
    NCROW_inq_grpname_full,
    NCROW_inq_varname,
    NCROW_inq_varndims,
    NCROW_inq_vartype,
    NCROW_inq_vardimid,
    NCROW_inq_dimlen,
    NCROW_inq_user_type,
    NCROW_PMPI_Type_size,
    NCROW_COUNT
};

enum {
    NAME_BYTES = 256 + 1, /* NC_MAX_NAME */
    DIMS_MAX = 1024,      /* NC_MAX_VAR_DIMS */
    TYPE_STRING = 12,
    TYPE_USER = 32, /* the first one */
    CLASS_VLEN = 13
};

/* Bytes of NC_BYTE, … NC_UINT64. */
static const uint8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

/* The status of a function: 0, or not (also where there is none). */
#define ASK(S, ROW, ...) \
    (int)hdfask (S, NCROW_##ROW, (hdfword[HDFASK_MAX]){__VA_ARGS__})

/* The path of a file; "": not known. */
static void ncask_file (struct hdfscope *s, int ncid, char *path, size_t size)
{
    uint64_t length = 0; /* a size_t, or an int */

    path[0] = '\0';
    if (ASK (s, inq_path, ncid, (hdfword)&length, 0) != 0 || length >= size)
        return;
    if (ASK (s, inq_path, ncid, (hdfword)&length, (hdfword)path) != 0)
        path[0] = '\0';
    path[size - 1] = '\0';
}

/* The variable's name with its group; "": not known. */
static void ncask_name (struct hdfscope *s,
                        int ncid,
                        int varid,
                        char path[HDFOBJECT_PATH_MAX])
{
    char text[NAME_BYTES] = "", parent[HDFOBJECT_PATH_MAX] = "/";
    size_t n = 0;

    path[0] = '\0';
    if (ASK (s, inq_varname, ncid, varid, (hdfword)text) != 0)
        return;
    text[NAME_BYTES - 1] = '\0';
    if ((ncid & 0xffff) &&
        ASK (s, inq_grpname_full, ncid, (hdfword)&n, 0) == 0 &&
        n < sizeof (parent) &&
        ASK (s, inq_grpname_full, ncid, (hdfword)&n, (hdfword)parent) != 0)
        return;
    hdfobject_join (parent, text, path);
}

/* Bytes of a type; 0: not known, or they differ. PnetCDF has no types of users.
 */
static uint32_t ncask_type_size (struct hdfscope *s, int ncid, int type)
{
    size_t size = 0;
    int class = CLASS_VLEN;

    if (type < TYPE_USER)
        return type > 0 && (size_t)type < sizeof (sizes) ? sizes[type] : 0;
    if (ASK (s, inq_user_type, ncid, type, 0, (hdfword)&size, 0, 0,
             (hdfword) & class) != 0 ||
        class == CLASS_VLEN || size > UINT32_MAX)
        return 0;
    return (uint32_t)size;
}

/* Fill in dims and size. */
static void
ncask_variable (struct hdfscope *s, int ncid, int varid, struct hdfobject *o)
{
    int n = -1, t = 0;

    if (ASK (s, inq_varndims, ncid, varid, (hdfword)&n) != 0 || n < 0 ||
        n > DIMS_MAX || ASK (s, inq_vartype, ncid, varid, (hdfword)&t) != 0)
        return;
    o->dims = (uint16_t)n;
    o->size = ncask_type_size (s, ncid, t);
    o->learnt = 1;
}

/* Elements of all of it; -1: not known. */
static int64_t
ncask_elements (struct hdfscope *s, int ncid, int varid, unsigned dims)
{
    int id[DIMS_MAX];
    int64_t elements = 1;

    if (dims > DIMS_MAX || ASK (s, inq_vardimid, ncid, varid, (hdfword)id) != 0)
        return -1;
    for (unsigned i = 0; i < dims; i++) {
        size_t n = 0;

        if (ASK (s, inq_dimlen, ncid, id[i], (hdfword)&n) != 0)
            return -1;
        elements *= (int64_t)n;
    }
    return elements;
}

/* Bytes of a type of MPI; 0: not known. */
static uint64_t ncask_mpi_size (struct hdfscope *s, hdfword type)
{
    int n = 0;

    return type && ASK (s, PMPI_Type_size, type, (hdfword)&n) == 0 && n > 0
               ? (uint64_t)n
               : 0;
}

/* -- one call of NetCDF or PnetCDF under way -- */

enum ncwhat { /* nccalls.def, pnccalls.def */
              NCWHAT_OPEN,
              NCWHAT_SHARE,
              NCWHAT_COMM,
              NCWHAT_CLOSE,
              NCWHAT_FILE,
              NCWHAT_ACCESS,
              NCWHAT_VAR,
              NCWHAT_VAR1,
              NCWHAT_VARA,
              NCWHAT_VARN,
              NCWHAT_TYPED,
              NCWHAT_WAIT,
              NCWHAT_CANCEL
};

enum { NC_BUFFER = 255 }; /* bytes */

enum ncmode { NC_ONE = 1, NC_ALL, NC_POST };

/* ---- what a call of NetCDF was given and gave -> a record ---- */

/* --- names of functions --------------------------------------------------- */

static const char names[NCROW_COUNT][HDFREAL_NAME_MAX] = {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) \
    [NCROW_##SYMBOL] = #SYMBOL,
#include NC_CALLS
#undef NCCALL
    [NCROW_inq_path] = NC_NAME (inq_path),
    [NCROW_inq_grpname_full] = NC_NAME (inq_grpname_full),
    [NCROW_inq_varname] = NC_NAME (inq_varname),
    [NCROW_inq_varndims] = NC_NAME (inq_varndims),
    [NCROW_inq_vartype] = NC_NAME (inq_vartype),
    [NCROW_inq_vardimid] = NC_NAME (inq_vardimid),
    [NCROW_inq_dimlen] = NC_NAME (inq_dimlen),
    [NCROW_inq_user_type] = NC_NAME (inq_user_type),
    [NCROW_PMPI_Type_size] = "PMPI_Type_size",
};
HDFLAYER (NC_LAYER, names, NCROW_COUNT)

static const struct {
    uint8_t call, what, arguments, bytes, mode;
} rows[NCROW_CALLS] = {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) \
    [NCROW_##SYMBOL] = {CALL_##CALL, NCWHAT_##WHAT, ARGUMENTS, BYTES, MODE},
#include NC_CALLS
#undef NCCALL
};

/* --- files ---------------------------------------------------------------- */

/* The low half of an id of NetCDF is a group of the file. */
static uint64_t nccall_key (const struct hdfcall *c, int ncid)
{
#ifdef NC_PNETCDF
    uint32_t file = (uint32_t)ncid;
#else
    uint32_t file = (uint32_t)ncid & 0xffff0000;
#endif
    return hdfobject_key (c->scope, file);
}

/* Look up an open file. */
static void nccall_file (const struct hdfcall *c, int ncid, struct hdfobject *o)
{
    char path[PATH_MAX];

    if (hdfobject_get (nccall_key (c, ncid), o, NULL) || c->failed)
        return;
    ncask_file (c->scope, ncid, path, sizeof (path));
    if (!path[0])
        return;
    hdfobject_open (c->door, o, path, NC_LAYER == LAYER_PNETCDF);
    hdfobject_put (o, "");
}

/* ---- a table of requests, of fixed size ---- */

enum {
    REQUESTS = 2048,
    REQUEST_ALL = -1, /* NC_REQ_ALL, NC_GET_REQ_ALL, NC_PUT_REQ_ALL */
    REQUEST_GETS = -2,
    REQUEST_PUTS = -3
};

enum request_state { REQUEST_FREE, REQUEST_BUSY, REQUEST_POSTED };

static struct request {
    unsigned state; /* enum request_state */
    int request;
    uint64_t chosen; /* start of the wait that is about to end it; 0: none */
    uint64_t start, size, flags;
    uint16_t call; /* that posted it */
    struct hdfobject o;
} requests[REQUESTS];
static char paths[REQUESTS][HDFOBJECT_PATH_MAX];
static unsigned pending; /* about so many are posted */

/* r is a post that has succeeded, of the variable *o with this path. */
static void ncrequest_post (const struct hdfcall *c,
                            const struct record *r,
                            const struct hdfobject *o,
                            const char *path)
{
    const int *request = (const int *)c->arg[rows[c->row].arguments - 1];

    for (int i = 0; request && i < REQUESTS; i++) {
        struct request *q = &requests[i];
        unsigned none = REQUEST_FREE;

        if (!__atomic_compare_exchange_n (&q->state, &none, REQUEST_BUSY, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        q->request = *request;
        q->chosen = 0;
        q->start = r->start;
        q->size = r->size;
        q->flags = r->flags & ~(uint64_t)CALL_ABOVE_POSTED;
        q->call = r->call;
        q->o = *o;
        memcpy (paths[i], path, strnlen (path, HDFOBJECT_PATH_MAX - 1) + 1);
        __atomic_store_n (&q->state, REQUEST_POSTED, __ATOMIC_RELEASE);
        __atomic_fetch_add (&pending, 1, __ATOMIC_RELAXED);
        return;
    }
}

static int request_reads (const struct request *q)
{
    return q->call == CALL_ncmpi_iget;
}

static int request_is_one (const struct request *q, const struct hdfcall *c)
{
    int count = (int)c->arg[1];
    const int *list = (const int *)c->arg[2];

    if (count == REQUEST_ALL)
        return 1;
    if (count == REQUEST_GETS || count == REQUEST_PUTS)
        return (count == REQUEST_GETS) == request_reads (q);
    for (int i = 0; list && i < count; i++)
        if (list[i] == q->request)
            return 1;
    return 0;
}

/* Before a wait, which may change its list: these are the ones. */
static void ncrequest_choose (const struct hdfcall *c)
{
    struct hdfobject file;

    if (!__atomic_load_n (&pending, __ATOMIC_RELAXED))
        return;
    nccall_file (c, (int)c->arg[0], &file);
    for (int i = 0; i < REQUESTS; i++) {
        struct request *q = &requests[i];

        if (__atomic_load_n (&q->state, __ATOMIC_ACQUIRE) == REQUEST_POSTED &&
            q->o.file == file.file && q->o.turn == file.turn &&
            request_is_one (q, c))
            q->chosen = c->start;
    }
}

static void request_done (const struct hdfcall *c,
                          const struct request *q,
                          const char *path)
{
    struct record r;

    hdfrecord_start (
        &r, c, request_reads (q) ? CALL_ncmpi_iget_done : CALL_ncmpi_iput_done);
    r.start = q->start;
    r.size = q->size;
    r.flags = q->flags | (rows[c->row].mode == NC_ALL ? CALL_ABOVE_COLLECTIVE
                                                      : CALL_ABOVE_INDEPENDENT);
    if (!c->failed)
        r.ret = (int64_t)q->size;
    hdfrecord_end (&r, c, &q->o, path);
}

/* After it: a record for each, and *r for the wait. */
static void ncrequest_ended (const struct hdfcall *c, struct record *r)
{
    unsigned left = __atomic_load_n (&pending, __ATOMIC_RELAXED);
    struct hdfobject file;

    for (int i = 0; left && i < REQUESTS; i++) {
        struct request *q = &requests[i], was = *q;

        if (was.state != REQUEST_POSTED || was.chosen != c->start)
            continue;
        if (c->what == NCWHAT_WAIT)
            request_done (c, &was, paths[i]);
        __atomic_store_n (&q->state, REQUEST_FREE, __ATOMIC_RELEASE);
        __atomic_fetch_sub (&pending, 1, __ATOMIC_RELAXED);
        r->size++;
    }
    if (c->what != NCWHAT_WAIT)
        return;
    r->flags = rows[c->row].mode == NC_ALL ? CALL_ABOVE_COLLECTIVE
                                           : CALL_ABOVE_INDEPENDENT;
    nccall_file (c, (int)c->arg[0], &file);
    hdfrecord_end (r, c, &file, "");
}

/* Requests of a file that is closed never end. */
static void ncrequest_drop (uint32_t file, uint32_t turn)
{
    for (int i = 0;
         __atomic_load_n (&pending, __ATOMIC_RELAXED) && i < REQUESTS; i++) {
        struct request *q = &requests[i];

        if (__atomic_load_n (&q->state, __ATOMIC_ACQUIRE) != REQUEST_POSTED ||
            q->o.file != file || q->o.turn != turn)
            continue;
        __atomic_store_n (&q->state, REQUEST_FREE, __ATOMIC_RELEASE);
        __atomic_fetch_sub (&pending, 1, __ATOMIC_RELAXED);
    }
}

/* ---- reads and writes of variables -> name, bytes, mode ---- */

enum { GLOBAL = -1, COLLECTIVE = 1 }; /* NC_GLOBAL, NC_COLLECTIVE */

/* Look up a variable; another file may have had its number before. */
static void
ncdata_variable (const struct hdfcall *c, struct hdfobject *o, char *path)
{
    int ncid = (int)c->arg[0], varid = (int)c->arg[1];
    struct hdfobject file;

    nccall_file (c, ncid, &file);
    hdfobject_get (
        hdfobject_key (c->scope,
                       ((uint64_t)(uint32_t)varid + 1) << 32 | (uint32_t)ncid),
        o, path);
    if (o->learnt && o->file == file.file && o->turn == file.turn)
        return;
    if (o->file != file.file || o->turn != file.turn) {
        *o = (struct hdfobject){.key = o->key,
                                .file = file.file,
                                .turn = file.turn,
                                .collective = file.collective,
                                .kind = HDFKIND_DATASET};
        path[0] = '\0';
    }
    if (c->failed)
        return;
    ncask_name (c->scope, ncid, varid, path);
    ncask_variable (c->scope, ncid, varid, o);
    o->name = hdfobject_name (c->door, o, path);
    hdfobject_put (o, path);
}

/* For one variable, or for all that come. */
static void ncdata_access (const struct hdfcall *c)
{
    uint8_t mode = (int)c->arg[2] == COLLECTIVE ? CALL_ABOVE_COLLECTIVE
                                                : CALL_ABOVE_INDEPENDENT;
    char path[HDFOBJECT_PATH_MAX] = "";
    struct hdfobject o;

    if (c->failed)
        return;
    if ((int)c->arg[1] == GLOBAL)
        nccall_file (c, (int)c->arg[0], &o);
    else
        ncdata_variable (c, &o, path);
    o.collective = mode;
    hdfobject_put (&o, path);
}

static int64_t ncdata_product (const int64_t *count, unsigned dims)
{
    int64_t n = 1;

    if (!count)
        return dims ? -1 : 1;
    for (unsigned i = 0; i < dims; i++)
        n *= count[i];
    return n;
}

static int64_t ncdata_several (const struct hdfcall *c, unsigned dims)
{
    const int64_t *const *counts = (const int64_t *const *)c->arg[4];
    int64_t sum = 0;

    for (int i = 0; i < (int)c->arg[2]; i++)
        sum += counts && counts[i] ? ncdata_product (counts[i], dims) : 1;
    return sum;
}

static int64_t ncdata_elements (const struct hdfcall *c,
                                const struct hdfobject *o)
{
    if (!o->learnt)
        return -1;
    switch ((enum ncwhat)c->what) {
    case NCWHAT_VAR:
        return ncask_elements (c->scope, (int)c->arg[0], (int)c->arg[1],
                               o->dims);
    case NCWHAT_VAR1:
        return 1;
    case NCWHAT_VARA:
        return ncdata_product ((const int64_t *)c->arg[3], o->dims);
    case NCWHAT_VARN:
        return ncdata_several (c, o->dims);
    default:
        return -1;
    }
}

/* A buffer of so many elements of a type of MPI; -1: it is that of the
 * variable, or not known. */
static int64_t ncdata_buffer (const struct hdfcall *c)
{
    unsigned last = rows[c->row].arguments - 1 - (rows[c->row].mode == NC_POST);
    int64_t count = (int64_t)c->arg[last - 1];
    uint64_t size = ncask_mpi_size (c->scope, c->arg[last]);

    return count >= 0 && size ? count * (int64_t)size : -1;
}

static void ncdata_bytes (const struct hdfcall *c,
                          struct record *r,
                          const struct hdfobject *o,
                          int64_t elements)
{
    int64_t bytes = rows[c->row].bytes == NC_BUFFER ? ncdata_buffer (c) : -1;
    uint64_t size = rows[c->row].bytes && rows[c->row].bytes != NC_BUFFER
                        ? rows[c->row].bytes
                        : o->size;

    if (bytes < 0 && elements >= 0 && (size || !elements))
        bytes = elements * (int64_t)size;
    if (bytes < 0)
        r->flags |= CALL_ABOVE_NO_SIZE;
    else
        r->size = (uint64_t)bytes;
}

static unsigned ncdata_mode (const struct hdfcall *c, const struct hdfobject *o)
{
    if (rows[c->row].mode)
        return rows[c->row].mode == NC_ALL   ? CALL_ABOVE_COLLECTIVE
               : rows[c->row].mode == NC_ONE ? CALL_ABOVE_INDEPENDENT
                                             : CALL_ABOVE_POSTED;
    if (!hdfobject_parallel (o))
        return 0;
    return o->collective ? o->collective : CALL_ABOVE_INDEPENDENT;
}

static void ncdata_transfer (const struct hdfcall *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX] = "";
    struct hdfobject o;

    ncdata_variable (c, &o, path);
    if (!c->failed) {
        int64_t elements = ncdata_elements (c, &o);

        r->flags = ncdata_mode (c, &o);
        ncdata_bytes (c, r, &o, elements);
        if (rows[c->row].mode != NC_POST)
            r->ret = (int64_t)r->size;
        if (c->what == NCWHAT_VAR)
            r->flags |= CALL_ABOVE_WHOLE;
        if (rows[c->row].mode == NC_POST)
            ncrequest_post (c, r, &o, path);
    }
    hdfrecord_end (r, c, &o, path);
}

/* --- a record ------------------------------------------------------------- */

static void nccall_open (const struct hdfcall *c, struct record *r)
{
    int at = c->what == NCWHAT_COMM;
    const char *path = (const char *)c->arg[at];
    const int *ncid = (const int *)c->arg[rows[c->row].arguments - 1];
    struct hdfobject o = {.kind = HDFKIND_FILE};

    r->flags = (unsigned)c->arg[at + 1];
    if (!path)
        return;
    hdfobject_open (c->door, &o, path, c->what != NCWHAT_OPEN);
    if (!c->failed && ncid) {
        o.key = nccall_key (c, *ncid);
        hdfobject_hold (&o);
        hdfobject_put (&o, "");
    }
    hdfrecord_end (r, c, &o, "");
}

static void nccall_whole (const struct hdfcall *c, struct record *r)
{
    int ncid = (int)c->arg[0];
    struct hdfobject o;

    if (c->what == NCWHAT_CLOSE)
        hdfobject_get (nccall_key (c, ncid), &o, NULL);
    else
        nccall_file (c, ncid, &o);
    hdfrecord_end (r, c, &o, "");
    if (c->what == NCWHAT_CLOSE && !c->failed) {
        ncrequest_drop (o.file, o.turn);
        hdfobject_release (&o);
        o.file = 0; /* its number may come again */
        o.closed = 1;
        hdfobject_put (&o, "");
    }
}

static void nccall_event (struct hdfcall *c)
{
    struct record r;

    hdfrecord_start (&r, c, (enum call)rows[c->row].call);
    switch ((enum ncwhat)c->what) {
    case NCWHAT_OPEN:
    case NCWHAT_SHARE:
    case NCWHAT_COMM:
        nccall_open (c, &r);
        break;
    case NCWHAT_CLOSE:
    case NCWHAT_FILE:
        nccall_whole (c, &r);
        break;
    case NCWHAT_ACCESS:
        ncdata_access (c);
        break;
    case NCWHAT_VAR:
    case NCWHAT_VAR1:
    case NCWHAT_VARA:
    case NCWHAT_VARN:
    case NCWHAT_TYPED:
        ncdata_transfer (c, &r);
        break;
    case NCWHAT_WAIT:
    case NCWHAT_CANCEL:
        ncrequest_ended (c, &r);
        break;
    }
}

/* --- begin and end -------------------------------------------------------- */

void hdflayer_begins (struct hdfcall *c)
{
    c->failed = 0;
    c->what = rows[c->row].what;
    if (c->what == NCWHAT_WAIT || c->what == NCWHAT_CANCEL)
        ncrequest_choose (c);
}

void hdflayer_ended (struct hdfcall *c, hdfword result)
{
    c->failed = (int)result != 0;
    nccall_event (c);
}

enum { NC_EINVAL = -36 };

#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) \
    HDFWRAP (SYMBOL, ARGUMENTS, NCROW_##SYMBOL, NC_EINVAL)
#include NC_CALLS
