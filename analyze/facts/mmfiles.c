/* SPDX-License-Identifier: MIT
 *
 * mmfiles.c - what all processes of a node say of a file -> its bytes
 *
 * In:  bytes of each process by file, from what its page tables gained; what
 *      the page cache of the node gained of each file, where its owner looked
 * Out: bytes of each file, and whether they are exact
 *
 * The bytes of a process are the kernel's; a file's part of them is not told.
 * Where all mapped files could be looked up in the cache, and what the cache
 * gained is what the processes had, that is the answer. A file that could not
 * be looked up has what is left, no more than its length or what was touched
 * of it; of several of them it is not known which had what.
 */
#include "config.h"

#include <math.h>

#include "analyze/facts/mmwork.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

/* --- looks of the processes of a node at a file -> what its page cache gained
 * --- */

static struct mm_cache *mm_cache_of (struct mm_totals *t,
                                     uint32_t node,
                                     const char *file,
                                     size_t length)
{
    size_t n = sizeof (node) + length;
    char *key = xmalloc (n);
    struct mm_cache *c;

    memcpy (key, &node, sizeof (node));
    memcpy (key + sizeof (node), file, length);
    c = strmap_value (t->caches, mm_at (&t->caches, key, n, sizeof (*c)));
    free (key);
    c->node = node;
    return c;
}

static void cache_look (struct mm_cache *c, const struct mm_look *k)
{
    if (!k->cached_known)
        return;
    if (!c->looks || k->t < c->first_t) {
        c->first_t = k->t;
        c->first = mm_minus (k->cached, k->loaded);
    }
    if (!c->looks || k->t >= c->last_t) {
        c->last_t = k->t;
        c->last = k->cached;
    }
    c->most = MAX (c->most, k->cached);
    if (c->looks && k->mapped != c->mapped)
        c->mixed = 1;
    c->mapped = MAX (c->mapped, k->mapped);
    c->looks++;
}

void mm_note_caches (struct join *j, const struct mm_process *p)
{
    const struct mm_look *k = j->log->looks.item;

    for (size_t i = 0; i < j->files; i++) {
        const struct mm_file *f = &j->file[i].sum;
        size_t length;
        const char *file = strmap_key (j->log->files, i, &length);
        struct mm_cache *c = mm_cache_of (j->t, p->node, file, length);

        j->file[i].cache = c;
        c->given += f->bytes;
        c->call_bytes += f->call_bytes;
        c->length = MAX (c->length, MAX (f->mapped, f->touched));
    }
    for (size_t i = 0; i < j->log->looks.count; i++)
        cache_look (j->file[k[i].file].cache, &k[i]);
}

/* --- all of it --------------------------------------------------------------
 */

enum {
    ROUNDS = 30,   /* of fitting: rows to processes, columns to files */
    CLOSE = 20,    /* what differs by one in 20 is the same */
    SMALL = 65536, /* bytes: and what differs by that */
    FEW = 20       /* one in so many is nothing */
};

/* --- cells: the bytes of a process and a file ------------------------------
 */

struct cell {
    struct mm_cache *file;
    size_t first, count; /* of the bins */
    size_t process;
    double bytes;
};

struct table {
    struct mm_totals *t;
    struct mm_bin *bin;
    struct cell *cell;
    size_t cells;
    double *row, *sum; /* by process: what it had; what its cells have */
};

static void table_make (struct table *x)
{
    const struct mm_bin *b = x->bin;
    size_t n = x->t->bins.count, length;

    NEW (x->cell, n + 1);
    NEW (x->row, x->t->processes + 1);
    NEW (x->sum, x->t->processes + 1);
    for (size_t i = 0; i < n; i++, b++) {
        struct cell *c = x->cells ? &x->cell[x->cells - 1] : NULL;
        const char *file;

        if (b->file == MM_NO_FILE)
            continue;
        if (!c || c->process != b->process ||
            x->bin[c->first].file != b->file) {
            c = &x->cell[x->cells++];
            c->first = i;
            c->process = b->process;
            file = strmap_key (x->t->files, b->file, &length);
            c->file = mm_cache_of (x->t, x->t->process[c->process].node, file,
                                   length);
            c->file->ordinal = b->file;
            c->file->seeded = 1;
        }
        c->count++;
        c->bytes += b->bytes;
        x->row[c->process] += b->bytes;
    }
}

