/* SPDX-License-Identifier: MIT
 *
 * preloads.c - layers -> elements of LD_PRELOAD
 */
#include "config.h"

#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "lib/format/calls.h"
#include "lib/settings/preloads.h"
#include "lib/settings/settings.h"

static const struct {
    char name[32];
    unsigned layer; /* 0: all */
} table[PRELOADS_COUNT] = {
    [PRELOADS_RECORDER] = {"libdftrace_preload.so", 0},
    [PRELOADS_MPIIO] = {"libdftrace_mpi.so", LAYER_MPIIO},
    [PRELOADS_HDF5] = {"libdftrace_hdf5.so", LAYER_HDF5},
    [PRELOADS_NETCDF] = {"libdftrace_netcdf.so", LAYER_NETCDF},
    [PRELOADS_PNETCDF] = {"libdftrace_pnetcdf.so", LAYER_PNETCDF},
};

int preloads_has_name (const char *element, size_t n)
{
    size_t skip = text_folder (element, n);

    for (int i = 0; i < PRELOADS_COUNT; i++)
        if (strlen (table[i].name) == n - skip &&
            memcmp (element + skip, table[i].name, n - skip) == 0)
            return 1;
    return 0;
}

int preloads_path (enum preload which,
                   const char *preload,
                   unsigned layers,
                   char *out,
                   size_t size)
{
    const char *slash = strrchr (preload, '/');
    size_t n = slash ? (size_t)(slash - preload) + 1 : 0;
    const char *name = which == PRELOADS_RECORDER ? preload + n /* any name */
                                                  : table[which].name;

    if (table[which].layer && !(layers & table[which].layer))
        return 0;
    if (n + strlen (name) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy (out, preload, n);
    memcpy (out + n, name, strlen (name) + 1);
    return 1;
}

int preloads_is_noexec (int fd)
{
    void *p = sys_mmap (NULL, SYS_PAGE_LEAST, PROT_READ | PROT_EXEC,
                        MAP_PRIVATE, fd, 0);

    if (p == MAP_FAILED)
        return errno == EPERM || errno == EACCES;
    sys_munmap (p, SYS_PAGE_LEAST);
    return 0;
}

/* path becomes the first element of the list in out. */
static int preloads_add_one (char *out, const char *path, size_t size)
{
    size_t n = strlen (path), m = strlen (out), colon = m > 0;

    if (!*path || path[strcspn (path, PATHLIST_PRELOAD)]) {
        errno = EINVAL;
        return -1;
    }
    if (pathlist_has (out, path, PATHLIST_PRELOAD))
        return 0;
    if (n + colon + m >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memmove (out + n + colon, out, m + 1);
    memcpy (out, path, n);
    if (colon)
        out[n] = ':';
    return 0;
}

int preloads_add (const char *list,
                  const char *preload,
                  unsigned layers,
                  char *out,
                  size_t size)
{
    char path[4096];
    size_t n = list ? strlen (list) : 0;

    if (n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memmove (out, list ? list : "", n);
    out[n] = '\0';
    for (int i = PRELOADS_COUNT - 1; i >= 0; i--) {
        int needed = preloads_path (i, preload, layers, path, sizeof (path));

        if (needed < 0 || (needed && preloads_add_one (out, path, size) < 0))
            return -1;
    }
    return 0;
}

int preloads_drop (const char *list, char *out, size_t size)
{
    size_t n, used = 0;
    int dropped = 0;

    if (strlen (list) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (; *list; list += n + (list[n] != '\0')) {
        n = strcspn (list, PATHLIST_PRELOAD);
        if (preloads_has_name (list, n)) {
            dropped++;
            continue;
        }
        if (used > 0)
            out[used++] = ':';
        memcpy (out + used, list, n);
        used += n;
    }
    out[used] = '\0';
    return dropped;
}

/* ---- one more element at the head of LD_PRELOAD or PYTHONPATH ---- */

int pathlist_has (const char *list, const char *path, const char *separators)
{
    size_t n = strlen (path);

    while (list && *list) {
        size_t m = strcspn (list, separators);
        if (m == n && memcmp (list, path, n) == 0)
            return 1;
        list += m + (list[m] != '\0');
    }
    return 0;
}

int pathlist_add (const char *list,
                  const char *path,
                  const char *separators,
                  char *out,
                  size_t size)
{
    size_t n = pathlist_has (list, path, separators) ? 0 : strlen (path);
    size_t m = list ? strlen (list) : 0;
    size_t colon = n > 0 && m > 0 ? 1 : 0;

    if (size > 0)
        out[0] = '\0';
    if (!*path || path[strcspn (path, separators)]) {
        errno = EINVAL;
        return -1;
    }
    if (n + colon + m >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy (out, path, n);
    if (colon)
        out[n] = ':';
    if (m > 0)
        memcpy (out + n + colon, list, m);
    out[n + colon + m] = '\0';
    return 0;
}

static int is_named (const char *element, size_t n, const char *name)
{
    size_t skip = text_folder (element, n);

    return strlen (name) == n - skip &&
           memcmp (element + skip, name, n - skip) == 0;
}

int pathlist_drop (const char *list,
                   const char *name,
                   const char *separators,
                   char *out,
                   size_t size)
{
    size_t used = 0;
    int dropped = 0;

    if (strlen (list) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    while (*list) {
        size_t n = strcspn (list, separators);

        if (is_named (list, n, name))
            dropped++;
        else {
            if (used > 0)
                out[used++] = ':';
            memcpy (out + used, list, n);
            used += n;
        }
        list += n + (list[n] != '\0');
    }
    out[used] = '\0';
    return dropped;
}

int list_has_prefix (const char *list, const char *path, size_t length)
{
    while (*list) {
        size_t n = strchrnul (list, ':') - list;
        size_t m = n;

        while (m > 1 && list[m - 1] == '/')
            m--;
        if (m > 0 && m <= length && memcmp (list, path, m) == 0 &&
            (m == length || path[m] == '/' || list[m - 1] == '/'))
            return 1;
        list += n;
        if (*list == ':')
            list++;
    }
    return 0;
}
