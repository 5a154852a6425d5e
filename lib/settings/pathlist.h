/* SPDX-License-Identifier: MIT
 *
 * pathlist.h - one more element at the head of LD_PRELOAD or PYTHONPATH
 *
 * No allocation, no state.
 */
#ifndef DFT_CORE_PATHLIST_H
#define DFT_CORE_PATHLIST_H

#include <stddef.h>

/* Separators of the two lists. */
#define PATHLIST_PRELOAD ": "
#define PATHLIST_PYTHON  ":"

/* True when an element of list is path. NULL is an empty list. */
int pathlist_has (const char *list, const char *path, const char *separators);

/* Write "path:list" to out, or list alone when it has path already; what the
 * list has stays as it is. 0, or -1 with ENAMETOOLONG (out is then ""), or
 * EINVAL when path is empty or has a separator in it. */
int pathlist_add (const char *list,
                  const char *path,
                  const char *separators,
                  char *out,
                  size_t size);

/* Write list to out without the elements whose last component is name, and
 * return how many these were; with other separators than they had, a colon. -1
 * and ENAMETOOLONG when it does not fit. */
int pathlist_drop (const char *list,
                   const char *name,
                   const char *separators,
                   char *out,
                   size_t size);

#endif
