/* SPDX-License-Identifier: MIT
 *
 * places.c - where our own files and the libraries that we load late are
 *
 * In:  settings; where this program is
 * Out: the setting, else the build tree's, else this installation's
 */
#include "config.h"

#include <dlfcn.h>

#include "lib/util/fsutil.h"
#include "lib/settings/kernelside.h"
#include "lib/settings/preloads.h"
#include "lib/util/xalloc.h"

const char places_library_name[] = "libdftrace_preload.so";
#define SITE_FILE "sitecustomize.py"

/* Return the file in the first of two directories beside this program where it
 * is accessible, NULL where there is none. */
static char *
beside_us (const char *const dirs[2], const char *file, int access_mode)
{
    char exe[PATH_MAX];
    ssize_t n = readlink ("/proc/self/exe", exe, sizeof (exe) - 1);

    if (n < 0)
        return NULL;
    while (n > 0 && exe[n - 1] != '/')
        n--;
    for (int i = 0; i < 2; i++) {
        char *path = arena_format ("%.*s%s/%s", (int)n, exe, dirs[i], file);

        if (access (path, access_mode) == 0)
            return path;
    }
    return NULL;
}

const char *places_library (const struct settings *s)
{
    static const char *const dirs[] = {"preload/.libs", "../lib/dftrace"};

    if (s->preload[0])
        return arena_text (s->preload);
    return beside_us (dirs, places_library_name, R_OK)
               ?: arena_format ("%s/%s", DFT_LIBDIR, places_library_name);
}

const char *places_python (const struct settings *s)
{
    static const char *const dirs[] = {"python", "../lib/dftrace/python"};
    char *file;

    if (s->python[0])
        return arena_text (s->python);
    file = beside_us (dirs, SITE_FILE, R_OK);
    if (!file && access (DFT_LIBDIR "/python/" SITE_FILE, R_OK) == 0)
        return arena_text (DFT_LIBDIR "/python");
    if (file)
        *strrchr (file, '/') = '\0';
    return file;
}

const char *places_kernel (void)
{
    static const char *const dirs[] = {".", "../libexec/dftrace"};

    return beside_us (dirs, KERNELSIDE_PROGRAM, X_OK)
               ?: arena_format ("%s/%s", DFT_LIBEXECDIR, KERNELSIDE_PROGRAM);
}

void places_first (const char *variable,
                   const char *path,
                   const char *separators)
{
    const char *old = settings_environ (NULL, variable);
    size_t size = strlen (path) + (old ? strlen (old) : 0) + 2;
    char *list = arena_alloc (size);

    if (pathlist_add (old, path, separators, list, size) == 0)
        setenv (variable, list, 1);
}

/* ---- name of a shared library -> its functions ---- */

int lazylib_load (const char *file,
                  const char *const *names,
                  void *functions,
                  struct errtext *err)
{
    void *library = dlopen (file, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        errno = ELIBACC;
        return errf (err, "%s: this library cannot be loaded: install it",
                     file);
    }
    for (void **to = functions; *names; names++, to++) {
        void *f = dlsym (library, *names);

        if (!f) {
            errno = ELIBBAD;
            return errf (err, "%s: no function %s: install a newer version",
                         file, *names);
        }
        __atomic_store_n (to, f, __ATOMIC_RELEASE);
    }
    return 0; /* it stays loaded */
}
