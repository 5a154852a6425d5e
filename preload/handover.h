/* SPDX-License-Identifier: MIT
 *
 * handover.h - the environment of a program that is about to be started
 *
 * After chroot, or in a container's mount namespace, LD_PRELOAD may name a
 * file that is not there: the loader of every program started there would say
 * so on standard error. And a script that sets PYTHONPATH takes the directory
 * out of it by which layer app gets into Python: it is put back.
 */
#ifndef DFT_PRELOAD_HANDOVER_H
#define DFT_PRELOAD_HANDOVER_H

#include <stddef.h>

struct handover {
    char *const *envp;
    size_t count;   /* pointers of the new one, with its NULL */
    size_t preload; /* index of LD_PRELOAD */
    size_t dropped; /* elements that go from it */
    size_t python;  /* index of PYTHONPATH, or of the NULL */
    int adds;       /* our directory to it */
    size_t length;  /* of both texts, with their NULs */
};

/* The directory that PYTHONPATH is to have, "" or NULL: none. It must stay. */
void handover_start (const char *python);

/* True when envp (may be NULL) names our library where it is not, or where it
 * is, but not that directory; h then says how much room handover_make needs.
 * Keeps errno; writes nothing else, for children of vfork. */
int handover_needed (struct handover *h, char *const envp[]);

/* The environment as it should be, in to[h->count] and text[h->length];
 * returns to. */
char *const *handover_make (const struct handover *h, char **to, char *text);

#endif
