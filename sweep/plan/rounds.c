/* SPDX-License-Identifier: MIT
 *
 * rounds.c - chunks <-> jobs/round.N and jobs/NAME.map
 *
 * Caveat: what runs is in the maps and never computed again: a later version
 *      of the shuffle, or a longer axis, must not move a task.
 */
#include "config.h"

#include "lib/util/fsutil.h"
#include "sweep/plan/sweepdir.h"

enum { MAP_BYTES_MAX = 512 * 1024 * 1024, ROUND_BYTES_MAX = 16 * 1024 * 1024 };

/* -- write ------------------------------------------------------------- */

static size_t rounds_run_key (const struct run *r, int repeats)
{
    return ((size_t)r->point * (size_t)repeats + (size_t)r->repeat) * 2 +
           (size_t)r->control;
}

static int most_repeats (const struct layout *l)
{
    int most = 0;

    for (size_t i = 0; i < l->runs; i++)
        if (l->run[i].repeat >= most)
            most = l->run[i].repeat + 1;
    return most;
}

/* Place of every run in the order of the round. */
static size_t *positions (const struct grid *g, const struct layout *l)
{
    int repeats = most_repeats (l);
    size_t *position =
        arena_array (g->count * (size_t)repeats * 2 + 1, sizeof (size_t));

    for (size_t i = 0; i < l->runs; i++)
        position[rounds_run_key (&l->run[i], repeats)] = i;
    return position;
}

/* Return the position of every task of a chunk in its round's order. */
static const size_t *positions_of (const struct layout *l,
                                   const struct chunk *c,
                                   const size_t *position)
{
    size_t *own = arena_array ((size_t)c->count + 1, sizeof (*own));
    int repeats = most_repeats (l);

    for (int i = 0; i < c->count; i++)
        own[i] = position[rounds_run_key (&c->run[i], repeats)];
    return own;
}

static void
write_map (const char *path, const struct grid *g, const struct chunk *c)
{
    struct atomic_file *file =
        xatomic_open (arena_format ("%s/jobs/%s.map", path, c->name), 0644);

    for (int i = 0; i < c->count; i++)
        fprintf (atomic_stream (file), "%d\t%s\t%s\t%d\t%zu\n", i,
                 run_id (g, c->run[i]), g->point[c->run[i].point].label,
                 c->run[i].repeat, c->position[i]);
    xatomic_commit (file);
}

/* The list of the round's chunks; what it says is true from now on. */
static void
rounds_write_list (const char *path, const struct layout *l, int round)
{
    struct atomic_file *file =
        xatomic_open (arena_format ("%s/jobs/round.%d", path, round), 0644);

    for (size_t i = 0; i < l->chunks; i++) {
        const struct chunk *c = &l->chunk[i];

        if (c->round == round)
            fprintf (atomic_stream (file), "%s\t%d\t%d\t%d\t%s\t%g\t%g\t%s\n",
                     c->name, c->group, c->count, c->throttle,
                     c->after < 0 ? "-" : l->chunk[c->after].name, c->grow_time,
                     c->grow_mem, c->nodes ? c->nodes : "-");
    }
    xatomic_commit (file);
}

void round_write (const char *path,
                  const struct grid *g,
                  const struct layout *l,
                  int round)
{
    const size_t *position = positions (g, l);

    for (size_t i = 0; i < l->chunks; i++) {
        l->chunk[i].position = positions_of (l, &l->chunk[i], position);
        write_map (path, g, &l->chunk[i]);
    }
    rounds_write_list (path, l, round);
}

/* -- split ------------------------------------------------------------- */

static struct chunk
rounds_part_of (const struct chunk *c, char letter, int from, int count)
{
    struct chunk part = *c;
    size_t n = strlen (c->name);

    part.name[n] = letter;
    part.name[n + 1] = '\0';
    part.run = c->run + from;
    part.position = c->position + from;
    part.count = count;
    return part;
}

void round_split (struct sweepdir *d, size_t n)
{
    struct layout *l = d->layout;
    const struct chunk whole = l->chunk[n];
    struct chunk *chunk = arena_array (l->chunks + 1, sizeof (*chunk));
    int half = whole.count / 2;

    if (half < 1 || strlen (whole.name) + 2 > sizeof (whole.name))
        die ("%s: cannot be divided", whole.name);
    memcpy (chunk, l->chunk, n * sizeof (*chunk));
    memcpy (chunk + n + 2, l->chunk + n + 1,
            (l->chunks - n - 1) * sizeof (*chunk));
    chunk[n] = rounds_part_of (&whole, 'a', 0, half);
    chunk[n + 1] = rounds_part_of (&whole, 'b', half, whole.count - half);
    for (size_t i = 0; i <= l->chunks; i++)
        if (chunk[i].after >= (int)n)
            chunk[i].after++;
    if (whole.throttle)
        chunk[n + 1].after = (int)n; /* the limit is over both */
    l->chunk = chunk;
    l->chunks++;
    write_map (d->path, d->grid, &chunk[n]);
    write_map (d->path, d->grid, &chunk[n + 1]);
    rounds_write_list (d->path, l, whole.round);
    unlink (arena_format ("%s/jobs/%s.map", d->path, whole.name));
}

/* -- what no round has ------------------------------------------------- */

