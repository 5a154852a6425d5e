/* SPDX-License-Identifier: MIT
 *
 * jobscan.c - the trace of a job -> what happened when
 *
 * In:  the files that jobfiles.c finds
 * Out: shares of time and bytes in bins, sizes, durations, steps
 */
#include "config.h"

#include "report/job/jobscan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/record/event.h"
#include "lib/core/tracefile.h"
#include "report/job/jobbins.h"
#include "report/job/jobfiles.h"
#include "report/job/regions.h"

enum { ROLE_UNKNOWN = 0xff, ARGUMENT_END = 0x1f };

/* What is remembered of a name while its chunk is read. */
struct seen {
    uint8_t role;    /* ROLE_UNKNOWN: not looked at */
    uint64_t end[2]; /* offset + 1 after the last read, write; 0: none */
};

struct scanner {
    struct jobscan *s;
    struct scan_process *p;
    const struct trace_process *who;
    struct decoder decoder;
    unsigned char *payload;
    size_t payload_room;
    struct seen *seen; /* by dictionary id of the chunk */
    size_t seen_room;
    struct stretches lane[LANE_COUNT];
};

/* --- events ----------------------------------------------------------- */

static int class_of (uint8_t class)
{
    switch (class) {
    case CALL_CLASS_READ:
        return SCAN_READ;
    case CALL_CLASS_WRITE:
        return SCAN_WRITE;
    case CALL_CLASS_META:
        return SCAN_META;
    case CALL_CLASS_SYNC:
        return SCAN_SYNC;
    default:
        return -1;
    }
}

static void forget (struct seen *seen, size_t n)
{
    for (size_t i = 0; i < n; i++)
        seen[i] = (struct seen){ROLE_UNKNOWN, {0, 0}};
}

/* NULL when memory is short. */
static struct seen *seen_at (struct scanner *sc, uint32_t id)
{
    if (id >= sc->seen_room) {
        size_t room = 2 * (size_t)id + 64;
        struct seen *bigger = reallocarray (sc->seen, room, sizeof (*bigger));

        if (!bigger)
            return NULL;
        forget (bigger + sc->seen_room, room - sc->seen_room);
        sc->seen = bigger;
        sc->seen_room = room;
    }
    return &sc->seen[id];
}

static int take_access (struct scanner *sc, const struct event *ev, int written)
{
    struct seen *seen = seen_at (sc, ev->file);
    uint64_t here = (uint64_t)ev->offset + 1;
    enum scan_access how = ACCESS_FIRST;

    if (!seen)
        return -1;
    if (ev->offset >= 0 && seen->end[written])
        how = here == seen->end[written]  ? ACCESS_CONSECUTIVE
              : here > seen->end[written] ? ACCESS_FORWARD
                                          : ACCESS_BACKWARD;
    seen->end[written] = ev->offset >= 0 ? here + (uint64_t)ev->ret : 0;
    sc->s->access[written][how]++;
    return 0;
}

static int take_call (struct scanner *sc,
                      const struct event *ev,
                      uint64_t from,
                      uint64_t to)
{
    const struct name *name = decoder_name (&sc->decoder, ev->file);
    int class = class_of (call_table[ev->call].class);

    if (class < 0 || !name || name->kind != SHARD_NAME_FILE ||
        name->class != FILE_CLASS_STORAGE)
        return 0;
    sc->p->class_s[class] += (double)(to - from) / 1e9;
    scan_hist_add (&sc->s->latency[class], to - from);
    bins_lane (sc->s, sc->p, &sc->lane[LANE_IO], LANE_IO, from, to);
    if (class > SCAN_WRITE || ev->err != 0 || ev->ret < 0)
        return 0;
    scan_hist_add (&sc->s->size[class], (uint64_t)ev->ret);
    bins_bytes (sc->s, sc->p, class, from, to, (uint64_t)ev->ret);
    bins_ended (sc->s, class, to, (uint64_t)ev->ret);
    return take_access (sc, ev, class);
}

