/* SPDX-License-Identifier: MIT
 *
 * h5end.c - calls of HDF5 that open, close and flush -> ids, records
 *
 * Objects have the name that the program opened them by, joined to that of the
 * place from which it did. H5Iget_name is asked only for what was opened by its
 * place in a group that has a name: for an object that was opened by its
 * address it searches the whole file.
 */
#include "config.h"

#include "preload/hdf/h5call.h"

void h5end_file (struct h5call *c, struct record *r)
{
    struct hdfobject o = {.kind = HDFKIND_FILE};
    const char *path = (const char *)c->arg[0];
    int create = c->row == H5ROW_H5Fcreate || c->row == H5ROW_H5Fcreate_async;

    r->flags |= (unsigned)c->arg[1];
    o.key = hdfobject_key (hdfreal_library (c->scope), c->id);
    if (!path)
        return;
    hdfobject_open (c->door, &o, path,
                    !c->failed && !c->posted &&
                        h5ask_is_parallel (
                            c->scope, h5ask_id (c->scope, c->arg[create + 2])));
    if (!c->failed) {
        hdfobject_hold (&o);
        hdfobject_put (&o, "/");
    }
    hdfrecord_end (r, c->door, &o, "/");
}

/* HDF5 may give the id of a file that the program has already. */
static int h5end_knows (const struct h5call *c)
{
    uint64_t key = hdfobject_key (hdfreal_library (c->scope), c->id);
    struct hdfobject o;

    return hdfobject_get (key, &o, NULL) && !o.closed;
}

/* Another id of the file of an object. */
void h5end_same (struct h5call *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;

    h5call_object (c, h5ask_id (c->scope, c->arg[0]), &o, path);
    if (!c->failed && !h5end_knows (c)) {
        struct hdfobject same = {.kind = r->call ? HDFKIND_FILE : HDFKIND_NONE,
                                 .file = o.file,
                                 .turn = o.turn};

        same.key = hdfobject_key (hdfreal_library (c->scope), c->id);
        if (same.kind == HDFKIND_FILE)
            hdfobject_hold (&same);
        hdfobject_put (&same, "/");
    }
    if (r->call)
        hdfrecord_end (r, c->door, &o, "/");
}

/* Its name would have to be searched for. */
void h5end_ref (struct h5call *c, struct record *r)
{
    struct hdfobject o = {.kind = HDFKIND_OBJECT};

    o.key = hdfobject_key (hdfreal_library (c->scope), c->id);
    if (!c->failed) {
        h5call_learn (c, &o, c->id);
        hdfobject_put (&o, "");
    }
    hdfrecord_end (r, c->door, &o, "");
}

static enum hdfkind h5end_kind (enum call call)
{
    switch (call) {
    case CALL_H5Gopen:
    case CALL_H5Gcreate:
        return HDFKIND_GROUP;
    case CALL_H5Dopen:
    case CALL_H5Dcreate:
        return HDFKIND_DATASET;
    case CALL_H5Aopen:
    case CALL_H5Acreate:
        return HDFKIND_ATTRIBUTE;
    default:
        return HDFKIND_OBJECT;
    }
}

void h5end_open (struct h5call *c, struct record *r)
{
    char parent[HDFOBJECT_PATH_MAX], path[HDFOBJECT_PATH_MAX];
    struct hdfobject place, o;
    const char *name = c->what == H5WHAT_OPEN || c->what == H5WHAT_ATTR_BY
                           ? (const char *)c->arg[1]
                       : c->what == H5WHAT_ATTR ? "."
                                                : NULL;

    h5call_object (c, h5ask_id (c->scope, c->arg[0]), &place, parent);
    path[0] = '\0';
    if (name && (parent[0] || name[0] == '/'))
        hdfobject_join (parent, name, path);
    if (c->row == H5ROW_H5Oopen_by_idx && parent[0] && !c->failed)
        h5ask_name (c->scope, c->id, path, sizeof (path));
    o = (struct hdfobject){
        .key = hdfobject_key (hdfreal_library (c->scope), c->id),
        .file = place.file,
        .turn = place.turn,
        .kind = (uint8_t)h5end_kind ((enum call)r->call)};
    o.name = hdfobject_name (c->door, &o, path);
    if (!c->failed)
        hdfobject_put (&o, path);
    hdfrecord_end (r, c->door, &o, path);
}

/* One that was made without a name, as h5py does. */
void h5end_link (const struct h5call *c)
{
    uint64_t key = hdfobject_key (hdfreal_library (c->scope), c->id);
    char parent[HDFOBJECT_PATH_MAX], path[HDFOBJECT_PATH_MAX];
    const char *name = (const char *)c->arg[2];
    struct hdfobject place, o;

    if (c->failed || !name || !hdfobject_get (key, &o, path) || path[0])
        return;
    h5call_object (c, h5ask_id (c->scope, c->arg[1]), &place, parent);
    if (!parent[0] && name[0] != '/')
        return;
    hdfobject_join (parent, name, path);
    o.name = hdfobject_name (c->door, &o, path);
    hdfobject_put (&o, path);
}

static enum call h5end_closing (const struct hdfobject *o)
{
    switch ((enum hdfkind)o->kind) {
    case HDFKIND_FILE:
        return CALL_H5Fclose;
    case HDFKIND_GROUP:
        return CALL_H5Gclose;
    case HDFKIND_DATASET:
        return CALL_H5Dclose;
    case HDFKIND_ATTRIBUTE:
        return CALL_H5Aclose;
    case HDFKIND_OBJECT:
    case HDFKIND_NONE:
        break;
    }
    return CALL_H5Oclose;
}

/* The id is gone: what is not known of it cannot be asked any more. */
void h5end_close (struct h5call *c, struct record *r, int unref)
{
    uint64_t key = hdfobject_key (hdfreal_library (c->scope), c->id);
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;
    int known = hdfobject_get (key, &o, path);

    if (unref && (!known || o.closed || o.kind == HDFKIND_NONE))
        return;
    if (unref)
        r->call = (uint16_t)h5end_closing (&o);
    if (known && !c->failed) {
        if (o.kind == HDFKIND_FILE && !o.closed)
            hdfobject_release (&o);
        o.closed = 1;
        hdfobject_put (&o, path);
    }
    hdfrecord_end (r, c->door, &o, path);
}

void h5end_flush (struct h5call *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;

    h5call_object (c, c->id, &o, path);
    hdfrecord_end (r, c->door, &o, path);
}
