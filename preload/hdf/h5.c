/* SPDX-License-Identifier: MIT
 *
 * h5.c - questions to HDF5
 *
 * In:  ids of calls that have succeeded
 * Out: numbers; 0 or -1 where this HDF5 lacks the function
 * Caveat: constants are those of the public headers of 1.8 to 2.0.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "preload/hdf/hdf.h"

enum h5row {
#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) H5ROW_##SYMBOL,
#include "preload/hdf/h5calls.def"
#undef H5CALL
    H5ROW_CALLS,
    H5ROW_BEFORE = H5ROW_CALLS - 1,
#define H5ASK(SYMBOL) H5ROW_##SYMBOL,
#include "preload/hdf/h5asks.def"
#undef H5ASK
    H5ROW_COUNT
};

/* A note of a scope (struct hdfscope) behind those of types: how wide ids are.
 */
enum { WIDTH_NOTE = HDFREAL_NOTES - 1, WIDTH_64 = 1, WIDTH_INT };

enum {
    SPECIAL_MAX = 16, /* H5S_ALL is 0; 1.14 has H5S_BLOCK 1, H5S_PLIST 2 */
    RANK_MAX = 32,
    DEPTH_MAX = 8,
    MEMBERS_MAX = 256,
    TYPE_SHIFT = 56, /* an id: what it is, and its number */
    ID_IS_TYPE = 3   /* H5I_DATATYPE */
};

enum { TYPE_STRING = 3, TYPE_COMPOUND = 6, TYPE_VLEN = 9, TYPE_ARRAY = 10 };

enum {
    LAYOUT_COMPACT,
    LAYOUT_CONTIGUOUS,
    LAYOUT_CHUNKED,
    LAYOUT_VIRTUAL,
    LAYOUT_COUNT
};

