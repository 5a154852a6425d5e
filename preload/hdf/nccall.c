/* SPDX-License-Identifier: MIT
 *
 * nccall.c - what a call of NetCDF was given and gave -> a record
 *
 * In:  arguments as they came, the result
 * Out: struct record of files; of variables by ncdata.c, of requests by
 *      ncrequest.c
 * Caveat: the library is asked only after a call has succeeded.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>

#include "preload/hdf/nccall.h"
#include "preload/hdf/ncrequest.h"
#include "lib/format/layers.h"

_Thread_local int nccall_inside __attribute__ ((tls_model ("initial-exec")));

/* --- names of functions --------------------------------------------------- */

static const char names[NCROW_COUNT][HDFREAL_NAME_MAX] = {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) \
    [NCROW_##SYMBOL] = #SYMBOL,
#include NC_CALLS
#undef NCCALL
#define NCASK(NAME) [NCROW_##NAME] = NC_NAME (NAME),
#include "preload/hdf/ncasks.def"
#undef NCASK
    [NCROW_PMPI_Type_size] = "PMPI_Type_size",
};
static void *found[HDFREAL_SCOPES * NCROW_COUNT];

const char (*hdfreal_names)[HDFREAL_NAME_MAX] = names;
void **hdfreal_found = found;
size_t hdfreal_rows = NCROW_COUNT;

static const struct {
    uint8_t call, what, arguments, bytes, mode;
} rows[NCROW_CALLS] = {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) \
    [NCROW_##SYMBOL] = {CALL_##CALL, NCWHAT_##WHAT, ARGUMENTS, BYTES, MODE},
#include NC_CALLS
#undef NCCALL
};

/* --- begin and end -------------------------------------------------------- */

void *nccall_begin (struct nccall *c,
                    enum ncrow row,
                    const hdfword *arg,
                    const void *caller)
{
    const struct layerdoor *door;
    void *real;

    c->scope = hdfreal_enter (caller, &c->outer);
    real = hdfreal (c->scope, row);
    c->row = row;
    c->door = NULL;
    if (!real || nccall_inside || !(door = hdfreal_door ()) ||
        !door->wants (NC_LAYER))
        return real;
    c->door = door;
    c->arg = arg;
    c->failed = 0;
    c->arguments = rows[row].arguments;
    c->what = (enum ncwhat)rows[row].what;
    c->bytes = rows[row].bytes;
    c->mode = rows[row].mode;
    nccall_inside = 1;
    c->start = door->tick ();
    if (c->what == NCWHAT_WAIT || c->what == NCWHAT_CANCEL)
        ncrequest_choose (c);
    return real;
}

/* The low half of an id of NetCDF is a group of the file. */
static uint64_t nccall_key (const struct nccall *c, int ncid)
{
#ifdef NC_PNETCDF
    uint32_t file = (uint32_t)ncid;
#else
    uint32_t file = (uint32_t)ncid & 0xffff0000;
#endif
    return hdfobject_key (hdfreal_library (c->scope), file);
}

void nccall_file (const struct nccall *c, int ncid, struct hdfobject *o)
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

static void nccall_open (const struct nccall *c, struct record *r)
{
    int at = c->what == NCWHAT_COMM;
    const char *path = (const char *)c->arg[at];
    const int *ncid = (const int *)c->arg[c->arguments - 1];
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
    hdfrecord_end (r, c->door, &o, "");
}

static void nccall_whole (const struct nccall *c, struct record *r)
{
    int ncid = (int)c->arg[0];
    struct hdfobject o;

    if (c->what == NCWHAT_CLOSE)
        (void)hdfobject_get (nccall_key (c, ncid), &o, NULL);
    else
        nccall_file (c, ncid, &o);
    hdfrecord_end (r, c->door, &o, "");
    if (c->what == NCWHAT_CLOSE && !c->failed) {
        ncrequest_drop (o.file, o.turn);
        hdfobject_release (&o);
        o.file = 0; /* its number may come again */
        o.closed = 1;
        hdfobject_put (&o, "");
    }
}

static void nccall_event (struct nccall *c)
{
    struct record r;

    hdfrecord_start (&r, c->door, c->start, c->failed,
                     (enum call)rows[c->row].call);
    switch (c->what) {
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

void nccall_end (struct nccall *c, hdfword result)
{
    int saved_errno = errno;

    hdfreal_leave (c->outer);
    if (!c->door)
        return;
    c->failed = (int)result != 0;
    nccall_event (c);
    nccall_inside = 0;
    c->door = NULL;
    errno = saved_errno;
}
