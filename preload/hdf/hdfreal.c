/* SPDX-License-Identifier: MIT
 *
 * hdfreal.c - a return address -> the object it is in -> its functions
 *
 * In:  the loader's tables
 * Out: pointers, kept as long as the caller and the library stay loaded
 * Caveat: _dl_find_object takes no lock (glibc 2.35); where it is missing,
 *         dladdr1 is asked in each call, which does.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "preload/hdf/hdfreal.h"
#include "lib/base/oldlibc.h"

OLDLIBC (dladdr1, OLDLIBC_DLADDR1);
OLDLIBC (dlclose, OLDLIBC_FIRST);
OLDLIBC (dlopen, OLDLIBC_FIRST);
OLDLIBC (dlsym, OLDLIBC_FIRST);
OLDLIBC (dlvsym, OLDLIBC_FIRST);

enum scope_state { SCOPE_FREE, SCOPE_TAKEN, SCOPE_READY };

static struct hdfscope scopes[HDFREAL_SCOPES];

/* That of the program, where it is known that its library stays: of a caller in
 * it nothing needs to be looked up. */
static struct hdfscope *lasting;

/* Of the call that this thread is in. */
static _Thread_local struct hdfscope *current
    __attribute__ ((tls_model ("initial-exec")));

extern ElfW (Dyn) _DYNAMIC[] __attribute__ ((visibility ("hidden")));

const struct layerdoor *hdfreal_door (void)
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
    s->functions = hdfreal_found + (size_t)(s - scopes) * hdfreal_rows;
    for (size_t i = 0; i < hdfreal_rows; i++)
        __atomic_store_n (&s->functions[i], NULL, __ATOMIC_RELAXED);
    s->library = (struct hdfloaded){0};
    s->kept = 0;
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

struct hdfscope *hdfreal_enter (const void *caller, struct hdfscope **outer)
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

void hdfreal_leave (struct hdfscope *outer)
{
    current = outer;
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

/* What the caller and the libraries that it needs have. */
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
    (void)dlclose (library);
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

void *hdfreal_look (struct hdfscope *scope, size_t row)
{
    int saved_errno = errno;
    void *f = real_find (scope, hdfreal_names[row]);

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
