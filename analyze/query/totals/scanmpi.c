/* SPDX-License-Identifier: MIT
 *
 * scanmpi.c - one call of MPI-IO -> counters of its call and its kind
 *
 * In:  events, from scan.c
 * Out: counts.def: mpi_KIND, mpi_KIND_asked, mpi_KIND_posix
 * Caveat: nothing of it is added to what POSIX calls moved.
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/query/totals/scanmpi.h"
#include "analyze/query/totals/scanstep.h"
#include "lib/core/profile/profile.h"
#include "lib/model/mpi/mpikind.h"

enum { BELOW_MAX = 1 << 20 }; /* 24 MiB: of more, the latest half is kept */

void scanmpi_clear (struct scanmpi *m)
{
    free (m->call);
    *m = (struct scanmpi){0};
}

/* A thread that reads and writes a lot outside of MPI-IO: what was long ago is
 * inside no call that has not ended yet, unless that has a million inside. */
static void scanmpi_forget (struct scanmpi *m)
{
    size_t half = m->count / 2;

    for (size_t i = half; i < m->count; i++)
        m->call[i - half] = m->call[i];
    m->count -= half;
}

int scanmpi_below (struct step *e)
{
    struct scanmpi *m = &e->u->mpi;

    if (!e->storage || (e->info->class != CALL_CLASS_READ &&
                        e->info->class != CALL_CLASS_WRITE))
        return 0;
    if (m->count == BELOW_MAX)
        scanmpi_forget (m);
    if (m->count == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        void *call = reallocarray (m->call, room, sizeof (*m->call));

        if (!call)
            return -1;
        m->call = call;
        m->room = room;
    }
    m->call[m->count++] = (struct scanmpi_call){e->start, e->end, e->bytes};
    return 0;
}

/* Where the numbers of a kind are in struct counts. */
static const struct {
    size_t calls, asked, below;
} places[MPIKIND_COUNT] = {
#define MPIKIND(NAME, TITLE, HELP)                                    \
    [MPIKIND_##NAME] = {offsetof (struct counts, mpi_##NAME),         \
                        offsetof (struct counts, mpi_##NAME##_asked), \
                        offsetof (struct counts, mpi_##NAME##_posix)},
#include "lib/model/mpi/mpikinds.def"
#undef MPIKIND
};

static void scanmpi_count (struct step *e, enum mpikind kind, unsigned says)
{
    struct scanmpi *m = &e->u->mpi;
    char *numbers = (char *)&e->u->n;
    struct transfer *calls = (void *)(numbers + places[kind].calls);
    struct transfer *below = (void *)(numbers + places[kind].below);
    uint64_t *asked = (void *)(numbers + places[kind].asked);

    calls->count += (says & (MPIKIND_MOVED | MPIKIND_CALL)) != 0;
    calls->bytes += says & MPIKIND_MOVED ? e->bytes : 0;
    *asked += says & MPIKIND_ASKED ? e->b->size[e->i] : 0;
    if (!(says & MPIKIND_TIME))
        return;
    calls->ns += e->end - e->start;
    for (size_t i = m->count; i > 0; i--) {
        const struct scanmpi_call *c = &m->call[i - 1];

        if (c->end <= e->start)
            break;
        below->count++;
        below->bytes += c->bytes;
        below->ns += c->end - (c->start > e->start ? c->start : e->start);
    }
    m->count = 0;
}

void scanmpi_row (struct counts *u,
                  enum mpikind kind,
                  unsigned says,
                  const uint64_t *n)
{
    char *numbers = (char *)u;
    struct transfer *calls = (void *)(numbers + places[kind].calls);
    uint64_t *asked = (void *)(numbers + places[kind].asked);

    calls->count +=
        says & (MPIKIND_MOVED | MPIKIND_CALL) ? n[PROFILE_calls] : 0;
    calls->bytes += says & MPIKIND_MOVED ? n[PROFILE_bytes] : 0;
    calls->ns += says & MPIKIND_TIME ? n[PROFILE_time] : 0;
    *asked += says & MPIKIND_ASKED ? n[PROFILE_asked] : 0;
}

int scanmpi_event (struct step *e)
{
    struct call_total **total = &e->s->tally.call[e->b->call[e->i]];
    unsigned says;
    enum mpikind kind = mpikind_of_call ((enum call)e->b->call[e->i], &says);

    if (!*total && !(*total = calloc (1, sizeof (**total))))
        return -1;
    e->bytes = e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    e->bill = e->s->bill[e->b->call[e->i]][KIND_NONE];
    e->u->n.mpi++;
    (*total)->bytes += e->bytes;
    (*total)->errors += e->b->error[e->i] != 0;
    hist_add (&(*total)->time, e->end - e->start);
    if (kind != MPIKIND_NONE)
        scanmpi_count (e, kind, says);
    return scan_keep_time (e);
}
