/* SPDX-License-Identifier: MIT
 *
 * drop.h - root -> a user without any right of his own
 */
#ifndef DFT_KERNEL_DROP_H
#define DFT_KERNEL_DROP_H

#include "lib/base/errtext.h"

/* Become user "UID:GID" (NULL: stay who we are), without groups, without
 * capabilities, for good; nobody can trace this process from then on. 0, or -1
 * and err: then nothing may be done that a user asks for. */
int drop_rights (const char *user, struct errtext *err);

#endif
