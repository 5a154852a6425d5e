/* SPDX-License-Identifier: MIT
 *
 * fsutil.h - files, directories and well-known places
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/settings/settings.h"

/* --- fsutil.c: whole files, atomically; directories; paths --- */

/* A file that appears whole under its name, or not at all: written as a
 * temporary name in the same directory, fsync, rename, fsync of the
 * directory. atomic_commit frees a in any case; 0, or -1 with err (then the
 * old file is untouched). atomic_abort (NULL) is fine. */
struct atomic_file;
struct atomic_file *
atomic_open (const char *path, mode_t mode, struct errtext *err);
FILE *atomic_stream (struct atomic_file *a);
int atomic_commit (struct atomic_file *a, struct errtext *err);
void atomic_abort (struct atomic_file *a);

/* sync 0: from now on, in this process and its children, the fsync of the
 * directory is left to the caller, who has many files to write and calls
 * directory_sync in the end; 1 (as at the start): each file has its own. One
 * thread. A directory that cannot be synced is no error. */
void atomic_directories (int sync);
void directory_sync (const char *path);

/* Write text as a whole file, as above. */
int write_file (const char *path,
                mode_t mode,
                const char *text,
                struct errtext *err);

/* True for a file of the caller's; false when it is another user's or cannot be
 * asked. write_file would make the caller its owner. */
int is_own_file (const char *path);

/* Whole file into malloc'd memory with a NUL after it; NULL, errno and err on
 * failure or when larger than max bytes (EFBIG). Follows no symbolic link at
 * the last component. *size may be NULL. */
char *
read_file (const char *path, size_t max, size_t *size, struct errtext *err);

/* As read_file for a path given by the user: links are followed. */
char *read_user_file (const char *path,
                      size_t max,
                      size_t *size,
                      struct errtext *err);

/* As the functions without the x, for commands: a failure ends the command
 * (die). Nothing may end it between xatomic_open () and xatomic_commit (). */
struct atomic_file *xatomic_open (const char *path, mode_t mode);
void xatomic_commit (struct atomic_file *a);
void xwrite_file (const char *path, mode_t mode, const char *text);
void xmake_dirs (const char *path);
/* The text is in the arena. */
char *xread_file (const char *path, size_t max);
char *xread_user_file (const char *path, size_t max);

/* Open a regular file for reading; a symbolic link is refused. A descriptor, or
 * -1 with errno and err. */
int open_regular (const char *path, struct errtext *err);

/* mkdir -p. */
int make_dirs (const char *path, mode_t mode, struct errtext *err);

/* Make one directory. If it exists, it must be a directory of this user and not
 * a symbolic link. */
int make_own_dir (const char *path, mode_t mode, struct errtext *err);

/* True when the directory belongs to another user: what lies in it may be a
 * trap. Links are followed; what is not there is nobody's. */
int dir_is_others (const char *path);

/* Copy a path; every run of digits of its last part becomes an N. Return the
 * length. A path of PATH_MAX / 2 bytes loses its directories. */
size_t path_series (char to[PATH_MAX], const char *path);

/* malloc'd "a/b". */
char *path_join (const char *a, const char *b);

/* --- places.c: where the preload library and the Python package are --- */

extern const char places_library_name[];

/* Paths, in the arena. The library may not be there. The directory for
 * PYTHONPATH: NULL where there is none. */
const char *places_library (const struct settings *s);
const char *places_python (const struct settings *s);

/* The recorder of layer kernel, which may not be there. */
const char *places_kernel (void);

/* Put path in front of the list in a variable of the environment. */
void places_first (const char *variable,
                   const char *path,
                   const char *separators);

/* -- a shared library that is loaded when it is first needed -- */

/* Load file and put the functions names (up to NULL) into the pointers at
 * functions. More than once is harmless. 0, or -1 with errno and err. Thread
 * safe. Loading SQLite, OTF2 and bzip2 takes a quarter of the start of a
 * command, and slurmd starts one for each job that ends. */
int lazylib_load (const char *file,
                  const char *const *names,
                  void *functions,
                  struct errtext *err);
