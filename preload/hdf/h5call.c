/* SPDX-License-Identifier: MIT
 *
 * h5call.c - what a call of HDF5 was given and gave -> a record
 *
 * In:  arguments as they came, the result
 * Out: struct record, by h5end.c and h5data.c
 * Caveat: HDF5 is asked only after a call has succeeded.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/hdf/h5call.h"
#include "lib/format/layers.h"

_Thread_local int h5call_inside __attribute__ ((tls_model ("initial-exec")));

/* --- names of functions --------------------------------------------------- */

static const char names[H5ROW_COUNT][HDFREAL_NAME_MAX] = {
#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) [H5ROW_##SYMBOL] = #SYMBOL,
#include "preload/hdf/h5calls.def"
#undef H5CALL
#define H5ASK(SYMBOL) [H5ROW_##SYMBOL] = #SYMBOL,
#include "preload/hdf/h5asks.def"
#undef H5ASK
};
static void *found[HDFREAL_SCOPES * H5ROW_COUNT];

const char (*hdfreal_names)[HDFREAL_NAME_MAX] = names;
void **hdfreal_found = found;
size_t hdfreal_rows = H5ROW_COUNT;

static const struct {
    uint8_t call, what, arguments, first;
} rows[H5ROW_CALLS] = {
#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) \
    [H5ROW_##SYMBOL] = {CALL_##CALL, H5WHAT_##WHAT, ARGUMENTS, FIRST},
#include "preload/hdf/h5calls.def"
#undef H5CALL
};

/* --- ids -------------------------------------------------------------------
 */

void h5call_learn (const struct h5call *c, struct hdfobject *o, uint64_t id)
{
    char file[PATH_MAX];

    h5ask_file (c->scope, id, file, sizeof (file));
    if (file[0])
        hdfobject_open (c->door, o, file, 0);
}

/* Ids that were not opened come from functions that go through a group; there
 * they have a name. */
void h5call_object (const struct h5call *c,
                    uint64_t id,
                    struct hdfobject *o,
                    char *path)
{
    uint64_t key = hdfobject_key (hdfreal_library (c->scope), id);

    if (hdfobject_get (key, o, path) || c->posted || c->failed)
        return;
    h5call_learn (c, o, id);
    if (!o->file)
        return;
    h5ask_name (c->scope, id, path, HDFOBJECT_PATH_MAX);
    o->name = hdfobject_name (c->door, o, path);
    hdfobject_put (o, path);
}

/* --- begin and end -------------------------------------------------------- */

void *h5call_begin (struct h5call *c, enum h5row row, const void *caller)
{
    const struct layerdoor *door;
    void *real;

    c->scope = hdfreal_enter (caller, &c->outer);
    real = hdfreal (c->scope, row);
    c->row = row;
    c->door = NULL;
    if (!real || h5call_inside || !(door = hdfreal_door ()) ||
        !door->wants (LAYER_HDF5))
        return real;
    c->door = door;
    h5call_inside = 1;
    c->start = door->tick ();
    return real;
}

void h5call_result (const struct h5call *c, struct record *r, enum call call)
{
    hdfrecord_start (r, c->door, c->start, c->failed, call);
    r->flags = c->posted ? CALL_ABOVE_POSTED : 0;
}

static int gives_id (enum h5what what)
{
    return what <= H5WHAT_ATTR_BY;
}

static void h5call_event (struct h5call *c)
{
    struct record r;

    h5call_result (c, &r, (enum call)rows[c->row].call);
    switch (c->what) {
    case H5WHAT_FILE:
        h5end_file (c, &r);
        break;
    case H5WHAT_SAME:
        h5end_same (c, &r);
        break;
    case H5WHAT_REF:
        h5end_ref (c, &r);
        break;
    case H5WHAT_OPEN:
    case H5WHAT_ANON:
    case H5WHAT_ATTR:
    case H5WHAT_ATTR_BY:
        h5end_open (c, &r);
        break;
    case H5WHAT_LINK:
        h5end_link (c);
        break;
    case H5WHAT_CLOSE:
    case H5WHAT_UNREF:
        h5end_close (c, &r, c->what == H5WHAT_UNREF);
        break;
    case H5WHAT_FLUSH:
        h5end_flush (c, &r);
        break;
    case H5WHAT_MULTI:
        h5data_multi (c, &r);
        break;
    case H5WHAT_DATA:
    case H5WHAT_VALUE:
    case H5WHAT_CHUNK:
    case H5WHAT_PIECE:
        h5data_transfer (c, &r);
        break;
    case H5WHAT_END:
        hdfobject_forget ();
        break;
    }
}

void h5call_end (struct h5call *c, const hdfword *all, hdfword result)
{
    int saved_errno = errno;
    unsigned first = rows[c->row].first;

    hdfreal_leave (c->outer);
    if (!c->door)
        return;
    c->what = (enum h5what)rows[c->row].what;
    c->arg = all + first;
    /* no event set is 0 */
    c->posted = first && all[rows[c->row].arguments - 1] != 0;
    c->failed = (int)result < 0;
    if (gives_id (c->what)) {
        c->id = h5ask_id (c->scope, result);
        c->failed = (int64_t)c->id < 0;
    } else if (rows[c->row].arguments)
        c->id = h5ask_id (c->scope, c->arg[0]);
    h5call_event (c);
    h5call_inside = 0;
    c->door = NULL;
    errno = saved_errno;
}
