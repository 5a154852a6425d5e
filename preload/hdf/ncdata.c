/* SPDX-License-Identifier: MIT
 *
 * ncdata.c - reads and writes of variables -> name, bytes, mode
 *
 * Bytes are those of the program: elements times the size of the type that the
 * function has, or of the variable's.
 */
#include "config.h"

#include "preload/hdf/nccall.h"
#include "preload/hdf/ncrequest.h"

enum { GLOBAL = -1, COLLECTIVE = 1 }; /* NC_GLOBAL, NC_COLLECTIVE */

/* What is known of a variable; another file may have had the number before. */
static void
ncdata_variable (const struct nccall *c, struct hdfobject *o, char *path)
{
    int ncid = (int)c->arg[0], varid = (int)c->arg[1];
    struct hdfobject file;

    nccall_file (c, ncid, &file);
    (void)hdfobject_get (
        hdfobject_key (hdfreal_library (c->scope),
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
void ncdata_access (const struct nccall *c)
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

static int64_t ncdata_several (const struct nccall *c, unsigned dims)
{
    const int64_t *const *counts = (const int64_t *const *)c->arg[4];
    int64_t sum = 0;

    for (int i = 0; i < (int)c->arg[2]; i++)
        sum += counts && counts[i] ? ncdata_product (counts[i], dims) : 1;
    return sum;
}

static int64_t ncdata_elements (const struct nccall *c,
                                const struct hdfobject *o)
{
    if (!o->learnt)
        return -1;
    switch (c->what) {
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
static int64_t ncdata_buffer (const struct nccall *c)
{
    unsigned last = c->arguments - 1 - (c->mode == NC_POST);
    int64_t count = (int64_t)c->arg[last - 1];
    uint64_t size = ncask_mpi_size (c->scope, c->arg[last]);

    return count >= 0 && size ? count * (int64_t)size : -1;
}

static void ncdata_bytes (const struct nccall *c,
                          struct record *r,
                          const struct hdfobject *o,
                          int64_t elements)
{
    int64_t bytes = c->bytes == NC_BUFFER ? ncdata_buffer (c) : -1;
    uint64_t size = c->bytes && c->bytes != NC_BUFFER ? c->bytes : o->size;

    if (bytes < 0 && elements >= 0 && (size || !elements))
        bytes = elements * (int64_t)size;
    if (bytes < 0)
        r->flags |= CALL_ABOVE_NO_SIZE;
    else
        r->size = (uint64_t)bytes;
}

static unsigned ncdata_mode (const struct nccall *c, const struct hdfobject *o)
{
    if (c->mode)
        return c->mode == NC_ALL   ? CALL_ABOVE_COLLECTIVE
               : c->mode == NC_ONE ? CALL_ABOVE_INDEPENDENT
                                   : CALL_ABOVE_POSTED;
    if (!hdfobject_parallel (o))
        return 0;
    return o->collective ? o->collective : CALL_ABOVE_INDEPENDENT;
}

void ncdata_transfer (const struct nccall *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX] = "";
    struct hdfobject o;

    ncdata_variable (c, &o, path);
    if (!c->failed) {
        int64_t elements = ncdata_elements (c, &o);

        r->flags = ncdata_mode (c, &o);
        ncdata_bytes (c, r, &o, elements);
        if (c->mode != NC_POST)
            r->ret = (int64_t)r->size;
        if (c->what == NCWHAT_VAR)
            r->flags |= CALL_ABOVE_WHOLE;
        if (c->mode == NC_POST)
            ncrequest_post (c, r, &o, path);
    }
    hdfrecord_end (r, c->door, &o, path);
}
