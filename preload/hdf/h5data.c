/* SPDX-License-Identifier: MIT
 *
 * h5data.c - reads and writes of HDF5 -> bytes, mode, layout
 *
 * Bytes are those of the program: elements of the selection in the file, times
 * the size of the type in memory. A type without a fixed size has none.
 */
#include "config.h"

#include "preload/hdf/h5call.h"
#include "lib/format/event.h"

/* Of an object that has just been used with success. Its chunk is said once for
 * each time it was opened. */
static void h5data_learn (const struct h5call *c,
                          uint64_t id,
                          struct hdfobject *o,
                          const char *path,
                          struct record *r,
                          struct record_arg *arg)
{
    if (o->learnt || c->posted || c->failed)
        return;
    h5ask_layout (c->scope, id, o);
    if (o->kind == HDFKIND_NONE || o->kind == HDFKIND_OBJECT)
        o->kind = HDFKIND_DATASET;
    hdfobject_put (o, path);
    if (!o->chunk)
        return;
    *arg =
        (struct record_arg){.key = c->door->name (SHARD_NAME_KEY, "h5.chunk"),
                            .type = EVENT_ARG_INT,
                            .i = (int64_t)o->chunk};
    r->args = arg;
    r->nargs = 1;
}

static void h5data_bytes (struct record *r, int64_t elements, uint64_t size)
{
    if (elements < 0 || (size == 0 && elements != 0)) {
        r->flags |= CALL_ABOVE_NO_SIZE;
        return;
    }
    r->size = (uint64_t)elements * size;
    r->ret = (int64_t)r->size;
}

/* Those of several processes have a mode. */
static void h5data_mode (const struct h5call *c,
                         struct record *r,
                         const struct hdfobject *o,
                         hdfword properties)
{
    if (hdfobject_parallel (o))
        r->flags |= h5ask_mode (c->scope, h5ask_id (c->scope, properties));
}

static void h5data_selection (const struct h5call *c,
                              struct record *r,
                              uint64_t dataset,
                              const hdfword *type_and_spaces)
{
    uint64_t id[3];
    int whole;
    int64_t elements;

    for (int i = 0; i < 3; i++)
        id[i] = h5ask_id (c->scope, type_and_spaces[i]);
    elements = h5ask_elements (c->scope, c->posted ? 0 : dataset, id[1], id[2],
                               &whole);
    h5data_bytes (r, elements, h5ask_size (c->scope, id[0]));
    if (whole)
        r->flags |= CALL_ABOVE_WHOLE;
}

static void h5data_fill (const struct h5call *c,
                         struct record *r,
                         const struct hdfobject *o)
{
    switch (c->what) {
    case H5WHAT_DATA:
        h5data_selection (c, r, c->id, c->arg + 1);
        h5data_mode (c, r, o, c->arg[4]);
        break;
    case H5WHAT_VALUE:
        h5data_bytes (r, c->posted ? -1 : h5ask_attribute (c->scope, c->id),
                      h5ask_size (c->scope, h5ask_id (c->scope, c->arg[1])));
        break;
    case H5WHAT_CHUNK:
        h5data_bytes (r, (int64_t)c->arg[4], 1);
        h5data_mode (c, r, o, c->arg[1]);
        break;
    default:
        r->flags |= CALL_ABOVE_NO_SIZE;
        break;
    }
}

/* Most of the time all is known, and the name's text is of no use. */
static int h5data_known (const struct h5call *c, struct hdfobject *o)
{
    return hdfobject_get (hdfobject_key (hdfreal_library (c->scope), c->id), o,
                          NULL) &&
           o->learnt && c->door->knows (o->name);
}

void h5data_transfer (struct h5call *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX];
    struct record_arg arg;
    struct hdfobject o;

    int known = h5data_known (c, &o);

    if (!known)
        h5call_object (c, c->id, &o, path);
    if (!c->failed) {
        if (!known && c->what != H5WHAT_VALUE)
            h5data_learn (c, c->id, &o, path, r, &arg);
        r->flags |= o.flags;
        h5data_fill (c, r, &o);
    }
    hdfrecord_end (r, c->door, &o, known ? NULL : path);
}

/* One of several datasets; all of them took the time of the call. */
static void h5data_one (struct h5call *c, enum call call, size_t i)
{
    uint64_t id = h5ask_id (c->scope, ((const hdfword *)c->arg[1])[i]);
    char path[HDFOBJECT_PATH_MAX];
    hdfword selection[3];
    struct record_arg arg;
    struct hdfobject o;
    struct record r;

    for (int k = 0; k < 3; k++)
        selection[k] = ((const hdfword *)c->arg[2 + k])[i];
    h5call_object (c, id, &o, path);
    h5call_result (c, &r, call);
    r.start = r.end;
    if (!c->failed) {
        h5data_learn (c, id, &o, path, &r, &arg);
        r.flags |= o.flags;
        h5data_selection (c, &r, id, selection);
        h5data_mode (c, &r, &o, c->arg[5]);
    }
    hdfrecord_end (&r, c->door, &o, path);
}

void h5data_multi (struct h5call *c, struct record *r)
{
    enum call call =
        r->call == CALL_H5Dread_multi ? CALL_H5Dread : CALL_H5Dwrite;
    size_t count = c->arg[0];
    struct hdfobject o = {0};
    char path[HDFOBJECT_PATH_MAX];

    r->size = count;
    if (count > 0 && c->arg[1]) {
        h5call_object (c, h5ask_id (c->scope, *(const hdfword *)c->arg[1]), &o,
                       path);
        if (!c->failed)
            h5data_mode (c, r, &o, c->arg[5]);
    }
    hdfrecord_end (r, c->door, &o, "");
    for (size_t i = 0; i < count && c->arg[1] && !c->failed; i++)
        h5data_one (c, call, i);
}
