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

#include "tests/victims/hdf/hdfstub.h"

#pragma weak H5Fcreate
#pragma weak H5Fclose

/* The program itself reaches what a module has brought; where nothing stands in
 * front of that, it cannot. */
static int by_itself (const char *module, const char *path)
{
    void *all = H5Fcreate ? dlopen (module, RTLD_NOW | RTLD_GLOBAL) : NULL;
    hid_t f;

    if (!all)
        return 0;
    f = H5Fcreate (path, 0, 0, 0);
    (void)printf ("%d\n", (int)(f / 1000));
    (void)H5Fclose (f);
    return dlclose (all);
}

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
    if (argc != 4 || by_itself (argv[2], argv[3]))
        return 1;
    return by_itself (argv[1], argv[3]);
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
