/* SPDX-License-Identifier: MIT
 *
 * proclines.h - JOBDIR/shards/processes.HOST -> records
 *
 * The one reader of these files. Anybody may have written the lines: what makes
 * no sense is passed over. For the tools and the plugin; allocates.
 */
#ifndef DFT_CORE_PROCLINES_H
#define DFT_CORE_PROCLINES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/procline.h"
#include "lib/format/leftout.h"

/* A set of these says which lines are wanted. */
enum {
    PROCRECORD_TRACED = 1 << 0,
    PROCRECORD_UNTRACED = 1 << 1,
    PROCRECORD_ENDED = 1 << 2
};

enum { COUNTED_READ = 0, COUNTED_WRITTEN, COUNTED_SIDES };

/* Bytes read and written, or not known. */
struct procpair {
    int known;
    uint64_t n[COUNTED_SIDES];
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
    struct procpair left[LEFTOUTS];
    size_t order; /* of the line */

    /* untraced */
    const char *reason;
    int child; /* its parent wrote the line: it may have begun before */

    /* ended */
    uint32_t ended;  /* enum shard_ended, with SHARD_ENDED_ROOT */
    const char *who; /* knows that: PROCLINE_PARENT and so on */
};

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

#endif