/* The answer of a function, as a word and as an int; -1: this HDF5 lacks it. */
#define ASK(S, ROW, ...) \
    hdfask (S, H5ROW_##ROW, (hdfword[HDFASK_MAX]){__VA_ARGS__})
#define ASK_INT(S, ROW, ...) (int)ASK (S, ROW, __VA_ARGS__)
/* The id that a function gives; below 0: none. */
#define ASK_ID(S, ROW, ...) \
    (int64_t) h5ask_id (S, (hdfword)ASK (S, ROW, __VA_ARGS__))

/* Ids of 64 bit came with 1.10, as did the function that is looked for. It is
 * not called: the call that has just ended may have failed. */
static int h5ask_narrow (struct hdfscope *s)
{
    uint8_t *note = s ? &s->notes[WIDTH_NOTE] : NULL;
    unsigned width = note ? __atomic_load_n (note, __ATOMIC_RELAXED) : 0;

    if (width)
        return width == WIDTH_INT;
    width = hdfreal (s, H5ROW_H5Fstart_swmr_write) ? WIDTH_64 : WIDTH_INT;
    if (note)
        __atomic_store_n (note, (uint8_t)width, __ATOMIC_RELAXED);
    return width == WIDTH_INT;
}

/* An id as its library means it: those of 1.8 are ints. */
static inline uint64_t h5ask_id (struct hdfscope *s, hdfword id)
{
    return h5ask_narrow (s) ? (uint64_t)(int64_t)(int)id : (uint64_t)id;
}

/* H5ROW_H5Fget_name: the file of any object. H5ROW_H5Iget_name: the name of an
 * object that was opened by its place in a group with a name. "": not known. */
static void h5ask_text (
    struct hdfscope *s, enum h5row row, uint64_t id, char *path, size_t size)
{
    int64_t n = hdfask (s, row, (hdfword[HDFASK_MAX]){id, (hdfword)path, size});

    if (n < 0 || (size_t)n >= size)
        path[0] = '\0';
}

/* Properties of opening say that several processes share the file. */
static int h5ask_is_parallel (struct hdfscope *s, uint64_t properties)
{
    int64_t mpio = properties ? ASK_ID (s, H5FD_mpio_init, 0) : -1;

    return mpio >= 0 && ASK_ID (s, H5Pget_driver, properties) == mpio;
}

/* enum call_above of a transfer of a shared file. */
static unsigned h5ask_mode (struct hdfscope *s, uint64_t properties)
{
    int collective = 0;

    if (properties && hdfreal (s, H5ROW_H5Pget_dxpl_mpio) &&
        ASK_INT (s, H5Pget_dxpl_mpio, properties, (hdfword)&collective) < 0)
        return 0;
    return collective ? CALL_ABOVE_COLLECTIVE : CALL_ABOVE_INDEPENDENT;
}

/* --- types ------------------------------------------------------------- */

static int ask_varies (struct hdfscope *s, uint64_t type, int depth);

/* type was made for us. */
static int ask_varies_inside (struct hdfscope *s, int64_t type, int depth)
{
    int varies;

    if (type < 0)
        return 1;
    varies = depth >= DEPTH_MAX || ask_varies (s, (uint64_t)type, depth + 1);
    ASK (s, H5Tclose, (hdfword)type);
    return varies;
}

static int ask_member_varies (struct hdfscope *s, uint64_t type, int depth)
{
    int n = ASK_INT (s, H5Tget_nmembers, type);

    if (n < 0 || n > MEMBERS_MAX)
        return 1;
    for (int i = 0; i < n; i++)
        if (ask_varies_inside (
                s, ASK_ID (s, H5Tget_member_type, type, (hdfword)i), depth))
            return 1;
    return 0;
}

/* Return 1 if elements of the type may differ in size, also if that is not
 * known. */
static int ask_varies (struct hdfscope *s, uint64_t type, int depth)
{
    switch (ASK_INT (s, H5Tget_class, type)) {
    case TYPE_STRING:
        return ASK_INT (s, H5Tis_variable_str, type) != 0;
    case TYPE_COMPOUND:
        return ask_member_varies (s, type, depth);
    case TYPE_ARRAY:
        return ask_varies_inside (s, ASK_ID (s, H5Tget_super, type), depth);
    case TYPE_VLEN:
    case -1:
        return 1;
    default:
        return 0;
    }
}

static uint64_t ask_size (struct hdfscope *s, uint64_t type)
{
    int64_t size = ask_varies (s, type, 0) ? 0 : ASK (s, H5Tget_size, type);

    return size > 0 ? (uint64_t)size : 0;
}

/* The first types that HDF5 makes are its own, as H5T_NATIVE_DOUBLE (1.10: the
 * first 312, native ones the first of them). A program can neither change nor
 * close them. NULL: the type is none of these. */
static uint8_t *ask_predefined (struct hdfscope *s, uint64_t type)
{
    uint64_t number = type & ~(UINT64_MAX << TYPE_SHIFT);

    return s && !h5ask_narrow (s) && type >> TYPE_SHIFT == ID_IS_TYPE &&
                   number < WIDTH_NOTE
               ? &s->notes[number]
               : NULL;
}

/* Bytes of one element; 0: of no fixed length. */
static uint64_t h5ask_size (struct hdfscope *s, uint64_t type)
{
    uint8_t *known = ask_predefined (s, type);
    uint64_t size = known ? __atomic_load_n (known, __ATOMIC_RELAXED) : 0;

    if (size)
        return size;
    size = ask_size (s, type);
    if (known && size <= UINT8_MAX)
        __atomic_store_n (known, (uint8_t)size, __ATOMIC_RELAXED);
    return size;
}

/* --- spaces ------------------------------------------------------------- */

/* space was made for us. */
static int64_t ask_extent (struct hdfscope *s, int64_t space)
{
    int64_t n;

    if (space < 0)
        return -1;
    n = ASK (s, H5Sget_simple_extent_npoints, (hdfword)space);
    ASK (s, H5Sclose, (hdfword)space);
    return n;
}

/* Elements of a transfer; -1: not known. *whole: all of the dataset. */
static int64_t h5ask_elements (struct hdfscope *s,
                               uint64_t dataset,
                               uint64_t in_memory,
                               uint64_t in_file,
                               int *whole)
{
    *whole = in_file == 0;
    if (in_file >= SPECIAL_MAX)
        return ASK (s, H5Sget_select_npoints, in_file);
    if (in_file == 0 && in_memory >= SPECIAL_MAX)
        return ASK (s, H5Sget_select_npoints, in_memory);
    if (in_file == 0 && dataset)
        return ask_extent (s, ASK_ID (s, H5Dget_space, dataset));
    return -1;
}

/* --- datasets ------------------------------------------------------------- */

static uint64_t ask_chunk (struct hdfscope *s, uint64_t dataset, uint64_t plist)
{
    uint64_t dim[RANK_MAX];
    int n = ASK_INT (s, H5Pget_chunk, plist, RANK_MAX, (hdfword)dim);
    int64_t type =
                n > 0 && n <= RANK_MAX ? ASK_ID (s, H5Dget_type, dataset) : -1,
            bytes;

    if (type < 0)
        return 0;
    bytes = ASK (s, H5Tget_size, (hdfword)type);
    for (int i = 0; i < n; i++)
        bytes *= (int64_t)dim[i];
    ASK (s, H5Tclose, (hdfword)type);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Fill in flags and chunk of a dataset. */
static void
h5ask_layout (struct hdfscope *s, uint64_t dataset, struct hdfobject *o)
{
    static const uint8_t flag[LAYOUT_COUNT] = {
        CALL_ABOVE_COMPACT, CALL_ABOVE_CONTIGUOUS, CALL_ABOVE_CHUNKED,
        CALL_ABOVE_VIRTUAL};
    int64_t plist = ASK_ID (s, H5Dget_create_plist, dataset);
    int how;

    o->learnt = 1;
    if (plist < 0)
        return;
    how = ASK_INT (s, H5Pget_layout, (hdfword)plist);
    if (how >= 0 && how < LAYOUT_COUNT)
        o->flags = flag[how];
    if (how == LAYOUT_CHUNKED) {
        o->chunk = ask_chunk (s, dataset, (uint64_t)plist);
        if (ASK_INT (s, H5Pget_nfilters, (hdfword)plist) > 0)
            o->flags |= CALL_ABOVE_FILTERED;
    }
    ASK (s, H5Pclose, (hdfword)plist);
}

/* -- one call of HDF5 under way -- */

enum h5what { /* h5calls.def */
              H5WHAT_FILE,
              H5WHAT_SAME,
              H5WHAT_OPEN,
              H5WHAT_ANON,
              H5WHAT_REF,
              H5WHAT_ATTR,
              H5WHAT_ATTR_BY,
              H5WHAT_LINK,
              H5WHAT_CLOSE,
              H5WHAT_FLUSH,
              H5WHAT_UNREF,
              H5WHAT_DATA,
              H5WHAT_MULTI,
              H5WHAT_VALUE,
              H5WHAT_CHUNK,
              H5WHAT_PIECE,
              H5WHAT_END
};

/* ---- what a call of HDF5 was given and gave -> a record ---- */

/* --- names of functions --------------------------------------------------- */

static const char names[H5ROW_COUNT][HDFREAL_NAME_MAX] = {
#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) [H5ROW_##SYMBOL] = #SYMBOL,
#include "preload/hdf/h5calls.def"
#undef H5CALL
#define H5ASK(SYMBOL) [H5ROW_##SYMBOL] = #SYMBOL,
#include "preload/hdf/h5asks.def"
#undef H5ASK
};
HDFLAYER (LAYER_HDF5, names, H5ROW_COUNT)

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

/* The file of an id that was just used. */
static void
h5call_learn (const struct hdfcall *c, struct hdfobject *o, uint64_t id)
{
    char file[PATH_MAX];

    h5ask_text (c->scope, H5ROW_H5Fget_name, id, file, sizeof (file));
    if (file[0])
        hdfobject_open (c->door, o, file, 0);
}

/* Look up the object of an id; ask the library if it is not known yet. Ids that
 * were not opened come from functions that go through a group; there
 * they have a name. */
static void h5call_object (const struct hdfcall *c,
                           hdfword word,
                           struct hdfobject *o,
                           char *path)
{
    uint64_t id = h5ask_id (c->scope, word);

    if (hdfobject_get (hdfobject_key (c->scope, id), o, path) || c->posted ||
        c->failed)
        return;
    h5call_learn (c, o, id);
    if (!o->file)
        return;
    h5ask_text (c->scope, H5ROW_H5Iget_name, id, path, HDFOBJECT_PATH_MAX);
    o->name = hdfobject_name (c->door, o, path);
    hdfobject_put (o, path);
}

/* *r as every call has it. */
static void
h5call_result (const struct hdfcall *c, struct record *r, enum call call)
{
    hdfrecord_start (r, c, call);
    r->flags = c->posted ? CALL_ABOVE_POSTED : 0;
}

/* ---- reads and writes of HDF5 -> bytes, mode, layout ---- */

/* Learn about an object that was just used with success. Its chunk size is
 * recorded once for each open. */
static void h5data_learn (const struct hdfcall *c,
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
static void h5data_mode (const struct hdfcall *c,
                         struct record *r,
                         const struct hdfobject *o,
                         hdfword properties)
{
    if (hdfobject_parallel (o))
        r->flags |= h5ask_mode (c->scope, h5ask_id (c->scope, properties));
}

static void h5data_selection (const struct hdfcall *c,
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

static void h5data_fill (const struct hdfcall *c,
                         struct record *r,
                         const struct hdfobject *o)
{
    switch ((enum h5what)c->what) {
    case H5WHAT_DATA:
        h5data_selection (c, r, c->id, c->arg + 1);
        h5data_mode (c, r, o, c->arg[4]);
        break;
    case H5WHAT_VALUE:
        h5data_bytes (
            r,
            c->posted
                ? -1
                : ask_extent (c->scope, ASK_ID (c->scope, H5Aget_space, c->id)),
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
static int h5data_known (const struct hdfcall *c, struct hdfobject *o)
{
    return hdfobject_get (hdfobject_key (c->scope, c->id), o, NULL) &&
           o->learnt && c->door->knows (o->name);
}

static void h5data_transfer (struct hdfcall *c, struct record *r)
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
    hdfrecord_end (r, c, &o, known ? NULL : path);
}

/* One of several datasets; all of them took the time of the call. */
static void h5data_one (struct hdfcall *c, enum call call, size_t i)
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
    hdfrecord_end (&r, c, &o, path);
}

static void h5data_multi (struct hdfcall *c, struct record *r)
{
    enum call call =
        r->call == CALL_H5Dread_multi ? CALL_H5Dread : CALL_H5Dwrite;
    size_t count = c->arg[0];
    struct hdfobject o = {0};
    char path[HDFOBJECT_PATH_MAX];

    r->size = count;
    if (count > 0 && c->arg[1]) {
        h5call_object (c, *(const hdfword *)c->arg[1], &o, path);
        if (!c->failed)
            h5data_mode (c, r, &o, c->arg[5]);
    }
    hdfrecord_end (r, c, &o, "");
    for (size_t i = 0; i < count && c->arg[1] && !c->failed; i++)
        h5data_one (c, call, i);
}

/* ---- calls of HDF5 that open, close and flush -> ids, records ---- */

static void h5end_file (struct hdfcall *c, struct record *r)
{
    struct hdfobject o = {.kind = HDFKIND_FILE};
    const char *path = (const char *)c->arg[0];
    int create = c->row == H5ROW_H5Fcreate || c->row == H5ROW_H5Fcreate_async;

    r->flags |= (unsigned)c->arg[1];
    o.key = hdfobject_key (c->scope, c->id);
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
    hdfrecord_end (r, c, &o, "/");
}

/* HDF5 may give the id of a file that the program has already. */
static int h5end_knows (const struct hdfcall *c)
{
    uint64_t key = hdfobject_key (c->scope, c->id);
    struct hdfobject o;

    return hdfobject_get (key, &o, NULL) && !o.closed;
}

/* Another id of the file of an object. */
static void h5end_same (struct hdfcall *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;

    h5call_object (c, c->arg[0], &o, path);
    if (!c->failed && !h5end_knows (c)) {
        struct hdfobject same = {.kind = r->call ? HDFKIND_FILE : HDFKIND_NONE,
                                 .file = o.file,
                                 .turn = o.turn};

        same.key = hdfobject_key (c->scope, c->id);
        if (same.kind == HDFKIND_FILE)
            hdfobject_hold (&same);
        hdfobject_put (&same, "/");
    }
    if (r->call)
        hdfrecord_end (r, c, &o, "/");
}

/* Its name would have to be searched for. */
static void h5end_ref (struct hdfcall *c, struct record *r)
{
    struct hdfobject o = {.kind = HDFKIND_OBJECT};

    o.key = hdfobject_key (c->scope, c->id);
    if (!c->failed) {
        h5call_learn (c, &o, c->id);
        hdfobject_put (&o, "");
    }
    hdfrecord_end (r, c, &o, "");
}

/* Calls that open, make and close an object. */
static const struct {
    enum call open, create, close;
} kinds[] = {
    [HDFKIND_NONE] = {CALL_NONE, CALL_NONE, CALL_H5Oclose},
    [HDFKIND_FILE] = {CALL_H5Fopen, CALL_H5Fcreate, CALL_H5Fclose},
    [HDFKIND_GROUP] = {CALL_H5Gopen, CALL_H5Gcreate, CALL_H5Gclose},
    [HDFKIND_DATASET] = {CALL_H5Dopen, CALL_H5Dcreate, CALL_H5Dclose},
    [HDFKIND_OBJECT] = {CALL_H5Oopen, CALL_H5Oopen, CALL_H5Oclose},
    [HDFKIND_ATTRIBUTE] = {CALL_H5Aopen, CALL_H5Acreate, CALL_H5Aclose},
};

static enum hdfkind h5end_kind (enum call call)
{
    for (size_t kind = HDFKIND_FILE; kind < ITEMS (kinds); kind++)
        if (kinds[kind].open == call || kinds[kind].create == call)
            return (enum hdfkind)kind;
    return HDFKIND_OBJECT;
}

static void h5end_open (struct hdfcall *c, struct record *r)
{
    char parent[HDFOBJECT_PATH_MAX], path[HDFOBJECT_PATH_MAX];
    struct hdfobject place, o;
    const char *name = c->what == H5WHAT_OPEN || c->what == H5WHAT_ATTR_BY
                           ? (const char *)c->arg[1]
                       : c->what == H5WHAT_ATTR ? "."
                                                : NULL;

    h5call_object (c, c->arg[0], &place, parent);
    path[0] = '\0';
    if (name && (parent[0] || name[0] == '/'))
        hdfobject_join (parent, name, path);
    if (c->row == H5ROW_H5Oopen_by_idx && parent[0] && !c->failed)
        h5ask_text (c->scope, H5ROW_H5Iget_name, c->id, path, sizeof (path));
    o = (struct hdfobject){.key = hdfobject_key (c->scope, c->id),
                           .file = place.file,
                           .turn = place.turn,
                           .kind = (uint8_t)h5end_kind ((enum call)r->call)};
    o.name = hdfobject_name (c->door, &o, path);
    if (!c->failed)
        hdfobject_put (&o, path);
    hdfrecord_end (r, c, &o, path);
}

/* One that was made without a name, as h5py does. */
static void h5end_link (const struct hdfcall *c)
{
    uint64_t key = hdfobject_key (c->scope, c->id);
    char parent[HDFOBJECT_PATH_MAX], path[HDFOBJECT_PATH_MAX];
    const char *name = (const char *)c->arg[2];
    struct hdfobject place, o;

    if (c->failed || !name || !hdfobject_get (key, &o, path) || path[0])
        return;
    h5call_object (c, c->arg[1], &place, parent);
    if (!parent[0] && name[0] != '/')
        return;
    hdfobject_join (parent, name, path);
    o.name = hdfobject_name (c->door, &o, path);
    hdfobject_put (&o, path);
}

/* The id is gone: what is not known of it cannot be asked any more. */
static void h5end_close (struct hdfcall *c, struct record *r, int unref)
{
    uint64_t key = hdfobject_key (c->scope, c->id);
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;
    int known = hdfobject_get (key, &o, path);

    if (unref && (!known || o.closed || o.kind == HDFKIND_NONE))
        return;
    if (unref)
        r->call = (uint16_t)kinds[o.kind].close;
    if (known && !c->failed) {
        if (o.kind == HDFKIND_FILE && !o.closed)
            hdfobject_release (&o);
        o.closed = 1;
        hdfobject_put (&o, path);
    }
    hdfrecord_end (r, c, &o, path);
}

static void h5end_flush (struct hdfcall *c, struct record *r)
{
    char path[HDFOBJECT_PATH_MAX];
    struct hdfobject o;

    h5call_object (c, c->id, &o, path);
    hdfrecord_end (r, c, &o, path);
}

/* --- begin and end -------------------------------------------------------- */

void hdflayer_begins (struct hdfcall *c)
{
}

static int gives_id (enum h5what what)
{
    return what <= H5WHAT_ATTR_BY;
}

static void h5call_event (struct hdfcall *c)
{
    struct record r;

    h5call_result (c, &r, (enum call)rows[c->row].call);
    switch ((enum h5what)c->what) {
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

void hdflayer_ended (struct hdfcall *c, hdfword result)
{
    unsigned arguments = rows[c->row].arguments, first = rows[c->row].first;

    c->what = rows[c->row].what;
    /* no event set is 0 */
    c->posted = first && c->arg[arguments - 1] != 0;
    c->arg += first;
    c->failed = (int)result < 0;
    if (gives_id (c->what)) {
        c->id = h5ask_id (c->scope, result);
        c->failed = (int64_t)c->id < 0;
    } else if (arguments)
        c->id = h5ask_id (c->scope, c->arg[0]);
    h5call_event (c);
}

#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) \
    HDFWRAP (SYMBOL, ARGUMENTS, H5ROW_##SYMBOL, -1)
#include "preload/hdf/h5calls.def"
