/* SPDX-License-Identifier: MIT
 *
 * wall.c - lives of processes -> who has the job's wall time at each instant
 *
 * In:  processes with their ranks, their starts and ends, times of waits
 * Out: weights of the time, and when each process is away, to lanes.c
 */
#include "config.h"

#include "analyze/facts/ancestry.h"
#include "analyze/facts/wall.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

/* The kinds of changes of a process. */
enum wall_what {
    WALL_ALIVE,
    WALL_CHILD,     /* of the chain of execs: one that does not idle */
    WALL_FOR_CHILD, /* waits for the end of a child */
    WALL_FOR_OTHER, /* waits for another thread or process */
    WALL_ASLEEP,
    WALL_THREADS, /* other threads of it are at work */
    WALL_THREADS_FOR_CHILD,
    WALL_WHATS
};

struct wall_edge {
    uint64_t time;
    uint32_t process;
    uint8_t what; /* enum wall_what */
    int8_t by;    /* 1, -1 */
};

/* The state of a process at an instant. */
enum wall_doing {
    WALL_GONE = 0,
    WALL_TRAINS,
    WALL_WORKS,
    WALL_WAITS,
    WALL_IDLES,
    WALL_FOR_UNSEEN,  /* waits for a child that has recorded nothing */
    WALL_IS_CHILDREN, /* waits for them */
    WALL_DOINGS
};

/* Parts of a life, in percent. */
enum { WALL_BUSY = 10, WALL_IDLE = 95 };

enum {
    WALL_BRIEF_NS = 100000000,
    /* Of calls less than this apart one interval is made, so that millions of
     * them take no more room than waits do. */
    WALL_APART_NS = 1000000
};

#define WALL_NONE UINT32_MAX

struct wall_process {
    uint32_t family;
    uint32_t parent; /* the same of its parent; WALL_NONE */
    uint32_t first;  /* process of its chain of execs: has the children */
    uint32_t now_in[WALL_WHATS]; /* how many; children in the chain's first */
    uint32_t now; /* that is alive of the chain, in its first one;
                     WALL_NONE */
    uint32_t next[2], before[2]; /* that are alive: of the family, of the job;
                                    WALL_NONE */
    uint64_t away; /* since; of one that is alive and has no part */
    uint8_t alive, trains, idles;
    uint8_t is_children; /* while it has some: its waits are not known */
    uint8_t doing;       /* enum wall_doing */
    uint8_t touched;
};

struct wall_family {
    uint32_t count[WALL_DOINGS];
    uint32_t first; /* of those alive; WALL_NONE */
    uint8_t mode;   /* who of them has a part: enum wall_doing; WALL_GONE:
                       nobody */
    uint8_t touched;
};

struct wall_sweep {
    struct wall *w;
    const struct totals *t;
    struct wall_edge *edge; /* owned, as all of these */
    size_t edges, room;
    struct wall_process *process;
    struct wall_family *family;
    size_t families;
    uint32_t first; /* that is alive; WALL_NONE */
    uint32_t *touched, *touched_family;
    size_t touches, family_touches;
    const struct intervals *quiet;
    size_t quiet_at; /* the first of these that may matter */
    uint64_t parts;  /* of families */
    uint32_t count[WALL_DOINGS];
    uint8_t mode; /* who has a part where no family has: WALL_IDLES or a later
                     one; else WALL_GONE */
};

/* --- lives of processes -> edges --------------------------------------------
 */

/* The layer kernel of a process that the library tells of, too. */
static int wall_takes_part (const struct process *p)
{
    return p->who->p.layers != LAYER_KERNEL;
}

static void wall_edge (struct wall_sweep *v,
                       uint64_t time,
                       size_t process,
                       enum wall_what what,
                       int by)
{
    GROW (v->edge, v->room, v->edges + 1);
    v->edge[v->edges++] = (struct wall_edge){.time = time,
                                             .process = (uint32_t)process,
                                             .what = (uint8_t)what,
                                             .by = (int8_t)by};
}

static void wall_edges (struct wall_sweep *v,
                        uint64_t start,
                        uint64_t end,
                        size_t process,
                        enum wall_what what)
{
    wall_edge (v, start, process, what, 1);
    wall_edge (v, end, process, what, -1);
}

