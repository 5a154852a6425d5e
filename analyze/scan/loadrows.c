/* SPDX-License-Identifier: MIT
 *
 * loadrows.c - rows of the profiles of a job -> its totals, as if they were
 * events
 *
 * In:  rows of the sources, in the order of their threads, from profread.c
 * Out: tally of a scanner; units of threads, added to their processes
 */
#include "config.h"

#include "analyze/scan/load.h"
#include "analyze/scan/scan.h"
#include "analyze/scan/tally.h"
#include "analyze/scan/timemap.h"
#include "analyze/trace/profrows.h"
#include "lib/base/array.h"
#include "lib/model/kind.h"
#include "lib/util/xalloc.h"

/* --- one row -------------------------------------------------------------- */

struct scanrow {
    struct step e; /* whose batch is the arrays below */
    struct batch b;
    const struct profrow *row;
    const uint64_t *n; /* of it */
    struct transfer t; /* all its calls */
    uint16_t call;
    uint32_t name, name2;
};

static void scanrow_hist (struct hist *h, const uint64_t *n)
{
    uint64_t least = n[PROFILE_least] ? n[PROFILE_least] - 1 : 0;

    if (!n[PROFILE_calls])
        return;
    if (!h->count || least < h->min)
        h->min = least;
    if (n[PROFILE_most] > h->max)
        h->max = n[PROFILE_most];
    h->count += n[PROFILE_calls];
    h->sum += n[PROFILE_time];
}

static void scanrow_file (const struct scanrow *r, const struct scan_plan *p)
{
    uint64_t *number = r->e.file->number, good = profrow_good (r->row);
    enum access_way way =
        r->row->both || !p->sizes ? ACCESS_BOTH : (p->sizes - 1);

    number[p->count] += r->t.count;
    number[p->bytes] += r->t.bytes;
    number[p->ns] += r->t.ns;
    if (p->places && call_table[r->call].fields & F_OFFSET && good)
        accessvalues_add_unknown (&r->e.file->strides, way, good);
    if (p->sizes)
        accessvalues_add_row (&r->e.file->sizes, way, r->row);
}

static void scanrow_map (const struct scanrow *r)
{
    struct startup *s = &r->e.u->startup;
    uint64_t good = r->n[PROFILE_calls] - r->n[PROFILE_errors];

    if (r->n[PROFILE_errors] >= r->n[PROFILE_calls])
        return;
    r->e.u->n.maps += good;
    if (r->e.file->kind == KIND_DATA && good > r->n[PROFILE_also])
        r->e.u->n.data_maps += good - r->n[PROFILE_also];
    r->e.u->n.mapped_bytes += r->n[PROFILE_more];
    if (r->e.file->kind != KIND_INDEX)
        return;
    startup_map (s, r->e.start, r->e.end, r->n[PROFILE_more]);
    s->maps += good - 1;
    s->map_ns += r->n[PROFILE_time] - (r->e.end - r->e.start);
}

static void scanrow_plan (struct scanrow *r,
                          const struct scan_plan *p,
                          enum call_class class)
{
    struct share *share;

    if (r->e.file) {
        scanrow_file (r, p);
        /* a unit's address comes again */
        if (p->storage && (share = scan_new_share (r->e.s, r->e.u, r->e.name)))
            share_add (share, class, r->t);
    }
    if (p->moved)
        transfer_add (p->moved, &r->t);
    if (p->also)
        transfer_add (p->also, &r->t);
    if (p->more & SCAN_MORE_STREAM && r->e.file)
        scan_stream (&r->e, class, r->t);
    if (p->more & SCAN_MORE_INDEX)
        scan_index (&r->e, class, r->t);
    if (p->more & SCAN_MORE_MAP)
        scanrow_map (r);
}

