/* SPDX-License-Identifier: MIT
 *
 * nest.c - regions of one thread, in the order they end -> time inside
 *
 * In:  start and end of regions, from scan.c
 * Out: time of children; what is left is outermost
 */
#include "config.h"

#include "analyze/scan/nest.h"
#include "analyze/scan/scan.h"
#include "analyze/scan/tally.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/format/calls.h"
#include "lib/format/profile.h"
#include "lib/model/kind.h"
#include "lib/util/spool.h"

enum { BLOCK = 1024 /* regions */ };

struct nest_block {
    struct nest_block *below;
    struct nest_region *item; /* owned; NULL: in the spool, */
    uint64_t offset;          /* there */
    size_t count, room; /* count: of the one on top struct nest knows it */
};

/* --- blocks ------------------------------------------------------------- */

static void nest_take_memory (struct nest_block *b, int *isshort)
{
    b->item = xmalloc (b->room * sizeof (*b->item));
    *isshort = spool_grow (b->room * sizeof (*b->item));
}

static void nest_free_memory (struct nest_block *b)
{
    if (b->item)
        spool_shrink (b->room * sizeof (*b->item));
    free (b->item);
    b->item = NULL;
}

static void drop (struct nest_block *b)
{
    nest_free_memory (b);
    free (b);
}

/* Another block goes on the one on top. */
static void nest_cover (const struct nest *n)
{
    if (n->top)
        n->top->count = n->next - n->floor;
}

static void nest_uncover (struct nest *n)
{
    n->floor = n->top->item;
    n->next = n->floor + n->top->count;
    n->limit = n->floor + n->top->room;
}

/* The lower one of two full blocks leaves memory when memory is short. */
static void nest_new_block (struct nest *n)
{
    struct nest_block *b = ZEROED (b, 1), *low = NULL;
    int isshort;

    b->room = n->top ? BLOCK : BLOCK / 16;
    nest_take_memory (b, &isshort);
    nest_cover (n);
    b->below = n->top;
    n->top = b;
    nest_uncover (n);
    if (b->below)
        low = b->below->below;
    if (!isshort || !low || !low->item)
        return;
    spool_put (low->item, low->count * sizeof (*low->item), &low->offset);
    nest_free_memory (low);
}

static inline void nest_push (struct nest *n, const struct nest_region *r)
{
    if (n->next == n->limit)
        nest_new_block (n);
    *n->next++ = *r;
    n->count++;
}

/* peek, when nothing is left of the block on top. */
static const struct nest_region *nest_fetch (struct nest *n)
{
    int isshort;

    do {
        struct nest_block *b = n->top;

        n->top = b->below;
        drop (b);
    } while (n->top->count == 0);
    n->floor = n->next = n->limit = NULL;
    if (!n->top->item) {
        nest_take_memory (n->top, &isshort);
        spool_get (n->top->item, n->top->count * sizeof (*n->top->item),
                   n->top->offset);
    }
    nest_uncover (n);
    return n->next - 1;
}

/* The youngest region; there is one. */
static inline const struct nest_region *peek (struct nest *n)
{
    return n->next != n->floor ? n->next - 1 : nest_fetch (n);
}

static void nest_add_gap (struct nest *n, uint64_t start, uint64_t end)
{
    if (start >= end)
        return;
    GROW (n->gap, n->gaps_room, n->gaps + 1);
    n->gap[n->gaps++] = (struct nest_gap){start, end};
}

/* Regions that a region found on the stack. */
struct nest_found {
    uint64_t low;             /* all from here to its end is covered or free */
    uint64_t inside;          /* covered */
    uint64_t winning, others; /* tags */
};

/* Take the regions that begin at start or later off the stack, and count what
 * they have before low, which goes down. */
