/* SPDX-License-Identifier: MIT
 *
 * coverage.c - the kernel's count of each process, totals -> parts of one sum
 *
 * In:  lines of shards/processes.HOST, or those that the merged trace has kept
 * Out: struct coverage, to summary.c
 *
 * The kernel's own part of an image is its end less its start; where it is not
 * known (several threads, and children that were waited for), all less what
 * these children had. What an image had with its children beyond what those
 * with a line had is not traced. A child that is not traced may have children
 * with a line: their count is taken off, too. A line without a count says whose
 * child a process was, and what the tracer moved in it.
 */
#include "config.h"

#include "analyze/facts/coverage.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/format/calls.h"
#include "lib/util/fsutil.h"

/* --- lines of processes -> images, by host, pid and start -------------------
 */

enum {
    IMAGES_MAX = 1 << 20, /* of a job; more are left out */
    PLACES_MAX = 4096
};

/* --- reading --------------------------------------------------------------
 */

/* Places in the program as the hook of Python tells them: OBJECT+OFFSET:
 * BYTES,CHANGED, kind, file. Files whose names differ in digits are one. */
static void counted_places (struct pointfaults *p, char *at)
{
    static const char *const kinds[] = {"read", "write", "file",
                                        "look", "start", "connect"};
    struct procplace place = {0};
    char text[2 * PATH_MAX], series[PATH_MAX];
    int n;

    while (proclines_place (&place, &at)) {
        if (place.kind >= ITEMS (kinds) ||
            pointfaults_count (p, POINTFAULT_SOURCE) >= PLACES_MAX)
            continue;
        (void)path_series (series, place.name);
        n = snprintf (text, sizeof (text),
                      "%s+0x%" PRIx64 ": %" PRIu64 ",%" PRIu64 "\x1f%s\x1f%s",
                      place.object, place.offset, place.bytes, place.changed,
                      kinds[place.kind], series);
        if (n > 0 && (size_t)n < sizeof (text))
            pointfaults_say (p, POINTFAULT_SOURCE, text, (size_t)n, 1);
    }
}

static int counted_add (const struct procrecord *r, void *cookie)
{
    struct counted *c = cookie;
    struct procrecord *image;
    char *host;

    if (c->count >= IMAGES_MAX) {
        c->cut = 1;
        return 0;
    }
    if (c->points && r->places)
        counted_places (c->points, r->places);
    GROW (c->image, c->room, c->count + 1);
    host = xstrdup (r->host);
    image = &c->image[c->count++];
    *image = *r;
    image->host = host;
    image->exe = image->reason = image->who = ""; /* they go */
    image->places = NULL;
    if (!r->all.known)
        memcpy (image->all.n, r->tracer.n, sizeof (image->all.n));
    return 0;
}

static int counted_compare (const struct procrecord *i,
                            const char *host,
                            uint32_t pid,
                            uint64_t start)
{
    int order = strcmp (i->host, host);

    return order ?: ORDER (i->pid, pid) ?: ORDER (i->start, start);
}

static int counted_order (const void *a, const void *b)
{
    const struct procrecord *x = a, *y = b;

    return counted_compare (x, y->host, y->pid, y->start)
               ?: x->all.known - y->all.known
               ?: x->order < y->order ? -1
                                      : 1;
}

/* An exec that failed, and a stage that was collected twice, repeat lines. */
static void counted_drop_repeated (struct counted *c)
{
    size_t used = 0;

    for (size_t i = 0; i < c->count; i++) {
        const struct procrecord *x = &c->image[i];

        if (i + 1 < c->count &&
            counted_compare (x, x[1].host, x[1].pid, x[1].start) == 0)
            free ((char *)(uintptr_t)x->host);
        else
            c->image[used++] = *x;
    }
    c->count = used;
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
        SORT (c->image, c->count, counted_order);
        counted_drop_repeated (c);
    }
    return rc;
}

void counted_clear (struct counted *c)
{
    for (size_t i = 0; i < c->count; i++)
        free ((char *)(uintptr_t)c->image[i].host);
    free (c->image);
    ZERO (c);
}

/* --- questions -------------------------------------------------------------
 */

