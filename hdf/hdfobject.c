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

#include "hdf/hdfobject.h"

enum {
    OBJECTS = 4096,
    LOOK = 16, /* places in which an id may be */
    FILES = 256,
    KEY_NONE = 0,
    KEY_BUSY = 1 /* being filled */
};

static struct hdfobject objects[OBJECTS];
static char paths[OBJECTS][HDFOBJECT_PATH_MAX];

static struct {
    uint32_t turn;
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

void hdfobject_open (const struct layerdoor *door,
                     struct hdfobject *o,
                     const char *path,
                     int parallel)
{
    uint32_t turn = __atomic_add_fetch (&files_used, 1, __ATOMIC_RELAXED);
    size_t i = turn % FILES;

    __atomic_store_n (&files[i].turn, 0, __ATOMIC_RELEASE);
    files[i].f.parallel = parallel != 0;
    files[i].f.ignored =
        !door->file (path, &files[i].f.name, filepaths[i], PATH_MAX);
    o->file = (uint32_t)i + 1;
    o->turn = turn;
    __atomic_store_n (&files[i].turn, turn, __ATOMIC_RELEASE);
}

int hdfobject_parallel (const struct hdfobject *o)
{
    size_t i = o->file - 1;

    return o->file && files[i].f.parallel &&
           __atomic_load_n (&files[i].turn, __ATOMIC_ACQUIRE) == o->turn;
}

struct hdffile hdfobject_file (const struct layerdoor *door,
                               const struct hdfobject *o)
{
    size_t i = o->file - 1;
    struct hdffile f;
    char same[1];

    if (!o->file ||
        __atomic_load_n (&files[i].turn, __ATOMIC_ACQUIRE) != o->turn) {
        door->lose_name ();
        return (struct hdffile){0};
    }
    f = files[i].f;
    if (f.ignored || door->knows (f.name))
        return f;
    if (!filepaths[i][0] || !door->file (filepaths[i], &f.name, same, 0))
        f.name = 0;
    files[i].f.name = f.name;
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