static void scanrow_call (struct scanrow *r)
{
    struct scanner *s = r->e.s;
    struct counts *n = &r->e.u->n;
    uint64_t calls = r->n[PROFILE_calls];
    int posix = r->e.info->category == CALL_CATEGORY_POSIX;
    enum call_class class = r->e.info->class;
    const struct scan_plan *p, *to;
    struct transfer *cost;

    *(posix ? &n->posix : &n->stdio) += calls;
    scansides_add (n, r->e.info - call_table, r->n[PROFILE_bytes],
                   r->n[PROFILE_more], r->n[PROFILE_also]);
    if (class == CALL_CLASS_COPY)
        class = CALL_CLASS_READ;
    p = scan_plan (&r->e, r->name, s->plan, class);
    scanrow_plan (r, p, class);
    p->call->bytes += r->n[PROFILE_bytes];
    p->call->errors += r->n[PROFILE_errors];
    if (!posix)
        p->call->libc += r->n[PROFILE_more] + r->n[PROFILE_also];
    scanrow_hist (&p->call->time, r->n);
    n->posix_storage += posix && p->storage && r->e.file ? calls : 0;
    cost = p->cost;
    if (p->more & SCAN_MORE_COPY) {
        to = scan_plan (&r->e, r->name2, s->copied, CALL_CLASS_WRITE);
        scanrow_plan (r, to, CALL_CLASS_WRITE);
        n->posix_storage += !p->storage && to->storage ? calls : 0;
        cost = cost ? cost : to->cost;
    }
    if (cost)
        transfer_add (cost, &r->t);
}

static void scanrow_region (struct scanrow *r)
{
    struct scan_name *name =
        r->name ? scan_name (r->e.s, r->name, SHARD_NAME_EVENT) : NULL;
    struct op_total *op = name ? name->total.op : NULL;
    const struct thinhist sums = {
        .count = r->n[PROFILE_calls],
        .sum = r->n[PROFILE_time],
        .min = r->n[PROFILE_least] ? r->n[PROFILE_least] - 1 : 0,
        .max = r->n[PROFILE_most]};

    r->e.u->n.app += r->n[PROFILE_calls];
    if (!op || r->call == CALL_metadata)
        return;
    thinhist_merge (&op->time, &sums);
    if (r->call != CALL_region)
        return;
    op->self += r->n[PROFILE_more];
    r->e.u->n.regions[op->role] += r->n[PROFILE_calls];
}

/* Counters that each call of a layer above POSIX has. */
static void scanrow_total (struct scanrow *r)
{
    struct call_total **total = &r->e.s->tally.call[r->call];

    if (!*total)
        NEW (*total, 1);
    (*total)->bytes += r->n[PROFILE_bytes];
    (*total)->errors += r->n[PROFILE_errors];
    scanrow_hist (&(*total)->time, r->n);
}

static void scanrow_mpi (struct scanrow *r)
{
    unsigned says;
    enum mpikind kind = mpikind_of_call (r->call, &says);

    scanrow_total (r);
    r->e.u->n.mpi += r->n[PROFILE_calls];
    if (kind != MPIKIND_NONE)
        scanmpi_row (&r->e.u->n, kind, says, r->n);
}

/* HDF5, NetCDF, PnetCDF. */
static void scanrow_above (struct scanrow *r)
{
    const struct dict_entry *file =
        dict_entry_of (r->e.s->dict, r->name, SHARD_NAME_FILE);
    const struct dict_entry *object =
        dict_entry_of (r->e.s->dict, r->name2, SHARD_NAME_FILE);
    enum call_category category = r->e.info->category;
    struct counts *n = &r->e.u->n;
    uint64_t calls = r->n[PROFILE_calls];
    struct object_total *o;

    scanrow_total (r);
    o = tally_object (&r->e.s->tally, category, file ? file->text : "",
                      object ? object->text : "");
    n->hdf5 += category == CALL_CATEGORY_HDF5 ? calls : 0;
    n->netcdf += category == CALL_CATEGORY_NETCDF ? calls : 0;
    n->pnetcdf += category == CALL_CATEGORY_PNETCDF ? calls : 0;
    scanabove_row (o, r->call, r->n);
}

/* --- a source --------------------------------------------------------------
 */

