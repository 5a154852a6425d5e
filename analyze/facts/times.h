/* SPDX-License-Identifier: MIT
 *
 * times.h - sets of time of processes -> of ranks and the job, and what they
 *           have in common
 */
#pragma once

#include "analyze/facts/summary.h"

/* -- sets of time of processes -> of ranks and the job, and what they have in
 * common -- */

/* Fill job_time, over, overlap and the time of each rank, whose processes are
 * known, the time of each process and call_union. */
void times_make (struct summary *s, struct totals *t);

/* Fill the ranks' startup and the summary's start, train and cold; times are
 * known. */
void phases_make (struct summary *s, const struct totals *t);

/* Fill waited and chain_busy of s, the least time that the job can take, from
 * the times of the processes. */
void chain_find (struct summary *s, const struct totals *t);

/* Fill when of s; processes have their times, lanes their waits. */
void rowtimes_make (struct summary *s, const struct totals *t);
