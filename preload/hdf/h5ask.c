/* SPDX-License-Identifier: MIT
 *
 * h5ask.c - questions to HDF5
 *
 * In:  ids of calls that have succeeded
 * Out: numbers; 0 or -1 where this HDF5 lacks the function
 * Caveat: constants are those of the public headers of 1.8 to 2.0.
 */
#include "config.h"

#include <string.h>

#include "preload/hdf/h5ask.h"
#include "lib/format/calls.h"

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

/* A function of one id. */
#define ASK(S, ROW, TYPE) ((TYPE)hdfreal (S, H5ROW_##ROW))

typedef int64_t (*ask_id_f) (uint64_t);
typedef int (*ask_int_f) (uint64_t);
typedef size_t (*ask_size_f) (uint64_t);

/* Ids of 64 bit came with 1.10, as did this function, which is not called: the
 * call that has just ended may have failed. */
unsigned h5ask_learn (struct hdfscope *s)
{
    unsigned kept = H5ASK_KNOWN;

    if (!hdfreal (s, H5ROW_H5Fstart_swmr_write))
        kept |= H5ASK_NARROW;
    hdfreal_keep (s, kept);
    return kept;
}

static void ask_text (
    struct hdfscope *s, enum h5row row, uint64_t id, char *path, size_t size)
{
    ssize_t (*name) (uint64_t, char *, size_t) =
        (__typeof__ (name))hdfreal (s, row);
    ssize_t n = name ? name (id, path, size) : -1;

    if (n < 0 || (size_t)n >= size)
        path[0] = '\0';
}

void h5ask_file (struct hdfscope *s, uint64_t id, char *path, size_t size)
{
    ask_text (s, H5ROW_H5Fget_name, id, path, size);
}

void h5ask_name (struct hdfscope *s, uint64_t id, char *path, size_t size)
{
    ask_text (s, H5ROW_H5Iget_name, id, path, size);
}

int h5ask_is_parallel (struct hdfscope *s, uint64_t properties)
{
    ask_id_f driver = ASK (s, H5Pget_driver, ask_id_f);
    int64_t (*mpio) (void) =
        (__typeof__ (mpio))hdfreal (s, H5ROW_H5FD_mpio_init);

    if (!properties || !driver || !mpio)
        return 0;
    return h5ask_id (s, (hdfword)driver (properties)) ==
           h5ask_id (s, (hdfword)mpio ());
}

unsigned h5ask_mode (struct hdfscope *s, uint64_t properties)
{
    int (*mode) (uint64_t, int *) =
        (__typeof__ (mode))hdfreal (s, H5ROW_H5Pget_dxpl_mpio);
    int collective = 0;

    if (properties && mode && mode (properties, &collective) < 0)
        return 0;
    return collective ? CALL_ABOVE_COLLECTIVE : CALL_ABOVE_INDEPENDENT;
}

/* --- types ------------------------------------------------------------- */

static int ask_varies (struct hdfscope *s, uint64_t type, int depth);

/* type was made for us. */
static int ask_varies_inside (struct hdfscope *s, int64_t type, int depth)
{
    ask_int_f close = ASK (s, H5Tclose, ask_int_f);
    int varies;

    if (type < 0)
        return 1;
    varies = depth >= DEPTH_MAX || ask_varies (s, (uint64_t)type, depth + 1);
    if (close)
        (void)close ((uint64_t)type);
    return varies;
}

static int ask_member_varies (struct hdfscope *s, uint64_t type, int depth)
{
    ask_int_f count = ASK (s, H5Tget_nmembers, ask_int_f);
    int64_t (*member) (uint64_t, unsigned) =
        (__typeof__ (member))hdfreal (s, H5ROW_H5Tget_member_type);
    int n = count ? count (type) : -1;

    if (n < 0 || n > MEMBERS_MAX || !member)
        return 1;
    for (int i = 0; i < n; i++)
        if (ask_varies_inside (s, member (type, (unsigned)i), depth))
            return 1;
    return 0;
}

/* Where it is not known, it does. */
static int ask_varies (struct hdfscope *s, uint64_t type, int depth)
{
    ask_int_f class = ASK (s, H5Tget_class, ask_int_f);
    ask_int_f varies = ASK (s, H5Tis_variable_str, ask_int_f);
    ask_id_f super = ASK (s, H5Tget_super, ask_id_f);

    switch (class ? class(type) : TYPE_VLEN) {
    case TYPE_STRING:
        return !varies || varies (type) != 0;
    case TYPE_COMPOUND:
        return ask_member_varies (s, type, depth);
    case TYPE_ARRAY:
        return !super || ask_varies_inside (s, super (type), depth);
    case TYPE_VLEN:
        return 1;
    default:
        return 0;
    }
}