/* --- what a file should have ------------------------------------------------
 */

/* Sums over the files of a node. */
struct node {
    double given, known, unknown; /* of `unknown` files what they were given */
    double wanted, room; /* of all files; what more unknown ones could have */
    size_t files, unknowns;
    int evicted;
};

static int cache_known (const struct mm_cache *c)
{
    return c->looks > 0 && !c->mixed;
}

static double cache_gained (const struct mm_cache *c)
{
    return mm_minus (mm_minus (c->most, c->first), c->call_bytes);
}

static void add_to_node (struct mm_cache *c, struct node *n)
{
    n->given += c->given;
    if (!c->given && (!cache_known (c) || cache_gained (c) == 0))
        return;
    n->files++;
    if (cache_known (c)) {
        n->known += cache_gained (c);
        n->evicted |= c->last < c->most - c->most / CLOSE;
    } else {
        n->unknowns++;
        n->unknown += c->given;
    }
}

static int is_close (double a, double b)
{
    double d = fabs (a - b);

    return d <= b / CLOSE || d <= SMALL;
}

static void want (struct mm_cache *c, struct node *n)
{
    double left = n->given > n->known ? n->given - n->known : 0;
    int agreed = !n->evicted && is_close (n->known, n->given);

    c->exact = n->files == 1 ||
               (n->unknowns == 0
                    ? agreed
                    : n->unknowns == 1 && !n->evicted && n->known <= n->given);
    if (n->files == 1)
        c->wanted = c->given;
    else if (!cache_known (c))
        c->wanted = n->unknown > 0 ? left * (double)c->given / n->unknown : 0;
    else if (n->unknowns == 0 || n->known > n->given)
        c->wanted = n->known > 0 ? cache_gained (c) * n->given / n->known : 0;
    else
        c->wanted = cache_gained (c);
    if (!n->evicted && c->wanted > (double)c->length) {
        c->exact = c->exact && is_close (c->wanted, c->length);
        c->wanted = c->length;
    }
}

/* Bytes that a file of which little is known could have, too. */
static double cache_room (const struct mm_cache *c)
{
    double room = (double)c->length - c->wanted;

    return c->given && !cache_known (c) && room > 0 ? room : 0;
}

static void add_wanted (struct mm_cache *c, struct node *n)
{
    n->wanted += c->wanted;
    n->room += cache_room (c);
}

/* Give it its part of those that known files cannot have. */
static void want_rest (struct mm_cache *c, struct node *n)
{
    double rest = n->given - n->wanted, room = cache_room (c);

    if (room > 0 && rest > 0)
        c->wanted += room * (rest < n->room ? rest / n->room : 1);
}

static void each_cache (const struct mm_totals *t,
                        struct node *nodes,
                        void (*f) (struct mm_cache *c, struct node *n))
{
    for (size_t i = 0; i < strmap_count (t->caches); i++) {
        struct mm_cache *c = strmap_value (t->caches, i);

        f (c, &nodes[c->node]);
    }
}

/* --- fitting ----------------------------------------------------------------
 */

static void fit_sums (struct table *x)
{
    memset (x->sum, 0, (x->t->processes + 1) * sizeof (double));
    for (size_t i = 0; i < x->cells; i++)
        x->sum[x->cell[i].process] += x->cell[i].bytes;
}

static void fit_rows (struct table *x)
{
    fit_sums (x);
    for (size_t i = 0; i < x->cells; i++) {
        size_t p = x->cell[i].process;

        if (x->sum[p] > 0)
            x->cell[i].bytes *= x->row[p] / x->sum[p];
    }
}

static void fit_files (struct table *x)
{
    for (size_t i = 0; i < strmap_count (x->t->caches); i++)
        ((struct mm_cache *)strmap_value (x->t->caches, i))->sum = 0;
    for (size_t i = 0; i < x->cells; i++)
        x->cell[i].file->sum += x->cell[i].bytes;
    for (size_t i = 0; i < x->cells; i++)
        if (x->cell[i].file->sum > 0)
            x->cell[i].bytes *= x->cell[i].file->wanted / x->cell[i].file->sum;
}