struct loadrows {
    struct totals *t;
    struct pass *pass;
    struct scanner *s;
    const uint32_t *main_tid;
    const struct source *source;
    uint32_t *number; /* in the scanner's dictionary, of name 1 …; [0] is 0;
                         owned */
    size_t *process;  /* of t, by number in the file, plus 1; 0: none. Owned */
    size_t processes;
    unsigned char *profiled; /* of these, has rows; owned */
    struct unit *unit;       /* of the thread at hand; owned */
    uint32_t tid;            /* the same */
};

/* Number of the process in t, plus 1; 0: another source has it. */
static size_t loadrows_process (const struct loadrows *l, uint32_t proc)
{
    return proc < l->processes ? l->process[proc] : 0;
}

/* Total of a file, or of a region; NULL: there is none. */
static void *
loadrows_total (struct loadrows *l, uint32_t name, enum shard_name_kind kind)
{
    struct scan_name *n = name ? scan_name (l->s, l->number[name], kind) : NULL;

    return n ? n->total.any : NULL;
}

/* Count what a row says of the thread at hand. What needs the time of each call
 * (sets of time, marks, what is inside what) is left out. */
static void loadrows_row (struct loadrows *l, const struct profrow *row)
{
    struct unit *u = l->unit;
    uint16_t call = row->call;
    uint64_t first = row->n[PROFILE_first], last = row->n[PROFILE_last];
    struct scanrow r = {.row = row,
                        .n = row->n,
                        .t = {row->n[PROFILE_calls], row->n[PROFILE_bytes],
                              row->n[PROFILE_time]},
                        .call = call,
                        .name = l->number[row->name],
                        .name2 = l->number[row->name2]};

    r.b.call = &call;
    r.b.count = 1;
    r.e = (struct step){.s = l->s,
                        .u = u,
                        .b = &r.b,
                        .info = &call_table[call],
                        .libc_read = row->n[PROFILE_more],
                        .libc_written = row->n[PROFILE_also],
                        .bill = BILL_NONE};
    r.e.start = first ? trace_real_ns (u->who, first - 1) : 0;
    r.e.end = first ? trace_real_ns (u->who, last) : 0;
    if (first)
        u->first = MIN (u->first, r.e.start);
    u->last = MAX (u->last, r.e.end);
    u->n.events += r.n[PROFILE_calls];
    switch (r.e.info->category) {
    case CALL_CATEGORY_POSIX:
    case CALL_CATEGORY_STDIO:
        scanrow_call (&r);
        break;
    case CALL_CATEGORY_APP:
        scanrow_region (&r);
        break;
    case CALL_CATEGORY_NET:
        if (call != CALL_net_sums)
            scanrow_total (&r);
        scannet_row (&r.e, call, r.name, r.n);
        break;
    case CALL_CATEGORY_MPIIO:
        scanrow_mpi (&r);
        break;
    case CALL_CATEGORY_HDF5:
    case CALL_CATEGORY_NETCDF:
    case CALL_CATEGORY_PNETCDF:
        scanrow_above (&r);
        break;
    default:
        break;
    }
}

static void loadrows_place (struct loadrows *l, const struct profplace *place)
{
    struct file_total *f = loadrows_total (l, place->name, SHARD_NAME_FILE);

    if (!f)
        return;
    f->placed[PLACED_CONSECUTIVE] += place->n[PROFILE_PLACE_consecutive];
    f->placed[PLACED_STRIDED] += place->n[PROFILE_PLACE_strided];
    f->placed[PLACED_SEQUENTIAL] += place->n[PROFILE_PLACE_sequential];
    f->placed[PLACED_BACKWARD] += place->n[PROFILE_PLACE_backward];
    f->switches += place->n[PROFILE_PLACE_switches];
    f->unaligned += place->n[PROFILE_PLACE_unaligned];
    f->extent = MAX (f->extent, place->n[PROFILE_PLACE_extent]);
}

_Static_assert((int)HIST_BITS == (int)PROFILE_BUCKET_BITS &&
                   HIST_BUCKETS == PROFILE_GROUPS * PROFILE_BUCKETS,
               "the buckets of a profile are those of the analysis");

