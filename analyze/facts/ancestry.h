/* SPDX-License-Identifier: MIT
 *
 * ancestry.h - which process of a job another one came from
 *
 * All questions take the logarithm of the number of processes, so that a job
 * of 100,000 processes is no slower for each of them than a job of ten.
 */
#pragma once

#include "analyze/scan/load.h"

/* -- which process of a job another one came from -- */

struct ancestry {
    struct totals *t;         /* its processes must stay where they are */
    struct process **by_pid;  /* by host, pid, start; owned */
    struct process **by_rank; /* those of a rank, by job, restart, step and
                                 rank, the first one of t first; owned */
    size_t ranked;            /* length of by_rank */
};

void ancestry_open (struct ancestry *a, struct totals *t);
void ancestry_close (struct ancestry *a); /* zeroed is fine, keeps errno */

/* The traced process that p came from, or NULL: the program that called exec
 * in the same process, else the one that started it. The youngest older one
 * counts, because the system uses process ids again. */
struct process *ancestry_parent (const struct ancestry *a,
                                 const struct process *p);

/* The process that stands for the rank of p: the first one of the same step
 * and rank, or the eldest ancestor without a rank. */
struct process *ancestry_head (const struct ancestry *a, struct process *p);

/* The processes of the host that had the id of p, n of them, by their start. */
struct process *const *
ancestry_same (const struct ancestry *a, const struct process *p, size_t *n);

/* Whether a later program ran in the same process, as after exec. */
int ancestry_replaced (const struct ancestry *a, const struct process *p);

/* -- how many ranks srun, mpirun or torchrun started, and how many ran -- */

struct launched {
    size_t found;   /* ranks that left a trace, sum over the steps */
    size_t started; /* ranks as their launchers said, at least found; 0: no
                       launcher said a number */
    int reported;   /* one did */
};

/* Ranks of a step are told apart by number. Daemons of mpirun are no ranks, and
 * neither is the batch script (which Slurm calls its rank 0) where launchers
 * started some. */
void launched_count (struct launched *l, const struct totals *t);
