/* SPDX-License-Identifier: MIT
 *
 * keptname.h - where an answer is kept (private to kept*.c)
 */
#ifndef DFT_ANALYZE_KEPTNAME_H
#define DFT_ANALYZE_KEPTNAME_H

/* Does the directory that dir is in belong to this user, and may no other one
 * write to it? */
int keptname_parent_is_ours (const char *dir);

#endif