/* The last one of a pid that began at time or before; NULL. */
static struct procrecord *counted_at (const struct counted *c,
                                      const char *host,
                                      uint32_t pid,
                                      uint64_t time)
{
    size_t low = FIRST_NOT (
        c->count, i, counted_compare (&c->image[i], host, pid, time) <= 0);

    if (low == 0 || c->image[low - 1].pid != pid ||
        strcmp (c->image[low - 1].host, host) != 0)
        return NULL;
    return &c->image[low - 1];
}

/* The image of a process that began at start; NULL: there is none. */
static struct procrecord *counted_find (const struct counted *c,
                                        const char *host,
                                        uint32_t pid,
                                        uint64_t start)
{
    struct procrecord *i = counted_at (c, host, pid, start);

    return i && i->start == start ? i : NULL;
}

/* --- all of it --------------------------------------------------------------
 */

enum {
    ADOPTERS_MAX = 1024, /* processes with children that have no line */
    LEVELS_MAX = 256     /* of processes, one below the other */
};

/* Facts about an image that its line does not have. */
struct coverage_work {
    const struct procrecord *before; /* the program that it replaced */
    int64_t children[COUNTED_SIDES]; /* ended in it, and have a line */
    int replaced;                    /* another image followed it */
    int orphan;                      /* its parent has no line */
};

static void coverage_add (struct coverage *c, int part, int side, int64_t n)
{
    c->part[part][side] += n;
}

static int coverage_same (const struct procrecord *a,
                          const struct procrecord *b)
{
    return a->pid == b->pid && strcmp (a->host, b->host) == 0;
}

/* --- who belongs to whom -------------------------------------------------- */

static void coverage_chain (const struct counted *l, struct coverage_work *w)
{
    for (size_t i = 1; i < l->count; i++) {
        const struct procrecord *x = &l->image[i];

        if (!coverage_same (x, x - 1) || !x[-1].exec || !x->start_all.known ||
            !x[-1].all.known)
            continue;
        w[i].before = x - 1;
        w[i - 1].replaced = 1;
    }
}

/* The nearest process above it that has a count; NULL: one between them has no
 * line of that time. */
static const struct procrecord *coverage_parent (const struct counted *l,
                                                 const struct procrecord *x)
{
    for (int n = 0; n < LEVELS_MAX; n++) {
        const struct procrecord *parent =
            counted_at (l, x->host, x->ppid, x->end);

        if (!parent || parent->end < x->end || parent == x)
            return NULL;
        if (parent->all.known)
            return parent;
        x = parent;
    }
    return NULL;
}

static void coverage_child (struct coverage_work *w, const struct procrecord *x)
{
    for (int side = 0; side < COUNTED_SIDES; side++)
        w->children[side] += (int64_t)x->all.n[side];
}

/* A child's count is in its parent's once that has waited for it. */
static void coverage_families (const struct counted *l, struct coverage_work *w)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct procrecord *x = &l->image[i], *parent;

        if (w[i].replaced)
            continue;
        parent = coverage_parent (l, x);
        w[i].orphan = !parent;
        if (parent)
            coverage_child (&w[parent - l->image], x);
    }
}

/* --- its bytes ------------------------------------------------------------ */

/* Its own bytes since it began. */
static int64_t coverage_own (const struct procrecord *x,
                             const struct coverage_work *w,
                             int side)
{
    if (x->own.known && (x->start_own.known || !x->start_all.known))
        return (int64_t)x->own.n[side] - (int64_t)x->start_own.n[side];
    return (int64_t)x->all.n[side] - (int64_t)x->start_all.n[side] -
           w->children[side];
}

/* Bytes before it began, that no other image has. */
static int64_t coverage_exec (const struct procrecord *x,
                              const struct coverage_work *w,
                              int side)
{
    const struct procrecord *before = w->before;

    if (!x->start_all.known)
        return 0; /* a child of fork */
    if (before)
        return x->start_all.n[side] - before->all.n[side];
    return x->start_own.known ? x->start_own.n[side] : x->start_all.n[side];
}

/* By children that it has waited for, and that have no line. */
static int64_t coverage_untraced (const struct counted *l,
                                  const struct coverage_work *w,
                                  size_t i,
                                  int side)
{
    int64_t n = l->image[i].all.n[side];

    if (w[i].replaced)
        return 0;
    for (;; i--) {
        n -= coverage_own (&l->image[i], &w[i], side) +
             coverage_exec (&l->image[i], &w[i], side) + w[i].children[side];
        if (!w[i].before)
            return n > 0 ? n : 0;
    }
}

