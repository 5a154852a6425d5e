/* SPDX-License-Identifier: MIT
 *
 * notrace.h - a job directory without a trace -> why
 */
#pragma once

#include <stdint.h>

/* Values fit an exit status. */
enum notrace {
    NOTRACE_NO = 0,       /* there is a trace, or nobody can know */
    NOTRACE_NOTHING,      /* there is none, and nothing says why */
    NOTRACE_PROGRAMS,     /* the programs were not traced */
    NOTRACE_NO_DIRECTORY, /* nobody was asked to trace: it was never made */
    NOTRACE_REMOVED,      /* it was made, and is gone */
    NOTRACE_FILTERED, /* traced programs touched only files that the settings
                         leave out */
    NOTRACE_QUIET,    /* traced programs made no call that is recorded */
    NOTRACE_KINDS     /* and from here on: programs of enum program_kind */
};

/* As notrace_look, for a path whose last component is not a link. */
enum notrace notrace_look_at (const char *dir);

/* As notrace_look, for a directory that was opened when it was made: it may
 * have been removed since, and made again at this path. */
enum notrace notrace_look_again (int job, const char *dir);

/* Whether there are traces of any kind, or nobody can know. */
int notrace_is_used (const char *dir);

/* A job directory by the names and sizes of its files. */
struct notrace_glance {
    uint64_t traces, bytes;
    uint64_t nodes; /* that have started */
    int unfinished; /* a shard or the mark of a stage is empty */
    int listed;     /* a program may not have been traced */
};

/* Fill *g, and return 1 if there certainly is a trace that is not merged yet.
 * On 0 notrace_look_again decides. Neither allocates nor takes a lock, and does
 * not parse what users write. */
int notrace_glance (int job, struct notrace_glance *g);

/* In words, for one line; layers: what was asked for. */
const char *notrace_reason (enum notrace why, unsigned layers);