static void loadrows_group (struct loadrows *l, const struct profgroup *group)
{
    unsigned from = group->group * PROFILE_BUCKETS;
    struct call_total *total = l->s->tally.call[group->call];
    struct op_total *op;
    uint64_t *h = NULL;

    if (group->what != PROFILE_HIST_TIME)
        return;
    if (call_table[group->call].category != CALL_CATEGORY_APP)
        h = total ? &total->time.bucket[from] : NULL;
    else if ((op = loadrows_total (l, group->name, SHARD_NAME_EVENT)))
        h = thinhist_bucket (&op->time, from);
    for (int i = 0; h && i < PROFILE_BUCKETS; i++)
        h[i] += group->count[i];
}

static void loadrows_find (struct loadrows *l, size_t source)
{
    const struct profrows *rows = &l->source->rows;
    const struct trace_process *first = tracefile_process (l->source->file, 0);

    l->processes = tracefile_processes (l->source->file);
    NEW (l->process, l->processes + 1);
    l->profiled = xcalloc (l->processes + 1, 1);
    for (size_t i = 0; l->processes && i < l->pass->parts.count; i++) {
        const struct part *part = &l->pass->parts.item[i];

        if (part->source == source && part->who >= first &&
            part->who < first + l->processes)
            l->process[part->who - first] = i + 1;
    }
    NEW (l->number, rows->names + 1);
    for (size_t i = 0; i < rows->names; i++) {
        const struct profname *from = &rows->name[i];

        l->number[i + 1] = dict_number (l->pass->dict, from->kind, from->class,
                                        from->text, from->length);
        l->t->profile.series += from->folded;
    }
    scan_room (l->s);
}

/* The thread has events, too, and is not another one for its rows. */
static int loadrows_has_events (const struct loadrows *l, size_t process)
{
    const struct part *part = &l->pass->parts.item[process];

    for (size_t i = 0; i < part->chunks; i++)
        if (part->chunk[i]->head.tid == l->tid)
            return 1;
    return 0;
}

/* The unit of a thread is done. */
static void loadrows_thread (struct loadrows *l, size_t process)
{
    unit_finish (l->unit);
    totals_add_thread (l->t, process, l->unit);
    if (loadrows_has_events (l, process))
        l->t->process[process].threads--;
}

static void
loadrows_begin (struct loadrows *l, size_t process, const struct profrow *r)
{
    struct unit *u = ZEROED (u, 1);

    /* A new address: plans made for the unit before must not match this one. */
    free (l->unit);
    l->unit = u;
    unit_init (u, l->t->process[process].who,
               l->main_tid ? l->main_tid[process]
                           : l->t->process[process].who->p.pid,
               0);
    u->main_thread = r->tid == u->main_tid;
    l->tid = r->tid;
}

static void loadrows_note (struct loadrows *l, const struct profrow *r)
{
    const struct profname *name = l->source->rows.name;

    l->t->profile.processes += !l->profiled[r->proc];
    l->profiled[r->proc] = 1;
    l->t->profile.calls += r->n[PROFILE_calls];
    if ((r->name && name[r->name - 1].folded) ||
        (r->name2 && name[r->name2 - 1].folded))
        l->t->profile.folded += r->n[PROFILE_calls];
}

static void loadrows_rows (struct loadrows *l)
{
    const struct profrows *rows = &l->source->rows;
    const struct profrow *before = NULL;
    size_t process = 0;

    for (size_t i = 0; i < rows->rows; i++) {
        const struct profrow *r = &rows->row[i];

        if (!loadrows_process (l, r->proc))
            continue;
        if (!before || before->proc != r->proc || before->tid != r->tid) {
            if (before)
                loadrows_thread (l, process);
            process = l->process[r->proc] - 1;
            loadrows_begin (l, process, r);
            before = r;
        }
        loadrows_note (l, r);
        loadrows_row (l, r);
    }
    if (before)
        loadrows_thread (l, process);
}

/* A value of a file that is read or written. */
static void loadrows_value_of (struct loadrows *l,
                               uint32_t name,
                               enum access_way way,
                               const struct profvalue *v)
{
    struct file_total *f = loadrows_total (l, name, SHARD_NAME_FILE);

    if (f && v->kind == PROFVALUE_SIZE)
        accessvalues_add (&f->sizes, way, v->bytes, v->times);
    else if (f)
        accessvalues_learn (v->kind == PROFVALUE_SIZE_BOTH ? &f->sizes
                                                           : &f->strides,
                            way, v->bytes, v->times);
}

