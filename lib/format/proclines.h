/* SPDX-License-Identifier: MIT
 *
 * proclines.h - JOBDIR/shards/processes.HOST -> records
 *
 * The one reader of these files. Anybody may have written the lines: what makes
 * no sense is passed over. For the tools and the plugin; allocates.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "lib/format/calls.h"

/* -- JOBDIR/shards/processes.HOST -> records -- */

/* A set of these says which lines are wanted. */
enum {
    PROCRECORD_TRACED = 1 << 0,
    PROCRECORD_UNTRACED = 1 << 1,
    PROCRECORD_ENDED = 1 << 2,
    PROCRECORD_DOING = 1 << 3 /* in merged traces only */
};

enum { COUNTED_READ = 0, COUNTED_WRITTEN, COUNTED_SIDES };

/* Bytes read and written, or not known; of what is left out also how many calls
 * and how long they took. */
struct procpair {
    int known;
    uint64_t n[COUNTED_SIDES];
    uint64_t calls, ns;
};

/* A line. Texts are never NULL. */
struct procrecord {
    int kind;
    const char *host;
    uint32_t pid;
    uint64_t end; /* traced, ended: when it ended; untraced: of the line; ns of
                     CLOCK_REALTIME, 0 not known */
    const char *exe; /* traced: only of one that is quiet, else "" */

    /* traced: a program of a process */
    uint32_t ppid, sid;
    uint64_t start;
    int exec;           /* another program took its place */
    int quiet;          /* nothing was recorded */
    uint64_t files_out; /* it touched so many that the settings leave out */
    struct procpair all, own, start_all, start_own, tracer, aio;
    /* ns of its threads in user and kernel mode; of the main thread: ns that it
     * waited for a processor, and how often it was given one */
    struct procpair cpu, runq;
    struct procpair gpu; /* it has opened one: how often */
    struct procpair left[LEFTOUTS];
    size_t order; /* of the line */
    char *places; /* words from= and at=, for proclines_place */

    /* untraced */
    const char *reason;
    int child; /* its parent wrote the line: it may have begun before */

    /* ended */
    uint32_t ended;  /* enum shard_ended, with SHARD_ENDED_ROOT */
    const char *who; /* knows that: PROCLINE_PARENT and so on */

    /* doing: a process that began at start was in a call of this name, on file
     * exe, since end */
    const char *call;
};

/* A call of a program: where its code is, when that file was changed and how
 * large it was, the offset of the call in it, what it was about. */
struct procplace {
    const char *object, *name;
    uint64_t bytes, changed, offset, kind;
};

/* Fill *p, which is zeroed to begin with, by the next place, and move *at on
 * behind it; the texts are those of *at. Return 0 if there is no more. */
int proclines_place (struct procplace *p, char **at);

/* 0, or what ends the reading. r and its texts are gone afterwards. */
typedef int proclines_f (const struct procrecord *r, void *cookie);

/* Kinds of lines that are wanted, and the lines found. */
struct proclines {
    unsigned kinds; /* none: files are not read */
    proclines_f *f;
    void *cookie;
    size_t files;   /* with lines */
    uint64_t bytes; /* of these */
    size_t lines;   /* that were handed out */
    int cut;        /* a file was full, or does not end in a whole line */
};

/* Call f for each wanted line of a job directory, or of its open directory
 * shards/: file by file, in the order of their names. Links and files that do
 * not belong to the owner of shards/ or to root are passed over; a directory
 * that is not there has no lines. What f returned, or -1 (ENOMEM). */
int proclines_read (struct proclines *p, const char *job_dir);
int proclines_read_at (struct proclines *p, int shards);

/* The lines of a job directory, each behind its host, to be kept in a merged
 * trace: malloc'd, *n bytes; NULL without lines (n 0) or memory. And to read
 * that, which is changed. */
char *proclines_keep (const char *job_dir, size_t *n);
int proclines_read_kept (struct proclines *p, char *text, size_t n);

/* -- how a line of JOBDIR/shards/processes.HOST is written -- */

#define PROCLINE_FILE "processes."

/* Behind HOST and a number: lines of processes that may not write where that
 * file ends (RLIMIT_FSIZE); in place of the number: some could not here either.
 */
#define PROCLINE_PART ','
#define PROCLINE_MORE ",more"
enum { PROCLINE_PARTS = 64 };

/* Source of the end of a process: its parent, which waited for it; the process
 * that sent it a deadly signal; dftrace run; Slurm. */
#define PROCLINE_PARENT "parent"
#define PROCLINE_KILLER "killer"
#define PROCLINE_RUN    "run"
#define PROCLINE_TASK   "task"

enum {
    PROCLINE_TRACED_MAX = 2048, /* bytes of a line */
    PROCLINE_ENDED_MAX = 104,
    PROCLINE_MAX = 3 * PATH_MAX, /* a longer one is cut */
    /* No more lines `traced` in larger files; the others, which are few, have
     * 1 MiB more. */
    PROCLINE_FILE_TRACED_MAX = 16 << 20,
    PROCLINE_FILE_MAX = 17 << 20
};

/* Bytes read and written, calls and ns of what is left out. */
enum { PROCLINE_SUMS = 4 };

/* A line in the memory of the caller. What has no room is left out. */
struct procline {
    char *text;
    size_t room, used;
};

/* The first two words. */
void procline_begin (struct procline *l, const char *kind, uint64_t pid);

/* A blank and a word or number; a word and two numbers, as WORD=N,N. */
void procline_word (struct procline *l, const char *word);
void procline_number (struct procline *l, uint64_t n);
void procline_pair (struct procline *l,
                    const char *word,
                    uint64_t a,
                    uint64_t b);

/* WORD=READ,WRITTEN,CALLS,NS */
void procline_sums (struct procline *l,
                    const char *word,
                    const uint64_t n[PROCLINE_SUMS]);

/* A number, any n bytes, without a blank before. */
void procline_digits (struct procline *l, uint64_t n);
void procline_text (struct procline *l, const char *text, size_t n);

void procline_end (struct procline *l);

/* Whole lines. exe: n bytes; what: put before reason, which is cut at 200
 * bytes. status: as wait gives it, of a process that has ended. */
void procline_untraced (struct procline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason);
void procline_ended (struct procline *l,
                     pid_t pid,
                     int status,
                     const char *who);
