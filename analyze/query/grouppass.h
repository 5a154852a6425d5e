/* SPDX-License-Identifier: MIT
 *
 * grouppass.h - traces, or a share of them -> groups (for group*.c)
 */
#ifndef DFT_ANALYZE_GROUPPASS_H
#define DFT_ANALYZE_GROUPPASS_H

#include <stdatomic.h>

#include "analyze/query/groupframe.h"
#include "analyze/query/groupscan.h"
#include "analyze/trace/parts.h"

struct group_pass {
    const struct job *job; /* open */
    const struct grouping *by;
    const struct group_frame *frame;
    struct groups *out;
    /* on the way */
    struct parts parts;
    struct part_thread *thread;
    size_t threads;
    struct groupscan *scan; /* of each worker */
    unsigned char **buffer; /* the same */
    int workers;
    struct group_cell **cell; /* of each group, one for each worker; NULL:
                                 it had none */
    atomic_int failed;        /* errno */
};

/* Read the traces: x->out has all groups, without their unions. 0, or -1 with
 * errno: ESRCH when the frame lacks a process. */
int group_pass_read (struct group_pass *x);

/* Unions of the cells; out->item[i].running. 0, or -1 with errno. */
int group_pass_unite (struct group_pass *x);

void group_pass_clear (struct group_pass *x);

/* The values of a group, from its key: texts with their NULs. */
void group_set_values (struct groups *gs, size_t i, int keys);

/* Add up all but the union. */
void group_add (struct group *to, const struct group *from);

/* The times of a thread, cell->now, are whole. 0, or -1 (ENOMEM). */
int group_cell_keep (struct group_cell *c);
void group_cell_free (struct group_cell *c); /* NULL is fine */

#endif