static inline __attribute__ ((always_inline)) void
absorb (struct nest *n, uint64_t start, struct nest_found *f)
{
    while (n->count) {
        const struct nest_region *child = peek (n);
        uint64_t top;

        if (child->start < start)
            break;
        top = MIN (child->end, f->low);
        if (top > child->start) {
            if (n->keeps_gaps)
                nest_add_gap (n, top, f->low);
            f->inside += top - child->start;
            f->low = child->start;
        }
        if (child->tag & NEST_WINS)
            f->winning += child->tag & ~NEST_WINS;
        else
            f->others += child->tag;
        n->next--;
        n->count--;
    }
}

/* --- the stack ---------------------------------------------------------- */

uint64_t nest_add (
    struct nest *n, uint64_t start, uint64_t end, uint64_t tag, void *owner)
{
    struct nest_region r = {start, end, tag};
    struct nest_found f = {.low = end};

    n->gaps = 0;
    absorb (n, start, &f);
    if (f.winning)
        r.tag = f.winning | NEST_WINS;
    else if (!tag)
        r.tag = f.others;
    if (n->continues && !n->count)
        *APPEND (n->orphan, n->orphans, n->room) =
            (struct nest_orphan){start, f.low, owner};
    else if (n->keeps_gaps)
        nest_add_gap (n, start, f.low);
    nest_push (n, &r);
    return f.inside;
}

void nest_join (struct nest *n,
                struct nest *later,
                void (*more) (void *cookie, void *owner, uint64_t inside),
                void *cookie)
{
    for (size_t i = 0; i < later->orphans; i++) {
        const struct nest_orphan *o = &later->orphan[i];
        struct nest_found f = {.low = o->low};

        n->gaps = 0;
        absorb (n, o->start, &f);
        if (n->keeps_gaps)
            nest_add_gap (n, o->start, f.low);
        if (more)
            more (cookie, o->owner, f.inside);
    }
    if (later->top) {
        struct nest_block *bottom = later->top;

        while (bottom->below)
            bottom = bottom->below;
        nest_cover (n);
        bottom->below = n->top;
        n->top = later->top;
        n->floor = later->floor;
        n->next = later->next;
        n->limit = later->limit;
        n->count += later->count;
    }
    later->top = NULL;
    nest_clear (later);
}

void nest_drain (struct nest *n,
                 void (*each) (void *cookie, const struct nest_region *r),
                 void *cookie)
{
    while (n->count) {
        const struct nest_region *r = peek (n);

        each (cookie, r);
        n->next--;
        n->count--;
    }
}

void nest_clear (struct nest *n)
{
    for (struct nest_block *b = n->top, *below; b; b = below) {
        below = b->below;
        drop (b);
    }
    free (n->orphan);
    free (n->gap);
    ZERO (n);
}

/* --- a call of MPI-IO, HDF5 or NetCDF -> counters of its call, kind and
 * object --- */

/* Design. Layers above POSIX and what is below them (scanabove: MPI-IO,
 * HDF5, NetCDF). Events of a thread come in the order of their ends, so what
 * is inside a call came before it and ended after its start. POSIX calls and
 * calls of these layers wait in two lists; a call takes out what is inside
 * it, adds it up by layer, and waits itself with these sums for a call
 * around it. Its own time is what no call directly inside it took. Sums go
 * to the kind of the call (mpikinds.def) or to its object (objectcounts.def,
 * a key of layer, file and object in the tally); none of them is added to
 * those of POSIX. */

enum {
    POSIX_MAX = 1 << 20, /* 24 MiB: of more, the latest half is kept */
    CALLS_MAX = 1 << 15  /* 6 MiB */
};

void scanabove_clear (struct scanabove *a)
{
    free (a->posix);
    free (a->call);
    *a = (struct scanabove){0};
}

/* --- what may be inside --------------------------------------------------- */

/* A thread that does a lot outside of such calls: what was long ago is inside
 * no call that has not ended yet, unless that has a million inside. */
static void above_forget (void *list, size_t size, size_t *count)
{
    size_t half = *count / 2;

    memmove (list, (char *)list + half * size, (*count - half) * size);
    *count -= half;
}