/* The bins of a cell get its bytes, to the byte. Returns them. */
static uint64_t put_cell (struct table *x, const struct cell *c)
{
    struct mm_bin *b = &x->bin[c->first];
    uint64_t had = 0, so_far = 0, put = 0, bytes = c->bytes + 0.5;

    for (size_t i = 0; i < c->count; i++)
        had += b[i].bytes;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t upto;

        so_far += b[i].bytes;
        upto = had ? (uint64_t)((unsigned __int128)bytes * so_far / had) : 0;
        b[i].bytes = upto - put;
        put = upto;
    }
    return put;
}

/* Rounding leaves some bytes: the largest cell has them. */
static void put_rest (struct table *x, double given, uint64_t put)
{
    struct cell *most = NULL;
    double rest = given - (double)put;
    struct mm_bin *b;

    for (size_t i = 0; i < x->cells; i++)
        if (!most || x->cell[i].bytes > most->bytes)
            most = &x->cell[i];
    if (!most || rest == 0 || fabs (rest) > (double)x->cells)
        return;
    b = &x->bin[most->first];
    for (size_t i = 0; i < most->count; i++)
        if ((double)b[i].bytes >= (double)x->cells) {
            struct mm_file *f = strmap_value (x->t->files, most->file->ordinal);

            b[i].bytes = (double)b[i].bytes + rest;
            f->bytes = (double)f->bytes + rest;
            return;
        }
}

/* Bytes that no file can have had came for something else, such as pages of a
 * library. Take from each process so much that the sum is right. */
static void put_others (struct table *x, uint64_t rest)
{
    struct mm_process *sum = &x->t->sum;
    double all = 0;

    fit_sums (x);
    for (size_t p = 0; p < x->t->processes; p++)
        all += fmax (x->row[p] - x->sum[p], 0);
    for (size_t p = 0; p < x->t->processes && rest; p++) {
        struct mm_process *process = &x->t->process[p];
        double more = fmax (x->row[p] - x->sum[p], 0);
        uint64_t part = p + 1 < x->t->processes && more < all
                            ? (uint64_t)((double)rest * more / all)
                            : rest;

        part = MIN (part, process->fault_bytes);
        process->fault_bytes -= part;
        process->other_bytes += part;
        sum->fault_bytes -= part;
        sum->other_bytes += part;
        rest -= part;
        all -= more;
    }
}

static void mmfiles_put_all (struct table *x)
{
    double given = 0;
    uint64_t put = 0;

    for (size_t i = 0; i < strmap_count (x->t->caches); i++) {
        const struct mm_cache *c = strmap_value (x->t->caches, i);
        struct mm_file *f =
            c->seeded ? strmap_value (x->t->files, c->ordinal) : NULL;

        if (f) {
            f->bytes = 0;
            f->about |= !c->exact;
        }
    }
    for (size_t i = 0; i < x->cells; i++) {
        const struct cell *c = &x->cell[i];
        struct mm_file *f = strmap_value (x->t->files, c->file->ordinal);
        uint64_t bytes = put_cell (x, c);

        f->bytes += bytes;
        put += bytes;
    }
    for (size_t p = 0; p < x->t->processes; p++)
        given += x->row[p];
    if (given > (double)put + (double)x->cells)
        put_others (x, given - (double)put);
    else
        put_rest (x, given, put);
}

/* All that is mapped was told by the kernel; a process of which it told nothing
 * had no fault on a file that it mapped, so its few bytes are others'. */
static int mm_kernel_told (const struct mm_totals *t)
{
    uint64_t bytes = 0;

    if (!(t->sum.sources & MM_KERNEL))
        return 0;
    for (size_t i = 0; i < t->processes; i++)
        if (!t->process[i].exact)
            bytes += t->process[i].fault_bytes;
    return bytes <= t->sum.fault_bytes / FEW;
}

void mmjoin_finish (struct mm_totals *t, uint32_t nodes)
{
    struct table x = {.t = t, .bin = t->bins.item};
    struct node *node;

    if (!t->caches || !t->files || mm_kernel_told (t))
        return;
    NEW (node, (size_t)nodes + 1);
    table_make (&x);
    each_cache (t, node, add_to_node);
    each_cache (t, node, want);
    each_cache (t, node, add_wanted);
    each_cache (t, node, want_rest);
    for (int i = 0; i < ROUNDS; i++) {
        fit_rows (&x);
        fit_files (&x);
    }
    mmfiles_put_all (&x);
    free (x.cell);
    free (x.row);
    free (x.sum);
    free (node);
}
