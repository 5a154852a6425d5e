/* SPDX-License-Identifier: MIT
 *
 * runstatus.h - the status file of an attempt, and what came of a run
 */
#pragma once

#include <stdint.h>

#include "sweep/spec/spec.h"

enum run_state { RUN_NONE = 0, RUN_RUNNING, RUN_ENDED };

/* TRACE_MISSING: there is none, or it lacks processes. */
enum trace_state { TRACE_OFF = 0, TRACE_OK, TRACE_MISSING };

struct runstatus {
    enum run_state state;
    int exit;          /* of run; 128 + signal when one ended it */
    int signal;        /* that ended it, or 0 */
    int caught;        /* signal that was forwarded to it, or 0 */
    int oom;           /* Slurm said that memory ended a step of it */
    int restart;       /* SLURM_RESTART_COUNT */
    double start, end; /* seconds since 1970 */
    enum trace_state trace;
    char why[256]; /* it is missing, or "" */
    char node[256];
    char nodes[1024];
    char job[32];           /* array job id, or job id */
    char task[16];          /* array task id */
    char array[32];         /* g0.0 */
    char predecessor[64];   /* run that used the node before, or "" */
    double loadavg;         /* average of the last minute, before the run */
    int64_t cached_kb;      /* page cache of the node, before the run */
    int64_t data_cached_kb; /* of the declared data; -1: not known */
    int64_t written;        /* mtime of the file, seconds */
};

/* "key value" lines; whole or not at all. */
void runstatus_write (const char *path, const struct runstatus *s);
/* A missing or torn file gives RUN_NONE. */
void runstatus_read (const char *path, struct runstatus *s);

enum { OUTCOME_GRACE = 300 }; /* s; Slurm forgets jobs after MinJobAge */

/* The truth table: the status file, Slurm's word ("RUNNING", …; "" when Slurm
 * does not know the task), and how many seconds ago something was last heard
 * (the status was written, or the array released). */
enum outcome
outcome_of (const struct runstatus *s, const char *slurm, int64_t silent_s);
