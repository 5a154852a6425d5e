/* SPDX-License-Identifier: MIT
 *
 * hdfobject.c - two tables of fixed size: objects, files
 *
 * In:  ids and names, from the wrappers
 * Out: copies of entries; a copy that was overwritten meanwhile is none
 * Caveat: untouched pages of the tables cost nothing.
 */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "preload/hdf/hdfobject.h"

enum {
    OBJECTS = 4096,
    LOOK = 16, /* places in which an id may be */
    FILES = 256,
    KEY_NONE = 0,
    KEY_BUSY = 1 /* being filled */
};
#define TURN_BUSY UINT32_MAX /* a file that is being filled */

static struct hdfobject objects[OBJECTS];
static char paths[OBJECTS][HDFOBJECT_PATH_MAX];

static struct filetable {
    uint32_t turn; /* 0: never used */
    uint32_t used; /* turn of the file that was opened last when it was used */
    uint32_t ids;  /* that are open, as far as is seen */
    struct hdffile f;
} files[FILES];
static char filepaths[FILES][PATH_MAX];
static uint32_t files_used; /* ever */

uint64_t hdfobject_key (uintptr_t library, uint64_t id)
{
    uint64_t key = id ^ (library >> 4) * 0x9e3779b97f4a7c15u;

    return key > KEY_BUSY ? key : key + 2;
}

static struct hdfobject *object_at (uint64_t key, unsigned i)
{
    return &objects[((key * 0x9e3779b97f4a7c15u >> 40) + i) % OBJECTS];
}

int hdfobject_get (uint64_t key, struct hdfobject *o, char *path)
{
    for (unsigned i = 0; i < LOOK; i++) {
        const struct hdfobject *at = object_at (key, i);

        if (__atomic_load_n (&at->key, __ATOMIC_ACQUIRE) != key)
            continue;
        *o = *at;
        if (path)
            memcpy (path, paths[at - objects], HDFOBJECT_PATH_MAX);
        __atomic_thread_fence (__ATOMIC_ACQUIRE);
        if (__atomic_load_n (&at->key, __ATOMIC_RELAXED) == key)
            return 1;
    }
    *o = (struct hdfobject){.key = key};
    if (path)
        path[0] = '\0';
    return 0;
}

/* Its own place, a free one, one that is closed, or the first. */
static struct hdfobject *object_place (uint64_t key)
{
    struct hdfobject *best = object_at (key, 0);
    int rank = 0;

    for (unsigned i = 0; i < LOOK; i++) {
        struct hdfobject *at = object_at (key, i);
        uint64_t has = __atomic_load_n (&at->key, __ATOMIC_RELAXED);
        int now = has == key ? 3 : has == KEY_NONE ? 2 : at->closed ? 1 : 0;

        if (now > rank) {
            best = at;
            rank = now;
        }
    }
    return best;
}