void scanabove_below (struct step *e)
{
    struct scanabove *a = &e->u->above;
    int moves =
        e->info->class == CALL_CLASS_READ || e->info->class == CALL_CLASS_WRITE;

    if (!e->storage || e->info->class == CALL_CLASS_ASYNC)
        return;
    if (a->posix_count == POSIX_MAX)
        above_forget (a->posix, sizeof (*a->posix), &a->posix_count);
    *APPEND (a->posix, a->posix_count, a->posix_room) = (struct above_posix){
        e->start, e->end, moves ? e->bytes : 0, !moves, e->placed};
}

static uint64_t above_within (uint64_t start, uint64_t end, uint64_t from)
{
    return end - MAX (start, from);
}

/* Everything inside is taken out of the lists. */
static void
above_take_posix (struct scanabove *a, struct above_call *c, uint64_t *direct)
{
    for (; a->posix_count > 0; a->posix_count--) {
        const struct above_posix *p = &a->posix[a->posix_count - 1];
        struct transfer *sum = &c->inside[p->meta ? ABOVE_META : ABOVE_DATA];
        uint64_t ns;

        if (p->end <= c->start)
            break;
        ns = above_within (p->start, p->end, c->start);
        transfer_add (sum, &(struct transfer){1, p->bytes, ns});
        *direct += ns;
        c->placed += p->placed != PLACED_NOT;
        c->random +=
            p->placed == PLACED_SEQUENTIAL || p->placed == PLACED_BACKWARD;
    }
}

static void
above_take_calls (struct scanabove *a, struct above_call *c, uint64_t *direct)
{
    for (; a->calls > 0; a->calls--) {
        const struct above_call *in = &a->call[a->calls - 1];
        uint64_t ns;

        if (in->end <= c->start)
            break;
        ns = above_within (in->start, in->end, c->start);
        for (int i = 0; i < ABOVE_COUNT; i++)
            transfer_add (&c->inside[i], &in->inside[i]);
        transfer_add (&c->inside[in->layer],
                      &(struct transfer){1, in->bytes, ns});
        *direct += ns;
    }
}

/* Posix calls of a call inside were taken out by that one. */
static uint64_t above_take (struct scanabove *a, struct above_call *c)
{
    uint64_t direct = 0, ns = c->end - c->start;

    above_take_posix (a, c, &direct);
    above_take_calls (a, c, &direct);
    return ns > direct ? ns - direct : 0;
}

/* --- MPI-IO --------------------------------------------------------------- */