/* WALL_ALIVE: a wait for nobody else of the job. */
static enum wall_what wall_wait (enum call call)
{
    if (call == CALL_wait_child)
        return WALL_FOR_CHILD;
    if (call == CALL_wait_lock || call == CALL_wait_pipe ||
        call == CALL_wait_poll)
        return WALL_FOR_OTHER;
    return call == CALL_wait_sleep ? WALL_ASLEEP : WALL_ALIVE;
}
/* Take the edges of waits: of packed ones and the tail, or of late ones; of
 * other threads' work, as if each went on for WALL_APART_NS. */
static void wall_list (struct wall_sweep *v,
                       size_t process,
                       enum wall_what what,
                       const struct span_block *block,
                       const struct intervals *list)
{
    enum { BATCH = 256 };
    uint64_t start[BATCH], from = 0, to = 0;
    uint64_t more = what == WALL_THREADS ? WALL_APART_NS : 0;
    uint32_t length[BATCH];
    struct span_cursor c = {.start = start, .length = length, .room = BATCH};
    spancursor_open (&c, block, list, 0, UINT64_MAX);

    while (c.count) {
        for (c.at = 0; c.at < c.count; c.at++) {
            uint64_t end = start[c.at] + span_cursor_length (&c, c.at) + more;

            if (to && start[c.at] >= from && start[c.at] <= to) {
                to = MAX (end, to);
                continue;
            }
            if (to)
                wall_edges (v, from, to, process, what);
            from = start[c.at];
            to = end;
        }
        spancursor_fill (&c);
    }
    spancursor_close (&c);
    if (to)
        wall_edges (v, from, to, process, what);
}

int wall_gil (const struct process *p)
{
    uint64_t gil = 0, lock = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && x->key.call == CALL_wait_gil)
            gil += spanlog_length (&x->log);
        else if (x->main && x->key.call == CALL_wait_lock)
            lock += spanlog_length (&x->log);
    return gil > 0 && gil >= lock;
}

int wall_computes (const struct spans *x)
{
    return !x->main && x->key.estimate &&
           (x->key.call == CALL_wait_run || x->key.call == CALL_wait_runq);
}

int wall_does (const struct spans *x, int gil)
{
    static const unsigned rows =
        1u << BILL_read | 1u << BILL_write | 1u << BILL_sync | 1u << BILL_open |
        1u << BILL_fault | 1u << BILL_checkpoint | 1u << BILL_network;

    return !x->main && x->key.bill < BILL_NONE &&
           (rows >> x->key.bill & 1 || (wall_computes (x) && !gil));
}

static int wall_is_for_child (const struct spans *x)
{
    return x->key.call == CALL_wait_child;
}

static void wall_waits (struct wall_sweep *v, size_t i)
{
    const struct process *p = &v->t->process[i];
    int gil = wall_gil (p), for_other = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        for_other |= x->main && wall_wait (x->key.call) == WALL_FOR_OTHER;
    for (const struct spans *x = p->spans; x; x = x->next) {
        enum wall_what what = x->main                 ? wall_wait (x->key.call)
                              : !for_other            ? WALL_ALIVE
                              : wall_does (x, gil)    ? WALL_THREADS
                              : wall_is_for_child (x) ? WALL_THREADS_FOR_CHILD
                                                      : WALL_ALIVE;

        if (what != WALL_ALIVE) {
            wall_list (v, i, what, x->log.first, &x->log.tail);
            wall_list (v, i, what, NULL, &x->log.late);
        }
    }
}

/* Return 1 if it sits in one wait for nearly all of its life; not one for a
 * thread that waits for a child, of which there may be a sum only. */
static int wall_idles (const struct process *p)
{
    uint64_t ns[CALL_MAX] = {0}, children = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        if (wall_is_for_child (x))
            children += spanlog_length (&x->log);
        else if (x->main && call_is_wait (x->key.call) &&
                 x->key.call != CALL_wait_run &&
                 x->key.call != CALL_wait_runq &&
                 x->key.call != CALL_wait_child)
            ns[x->key.call] += spanlog_length (&x->log);
    ns[CALL_wait_lock] -= MIN (children, ns[CALL_wait_lock]);
    for (int call = 0; call < CALL_MAX; call++)
        if (ns[call] > (p->end - p->start) / 100 * WALL_IDLE)
            return 1;
    return 0;
}

static int wall_has_waits (const struct process *p)
{
    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && call_is_wait (x->key.call))
            return 1;
    return 0;
}

/* Return 1 if the main thread is seen at work for a good part of its life. */
static int wall_is_busy (const struct process *p)
{
    uint64_t ns = 0;

    for (const struct spans *x = p->spans; x; x = x->next)
        if (x->main && x->key.bill < BILL_NONE)
            ns += spanlog_length (&x->log);
    return ns > (p->end - p->start) / 100 * WALL_BUSY;
}

