/* SPDX-License-Identifier: MIT
 *
 * viewmpi.c - the table of what MPI-IO was asked, and what became of it
 *
 * In:  counts of all processes
 * Out: a row for each kind of call that there was
 */
#include "config.h"

#include "analyze/tables/viewcells.h"
#include "lib/model/mpikind.h"

struct viewmpi_row {
    const char *title;
    struct transfer calls, below;
    uint64_t asked;
    uint64_t callers, workers; /* processes */
    struct viewmpi_end {
        const struct process *process;
        uint64_t ns;
    } slowest, fastest;
};

static void viewmpi_mean (struct textable *t, uint64_t sum, uint64_t count)
{
    if (count)
        textable_double (t, (double)sum / (double)count, 2);
    else
        textable_na (t);
}

static void viewmpi_put (struct textable *t,
                         const struct result *r,
                         const struct viewmpi_row *row,
                         int moves)
{
    int below = !summary_is_profile (r->summary); /* what was inside what */

    if (!row->calls.count && !row->calls.ns)
        return;
    textable_row (t);
    textable_text (t, row->title);
    textable_uint (t, row->calls.count);
    textable_uint (t, row->callers);
    cell_known (t, moves, row->asked);
    cell_known (t, moves, row->calls.bytes);
    cell_seconds (t, row->calls.ns);
    cell_known (t, below, row->below.count);
    cell_known (t, below, row->workers);
    cell_known (t, below, row->below.bytes);
    cell_known_seconds (t, below, row->below.ns);
    cell_known_seconds (
        t, below,
        row->calls.ns > row->below.ns ? row->calls.ns - row->below.ns : 0);
    viewmpi_mean (t, row->below.count, below ? row->calls.count : 0);
    viewmpi_mean (t, row->below.bytes, row->below.count);
    cell_rank (t, row->slowest.process);
    cell_seconds (t, row->slowest.ns);
    cell_rank (t, row->fastest.process);
    cell_seconds (t, row->fastest.ns);
}

static void viewmpi_add (struct viewmpi_row *row,
                         const struct process *p,
                         const struct transfer *calls,
                         uint64_t asked,
                         const struct transfer *below)
{
    transfer_add (&row->calls, calls);
    transfer_add (&row->below, below);
    row->asked += asked;
    if (calls->count || calls->ns) {
        row->callers++;
        if (!row->slowest.process || calls->ns > row->slowest.ns)
            row->slowest = (struct viewmpi_end){p, calls->ns};
        if (!row->fastest.process || calls->ns < row->fastest.ns)
            row->fastest = (struct viewmpi_end){p, calls->ns};
    }
    row->workers += below->count > 0;
}

void fill_mpiio (struct textable *t, const struct result *r, size_t top)
{
    struct viewmpi_row row[MPIKIND_COUNT] = {
#define MPIKIND(NAME, TITLE, HELP) [MPIKIND_##NAME] = {.title = TITLE},
#include "lib/model/mpikinds.def"
#undef MPIKIND
    };

    (void)top;
    for (size_t i = 0; i < r->totals->processes; i++) {
        const struct counts *n = &r->totals->process[i].n;

#define MPIKIND(NAME, TITLE, HELP)                                             \
    viewmpi_add (&row[MPIKIND_##NAME], &r->totals->process[i], &n->mpi_##NAME, \
                 n->mpi_##NAME##_asked, &n->mpi_##NAME##_posix);
#include "lib/model/mpikinds.def"
#undef MPIKIND
    }
    for (int kind = 0; kind < MPIKIND_COUNT; kind++)
        viewmpi_put (t, r, &row[kind],
                     kind != MPIKIND_wait && kind != MPIKIND_other);
}
