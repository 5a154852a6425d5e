/* SPDX-License-Identifier: MIT
 *
 * handover.h - the environment of a program that will not find our library
 *
 * After chroot, or in a container's mount namespace, LD_PRELOAD may name a
 * file that is not there: the loader of every program started there would say
 * so on standard error.
 */
#ifndef DFT_PRELOAD_HANDOVER_H
#define DFT_PRELOAD_HANDOVER_H

#include <stddef.h>

struct handover {
    char *const *envp;
    size_t count;  /* pointers of the new one, with its NULL */
    size_t index;  /* of LD_PRELOAD */
    size_t length; /* of its text, with its NUL */
};

/* True when envp (may be NULL) names our library where it is not; h then says
 * how much room handover_make needs. Keeps errno; writes nothing else, for
 * children of vfork. */
int handover_needed (struct handover *h, char *const envp[]);

/* The same environment without our library, in to[h->count] and
 * text[h->length]; returns to. */
char *const *handover_make (const struct handover *h, char **to, char *text);

#endif
