/* SPDX-License-Identifier: MIT
 *
 * lazylib.c - name of a shared library -> its functions
 */
#include "config.h"

#include <dlfcn.h>

#include "lib/util/lazylib.h"

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
