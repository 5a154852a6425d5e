/* SPDX-License-Identifier: MIT
 *
 * darshanwork.h - a log on its way (private to darshan/)
 */
#pragma once

#include "analyze/import/darshan/darshan.h"
#include "analyze/import/darshan/darshanlog.h"
#include "lib/format/calls.h"
#include "lib/util/strmap.h"

/* Calls, bytes and time of a record that DXT recorded as events. */
struct darshan_seen {
    uint64_t calls, bytes, ns;
};

/* A record of counters, by module, file and rank. */
struct darshan_known {
    const unsigned char *at; /* in its region */
    enum darshan_module module;
    struct darshan_seen read, write;
};

struct darshan_name {
    char *text;            /* owned; NULL: none */
    uint32_t row;          /* of profrows; 0: not yet */
    uint32_t file, object; /* of a dataset or variable: the same of its file
                              and of its own name */
    uint8_t class;         /* enum file_class */
};

struct darshan_process {
    int64_t rank; /* -1: all */
    char *host;   /* owned; NULL: not known */
};

/* A read or write that DXT recorded. */
struct darshan_segment {
    uint32_t proc;
    uint32_t name;   /* index of names plus 1 */
    uint64_t thread; /* as the program has it */
    uint64_t start, end;
    int64_t offset;
    uint64_t length;
    uint16_t call;
};

struct darshan_work {
    struct darshan_log log;
    struct profrows *rows;
    struct darshan_facts *facts;
    char *exe;           /* owned */
    uint64_t start, end; /* of the job, ns of CLOCK_REALTIME */
    uint64_t uid, nprocs, jobid;
    struct strmap *ids; /* number of a file -> index of name */
    struct darshan_name *name;
    size_t names, name_room;
    struct strmap *ranks; /* rank -> index of process */
    struct darshan_process *process;
    size_t processes, process_room;
    struct strmap *records; /* module, file, rank -> struct darshan_known */
    struct darshan_bytes region[DARSHAN_MODULES];
    struct darshan_segment *segment;
    size_t segments, segment_room;
    unsigned modules; /* bits: that were read */
};

/* --- darshan.c: job, mounts, names, ranks --------------------------- */

/* Index plus 1 of the name of a file; 0: it has none (counted). */
uint32_t darshan_name_of (struct darshan_work *w, uint64_t id);
/* Index of the process of a rank. */
uint32_t darshan_process_of (struct darshan_work *w, int64_t rank);
/* The time so many s after the start of the job. */
uint64_t darshan_time (const struct darshan_work *w, double s);
uint64_t darshan_ns (double s);

/* --- darshanrows.c, darshanwrite.c ---------------------------------------- */

/* Note the records of a module. */
void darshan_read_counters (struct darshan_work *w, enum darshan_module module);
struct darshan_known *darshan_find (const struct darshan_work *w,
                                    enum darshan_module module,
                                    uint64_t id,
                                    int64_t rank);
/* After DXT: rows of all records. */
void darshan_make_rows (struct darshan_work *w);
void darshan_read_lustre (struct darshan_work *w);
/* Slices of heat maps as bins of the rows, of the first process. */
void darshan_read_heat (struct darshan_work *w);
void darshan_read_dxt (struct darshan_work *w, enum darshan_module module);
/* Processes and events as a trace in memory. */
struct tracefile *
darshan_write (struct darshan_work *w, const char *path, struct errtext *err);
