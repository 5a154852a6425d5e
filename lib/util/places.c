/* SPDX-License-Identifier: MIT
 *
 * places.c - where the preload library and the Python package are
 *
 * In:  settings; where this program is
 * Out: the setting, else the build tree's, else this installation's
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/settings/kernelside.h"

const char places_library_name[] = "libdftrace_preload.so";
static const char site_file[] = "sitecustomize.py";

static char *beside_us (const char *dir, const char *file)
{
    char exe[PATH_MAX];
    ssize_t n = readlink ("/proc/self/exe", exe, sizeof (exe) - 1);
    char *slash;

    if (n < 0)
        return NULL;
    exe[n] = '\0';
    slash = strrchr (exe, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return text_format ("%s/%s/%s", exe, dir, file);
}

char *places_library (const struct settings *s)
{
    static const char *const places[] = {"preload/.libs", "../lib/dftrace"};

    if (s->preload[0])
        return text_format ("%s", s->preload);
    for (size_t i = 0; i < ITEMS (places); i++) {
        char *path = beside_us (places[i], places_library_name);

        if (path && access (path, R_OK) == 0)
            return path;
        free (path);
    }
    return text_format ("%s/%s", DFT_LIBDIR, places_library_name);
}

char *places_python (const struct settings *s)
{
    static const char *const places[] = {"python", "../lib/dftrace/python"};
    char *file = NULL, *slash;

    if (s->python[0])
        return text_format ("%s", s->python);
    for (size_t i = 0; i < ITEMS (places); i++) {
        file = beside_us (places[i], site_file);
        if (file && access (file, R_OK) == 0)
            break;
        free (file);
        file = NULL;
    }
    if (!file)
        file = text_format ("%s/python/%s", DFT_LIBDIR, site_file);
    slash = file && access (file, R_OK) == 0 ? strrchr (file, '/') : NULL;
    if (slash) {
        *slash = '\0';
        return file;
    }
    free (file);
    return NULL;
}

char *places_kernel (void)
{
    static const char *const places[] = {".", "../libexec/dftrace"};

    for (size_t i = 0; i < ITEMS (places); i++) {
        char *path = beside_us (places[i], KERNELSIDE_PROGRAM);

        if (path && access (path, X_OK) == 0)
            return path;
        free (path);
    }
    return text_format ("%s/%s", DFT_LIBEXECDIR, KERNELSIDE_PROGRAM);
}
