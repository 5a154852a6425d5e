/* SPDX-License-Identifier: MIT
 *
 * hdf.c - two tables of fixed size: objects, files
 *
 * In:  ids and names, from the wrappers
 * Out: copies of entries; a copy that was overwritten meanwhile is none
 * Caveat: untouched pages of the tables cost nothing.
 */

/* Design. HDF5, NetCDF and PnetCDF (hdf/) are wrapped in the same way, by
 * the number of their arguments; a row of a table says what these mean. A
 * process may have several copies of a library (wheels bring their own): the
 * real function is the one that the loader would have given to the object
 * from which the call comes (hdfreal), asked again when that object or the
 * library is unloaded. Ids of files and objects have names in two tables of
 * fixed size (hdfobject): the name by which the program has opened
 * something, joined to that of the place where it did. Questions are asked
 * only after a call has succeeded: each function of HDF5 clears the list of
 * errors, which a program may read after a call that failed. */

#include "config.h"

#include <dlfcn.h>
#include <link.h>

#include "lib/base/oldlibc.h"
#include "preload/hdf/hdf.h"

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

uint64_t hdfobject_key (const struct hdfscope *scope, uint64_t id)
{
    uintptr_t library = scope ? scope->library.start : 0;
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
    struct hdfobject copy;

    if (has == KEY_BUSY ||
        !__atomic_compare_exchange_n (&at->key, &has, KEY_BUSY, 0,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return; /* another thread is at it: this id is found out again */
    __atomic_thread_fence (__ATOMIC_RELEASE);
    copy = *o;
    copy.key = KEY_BUSY;
    *at = copy;
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

/* Take the place of the least recently used file, closed ones first, so that a
 * file that is written while many others are read keeps its place. The place is
 * marked TURN_BUSY. */
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

/* ---- a return address -> the object it is in -> its functions ---- */

OLDLIBC (dladdr1);
OLDLIBC (dlclose);
OLDLIBC (dlopen);
OLDLIBC (dlsym);
OLDLIBC (dlvsym);

enum scope_state { SCOPE_FREE, SCOPE_TAKEN, SCOPE_READY };

static struct hdfscope scopes[HDFREAL_SCOPES];

/* That of the program, where it is known that its library stays: of a caller in
 * it nothing needs to be looked up. */
static struct hdfscope *lasting;

/* Scope of the call that this thread is in. */
static _Thread_local struct hdfscope *current
    __attribute__ ((tls_model ("initial-exec")));

extern ElfW (Dyn) _DYNAMIC[] __attribute__ ((visibility ("hidden")));

static const struct layerdoor *hdfreal_door (void)
{
    static const struct layerdoor *door;

    if (!door && dftrace_layerdoor)
        door = dftrace_layerdoor (LAYERDOOR_VERSION);
    return door;
}

/* --- objects ------------------------------------------------------------ */

static struct hdfloaded object_by_table (const void *address)
{
    struct link_map *map = NULL;
    Dl_info info;

    if (!OLDLIBC_HAS (dladdr1) ||
        !dladdr1 (address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return (struct hdfloaded){0};
    return (struct hdfloaded){map, (uintptr_t)info.dli_fbase, 0};
}

#if __GLIBC_PREREQ(2, 35)
typedef int loader_find (void *, struct dl_find_object *);

/* For a loader that has no _dl_find_object: finds nothing. */
static int no_loader_find (void *address, struct dl_find_object *found)
{
    return -1;
}

/* The loader at run time may be older than the one of the build. */
static loader_find *loader_find_of (void)
{
    static loader_find *kept;
    loader_find *f = __atomic_load_n (&kept, __ATOMIC_RELAXED);

    if (!f) {
        f = OLDLIBC_HAS (dlsym)
                ? (loader_find *)dlsym (RTLD_DEFAULT, "_dl_find_object")
                : NULL;
        f = f ? f : no_loader_find;
        __atomic_store_n (&kept, f, __ATOMIC_RELAXED);
    }
    return f;
}
#endif

static struct hdfloaded object_of (const void *address)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;

    if (loader_find_of () ((void *)(uintptr_t)address, &found) == 0)
        return (struct hdfloaded){found.dlfo_link_map,
                                  (uintptr_t)found.dlfo_map_start,
                                  (uintptr_t)found.dlfo_map_end};
#endif
    return object_by_table (address);
}

static int object_same (const struct hdfloaded *a, const struct hdfloaded *b)
{
    return a->map == b->map && a->start == b->start && a->end == b->end;
}

static int object_is_loaded (const struct hdfloaded *o)
{
    struct hdfloaded now = object_of ((const void *)o->start);

    return object_same (&now, o);
}

static int object_is_ours (const struct hdfloaded *o)
{
    return o->map && o->map->l_ld == _DYNAMIC;
}

/* --- scopes ------------------------------------------------------------- */

/* Its library is gone: what was found there is, too. */
static void scope_forget (struct hdfscope *s)
{
    s->functions = hdflayer.found + (size_t)(s - scopes) * hdflayer.rows;
    for (size_t i = 0; i < hdflayer.rows; i++)
        __atomic_store_n (&s->functions[i], NULL, __ATOMIC_RELAXED);
    s->library = (struct hdfloaded){0};
    for (size_t i = 0; i < HDFREAL_NOTES; i++)
        __atomic_store_n (&s->notes[i], 0, __ATOMIC_RELAXED);
}

/* A free one, else one whose caller is no longer loaded. */
static struct hdfscope *scope_take (const struct hdfloaded *caller)
{
    for (size_t i = 0; i < 2 * HDFREAL_SCOPES; i++) {
        struct hdfscope *s = &scopes[i % HDFREAL_SCOPES];
        unsigned was = i < HDFREAL_SCOPES ? SCOPE_FREE : SCOPE_READY;

        if (__atomic_load_n (&s->state, __ATOMIC_ACQUIRE) != was ||
            (was == SCOPE_READY &&
             (!s->caller.map || object_is_loaded (&s->caller))))
            continue;
        if (!__atomic_compare_exchange_n (&s->state, &was, SCOPE_TAKEN, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        scope_forget (s);
        s->caller = *caller;
        __atomic_store_n (&s->state, SCOPE_READY, __ATOMIC_RELEASE);
        return s;
    }
    return NULL;
}

static struct hdfscope *scope_of (const struct hdfloaded *o)
{
    for (size_t i = 0; i < HDFREAL_SCOPES; i++) {
        struct hdfscope *s = &scopes[i];

        if (__atomic_load_n (&s->state, __ATOMIC_ACQUIRE) != SCOPE_READY ||
            !object_same (&s->caller, o))
            continue;
        if (s->library.map && !object_is_loaded (&s->library))
            scope_forget (s);
        return s;
    }
    return scope_take (o);
}

/* The scope of a return address; NULL: there are too many. */
static struct hdfscope *hdfreal_enter (const void *caller,
                                       struct hdfscope **outer)
{
    struct hdfscope *s = __atomic_load_n (&lasting, __ATOMIC_ACQUIRE);
    struct hdfloaded o;

    *outer = current;
    if (s &&
        (uintptr_t)caller - s->caller.start < s->caller.end - s->caller.start)
        return current = s;
    o = object_of (caller);
    if (!object_is_ours (&o))
        current = scope_of (&o);
    return current;
}

/* --- functions ----------------------------------------------------------- */

/* A program that loads nothing need not have libdl under an older glibc. */
static int real_has_loader (void)
{
    return OLDLIBC_HAS (dlopen) && OLDLIBC_HAS (dlsym) &&
           OLDLIBC_HAS (dlvsym) && OLDLIBC_HAS (dlclose);
}

static void *real_next (const char *name)
{
    return OLDLIBC_HAS (dlsym) ? dlsym (RTLD_NEXT, name) : NULL;
}

/* Look for the function in the caller and the libraries that it needs. */
static void *real_of_caller (const struct hdfloaded *caller, const char *name)
{
    const char *path = caller->map ? caller->map->l_name : NULL;
    void *library, *f;

    if (!path || !*path || !real_has_loader ())
        return NULL; /* the program: RTLD_NEXT knows */
    library = dlopen (path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    f = dlsym (library, name);
    dlclose (library);
    return f;
}

static const void *real_table (const struct link_map *map, int64_t tag)
{
    for (const ElfW (Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)(d->d_un.d_ptr < map->l_addr
                                      ? d->d_un.d_ptr + map->l_addr
                                      : d->d_un.d_ptr);
    return NULL;
}

/* A caller may ask for a version of the function (Debian's HDF5 for MPI and
 * that without have different ones): who has that is meant. */
static void *real_versioned (const struct hdfloaded *caller, const char *name)
{
    const char *texts = real_table (caller->map, DT_STRTAB);
    const ElfW (Verneed) *need = real_table (caller->map, DT_VERNEED);

    while (texts && need && real_has_loader ()) {
        const ElfW (Vernaux) *aux =
            (const void *)((const char *)need + need->vn_aux);

        for (unsigned i = 0; i < need->vn_cnt; i++) {
            const char *version = texts + aux->vna_name;
            void *f = strncmp (version, "GLIBC_", 6) != 0
                          ? dlvsym (RTLD_NEXT, name, version)
                          : NULL;

            if (f)
                return f;
            aux = (const void *)((const char *)aux + aux->vna_next);
        }
        need = need->vn_next
                   ? (const void *)((const char *)need + need->vn_next)
                   : NULL;
    }
    return NULL;
}

/* The caller asks for versions of the library that f is in. */
static int real_is_needed (const struct hdfloaded *caller, const void *f)
{
    const char *texts = real_table (caller->map, DT_STRTAB);
    const ElfW (Verneed) *need = real_table (caller->map, DT_VERNEED);
    struct hdfloaded o = object_of (f);
    const char *path = o.map && o.map->l_name ? o.map->l_name : "";
    const char *slash = strrchr (path, '/');

    while (texts && need) {
        if (strcmp (texts + need->vn_file, slash ? slash + 1 : path) == 0)
            return 1;
        need = need->vn_next
                   ? (const void *)((const char *)need + need->vn_next)
                   : NULL;
    }
    return 0;
}

static void *real_of_scope (const struct hdfloaded *caller, const char *name)
{
    void *f = caller->map ? real_versioned (caller, name) : NULL;
    void *own = f || !caller->map ? NULL : real_of_caller (caller, name);

    if (own && real_is_needed (caller, own))
        f = own;
    if (!f)
        f = real_next (name);
    return f ? f : own;
}

/* --- what stays loaded ---------------------------------------------------- */

/* The program names the library among those that it needs: the loader has put
 * that before any other of the name, and unloads neither. */
static int real_stays (const struct hdfscope *s)
{
    const struct link_map *program = s->caller.map, *library = s->library.map;
    const char *needed, *texts, *name = NULL;

    if (!program || program->l_prev || program->l_name[0] || !library ||
        !s->caller.end) /* all callers above it would be taken for it */
        return 0;
    needed = real_table (program, DT_STRTAB);
    texts = real_table (library, DT_STRTAB);
    for (const ElfW (Dyn) *d = library->l_ld; texts && d->d_tag; d++)
        if (d->d_tag == DT_SONAME)
            name = texts + d->d_un.d_val;
    for (const ElfW (Dyn) *d = program->l_ld; needed && name && d->d_tag; d++)
        if (d->d_tag == DT_NEEDED && strcmp (needed + d->d_un.d_val, name) == 0)
            return 1;
    return 0;
}

/* --- one function --------------------------------------------------------- */

static void *real_find (const struct hdfscope *scope, const char *name)
{
    const struct layerdoor *door;
    void *f = scope ? real_of_scope (&scope->caller, name) : real_next (name);

    if (!f && (!scope || !scope->library.map) && (door = hdfreal_door ()))
        f = door->find (name);
    if (f) {
        struct hdfloaded o = object_of (f);

        if (object_is_ours (&o))
            f = NULL;
    }
    return f;
}

/* Look for it, and keep it. */
static void *hdfreal_look (struct hdfscope *scope, size_t row)
{
    int saved_errno = errno;
    void *f = real_find (scope, hdflayer.names[row]);

    if (f && scope && !scope->library.map) {
        scope->library = object_of (f);
        if (real_stays (scope)) /* else it is looked at in each call */
            __atomic_store_n (&lasting, scope, __ATOMIC_RELEASE);
    }
    if (f && scope)
        __atomic_store_n (&scope->functions[row], f, __ATOMIC_RELAXED);
    errno = saved_errno;
    return f;
}

void *hdfreal (struct hdfscope *scope, size_t row)
{
    void *f = scope ? __atomic_load_n (&scope->functions[row], __ATOMIC_RELAXED)
                    : NULL;

    return __builtin_expect (f != NULL, 1) ? f : hdfreal_look (scope, row);
}

int64_t hdfask (struct hdfscope *scope, size_t row, const hdfword *a)
{
    hdfword (*f) (hdfword, hdfword, hdfword, hdfword, hdfword, hdfword,
                  hdfword) = hdfreal (scope, row);

    return f ? (int64_t)f (a[0], a[1], a[2], a[3], a[4], a[5], a[6]) : -1;
}

/* ---- a call -> a record ---- */

/* This thread is in a call that is recorded. */
static _Thread_local int inside __attribute__ ((tls_model ("initial-exec")));

void *hdfcall_begin (struct hdfcall *c,
                     size_t row,
                     const hdfword *arg,
                     const void *caller)
{
    const struct layerdoor *door;
    void *real;

    c->scope = hdfreal_enter (caller, &c->outer);
    real = hdfreal (c->scope, row);
    c->row = row;
    c->door = NULL;
    if (!real || inside || !(door = hdfreal_door ()) ||
        !door->wants (hdflayer.layer))
        return real;
    c->door = door;
    c->arg = arg;
    inside = 1;
    c->start = door->tick ();
    hdflayer_begins (c);
    return real;
}

void hdfcall_end (struct hdfcall *c, hdfword result)
{
    int saved_errno = errno;

    current = c->outer;
    if (!c->door)
        return;
    hdflayer_ended (c, result);
    inside = 0;
    errno = saved_errno;
}

void hdfrecord_start (struct record *r, const struct hdfcall *c, enum call call)
{
    *r = (struct record){.start = c->start,
                         .end = c->door->tick (),
                         .call = (uint16_t)call,
                         .fd = -1,
                         .offset = -1,
                         .err = c->failed ? EIO : 0,
                         .ret = c->failed ? -1 : 0};
}

void hdfrecord_end (struct record *r,
                    const struct hdfcall *c,
                    const struct hdfobject *o,
                    const char *path)
{
    struct hdffile f = {0};

    /* A call that failed on what is no object has no name that could be lost:
     * NetCDF closes ids that it never had. */
    if (!r->err || o->file)
        f = hdfobject_file (c->door, o);
    if (f.ignored)
        return;
    r->file = f.name;
    if (call_table[r->call].fields & F_FILE2)
        r->file2 = hdfobject_name (c->door, o, path);
    c->door->record (r);
}