static int take_step (struct scanner *sc, uint64_t from, uint64_t to)
{
    struct jobscan *s = sc->s;

    s->steps_seen++;
    if (s->steps == SCAN_STEPS_MAX)
        return 0;
    if ((s->steps & (s->steps - 1)) == 0) {
        size_t room = s->steps ? 2 * s->steps : 1;
        struct scan_step *step = reallocarray (s->step, room, sizeof (*step));

        if (!step)
            return -1;
        s->step = step;
    }
    s->step[s->steps++] =
        (struct scan_step){(double)(bins_clamp (s, from) - s->t0) / 1e9,
                           (double)(to - from) / 1e9, sc->p->rank};
    return 0;
}

enum { ROLE_STEP = 0x80 }; /* compute/step */

static uint8_t name_role (const struct name *name)
{
    char text[256];
    size_t n =
        name->length < sizeof (text) - 2 ? name->length : sizeof (text) - 2;
    const char *second;
    uint8_t role;

    memcpy (text, name->text, n);
    text[n] = text[n + 1] = '\0';
    second = text + strlen (text) + 1;
    role = (uint8_t)region_role (text, second);
    if (role == REGION_COMPUTE && strcmp (second, "step") == 0)
        role |= ROLE_STEP;
    return role;
}

static int role_at (struct scanner *sc, uint32_t id, uint8_t *role)
{
    const struct name *name = decoder_name (&sc->decoder, id);
    struct seen *seen;

    *role = REGION_OTHER;
    if (!name || name->kind != SHARD_NAME_EVENT)
        return 0;
    if (!(seen = seen_at (sc, id)))
        return -1;
    if (seen->role == ROLE_UNKNOWN)
        seen->role = name_role (name);
    *role = seen->role;
    return 0;
}

static int take_region (struct scanner *sc,
                        const struct event *ev,
                        uint64_t from,
                        uint64_t to)
{
    static const int lanes[] = {[REGION_OTHER] = -1,
                                [REGION_COMPUTE] = LANE_COMPUTE,
                                [REGION_LOADER] = LANE_LOADER,
                                [REGION_STALL] = LANE_STALL,
                                [REGION_CHECKPOINT] = LANE_CHECKPOINT};
    uint8_t role;
    int lane;

    if (role_at (sc, ev->file, &role) < 0)
        return -1;
    lane = lanes[role & ~ROLE_STEP];
    if (lane >= 0)
        bins_lane (sc->s, sc->p, &sc->lane[lane], (size_t)lane, from, to);
    return role & ROLE_STEP ? take_step (sc, from, to) : 0;
}

static int take_event (struct scanner *sc, const struct event *ev)
{
    uint64_t from = trace_real_ns (sc->who, ev->start);
    uint64_t to = trace_real_ns (sc->who, ev->end);

    sc->s->events++;
    sc->p->events++;
    if (to < from)
        to = from;
    if (ev->call == CALL_region)
        return take_region (sc, ev, from, to);
    return call_table[ev->call].class == CALL_CLASS_APP
               ? 0
               : take_call (sc, ev, from, to);
}

/* --- chunks and files ------------------------------------------------- */