static void loadrows_value (struct loadrows *l, const struct profvalue *v)
{
    enum call_class class = call_table[v->call].class;

    if (v->kind == PROFVALUE_SIZE_BOTH || v->kind == PROFVALUE_STRIDE_BOTH) {
        loadrows_value_of (l, v->name, ACCESS_BOTH, v);
        return;
    }
    if (class == CALL_CLASS_READ || class == CALL_CLASS_COPY)
        loadrows_value_of (l, v->name, ACCESS_READ, v);
    if (class == CALL_CLASS_WRITE || class == CALL_CLASS_COPY)
        loadrows_value_of (l, class == CALL_CLASS_COPY ? v->name2 : v->name,
                           ACCESS_WRITE, v);
}

static void loadrows_more (struct loadrows *l)
{
    const struct profrows *rows = &l->source->rows;

    for (size_t i = 0; i < rows->places; i++)
        if (loadrows_process (l, rows->place[i].proc))
            loadrows_place (l, &rows->place[i]);
    for (size_t i = 0; i < rows->values; i++)
        if (loadrows_process (l, rows->value[i].proc))
            loadrows_value (l, &rows->value[i]);
    for (size_t i = 0; i < rows->groups; i++)
        if (loadrows_process (l, rows->group[i].proc))
            loadrows_group (l, &rows->group[i]);
    for (size_t i = 0; i < rows->bins; i++) {
        const struct profbin *b = &rows->bin[i];
        size_t process = loadrows_process (l, b->proc);
        struct timemap_bin key = {.width = b->width};

        if (!process)
            continue;
        key.start = trace_real_ns (l->t->process[process - 1].who, b->start);
        tally_add (&l->s->tally, TALLY_TIME, (const char *)&key, sizeof (key),
                   (void *)(uintptr_t)b->n);
    }
}

void loadrows (struct totals *t,
               struct pass *pass,
               struct scanner *s,
               const struct where *where,
               const uint32_t *main_tid)
{
    for (size_t i = 0; i < pass->job->sources; i++) {
        struct loadrows l = {.t = t,
                             .pass = pass,
                             .s = s,
                             .main_tid = main_tid,
                             .source = &pass->job->source[i]};

        if (!l.source->rows.rows || !l.source->file)
            continue;
        if (where && where->terms) {
            t->profile.processes++;
            continue;
        }
        loadrows_find (&l, i);
        loadrows_rows (&l);
        loadrows_more (&l);
        free (l.number);
        free (l.process);
        free (l.profiled);
        free (l.unit);
    }
}

uint64_t loadrows_bin (const struct job *job)
{
    uint64_t widest = 0;

    for (size_t i = 0; i < job->sources; i++)
        for (size_t k = 0; k < job->source[i].rows.bins; k++)
            if (job->source[i].rows.bin[k].width > widest)
                widest = job->source[i].rows.bin[k].width;
    return widest;
}

int loadrows_have_events (const struct pass *pass, size_t split)
{
    const struct part *part = &pass->parts.item[pass->split[split].process];

    return pass->job->source[part->source].rows.bins_have_events;
}

void loadrows_facts (struct tally *t, const struct darshan_facts *f)
{
    for (size_t i = 0; i < f->mounts; i++) {
        struct mount_entry m = {.block = 0};

        FORMAT (m.type, "%s", f->mount[i].type);
        FORMAT (m.point, "%s", f->mount[i].point);
        tally_add (t, TALLY_MOUNTS, m.point, strlen (m.point), &m);
    }
    for (size_t i = 0; i < f->stripings; i++) {
        const struct darshan_striping *s = &f->striping[i];
        int64_t at = strmap_find (t->files, s->path, strlen (s->path));
        struct file_total *file = at < 0 ? NULL : strmap_value (t->files, at);

        if (!file)
            continue;
        file->stripes = s->stripes;
        file->stripe_bytes = s->stripe_bytes;
        file->components = s->components;
    }
}
