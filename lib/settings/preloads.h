/* SPDX-License-Identifier: MIT
 *
 * preloads.h - layers -> the libraries of ours that LD_PRELOAD names
 *
 * The preload library is always the first of them; a layer that has a library
 * of its own has it beside that one. No allocation, no state.
 */
#pragma once

#include <stddef.h>

/* -- layers -> the libraries of ours that LD_PRELOAD names -- */

enum preload {
    PRELOADS_RECORDER, /* whatever the layers */
    PRELOADS_MPIIO,
    PRELOADS_HDF5,
    PRELOADS_NETCDF,
    PRELOADS_PNETCDF,
    PRELOADS_COUNT
};

/* True when an element of a list, of n bytes, is named like one of ours. */
int preloads_has_name (const char *element, size_t n);

/* Path of a library, beside the preload library whose path is given. Returns 1;
 * 0 when these layers (a set of enum layer) do not need it; -1 (ENAMETOOLONG).
 */
int preloads_path (enum preload which,
                   const char *preload,
                   unsigned layers,
                   char *out,
                   size_t size);

/* True when the library of this open descriptor cannot be mapped to be
 * executed: its file system is mounted with noexec. The loader would say an
 * error for each program. */
int preloads_is_noexec (int fd);

/* Write the list to out with what these layers need at its head, as
 * pathlist_add does; the list may be NULL. 0, or -1 (ENAMETOOLONG, EINVAL). */
int preloads_add (const char *list,
                  const char *preload,
                  unsigned layers,
                  char *out,
                  size_t size);

/* Write the list to out without any of ours, as pathlist_drop does: how many
 * there were, or -1. */
int preloads_drop (const char *list, char *out, size_t size);

/* -- one more element at the head of LD_PRELOAD or PYTHONPATH -- */

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
