/* SPDX-License-Identifier: MIT
 *
 * program.h - the program of this process: what it is, whether it is Python
 */
#pragma once

#include "lib/base/programkind.h"
#include "lib/settings/settings.h"

/* --- program.c: a program that is about to be started -> can it be traced? ---
 *
 * Keeps errno; of our state it touches one table, by atomic stores, so that it
 * is fit for a child of vfork.
 */

/* -- a program that is about to be started -> can it be traced? -- */

/* ours: our libraries, separated by colons, may be ""; s says where traces go.
 */
void program_start (const char *ours, const struct settings *s);

/* This program is one of Go: that is said in its trace and in the list. After
 * everything else was started. */
void program_note_self (void);

/* The program is going to hear of files that are opened or read (bits of
 * inotify_add_watch, fanotify_mark): from now on none is opened or read here.
 * Always 0. */
int program_watches (uint64_t mask);

/* A program as the caller named it. */
struct program_name {
    int dirfd;
    const char *name;
    int search; /* as execvp does, where there is no slash in it */
};

/* Opened and read once for each file and process; PROGRAM_UNKNOWN where that
 * must not be. *starts is 0 where the kernel will not start it, as far as can
 * be seen; -1 where the file is not there. */
enum program_kind program_kind (const struct program_name *n, int *starts);

/* That name's path into path[size]; "" when none is executable. */
void program_search (const char *file, char *path, size_t size);

/* -- what a shell does for itself, and not for the job -- */

/* Is this program one of the settings' shells? Then remember its script, the
 * first of argv (ended by NULL) that is no option. exe need not end in NUL.
 * Before there are threads. */
int shells_start (const char *list,
                  const char *exe,
                  size_t length,
                  const char *const *argv);

/* True for the script of this shell. Thread safe, async-signal-safe. */
int shells_is_script (const char *path, size_t length);

/* Calls with which a shell looks for programs: dropped[call] becomes value. */
void shells_drop_calls (unsigned char *dropped, unsigned char value);

/* --- late.c: functions of libraries that a program loads for itself --- */

/* The first definition of symbol in any loaded library but ours, or NULL. For
 * what RTLD_NEXT does not find: a Python extension brings its libraries for
 * itself alone, and yet calls our wrapper. May allocate. */
void *late_find (const char *symbol);

/* --- python.c: whether layer app got into this Python --- */

/* Once, before threads: is this program Python, and what should its children
 * have in PYTHONPATH? s must stay. */
void python_start (const struct settings *s);

/* Before the process ends: a fact of its trace, where it has one, if it is
 * Python and the hook of layer app never ran. */
void python_finish (void);