/* From an exec to the start of the program. */
static void
wall_spawned (struct wall_sweep *v, size_t i, const struct process *before)
{
    const struct process *p = &v->t->process[i];

    if (!before->who->p.exec_ns || before->end >= p->start)
        return;
    spanlog_add (&v->w->spawn[i], before->end, p->start);
}

static uint64_t wall_start (const struct wall_sweep *v, size_t i)
{
    const struct spanlog *spawn = &v->w->spawn[i];

    return spawn->tail.count ? spawn->tail.item[0].start
                             : v->t->process[i].start;
}

/* t's processes are by start within a host, and a program comes after the one
 * that it replaced. */
static void
wall_live (struct wall_sweep *v, const struct ancestry *kin, size_t i)
{
    const struct process *p = &v->t->process[i], *from;
    struct wall_process *to = &v->process[i];

    to->family = (uint32_t)p->rank;
    to->first = (uint32_t)i;
    to->parent = WALL_NONE;
    if (!wall_takes_part (p))
        return;
    from = ancestry_parent (kin, p);
    if (from && from->who->p.pid == p->who->p.pid) {
        to->first = v->process[from - v->t->process].first;
        to->parent = v->process[to->first].parent;
        wall_spawned (v, i, from);
    } else if (from)
        to->parent = v->process[from - v->t->process].first;
    v->w->brief[i] = from && !to->trains && p->who->p.rank < 0 &&
                     p->end - p->start < WALL_BRIEF_NS;
    to->idles = !to->trains && wall_idles (p);
    to->is_children = !wall_has_waits (p) && !wall_is_busy (p);
    wall_edges (v, wall_start (v, i), p->end, i, WALL_ALIVE);
    if (to->parent != WALL_NONE && !to->idles)
        wall_edges (v, wall_start (v, i), p->end, to->parent, WALL_CHILD);
    if (!to->trains)
        wall_waits (v, i);
}

static int wall_by_time (const void *a, const void *b)
{
    const struct wall_edge *x = a, *y = b;

    return x->time < y->time ? -1 : x->time > y->time;
}

/* --- what each one does -----------------------------------------------------
 */

static enum wall_doing wall_doing (const struct wall_sweep *v,
                                   const struct wall_process *p)
{
    int for_child = p->now_in[WALL_FOR_CHILD] ||
                    (p->now_in[WALL_FOR_OTHER] && /* for that thread */
                     p->now_in[WALL_THREADS_FOR_CHILD]);

    if (!p->alive)
        return WALL_GONE;
    if (p->trains)
        return WALL_TRAINS;
    if (p->idles)
        return WALL_IDLES;
    if (v->process[p->first].now_in[WALL_CHILD] &&
        (p->is_children || for_child || p->now_in[WALL_FOR_OTHER] ||
         p->now_in[WALL_ASLEEP]))
        return WALL_IS_CHILDREN;
    if (for_child)
        return WALL_FOR_UNSEEN;
    return p->now_in[WALL_FOR_OTHER] && !p->now_in[WALL_THREADS] ? WALL_WAITS
                                                                 : WALL_WORKS;
}

static void wall_touch (struct wall_sweep *v, uint32_t i)
{
    struct wall_process *p = &v->process[i];
    struct wall_family *f = &v->family[p->family];

    if (!p->touched)
        v->touched[v->touches++] = i;
    if (!f->touched)
        v->touched_family[v->family_touches++] = p->family;
    p->touched = f->touched = 1;
}

/* Lists of those that are alive: of a family, of the job. */
static void wall_enter (struct wall_sweep *v, uint32_t i)
{
    struct wall_process *p = &v->process[i];
    uint32_t *first[2] = {&v->family[p->family].first, &v->first};

    for (int list = 0; list < 2; list++) {
        p->before[list] = WALL_NONE;
        p->next[list] = *first[list];
        if (*first[list] != WALL_NONE)
            v->process[*first[list]].before[list] = i;
        *first[list] = i;
    }
    v->process[p->first].now = i;
}

static void wall_leave (struct wall_sweep *v, uint32_t i)
{
    struct wall_process *p = &v->process[i];
    uint32_t *first[2] = {&v->family[p->family].first, &v->first};

    for (int list = 0; list < 2; list++) {
        if (p->before[list] != WALL_NONE)
            v->process[p->before[list]].next[list] = p->next[list];
        else
            *first[list] = p->next[list];
        if (p->next[list] != WALL_NONE)
            v->process[p->next[list]].before[list] = p->before[list];
    }
    if (v->process[p->first].now == i)
        v->process[p->first].now = WALL_NONE;
}