/* --- children of a process without a line -------------------------------- */

/* Bytes of the last image of a process that no child with a line had: those of
 * children without a line and, if its own are not known, its own. */
static int64_t coverage_spare (const struct counted *l,
                               const struct coverage_work *w,
                               size_t i,
                               int side)
{
    return l->image[i].own.known ? coverage_untraced (l, w, i, side)
                                 : coverage_own (&l->image[i], &w[i], side);
}

/* The parent of the first traced process above an image. */
static uint32_t coverage_above (const struct counted *l,
                                const struct procrecord *x)
{
    const struct procrecord *parent;

    for (int n = 0; n < LEVELS_MAX && (parent = coverage_parent (l, x)); n++)
        x = parent;
    return x->ppid;
}

static int coverage_listed (const struct untraced *gone,
                            const struct procrecord *x)
{
    for (size_t i = 0; i < gone->count; i++)
        if (gone->item[i].pid == x->ppid && gone->item[i].time <= x->end &&
            strcmp (gone->item[i].host, x->host) == 0)
            return 1;
    return 0;
}

/* Did a process without a line, that p has waited for, start x? The list of
 * gone has its parent, or it is of p's session and no child of what started
 * the job's first processes. */
static int coverage_is_below (const struct counted *l,
                              const struct coverage_work *w,
                              size_t p,
                              const struct procrecord *x,
                              const struct untraced *gone)
{
    const struct procrecord *above = &l->image[p];
    size_t first = p;

    while (w[first].before)
        first--;
    if (x->start < l->image[first].start || x->end > above->end ||
        strcmp (above->host, x->host) != 0)
        return 0;
    for (int side = 0; side < COUNTED_SIDES; side++)
        if (coverage_spare (l, w, p, side) < (int64_t)x->all.n[side])
            return 0;
    return x->ppid > 1 && x->ppid != above->ppid &&
           x->ppid != coverage_above (l, above) &&
           (x->sid == above->sid || coverage_listed (gone, x));
}

/* The sum is right whichever of several possible ones has it. */
static void coverage_adopt (const struct counted *l,
                            struct coverage_work *w,
                            const struct untraced *gone)
{
    size_t adopter[ADOPTERS_MAX], n = 0;

    for (size_t i = 0; i < l->count && n < ADOPTERS_MAX; i++)
        if (!w[i].replaced && l->image[i].all.known &&
            (coverage_spare (l, w, i, COUNTED_READ) > 0 ||
             coverage_spare (l, w, i, COUNTED_WRITTEN) > 0))
            adopter[n++] = i;
    for (size_t i = 0; n && i < l->count; i++) {
        for (size_t k = 0; w[i].orphan && k < n; k++)
            if (adopter[k] != i &&
                coverage_is_below (l, w, adopter[k], &l->image[i], gone)) {
                coverage_child (&w[adopter[k]], &l->image[i]);
                break;
            }
    }
}

/* --- an image, part by part ----------------------------------------------- */

static void coverage_image (struct coverage *c,
                            const struct counted *l,
                            const struct coverage_work *w,
                            size_t i)
{
    const struct procrecord *x = &l->image[i];

    for (int side = 0; side < COUNTED_SIDES; side++) {
        int64_t exec = coverage_exec (x, &w[i], side);
        int64_t untraced = coverage_untraced (l, w, i, side);

        coverage_add (c, COVERAGE_KERNEL, side,
                      coverage_own (x, &w[i], side) + exec + untraced);
        coverage_add (c, COVERAGE_EXEC, side, exec);
        coverage_add (c, COVERAGE_UNTRACED, side, untraced);
        coverage_add (c, COVERAGE_TRACER, side, x->tracer.n[side]);
        coverage_add (c, COVERAGE_RECORDED, side, x->aio.n[side]);
        for (int k = 0; k < LEFTOUTS; k++)
            coverage_add (c, COVERAGE_LEFT + k, side, x->left[k].n[side]);
    }
    for (int k = 0; k < LEFTOUTS; k++) {
        c->left[k].calls += x->left[k].calls;
        c->left[k].ns += x->left[k].ns;
    }
}

/* --- what was recorded ---------------------------------------------------- */

