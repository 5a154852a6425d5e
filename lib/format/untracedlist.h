/* SPDX-License-Identifier: MIT
 *
 * untracedlist.h - JOBDIR/shards/processes.HOST -> processes that were not
 *                  traced
 *
 * Read once, of all hosts, for job.json, the tables, the first screen, the page
 * and sweeps. Anybody may have written the lines. For the tools and the plugin;
 * allocates.
 */
#pragma once

#include <stdint.h>

#include "lib/base/programkind.h"

/* -- JOBDIR/shards/processes.HOST -> processes that were not traced -- */

/* A process, or as many of one program on a host as one row stands for. */
struct untraced_program {
    char *host, *exe, *reason; /* owned */
    size_t exe_length;         /* any bytes but NUL */
    enum program_kind kind;    /* PROGRAM_UNKNOWN: words of their own */
    uint32_t pid;              /* 0 not known */
    int child;     /* its parent wrote the line: it may have begun before */
    int traced;    /* and was traced after all */
    uint64_t time; /* of the line, ns of CLOCK_REALTIME; 0 not known */
    uint64_t count;
};

struct untraced {
    struct untraced_program *item; /* owned */
    size_t count, room;
    size_t files;    /* that had lines */
    uint64_t lines;  /* in them, those of traced ones too */
    uint64_t traced; /* of these: traced after all; no rows any more */
    int cut;         /* more were not listed */
};

/* A process that was traced. */
struct untraced_seen {
    const char *host, *exe; /* exe: "" not known */
    uint32_t pid;
    uint64_t start, end; /* ns of CLOCK_REALTIME; end 0: not known */
    int exec;            /* another program took its place */
};

/* Read the lines of a job directory (NULL: none) into *u, which is zeroed. 0,
 * or -1 (ENOMEM). */
int untracedlist_read (struct untraced *u, const char *job_dir);

/* Append a row; the texts are copied. 0, or -1 (ENOMEM). */
int untracedlist_add (struct untraced *u, const struct untraced_program *row);

/* This process was traced: mark its row, if it has one: a program that the
 * loader was given by name, valgrind's, a setuid one that may not change its
 * ids; or one whose exec failed. */
void untracedlist_seen (struct untraced *u, const struct untraced_seen *who);

/* All have been seen: rows of those go. The rest is sorted by host, program,
 * reason and pid. */
void untracedlist_settle (struct untraced *u);

/* See the processes without a trace in a job directory. */
void untracedlist_see_quiet (struct untraced *u, const char *job_dir);

/* See those, and the processes in the shards of a job directory; settle. */
void untracedlist_look (struct untraced *u, const char *job_dir);

/* Rows of one program, reason and host become one. After settle. */
void untracedlist_fold (struct untraced *u);

/* Processes, all and those that the user wanted so. */
uint64_t untracedlist_sum (const struct untraced *u);
uint64_t untracedlist_wishes (const struct untraced *u);

/* "3 processes: 2 × ldconfig (static), 1 × sudo (setuid)" of those, and so
 * many more of which nothing else is known; most first, in at most `places`
 * characters; "" for none. Returns text. */
char *untracedlist_words (const struct untraced *u,
                          uint64_t more,
                          char *text,
                          size_t size,
                          int places);

void untracedlist_clear (struct untraced *u); /* zeroed is fine */

/* -- a shard -> whether it has no events but exec_untraced -- */

/* 1 when all events of the shard `name` in the open directory are that a
 * program was started which cannot be traced, and it is whole; else 0, also
 * when it cannot be read or is no shard. The input is hostile. */
int untracedshard_only (int dirfd, const char *name);