static void wall_change (struct wall_sweep *v, const struct wall_edge *e)
{
    struct wall_process *p = &v->process[e->process];

    p->now_in[e->what] += (uint32_t)e->by;
    if (e->what == WALL_CHILD) {
        if (p->now != WALL_NONE)
            wall_touch (v, p->now);
        return;
    }
    wall_touch (v, e->process);
    if (e->what != WALL_ALIVE)
        return;
    if (e->by > 0)
        wall_enter (v, e->process);
    else
        wall_leave (v, e->process);
    p->alive = e->by > 0;
}

/* --- who has a part ---------------------------------------------------------
 */

static enum wall_doing wall_mode (const struct wall_family *f)
{
    if (f->count[WALL_TRAINS])
        return WALL_TRAINS;
    if (f->count[WALL_WORKS])
        return WALL_WORKS;
    return f->count[WALL_WAITS] ? WALL_WAITS : WALL_GONE;
}

static int wall_has_part (const struct wall_sweep *v,
                          const struct wall_process *p)
{
    return p->doing == v->mode || p->doing == v->family[p->family].mode;
}

/* Note when it is away. */
static void wall_settle (struct wall_sweep *v, uint32_t i, uint64_t time)
{
    struct wall_process *p = &v->process[i];
    uint64_t since = p->away;
    int away = p->alive && !wall_has_part (v, p);

    if (away == (since != UINT64_MAX))
        return;
    p->away = away ? time : UINT64_MAX;
    if (!away)
        spanlog_add (&v->w->away[i], since, time);
}

/* All that are alive, of a list. */
static void
wall_settle_all (struct wall_sweep *v, uint32_t first, int list, uint64_t time)
{
    for (uint32_t i = first; i != WALL_NONE; i = v->process[i].next[list])
        wall_settle (v, i, time);
}

static void
wall_count (struct wall_sweep *v, uint32_t family, uint8_t doing, int by)
{
    if (!doing)
        return;
    v->family[family].count[doing] += (uint32_t)by;
    v->count[doing] += (uint32_t)by;
}

static void wall_count_touched (struct wall_sweep *v)
{
    for (size_t k = 0; k < v->touches; k++) {
        struct wall_process *p = &v->process[v->touched[k]];

        wall_count (v, p->family, p->doing, -1);
        p->doing = (uint8_t)wall_doing (v, p);
        wall_count (v, p->family, p->doing, 1);
    }
}

/* All edges of a time have been taken. */
static void wall_look (struct wall_sweep *v, uint64_t time)
{
    uint8_t mode = v->mode;

    for (size_t k = 0; k < v->family_touches; k++) {
        struct wall_family *f = &v->family[v->touched_family[k]];

        v->parts -= f->mode ? f->count[f->mode] : 0;
    }
    wall_count_touched (v);
    for (size_t k = 0; k < v->family_touches; k++) {
        struct wall_family *f = &v->family[v->touched_family[k]];

        f->touched = (uint8_t)(1 + (f->mode != wall_mode (f)));
        f->mode = (uint8_t)wall_mode (f);
        v->parts += f->mode ? f->count[f->mode] : 0;
    }
    v->mode = WALL_GONE;
    if (!v->parts)
        for (v->mode = WALL_IDLES;
             v->mode < WALL_IS_CHILDREN && !v->count[v->mode];)
            v->mode++;
    for (size_t k = 0; k < v->touches; k++) {
        v->process[v->touched[k]].touched = 0;
        wall_settle (v, v->touched[k], time);
    }
    for (size_t k = 0; k < v->family_touches; k++) {
        struct wall_family *f = &v->family[v->touched_family[k]];

        if (f->touched > 1)
            wall_settle_all (v, f->first, 0, time);
        f->touched = 0;
    }
    v->touches = v->family_touches = 0;
    if (mode != v->mode)
        wall_settle_all (v, v->first, 1, time);
}

static uint64_t wall_parts (const struct wall_sweep *v)
{
    return v->mode ? v->count[v->mode] : v->parts;
}

/* Return the part of [start, end), in which no known process was there, in
 * which a process was there that recorded nothing. Starts only grow. */
