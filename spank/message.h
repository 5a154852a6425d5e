/* SPDX-License-Identifier: MIT
 *
 * message.h - what the first task of a step tells slurmstepd
 *
 * The task writes it as the user, before it becomes the user's program.
 */
#pragma once

#include <stdint.h>

#include "lib/settings/jobdir.h"

/* -- what the first task of a step tells slurmstepd -- */

/* Message about the trace at the end of the step. */
enum message_end {
    MESSAGE_END_QUIET = 0, /* a step of a batch job */
    MESSAGE_END_SAY        /* when the job directory has no trace, and why */
};

struct message {
    uint32_t own_id; /* of the job or het component */
    uint32_t restart;
    uint32_t layers; /* a set of enum layer */
    uint32_t apart;  /* dir is not the one that root's marker has */
    uint32_t sweep;  /* it is a run of a sweep */
    enum message_end end;
    char host[JOBDIR_NAME_MAX];
    char dir[SETTING_TEXT_MAX];   /* the job directory */
    char stage[SETTING_TEXT_MAX]; /* of this step, or "" */
};

enum message_fd {
    MESSAGE_DIR,   /* the job directory */
    MESSAGE_STAGE, /* the step's stage */
    MESSAGE_HOLD,  /* holds the marker */
    MESSAGE_FDS
};

/* In slurmstepd, before there are tasks. */
void message_start (void);

/* In the task. A descriptor may be -1; they stay the caller's. */
void message_send (const struct message *message, const int fd[MESSAGE_FDS]);

/* In slurmstepd: the message, and descriptors (O_CLOEXEC, -1 none) that are the
 * caller's. 0; -1 when no task wrote one. */
int message_receive (struct message *message, int fd[MESSAGE_FDS]);

/* -- lines of ours in slurmd's log, and to the user -- */

enum say_to {
    SAY_LOG,   /* slurmd's, or slurmstepd's: for the admin */
    SAY_ERROR, /* the same, or of sbatch and its kin: an error */
    SAY_USER   /* the standard error of the job */
};

/* One line, "dftrace: " in front. Whatever of the user's is in it (paths,
 * names, variables) cannot make it two, or move a cursor. */
void say (enum say_to to, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));