struct run *rounds_missing (const struct sweepdir *d,
                            const struct spec *s,
                            const struct grid *g,
                            size_t *count)
{
    struct layout *l = layout_make (s, g, d->max_tasks);
    struct run *run = arena_array (l->runs + 1, sizeof (*run));
    struct strmap *known = strmap_create ();

    *count = 0;
    for (size_t i = 0; i < d->layout->runs; i++) {
        const char *id = run_id (d->grid, d->layout->run[i]);

        strmap_intern (known, id, strlen (id), NULL);
    }
    for (size_t i = 0; i < l->runs; i++) {
        const char *id = run_id (g, l->run[i]);

        if (strmap_find (known, id, strlen (id)) < 0)
            run[(*count)++] = l->run[i];
    }
    strmap_destroy (known);
    return run;
}

/* -- read -------------------------------------------------------------- */

struct reading {
    struct sweepdir *sweep;
    struct layout *layout;
    char *seen;   /* per run_key: is in layout->run */
    size_t first; /* of the runs of this round in layout->run */
    size_t *position;
};

static _Noreturn void rounds_damaged (const char *path)
{
    die ("%s: damaged: start over in another directory", path);
}

static void run_add (struct reading *r, struct run run, size_t position)
{
    struct layout *l = r->layout;
    size_t key = rounds_run_key (&run, r->sweep->spec->repeats);

    if (r->seen[key])
        return;
    r->seen[key] = 1;
    r->position = arena_grow (r->position, l->runs, sizeof (*r->position));
    l->run = arena_grow (l->run, l->runs, sizeof (*l->run));
    r->position[l->runs] = position;
    l->run[l->runs++] = run;
}

static void rounds_read_map (struct reading *r, struct chunk *c)
{
    struct sweepdir *d = r->sweep;
    const char *path = arena_format ("%s/jobs/%s.map", d->path, c->name);
    char *rest = xread_file (path, MAP_BYTES_MAX), *line;
    struct run *run = arena_array ((size_t)c->count + 1, sizeof (*run));
    size_t *own = arena_array ((size_t)c->count + 1, sizeof (*own));
    int n = 0, index;

    while ((line = strsep (&rest, "\n"))) {
        char id[128];

        if (!*line)
            continue;
        if (n >= c->count ||
            sscanf (line, "%d\t%127[^\t]\t%*[^\t]\t%*d\t%zu", &index, id,
                    &own[n]) < 2 ||
            index != n || sweepdir_run_of_id (d, id, &run[n]) < 0)
            rounds_damaged (path);
        run_add (r, run[n], own[n]);
        n++;
    }
    if (n != c->count)
        rounds_damaged (path);
    c->run = run;
    c->position = own;
}

static int chunk_of_name (const struct layout *l, const char *name)
{
    for (size_t i = 0; i < l->chunks; i++)
        if (!strcmp (l->chunk[i].name, name))
            return (int)i;
    return -1;
}

static void read_chunk (struct reading *r, const char *line, int round)
{
    struct layout *l = r->layout;
    struct chunk c = {.round = round};
    char after[sizeof (c.name)];
    int end = 0;

    if (sscanf (line, "%47[^\t]\t%d\t%d\t%d\t%47[^\t]\t%lf\t%lf%n", c.name,
                &c.group, &c.count, &c.throttle, after, &c.grow_time,
                &c.grow_mem, &end) != 7 ||
        c.count < 1)
        rounds_damaged ("jobs/round");
    if (line[end] == '\t' && strcmp (line + end + 1, "-"))
        c.nodes = line + end + 1;
    c.after = chunk_of_name (l, after);
    rounds_read_map (r, &c);
    l->chunk = arena_grow (l->chunk, l->chunks, sizeof (c));
    l->chunk[l->chunks++] = c;
}

static int by_position (const void *x, const void *y, void *cookie)
{
    const size_t *position = cookie;
    size_t i = position[*(const size_t *)x], j = position[*(const size_t *)y];

    return i < j ? -1 : i > j;
}

/* The runs that are new in this round, in its order. */
static void sort_new (struct reading *r)
{
    struct layout *l = r->layout;
    size_t count = l->runs - r->first;
    size_t *order = arena_array (count + 1, sizeof (*order));
    struct run *sorted = arena_array (count + 1, sizeof (*sorted));

    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        order[i] = r->first + i;
    qsort_r (order, count, sizeof (*order), by_position, r->position);
    for (size_t i = 0; i < count; i++)
        sorted[i] = l->run[order[i]];
    memcpy (l->run + r->first, sorted, count * sizeof (*sorted));
    r->first = l->runs;
}

void rounds_read (struct sweepdir *d)
{
    struct reading r = {.sweep = d};

    d->layout = r.layout = arena_alloc (sizeof (*d->layout));
    r.seen = arena_alloc (d->grid->count * (size_t)d->spec->repeats * 2 + 1);
    for (d->rounds = 0;; d->rounds++) {
        const char *path =
            arena_format ("%s/jobs/round.%d", d->path, d->rounds);
        char *rest, *line;

        if (d->rounds && access (path, F_OK) < 0)
            return;
        rest = xread_file (path, ROUND_BYTES_MAX);
        while ((line = strsep (&rest, "\n")))
            if (*line)
                read_chunk (&r, line, d->rounds);
        sort_new (&r);
    }
}
