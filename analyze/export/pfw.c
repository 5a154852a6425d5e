/* SPDX-License-Identifier: MIT
 *
 * pfw.c - traces of a job -> DFTracer's JSON lines (dialect of 2025)
 *
 * In:  struct parts, from parts.c
 * Out: combined.pfw.gz: "[", a line per event or name, "]"; hashes are 16 hex
 *      digits; times are microseconds of CLOCK_REALTIME
 *
 * Each worker takes the next events while the others may not, makes and packs
 * their lines while they do theirs, and writes when its turn has come.
 */
#include "config.h"

#include "analyze/export/pfw.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/gzblock.h"
#include "lib/util/gzpack.h"
#include "analyze/export/pfwtake.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/progress.h"

enum { PFW_MODE = 0600 };

struct pfw {
    struct pfw_taker *taker;
    struct gzblock gz;
    uint64_t events; /* written */
    /* of the workers */
    pthread_mutex_t taking, writing;
    pthread_cond_t turn_over;
    uint64_t taken, written; /* members */
    int failed;              /* errno */
};

/* A worker's. */
struct piece {
    struct pfw_records records;
    struct outbuf lines;
    struct gzpack *pack;
    struct gzmember member;
    size_t events;
    uint64_t number;
};

/* 1, 0 at the end, -1. */
static int pfw_take_piece (struct pfw *p, struct piece *m)
{
    int rc;

    (void)pthread_mutex_lock (&p->taking);
    rc = pfw_taker_next (p->taker, &m->records, &m->events);
    m->number = p->taken;
    p->taken += rc > 0;
    (void)pthread_mutex_unlock (&p->taking);
    return rc;
}

static void find_times (struct piece *m)
{
    m->member.first_time = m->member.last_time = 0;
    for (size_t i = 0; i < m->records.count; i++) {
        uint64_t us = m->records.item[i].us;

        if (us && (!m->member.first_time || us < m->member.first_time))
            m->member.first_time = us;
        if (us > m->member.last_time)
            m->member.last_time = us;
    }
}

static int make (struct piece *m)
{
    m->lines.n = 0;
    if (pfw_lines_put (&m->lines, &m->records) < 0)
        return -1;
    find_times (m);
    m->member.lines = m->records.count;
    m->member.plain = m->lines.n;
    m->member.packed =
        gzpack_member (m->pack, m->lines.p, m->lines.n, &m->member.bytes);
    return m->member.packed ? 0 : -1;
}

/* Write a member after all before it; rc < 0: it could not be made. Returns
 * what is to be done: 0 go on, -1 stop. */
static int pfw_put (struct pfw *p, const struct piece *m, int rc)
{
    int error = errno;

    (void)pthread_mutex_lock (&p->writing);
    while (p->written < m->number && !p->failed)
        (void)pthread_cond_wait (&p->turn_over, &p->writing);
    if (rc == 0 && !p->failed && (rc = gzblock_put (&p->gz, &m->member)) < 0)
        error = errno;
    if (rc < 0 && !p->failed)
        p->failed = error ? error : EIO;
    p->written++;
    p->events += m->events;
    rc = p->failed ? -1 : 0;
    (void)pthread_cond_broadcast (&p->turn_over);
    (void)pthread_mutex_unlock (&p->writing);
    progress_add (m->events);
    return rc;
}

static void pfw_work (void *cookie, size_t index, int worker)
{
    struct pfw *p = cookie;
    struct piece m = {.pack = gzpack_create ()};
    int rc = m.pack ? 0 : -1;

    (void)index;
    (void)worker;
    while (m.pack && (rc = pfw_take_piece (p, &m)) > 0)
        if (pfw_put (p, &m, make (&m)) < 0)
            break;
    if (rc < 0)
        (void)pfw_put (p, &m, -1);
    pfw_records_clear (&m.records);
    outbuf_clear (&m.lines);
    gzpack_destroy (m.pack);
}

/* --- files ------------------------------------------------------------------
 */

static uint64_t events_of (const struct parts *parts)
{
    uint64_t events = 0;

    for (size_t i = 0; i < parts->count; i++)
        for (size_t c = 0; c < parts->item[i].chunks; c++)
            events += parts->item[i].chunk[c]->events;
    return events;
}

static int write_lines (const struct parts *parts,
                        FILE *out,
                        FILE *index,
                        struct pfw_report *report)
{
    struct pfw p = {.taking = PTHREAD_MUTEX_INITIALIZER,
                    .writing = PTHREAD_MUTEX_INITIALIZER,
                    .turn_over = PTHREAD_COND_INITIALIZER};
    size_t threads = (size_t)pool_threads ();
    int rc = -1;

    if (gzblock_open (&p.gz, out, index) < 0 ||
        !(p.taker = pfw_taker_create (parts)))
        return -1;
    progress_start ("export", events_of (parts), "events");
    if (pool_run (threads, (int)threads, pfw_work, &p) == 0)
        rc = p.failed ? -1 : 0;
    progress_end ();
    report->events = p.events;
    report->moments = pfw_taker_moments (p.taker);
    report->bad = pfw_taker_bad (p.taker);
    pfw_taker_destroy (p.taker);
    errno = p.failed;
    return rc;
}

int pfw_write (const struct parts *parts,
               const char *path,
               struct pfw_report *report,
               struct errtext *err)
{
    char *idx = text_format ("%s.idx", path);
    struct atomic_file *lines = atomic_open (path, PFW_MODE, err);
    struct atomic_file *index =
        idx && lines ? atomic_open (idx, PFW_MODE, err) : NULL;

    free (idx);
    memset (report, 0, sizeof (*report));
    if (!index) {
        atomic_abort (lines);
        return -1;
    }
    if (write_lines (parts, atomic_stream (lines), atomic_stream (index),
                     report) < 0) {
        (void)errf (err, "%s: cannot write: %s", path, strerror (errno));
        atomic_abort (lines);
        atomic_abort (index);
        return -1;
    }
    if (atomic_commit (lines, err) < 0) {
        atomic_abort (index);
        return -1;
    }
    return atomic_commit (index, err);
}