/* Processors of the process, without the program that it replaced. */
static void coverage_times (struct process *p,
                            const struct counted *l,
                            const struct procrecord *image)
{
    const struct procrecord *before = image - 1;
    uint64_t cpu = image->cpu.n[0] + image->cpu.n[1];
    uint64_t delay = image->runq.n[0]; /* 0: not known, or none */

    if (!image->cpu.known)
        return;
    if (image > l->image && coverage_same (image, before) && before->exec) {
        uint64_t had = before->cpu.n[0] + before->cpu.n[1];

        if (!before->cpu.known || had > cpu)
            return;
        cpu -= had;
        delay -= MIN (delay, before->runq.n[0]);
    }
    p->cpu_ns = cpu;
    p->delay_ns = delay;
}

static void coverage_process (struct coverage *c,
                              const struct counted *l,
                              struct process *p)
{
    const struct shard_process *who = &p->who->p;
    const struct counts *n = &p->n;
    const struct procrecord *image = counted_find (
        l, p->who->text[SHARD_STRING_HOST], who->pid, who->start_real);

    if (!image || !image->all.known) {
        c->missing += (who->layers & LAYER_POSIX) != 0;
        return;
    }
    for (int k = 0; k < LEFTOUTS; k++)
        p->left_ns[k] = image->left[k].ns;
    p->gpu = image->gpu.known;
    coverage_times (p, l, image);
    coverage_add (c, COVERAGE_RECORDED, COUNTED_READ,
                  (n->call_read + n->stream_read));
    coverage_add (c, COVERAGE_RECORDED, COUNTED_WRITTEN,
                  (n->call_written + n->stream_written));
    coverage_add (c, COVERAGE_FILLS, COUNTED_READ,
                  (n->stream_filled - n->stream_read));
    coverage_add (c, COVERAGE_FILLS, COUNTED_WRITTEN,
                  (n->stream_flushed - n->stream_written));
}

static void coverage_rest (struct coverage *c)
{
    for (int side = 0; side < COUNTED_SIDES; side++) {
        int64_t rest = c->part[COVERAGE_KERNEL][side];

        for (int part = 0; part < COVERAGE_PARTS; part++)
            if (part != COVERAGE_KERNEL && part != COVERAGE_REST)
                rest -= c->part[part][side];
        c->part[COVERAGE_REST][side] = rest;
    }
}

int coverage_make (struct coverage *c,
                   const struct job *job,
                   struct totals *t,
                   const struct untraced *gone)
{
    struct counted l = {.points = &t->tally.points};
    struct coverage_work *w = NULL;
    int rc = -1;

    coverage_clear (c);
    if (t->part)
        return 0;
    if (counted_load (&l, job) < 0)
        goto out;
    NEW (w, l.count + 1);
    rc = 0;
    for (size_t i = 0; i < l.count; i++)
        c->programs += l.image[i].all.known;
    c->known = c->programs > 0;
    c->cut = l.cut;
    coverage_chain (&l, w);
    coverage_families (&l, w);
    coverage_adopt (&l, w, gone);
    for (size_t i = 0; i < l.count; i++)
        coverage_image (c, &l, w, i);
    for (size_t i = 0; rc == 0 && i < l.count; i++)
        if (l.image[i].quiet && l.image[i].all.known)
            intervals_add (&c->quiet, l.image[i].start, l.image[i].end);
    for (size_t i = 0; i < t->processes; i++)
        coverage_process (c, &l, &t->process[i]);
    coverage_rest (c);
out:
    free (w);
    counted_clear (&l);
    return rc;
}

void coverage_clear (struct coverage *c)
{
    intervals_clear (&c->quiet);
    ZERO (c);
}

const char *coverage_title (int part)
{
    static const char *const titles[COVERAGE_PARTS] = {
        "counted by the kernel",
        "recorded",
        "buffers of streams",
        "exec and loader",
        "tracer",
        "not traced",
        "rest",
#define LEFTOUT(WORD, TITLE, HELP) "left out: " TITLE,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };

    return titles[part];
}

uint64_t coverage_left_ns (const struct coverage *c)
{
    uint64_t ns = 0;

    for (int k = 0; k < LEFTOUTS; k++)
        ns += c->left[k].ns;
    return ns;
}

int64_t coverage_named (const struct coverage *c, int side)
{
    return c->part[COVERAGE_KERNEL][side] - c->part[COVERAGE_REST][side];
}
