/* SPDX-License-Identifier: MIT
 *
 * hdfmodule.c - a module that brings its own HDF5, as wheels of Python do; and
 * the program that loads two of them (-DHDFMODULE_PROGRAM)
 *
 *     hdfmodules MODULE MODULE FILE
 */
#include "config.h"

#ifdef HDFMODULE_PROGRAM
#include <dlfcn.h>
#include <stdio.h>

/* Twice, as a library that is unloaded may come again. */
int main (int argc, char **argv)
{
    for (int i = 0; i < 4 && argc == 4; i++) {
        void *module = dlopen (argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
        int (*work) (const char *);

        if (!module) {
            (void)printf ("%s\n", dlerror ());
            return 1;
        }
        *(void **)&work = dlsym (module, "work");
        (void)printf ("%d\n", work (argv[3]));
        if (i >= 1)
            (void)dlclose (module);
    }
    return argc != 4;
}
#else
#include "tests/victims/hdf/hdfstub.h"

int work (const char *path);

/* The thousands of the ids that its HDF5 gives. */
int work (const char *path)
{
    hid_t f = H5Fcreate (path, 0, 0, 0);
    hid_t d = H5Dcreate2 (f, "d", TYPE + 8, SPACE + 10, 0, 0, 0);
    int rc = H5Dwrite (d, TYPE + 8, SPACE + 1, SPACE + 1, 0, "12345678");

    (void)H5Dclose (d);
    (void)H5Fclose (f);
    return rc < 0 ? -1 : (int)(f / 1000);
}
#endif
