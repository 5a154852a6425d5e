/* SPDX-License-Identifier: MIT
 *
 * counted.c - lines of processes -> images, by host, pid and start
 */
#include "config.h"

#include "analyze/facts/counted.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"

enum { IMAGES_MAX = 1 << 20 /* of a job; more are left out */ };

/* --- reading --------------------------------------------------------------
 */

static int counted_add (const struct procrecord *r, void *cookie)
{
    struct counted *c = cookie;
    struct procrecord *image = c->image;
    char *host;

    if (!r->all.known)
        return 0;
    if (c->count >= IMAGES_MAX) {
        c->cut = 1;
        return 0;
    }
    if (c->count == c->room) {
        size_t room = c->room ? c->room * 2 : 64;

        if (!(image = realloc (image, room * sizeof (*image))))
            return -1;
        c->image = image;
        c->room = room;
    }
    if (!(host = strdup (r->host)))
        return -1;
    image += c->count++;
    *image = *r;
    image->host = host;
    image->exe = image->reason = image->who = ""; /* they go */
    return 0;
}

static int counted_compare (const struct procrecord *i,
                            const char *host,
                            uint32_t pid,
                            uint64_t start)
{
    int order = strcmp (i->host, host);

    if (order)
        return order;
    if (i->pid != pid)
        return i->pid < pid ? -1 : 1;
    return i->start == start ? 0 : i->start < start ? -1 : 1;
}

static int counted_order (const void *a, const void *b)
{
    const struct procrecord *x = a, *y = b;
    int order = counted_compare (x, y->host, y->pid, y->start);

    return order ? order : x->order < y->order ? -1 : 1;
}

/* An exec that failed, and a stage that was collected twice, repeat lines. */
static void counted_drop_repeated (struct counted *c)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        const struct procrecord *x = &c->image[i];

        if (i + 1 < c->count &&
            counted_compare (x, x[1].host, x[1].pid, x[1].start) == 0)
            free ((char *)(uintptr_t)x->host);
        else
            c->image[kept++] = *x;
    }
    c->count = kept;
}

/* Those in the merged trace of a job directory, or in its files. */
static int counted_load_kept (struct proclines *p, const struct job *job)
{
    char *path = job->dir ? path_join (job->dir, "trace.dft") : NULL;
    int rc = job->dir && !path ? -1 : 0;
    size_t n;

    for (size_t i = 0; rc == 0 && (path ? i == 0 : i < job->sources); i++) {
        char *text = tracefile_lines (path ? path : job->source[i].path, &n);

        if (text)
            rc = proclines_read_kept (p, text, n);
        free (text);
    }
    free (path);
    return rc;
}

int counted_load (struct counted *c, const struct job *job)
{
    struct proclines p = {
        .kinds = PROCRECORD_TRACED, .f = counted_add, .cookie = c};
    int rc = proclines_read (&p, job->dir);

    if (rc == 0 && !c->count)
        rc = counted_load_kept (&p, job);
    c->cut |= p.cut;
    if (c->count) {
        qsort (c->image, c->count, sizeof (*c->image), counted_order);
        counted_drop_repeated (c);
    }
    return rc;
}

void counted_clear (struct counted *c)
{
    for (size_t i = 0; i < c->count; i++)
        free ((char *)(uintptr_t)c->image[i].host);
    free (c->image);
    memset (c, 0, sizeof (*c));
}

/* --- questions -------------------------------------------------------------
 */

struct procrecord *counted_at (const struct counted *c,
                               const char *host,
                               uint32_t pid,
                               uint64_t time)
{
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (counted_compare (&c->image[middle], host, pid, time) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || c->image[low - 1].pid != pid ||
        strcmp (c->image[low - 1].host, host) != 0)
        return NULL;
    return &c->image[low - 1];
}

struct procrecord *counted_find (const struct counted *c,
                                 const char *host,
                                 uint32_t pid,
                                 uint64_t start)
{
    struct procrecord *i = counted_at (c, host, pid, start);

    return i && i->start == start ? i : NULL;
}
