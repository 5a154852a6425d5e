/* SPDX-License-Identifier: MIT
 *
 * late.c - all loaded libraries -> a function
 *
 * Caveat: a library that another thread unloads meanwhile is not looked at
 * when its name is gone from the loader's list; RTLD_NOLOAD holds the others
 * while they are asked.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>

#include "lib/base/oldlibc.h"
#include "preload/program.h"

OLDLIBC (dlopen);
OLDLIBC (dlsym);
OLDLIBC (dlclose);

extern ElfW (Dyn) _DYNAMIC[] __attribute__ ((visibility ("hidden")));

static void *late_find_in (const struct link_map *m, const char *symbol)
{
    void *library, *function;

    if (!m->l_name || !m->l_name[0] || m->l_ld == _DYNAMIC)
        return NULL; /* the program itself: RTLD_NEXT knows; we */
    library = dlopen (m->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    function = dlsym (library, symbol);
    (void)dlclose (library);
    return function;
}

void *late_find (const char *symbol)
{
    struct link_map *m;
    void *program, *function = NULL;

    if (!OLDLIBC_HAS (dlopen) || !OLDLIBC_HAS (dlsym) || !OLDLIBC_HAS (dlclose))
        return NULL; /* nothing was loaded late */
    program = m = dlopen (NULL, RTLD_LAZY);
    for (; m && !function; m = m->l_next)
        function = late_find_in (m, symbol);
    if (program)
        (void)dlclose (program);
    return function;
}