static int take_chunk (struct scanner *sc,
                       const struct tracefile *f,
                       const struct trace_chunk *c)
{
    struct event ev;
    ssize_t n;
    int rc;

    if (c->present > sc->payload_room) {
        unsigned char *bigger = realloc (sc->payload, c->present);

        if (!bigger)
            return -1;
        sc->payload = bigger;
        sc->payload_room = c->present;
    }
    if ((n = tracefile_read (f, c, sc->payload)) < 0) {
        sc->s->unreadable++;
        return 0;
    }
    if (decoder_begin (&sc->decoder, &c->head, sc->payload, (size_t)n) < 0)
        return -1;
    forget (sc->seen, sc->seen_room);
    while ((rc = decoder_next (&sc->decoder, &ev)) == 1)
        if (take_event (sc, &ev) < 0)
            return -1;
    sc->s->unreadable += rc < 0 && errno != ENOMEM;
    for (size_t i = 0; i < LANE_COUNT; i++)
        bins_flush (sc->s, sc->p, &sc->lane[i], i);
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

static int add_processes (struct jobscan *s, const struct tracefile *f)
{
    size_t n = tracefile_processes (f);
    struct scan_process *p =
        reallocarray (s->process, s->processes + n + 1, sizeof (*p));

    if (!p)
        return -1;
    s->process = p;
    for (size_t i = 0; i < n; i++) {
        const struct trace_process *who = tracefile_process (f, i);

        p = &s->process[s->processes++];
        memset (p, 0, sizeof (*p));
        p->pid = who->p.pid;
        p->ppid = who->p.ppid;
        p->rank = who->p.rank;
        p->host = strdup (who->text[SHARD_STRING_HOST]);
        p->command = strdup (who->text[SHARD_STRING_ARGV]);
        if (!p->host || !p->command)
            return -1;
        for (char *c = p->command; *c; c++)
            *c = *c == ARGUMENT_END ? ' ' : *c;
    }
    return 0;
}

static int take_file (struct jobscan *s, const char *path, struct errtext *err)
{
    struct tracefile *f = tracefile_open (path, err);
    struct scanner *sc = calloc (1, sizeof (*sc));
    size_t first = s->processes;
    int rc = -1;

    if (!f && sc) { /* damage is analyze's to report; the banner says it */
        s->unreadable++;
        rc = 0;
    } else if (f && sc && add_processes (s, f) == 0) {
        rc = 0;
        sc->s = s;
        for (size_t i = 0; rc == 0 && i < tracefile_chunks (f); i++) {
            const struct trace_chunk *c = tracefile_chunk (f, i);

            if (c->head.proc >= tracefile_processes (f))
                continue;
            sc->p = &s->process[first + c->head.proc];
            sc->who = tracefile_process (f, c->head.proc);
            rc = take_chunk (sc, f, c);
        }
    }
    if (rc < 0)
        (void)errf (err, "%s: %s", path, strerror (ENOMEM));
    if (sc) {
        decoder_end (&sc->decoder);
        free (sc->payload);
        free (sc->seen);
        free (sc);
    }
    tracefile_close (f);
    return rc;
}

static int take_job (struct jobscan *s, const char *dir, struct errtext *err)
{
    struct jobfiles f;
    int rc = jobfiles_find (&f, dir, err);

    for (size_t i = 0; rc == 0 && i < f.count; i++)
        rc = take_file (s, f.path[i], err);
    jobfiles_clear (&f);
    return rc;
}

static int by_rank (const void *a, const void *b)
{
    const struct scan_process *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static void finish (struct jobscan *s)
{
    if (s->processes)
        qsort (s->process, s->processes, sizeof (*s->process), by_rank);
    for (size_t i = 0; i < s->processes; i++)
        for (size_t lane = 0; lane < LANE_COUNT; lane++)
            for (size_t k = 0; k < SCAN_BINS; k++) {
                float *v = &s->process[i].busy[lane][k];

                *v = *v > 1 ? 1 : *v;
                s->process[i].lane_s[lane] += *v * jobscan_bin_seconds (s);
            }
}

struct jobscan *
jobscan_load (const char *dir, uint64_t t0, uint64_t t1, struct errtext *err)
{
    struct jobscan *s = calloc (1, sizeof (*s));

    if (!s) {
        (void)errf (err, "%s: %s", dir, strerror (ENOMEM));
        return NULL;
    }
    s->t0 = t0;
    s->t1 = t1 > t0 ? t1 : t0 + 1;
    if (take_job (s, dir, err) < 0) {
        jobscan_destroy (s);
        return NULL;
    }
    finish (s);
    return s;
}

void jobscan_destroy (struct jobscan *s)
{
    int saved = errno;

    if (s) {
        for (size_t i = 0; i < s->processes; i++) {
            free (s->process[i].host);
            free (s->process[i].command);
        }
        free (s->process);
        free (s->step);
        free (s);
    }
    errno = saved;
}