static uint64_t ask_size (struct hdfscope *s, uint64_t type)
{
    ask_size_f size = ASK (s, H5Tget_size, ask_size_f);

    return size && !ask_varies (s, type, 0) ? size (type) : 0;
}

/* The first types that HDF5 makes are its own, as H5T_NATIVE_DOUBLE (1.10: the
 * first 312, native ones the first of them). A program can neither change nor
 * close them. NULL: the type is none of these. */
static uint8_t *ask_predefined (struct hdfscope *s, uint64_t type)
{
    uint8_t *sizes = hdfreal_notes (s);
    uint64_t number = type & ~(UINT64_MAX << TYPE_SHIFT);

    return sizes && !h5ask_narrow (s) && type >> TYPE_SHIFT == ID_IS_TYPE &&
                   number < HDFREAL_NOTES
               ? &sizes[number]
               : NULL;
}

uint64_t h5ask_size (struct hdfscope *s, uint64_t type)
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
    ask_id_f points = ASK (s, H5Sget_simple_extent_npoints, ask_id_f);
    ask_int_f close = ASK (s, H5Sclose, ask_int_f);
    int64_t n;

    if (space < 0)
        return -1;
    n = points ? points ((uint64_t)space) : -1;
    if (close)
        (void)close ((uint64_t)space);
    return n;
}

int64_t h5ask_elements (struct hdfscope *s,
                        uint64_t dataset,
                        uint64_t in_memory,
                        uint64_t in_file,
                        int *whole)
{
    ask_id_f points = ASK (s, H5Sget_select_npoints, ask_id_f);
    ask_id_f space = ASK (s, H5Dget_space, ask_id_f);

    *whole = in_file == 0;
    if (in_file >= SPECIAL_MAX)
        return points ? points (in_file) : -1;
    if (in_file == 0 && in_memory >= SPECIAL_MAX)
        return points ? points (in_memory) : -1;
    if (in_file == 0 && dataset && space)
        return ask_extent (s, (int64_t)h5ask_id (s, (hdfword)space (dataset)));
    return -1;
}

int64_t h5ask_attribute (struct hdfscope *s, uint64_t attribute)
{
    ask_id_f space = ASK (s, H5Aget_space, ask_id_f);

    return space ? ask_extent (
                       s, (int64_t)h5ask_id (s, (hdfword)space (attribute)))
                 : -1;
}

/* --- datasets ------------------------------------------------------------- */

static uint64_t ask_chunk (struct hdfscope *s, uint64_t dataset, uint64_t plist)
{
    int (*chunk) (uint64_t, int, uint64_t *) =
        (__typeof__ (chunk))hdfreal (s, H5ROW_H5Pget_chunk);
    ask_id_f type_of = ASK (s, H5Dget_type, ask_id_f);
    ask_size_f size = ASK (s, H5Tget_size, ask_size_f);
    ask_int_f close = ASK (s, H5Tclose, ask_int_f);
    uint64_t dim[RANK_MAX], bytes;
    int n = chunk ? chunk (plist, RANK_MAX, dim) : -1;
    int64_t type = n > 0 && type_of ? type_of (dataset) : -1;

    if (type < 0 || n > RANK_MAX || !size)
        return 0;
    type = (int64_t)h5ask_id (s, (hdfword)type);
    bytes = size ((uint64_t)type);
    for (int i = 0; i < n; i++)
        bytes *= dim[i];
    if (close)
        (void)close ((uint64_t)type);
    return bytes;
}

void h5ask_layout (struct hdfscope *s, uint64_t dataset, struct hdfobject *o)
{
    static const uint8_t flag[LAYOUT_COUNT] = {
        CALL_ABOVE_COMPACT, CALL_ABOVE_CONTIGUOUS, CALL_ABOVE_CHUNKED,
        CALL_ABOVE_VIRTUAL};
    ask_id_f plist_of = ASK (s, H5Dget_create_plist, ask_id_f);
    ask_int_f layout = ASK (s, H5Pget_layout, ask_int_f);
    ask_int_f filters = ASK (s, H5Pget_nfilters, ask_int_f);
    ask_int_f close = ASK (s, H5Pclose, ask_int_f);
    int64_t plist = plist_of ? plist_of (dataset) : -1;
    int how;

    o->learnt = 1;
    if (plist < 0)
        return;
    plist = (int64_t)h5ask_id (s, (hdfword)plist);
    how = layout ? layout ((uint64_t)plist) : -1;
    if (how >= 0 && how < LAYOUT_COUNT)
        o->flags = flag[how];
    if (how == LAYOUT_CHUNKED) {
        o->chunk = ask_chunk (s, dataset, (uint64_t)plist);
        if (filters && filters ((uint64_t)plist) > 0)
            o->flags |= CALL_ABOVE_FILTERED;
    }
    if (close)
        (void)close ((uint64_t)plist);
}
