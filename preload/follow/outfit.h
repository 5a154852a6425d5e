/* SPDX-License-Identifier: MIT
 *
 * outfit.h - the environment of a program that is about to be started
 *
 * The trace follows the process tree: where the environment that a program is
 * given does not have our library or our settings, two entries at its end hand
 * them on, and are taken out before main () (arrival.h). A program that cannot
 * load the library does not find it in its LD_PRELOAD, as its loader would say
 * so on standard error. And PYTHONPATH, where the script has set it anew, gets
 * the directory back by which layer app gets into Python.
 *
 * Nothing is written but the struct and the memory that the caller gives, for
 * children of vfork. All keep errno.
 */
#pragma once

#include "lib/base/programkind.h"
#include "lib/settings/settings.h"

/* -- an environment that a program is about to be given -> where the variables
 * that concern us are in it -- */

enum envlook_has {
    ENVLOOK_JOB_DIR = 1,
    ENVLOOK_LAYERS = 2,
    ENVLOOK_DISABLED = 4, /* DFTRACE_ENABLE=0 */
    ENVLOOK_VALGRIND = 8, /* its launcher has been here */
    ENVLOOK_ASAN = 16     /* AddressSanitizer need not be the first library */
};

/* As it was then: another thread may change it, and what is made of it later
 * must fit the memory that was asked for. */
struct envlist {
    size_t at;         /* its entry, or count */
    const char *value; /* NULL: not there */
    size_t length;     /* of the value */
};

struct envlook {
    char *const *envp;      /* NULL: no environment */
    size_t count;           /* entries without the NULL */
    struct envlist preload; /* the last LD_PRELOAD, which the loader takes */
    struct envlist python;  /* the first PYTHONPATH */
    unsigned has;           /* set of enum envlook_has */
};

/* envp may be NULL. False when it cannot be read. Keeps errno. */
int envlook_read (struct envlook *l, char *const envp[]);

/* -- the environment of a program that is about to be started -- */

struct outfit {
    struct envlook look;
    enum program_kind kind; /* PROGRAM_UNKNOWN: it is traced */
    int adds;               /* both entries */
    int all;                /* all of ours go, not only what is not there */
    int python;             /* our directory goes into PYTHONPATH */
    size_t dropped;         /* elements that go from LD_PRELOAD */
    unsigned flags;         /* enum told_flag */
    size_t pointers, room;  /* with the NULL; bytes of these and of the texts */
};

/* ours: elements of LD_PRELOAD that are our libraries, separated by colons.
 * Both must stay. Once, before threads. */
void outfit_start (const char *ours, const struct settings *s);

/* The directory that PYTHONPATH is to have, "" or NULL: none. It must stay. */
void outfit_python (const char *directory);

/* True where there is anything to be looked at, a program to be followed or a
 * library to be taken out. */
int outfit_is_active (void);

/* Look at envp, which may be NULL; false when it cannot be read: then it is
 * for the kernel to refuse. */
int outfit_look (struct outfit *o, char *const envp[]);

/* Whether it has our library and our settings. */
int outfit_carries (const struct outfit *o);

/* What a program of this kind is to be given. True when that is another
 * environment, for which outfit_make needs o->room bytes. */
int outfit_plan (struct outfit *o, enum program_kind kind);

/* That environment, in memory, which is aligned for pointers. */
char *const *outfit_make (const struct outfit *o, void *memory);