/* Offsets in struct counts of the numbers of a kind. */
static const struct {
    size_t calls, asked, below;
} places[MPIKIND_COUNT] = {
#define MPIKIND(NAME, TITLE, HELP)                                    \
    [MPIKIND_##NAME] = {offsetof (struct counts, mpi_##NAME),         \
                        offsetof (struct counts, mpi_##NAME##_asked), \
                        offsetof (struct counts, mpi_##NAME##_posix)},
#include "lib/model/mpikinds.def"
#undef MPIKIND
};

/* How many open it, and the hints that were given. */
static void above_count_opened (struct step *e)
{
    const struct batch *b = e->b;
    int several = 0, hints = 0;

    for (size_t i = b->arg[e->i]; i < b->arg[e->i + 1]; i++) {
        several |= b->args[i].type == EVENT_ARG_INT && b->args[i].i > 1;
        hints |= b->args[i].type == EVENT_ARG_TEXT;
    }
    e->u->n.mpi_opens += several;
    e->u->n.mpi_opens_hints += several && hints;
}

static void above_count_mpi (struct step *e, const struct above_call *c)
{
    unsigned says;
    enum mpikind kind = mpikind_of_call (e->b->call[e->i], &says);
    char *numbers = (char *)&e->u->n;
    struct transfer *calls, *below;

    e->u->n.mpi++;
    if (e->b->call[e->i] == CALL_MPI_File_open)
        above_count_opened (e);
    if (kind == MPIKIND_coll_write || kind == MPIKIND_coll_read) {
        e->u->n.mpi_coll_placed += c->placed;
        e->u->n.mpi_coll_random += c->random;
    }
    if (kind == MPIKIND_NONE)
        return;
    calls = (void *)(numbers + places[kind].calls);
    below = (void *)(numbers + places[kind].below);
    calls->count += (says & (MPIKIND_MOVED | MPIKIND_CALL)) != 0;
    calls->bytes += says & MPIKIND_MOVED ? e->bytes : 0;
    if (says & MPIKIND_ASKED)
        *(uint64_t *)(void *)(numbers + places[kind].asked) += e->b->size[e->i];
    if (!(says & MPIKIND_TIME))
        return;
    calls->ns += e->end - e->start;
    transfer_add (below, &c->inside[ABOVE_DATA]);
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

/* --- HDF5, NetCDF ------------------------------------------------------------
 */

/* Count HDF5 calls of main threads, for findings. */
static void above_count_hdf5 (struct step *e, const struct above_call *c)
{
    struct counts *n = &e->u->n;
    uint64_t flags = e->b->flags[e->i], ns = e->end - e->start;
    const struct transfer t = {1, e->bytes, ns};

    if (!e->u->main_thread)
        return;
    if (!above_is_transfer (e->b->call[e->i])) {
        transfer_add (&n->h5_meta,
                      &(struct transfer){1, c->inside[ABOVE_DATA].bytes, ns});
        return;
    }
    transfer_add (&n->h5_data, &t);
    if (flags & (CALL_ABOVE_INDEPENDENT | CALL_ABOVE_COLLECTIVE))
        transfer_add (&n->h5_shared, &t);
    if (flags & CALL_ABOVE_INDEPENDENT)
        transfer_add (&n->h5_independent, &t);
    if (flags & CALL_ABOVE_CHUNKED && e->info->class == CALL_CLASS_READ &&
        !(flags & CALL_ABOVE_NO_SIZE)) {
        transfer_add (&n->h5_chunked, &t);
        n->h5_chunked_posix += c->inside[ABOVE_DATA].bytes;
    }
}

static int above_is_attribute (enum call call)
{
    return call >= CALL_H5Aopen && call <= CALL_H5Awrite;
}

/* Count reads and writes of data of an object. */
static void above_count_transfer (struct object_total *o, const struct step *e)
{
    uint64_t flags = e->b->flags[e->i];
    int reads = e->info->class == CALL_CLASS_READ;

    o->reads += reads;
    o->read_bytes += reads ? e->bytes : 0;
    o->writes += !reads;
    o->write_bytes += reads ? 0 : e->bytes;
    o->unsized += (flags & CALL_ABOVE_NO_SIZE) != 0;
    o->collective += (flags & CALL_ABOVE_COLLECTIVE) != 0;
    o->independent += (flags & CALL_ABOVE_INDEPENDENT) != 0;
    o->layout |=
        flags & (CALL_ABOVE_COMPACT | CALL_ABOVE_CONTIGUOUS |
                 CALL_ABOVE_CHUNKED | CALL_ABOVE_VIRTUAL | CALL_ABOVE_FILTERED);
}

static void above_count_object (struct object_total *o,
                                const struct step *e,
                                const struct above_call *c,
                                uint64_t own)
{
    enum call call = e->b->call[e->i];

    o->errors += e->b->error[e->i] != 0;
    o->attributes += above_is_attribute (call);
    if (above_is_transfer (call) || above_is_request (call))
        above_count_transfer (o, e);
    if (above_is_request (call))
        return;
    o->calls++;
    o->ns += e->end - e->start;
    o->own_ns += own;
    o->posix_calls += c->inside[ABOVE_DATA].count;
    o->posix_bytes += c->inside[ABOVE_DATA].bytes;
    o->posix_ns += c->inside[ABOVE_DATA].ns;
    o->meta_calls += c->inside[ABOVE_META].count;
    o->meta_ns += c->inside[ABOVE_META].ns;
    o->mpiio_calls += c->inside[ABOVE_MPIIO].count;
    o->hdf5_calls += c->inside[ABOVE_HDF5].count;
}

/* Posts count as transfers where they have bytes: logs of Darshan know no end
 * of them. */
void scanabove_row (struct object_total *o, enum call call, const uint64_t *n)
{
    int reads =
        call_table[call].class == CALL_CLASS_READ || call == CALL_ncmpi_iget;
    int posts = call == CALL_ncmpi_iget || call == CALL_ncmpi_iput ||
                call == CALL_ncmpi_bput;
    int request = above_is_request (call),
        hdf5 = call_table[call].category == CALL_CATEGORY_HDF5;

    o->calls += request ? 0 : n[PROFILE_calls];
    o->ns += request ? 0 : n[PROFILE_time];
    o->errors += n[PROFILE_errors];
    o->attributes += above_is_attribute (call) ? n[PROFILE_calls] : 0;
    if (!request && !(posts && !n[PROFILE_least]) && !above_is_transfer (call))
        return;
    o->reads += reads ? n[PROFILE_calls] : 0;
    o->read_bytes += reads ? n[PROFILE_bytes] : 0;
    o->writes += reads ? 0 : n[PROFILE_calls];
    o->write_bytes += reads ? 0 : n[PROFILE_bytes];
    o->collective += n[PROFILE_more];
    o->independent += hdf5 ? 0 : n[PROFILE_also];
    o->unsized += hdf5 ? n[PROFILE_also] : 0;
}

/* The bytes of a chunk are the only argument of such calls. */
static uint64_t above_chunk (const struct batch *b, size_t i)
{
    return b->arg[i] < b->arg[i + 1] &&
                   b->args[b->arg[i]].type == EVENT_ARG_INT &&
                   b->args[b->arg[i]].i > 0
               ? b->args[b->arg[i]].i
               : 0;
}

static void
above_object (struct step *e, const struct above_call *c, uint64_t own)
{
    const struct dict_entry *file =
        dict_entry_of (e->s->dict, e->b->name[e->i], SHARD_NAME_FILE);
    const struct dict_entry *name =
        dict_entry_of (e->s->dict, e->b->name2[e->i], SHARD_NAME_FILE);
    struct object_total *o =
        tally_object (&e->s->tally, e->info->category, file ? file->text : "",
                      name ? name->text : "");
    uint64_t chunk = above_chunk (e->b, e->i);

    above_count_object (o, e, c, own);
    if (chunk > o->chunk)
        o->chunk = chunk;
}

/* --- events --- */
/* A call around this one may be of a layer that is recorded, too. */
static void above_keep (struct step *e, const struct above_call *c)
{
    struct scanabove *a = &e->u->above;

    if (a->calls == CALLS_MAX)
        above_forget (a->call, sizeof (*a->call), &a->calls);
    *APPEND (a->call, a->calls, a->calls_room) = *c;
}

static void above_count (struct step *e)
{
    enum call_category category = e->info->category;
    struct above_call c = {.start = e->start,
                           .end = e->end,
                           .layer = above_of_category (category),
                           .bytes = e->bytes};
    int request = above_is_request (e->b->call[e->i]);
    uint64_t own = request ? 0 : above_take (&e->u->above, &c);

    if (category == CALL_CATEGORY_MPIIO)
        above_count_mpi (e, &c);
    else
        above_object (e, &c, own);
    if (category == CALL_CATEGORY_HDF5)
        above_count_hdf5 (e, &c);
    e->u->n.hdf5 += category == CALL_CATEGORY_HDF5;
    e->u->n.netcdf += category == CALL_CATEGORY_NETCDF;
    e->u->n.pnetcdf += category == CALL_CATEGORY_PNETCDF;
    if (!request)
        above_keep (e, &c);
}

void scanabove_event (struct step *e)
{
    e->bytes = e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    e->bill = e->s->bill[e->b->call[e->i]][KIND_NONE];
    scan_call_total (e, e->bytes);
    above_count (e);
    scan_keep_time (e);
}