void hdfobject_put (const struct hdfobject *o, const char *path)
{
    struct hdfobject *at = object_place (o->key);
    uint64_t has = __atomic_load_n (&at->key, __ATOMIC_RELAXED);

    if (has == KEY_BUSY ||
        !__atomic_compare_exchange_n (&at->key, &has, KEY_BUSY, 0,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return; /* another thread is at it: this id is found out again */
    __atomic_thread_fence (__ATOMIC_RELEASE);
    at->chunk = o->chunk;
    at->file = o->file;
    at->turn = o->turn;
    at->flags = o->flags;
    at->name = o->name;
    at->dims = o->dims;
    at->size = o->size;
    at->kind = o->kind;
    at->learnt = o->learnt;
    at->closed = o->closed;
    at->collective = o->collective;
    if (path)
        memcpy (paths[at - objects], path,
                strnlen (path, HDFOBJECT_PATH_MAX - 1) + 1);
    paths[at - objects][HDFOBJECT_PATH_MAX - 1] = '\0';
    __atomic_store_n (&at->key, o->key, __ATOMIC_RELEASE);
}

void hdfobject_forget (void)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (objects[i].key != KEY_NONE)
            __atomic_store_n (&objects[i].key, KEY_NONE, __ATOMIC_RELEASE);
}

/* --- files --------------------------------------------------------------- */

static uint64_t file_worth (const struct filetable *f)
{
    uint32_t used = __atomic_load_n (&f->used, __ATOMIC_RELAXED);
    int open = __atomic_load_n (&f->ids, __ATOMIC_RELAXED) != 0;

    return (uint64_t)open << 32 | used;
}

/* Of the files that are closed, else of all, the one that was not used for the
 * longest time: a file that is written while many others are read one after the
 * other keeps its place. Marked TURN_BUSY. */
static struct filetable *file_place (void)
{
    for (;;) {
        struct filetable *best = NULL;
        uint32_t turn;

        for (struct filetable *f = files; f < files + FILES; f++)
            if (__atomic_load_n (&f->turn, __ATOMIC_RELAXED) != TURN_BUSY &&
                (!best || file_worth (f) < file_worth (best)))
                best = f;
        if (!best)
            return NULL;
        turn = __atomic_load_n (&best->turn, __ATOMIC_RELAXED);
        if (turn != TURN_BUSY &&
            __atomic_compare_exchange_n (&best->turn, &turn, TURN_BUSY, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return best;
    }
}

/* The file of an object, if its place is still its own. */
static struct filetable *file_of (const struct hdfobject *o)
{
    struct filetable *f = o->file ? &files[o->file - 1] : NULL;

    return f && __atomic_load_n (&f->turn, __ATOMIC_ACQUIRE) == o->turn ? f
                                                                        : NULL;
}

void hdfobject_open (const struct layerdoor *door,
                     struct hdfobject *o,
                     const char *path,
                     int parallel)
{
    struct filetable *f = file_place ();
    uint32_t turn = __atomic_add_fetch (&files_used, 1, __ATOMIC_RELAXED);
    size_t i = f ? (size_t)(f - files) : 0;

    o->file = 0;
    if (!f)
        return;
    f->f.parallel = parallel != 0;
    f->f.ignored = !door->file (path, &f->f.name, filepaths[i], PATH_MAX);
    o->file = (uint32_t)i + 1;
    o->turn = turn;
    __atomic_store_n (&f->used, turn, __ATOMIC_RELAXED);
    __atomic_store_n (&f->ids, 0, __ATOMIC_RELAXED);
    __atomic_store_n (&f->turn, turn, __ATOMIC_RELEASE);
}

void hdfobject_hold (const struct hdfobject *o)
{
    struct filetable *f = file_of (o);

    if (f)
        __atomic_add_fetch (&f->ids, 1, __ATOMIC_RELAXED);
}

void hdfobject_release (const struct hdfobject *o)
{
    struct filetable *f = file_of (o);
    uint32_t ids = f ? __atomic_load_n (&f->ids, __ATOMIC_RELAXED) : 0;

    while (ids &&
           !__atomic_compare_exchange_n (&f->ids, &ids, ids - 1, 0,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

int hdfobject_parallel (const struct hdfobject *o)
{
    const struct filetable *f = file_of (o);

    return f && f->f.parallel;
}

struct hdffile hdfobject_file (const struct layerdoor *door,
                               const struct hdfobject *o)
{
    struct filetable *at = file_of (o);
    uint32_t now = __atomic_load_n (&files_used, __ATOMIC_RELAXED);
    const char *path;
    struct hdffile f;
    char same[1];

    if (!at) {
        door->lose_name ();
        return (struct hdffile){0};
    }
    if (__atomic_load_n (&at->used, __ATOMIC_RELAXED) != now)
        __atomic_store_n (&at->used, now, __ATOMIC_RELAXED);
    f = at->f;
    if (f.ignored || door->knows (f.name))
        return f;
    path = filepaths[at - files];
    if (!path[0] || !door->file (path, &f.name, same, 0))
        f.name = 0;
    at->f.name = f.name;
    return f;
}

uint32_t hdfobject_name (const struct layerdoor *door,
                         const struct hdfobject *o,
                         const char *path)
{
    if (!path || door->knows (o->name))
        return o->name;
    return path[0] ? door->name (SHARD_NAME_FILE, path) : 0;
}

void hdfobject_join (const char *parent, const char *name, char *path)
{
    size_t n = name[0] == '/' ? 0 : strnlen (parent, HDFOBJECT_PATH_MAX);
    size_t m;

    while (n > 0 && parent[n - 1] == '/')
        n--;
    while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
        name++;
    m = name[0] == '.' && !name[1] ? 0 : strnlen (name, HDFOBJECT_PATH_MAX);
    while (m > 0 && name[m - 1] == '/')
        m--;
    if (n + 1 + m >= HDFOBJECT_PATH_MAX) {
        path[0] = '\0';
        return;
    }
    memmove (path, parent, n);
    if (m > 0 || n == 0)
        path[n++] = '/';
    memcpy (path + n, name, m);
    path[n + m] = '\0';
}