static uint64_t wall_quiet (struct wall_sweep *v, uint64_t start, uint64_t end)
{
    const struct intervals *q = v->quiet;
    uint64_t ns = 0;

    while (v->quiet_at < q->count && q->item[v->quiet_at].end <= start)
        v->quiet_at++;
    for (size_t i = v->quiet_at; i < q->count && q->item[i].start < end; i++) {
        uint64_t from = MAX (q->item[i].start, start);
        uint64_t to = MIN (q->item[i].end, end);

        ns += to - from;
    }
    return ns;
}

static void wall_run (struct wall_sweep *v)
{
    uint64_t n = 0, before = 0;

    spanweights_add (&v->w->weights, 0, 0);
    for (size_t at = 0; at < v->edges;) {
        uint64_t time = v->edge[at].time;

        if (at)
            v->w->covered += n ? time - before : wall_quiet (v, before, time);
        for (; at < v->edges && v->edge[at].time == time; at++)
            wall_change (v, &v->edge[at]);
        wall_look (v, time);
        n = wall_parts (v);
        before = time;
        v->w->shared |= n > 1;
        spanweights_add (&v->w->weights, time, n);
    }
}

/* --- all of it --------------------------------------------------------------
 */

static void
wall_make (struct wall_sweep *v, struct totals *t, const unsigned char *trains)
{
    struct ancestry kin;
    ancestry_open (&kin, t);

    for (size_t f = 0; f < v->families; f++)
        v->family[f].first = WALL_NONE;
    for (size_t i = 0; i < t->processes; i++) {
        v->process[i].trains = trains[i];
        v->process[i].away = UINT64_MAX;
        v->process[i].now = WALL_NONE;
    }
    for (size_t i = 0; i < t->processes; i++)
        wall_live (v, &kin, i);
    ancestry_close (&kin);
    if (v->edges)
        SORT (v->edge, v->edges, wall_by_time);
    wall_run (v);
}

void wall_open (struct wall *w,
                const struct summary *s,
                struct totals *t,
                const unsigned char *trains)
{
    struct wall_sweep v = {.w = w,
                           .t = t,
                           .families = s->ranks,
                           .first = WALL_NONE,
                           .quiet = &s->coverage.quiet};

    *w = (struct wall){.shared = 0};
    NEW (w->away, t->processes + 1);
    NEW (w->spawn, t->processes + 1);
    NEW (w->brief, t->processes + 1);
    NEW (v.process, t->processes + 1);
    NEW (v.family, s->ranks + 1);
    NEW (v.touched, t->processes + 1);
    NEW (v.touched_family, s->ranks + 1);
    wall_make (&v, t, trains);
    spanweights_begin (&w->weights, s->end);
    free (v.edge);
    free (v.process);
    free (v.family);
    free (v.touched);
    free (v.touched_family);
}

static uint64_t wall_worth (const struct wall *w, uint64_t start, uint64_t end)
{
    if (w->shared)
        return spanweights_length (&w->weights, start, end);
    return end > start ? end - start : 0;
}

void wall_part (const struct wall *w,
                const struct totals *t,
                size_t process,
                uint64_t *part)
{
    const struct spanlog *away = &w->away[process];
    const struct spanlog *spawn = &w->spawn[process];
    uint64_t at = spawn->tail.count ? spawn->tail.item[0].start
                                    : t->process[process].start;
    enum { BATCH = 256 };
    uint64_t start[BATCH];
    uint32_t length[BATCH];
    struct span_cursor c = {.start = start, .length = length, .room = BATCH};
    spancursor_open (&c, away->first, &away->tail, 0, UINT64_MAX);

    *part = 0;
    if (!wall_takes_part (&t->process[process]))
        at = t->process[process].end;
    while (c.count) {
        for (c.at = 0; c.at < c.count; c.at++) {
            *part += wall_worth (w, at, start[c.at]);
            at = start[c.at] + span_cursor_length (&c, c.at);
        }
        spancursor_fill (&c);
    }
    spancursor_close (&c);
    *part += wall_worth (w, at, t->process[process].end);
}

int wall_is_away (const struct wall *w, const struct totals *t, size_t process)
{
    const struct process *p = &t->process[process];

    return spanlog_length (&w->away[process]) >=
           p->end - p->start + spanlog_length (&w->spawn[process]);
}

void wall_close (struct wall *w, const struct totals *t)
{
    for (size_t i = 0; w->away && i < t->processes; i++)
        spanlog_clear (&w->away[i]);
    for (size_t i = 0; w->spawn && i < t->processes; i++)
        spanlog_clear (&w->spawn[i]);
    free (w->away);
    free (w->spawn);
    free (w->brief);
    spanweights_clear (&w->weights);
}
