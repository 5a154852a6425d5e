/* SPDX-License-Identifier: MIT
 *
 * envlook.h - an environment that a program is about to be given -> where the
 *             variables that concern us are in it
 *
 * The caller may have given pointers that lead nowhere: nothing is read that
 * the kernel could not read. No state, no memory; fit for a child of vfork.
 */
#ifndef DFT_PRELOAD_ENVLOOK_H
#define DFT_PRELOAD_ENVLOOK_H

#include <stddef.h>

enum envlook_has {
    ENVLOOK_JOB_DIR = 1,
    ENVLOOK_LAYERS = 2,
    ENVLOOK_DISABLED = 4, /* DFTRACE_ENABLE=0 */
    ENVLOOK_VALGRIND = 8, /* its launcher has been here */
    ENVLOOK_ASAN = 16     /* AddressSanitizer need not be the first library */
};

struct envlook {
    char *const *envp; /* NULL: no environment */
    size_t count;      /* entries without the NULL */
    size_t preload; /* the last LD_PRELOAD, which the loader takes; or count */
    size_t python;  /* the first PYTHONPATH, or count */
    unsigned has;   /* set of enum envlook_has */
};

/* envp may be NULL. False when it cannot be read. Keeps errno. */
int envlook_read (struct envlook *l, char *const envp[]);

/* The value of either, or NULL. */
const char *envlook_preload (const struct envlook *l);
const char *envlook_python (const struct envlook *l);

#endif
