/* SPDX-License-Identifier: MIT
 *
 * tell.h - the epilog: its verb, and the message of the user's side to root
 */
#pragma once

#include "lib/model/summary.h"

/* --- tell.c: what the user's side of the epilog tells root of a job ---
 *
 * Lines NAME=VALUE of summaryfields.def and metrics.def, an empty line after
 * each job. Root trusts the names and that it is about some job of this user,
 * nothing else.
 */

enum { TELL_MAX = 64 * 1024 }; /* of all jobs; a pipe holds that much */

/* As the user: of the job directory dir, which was analyzed, as its part-th.
 * Never waits: what the pipe does not take is dropped. */
void tell_job (int fd, const char *dir, int part);

/* As root: the next job of text, which is changed; *text is moved behind it.
 * 0 when there is none. *part is its number. */
int tell_next (char **text, struct job_summary *s, int *part);

/* --- cmd_epilog.c: the verb `epilog` --- */

/* argv[0] is the verb; always 0. */
int cmd_epilog (int argc, char **argv);
