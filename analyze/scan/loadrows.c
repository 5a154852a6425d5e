/* SPDX-License-Identifier: MIT
 *
 * loadrows.c - profiles of a job -> its totals
 *
 * In:  rows of the sources, in the order of their threads, from profread.c
 * Out: tally of a scanner; units of threads, added to their processes
 */
#include "config.h"

#include "analyze/scan/scanstep.h"
#include "analyze/scan/loadrows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/scanrow.h"

/* The threads of a source's rows. */
struct loadrows {
    struct totals *t;
    struct pass *pass;
    struct scanner *s;
    const uint32_t *main_tid;
    const struct source *source;
    struct scanrow_names names;
    size_t *process; /* of t, by number in the file, plus 1; 0: none. Owned */
    unsigned char *profiled; /* of these, has rows; owned */
    struct unit *unit;       /* of the thread at hand; owned */
    uint32_t tid;            /* the same */
};

static int loadrows_find (struct loadrows *l, size_t source)
{
    size_t n = tracefile_processes (l->source->file);
    const struct trace_process *first =
        n ? tracefile_process (l->source->file, 0) : NULL;

    l->process = calloc (n + 1, sizeof (*l->process));
    l->profiled = calloc (n + 1, 1);
    if (!l->process || !l->profiled)
        return -1;
    for (size_t i = 0; i < l->pass->parts.count; i++) {
        const struct part *part = &l->pass->parts.item[i];

        if (n && part->source == source && part->who >= first &&
            part->who < first + n)
            l->process[part->who - first] = i + 1;
    }
    return 0;
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
static int loadrows_thread (struct loadrows *l, size_t process)
{
    int rc = 0;

    if (l->unit && (rc = unit_finish (l->unit)) == 0 &&
        (rc = totals_add_thread (l->t, process, l->unit)) == 0 &&
        loadrows_has_events (l, process))
        l->t->process[process].threads--;
    if (l->unit)
        unit_clear (l->unit);
    return rc;
}

static int
loadrows_begin (struct loadrows *l, size_t process, const struct profrow *r)
{
    struct unit *u = calloc (1, sizeof (*u));

    /* What plans of the one before point to must not look the same. */
    if (!u)
        return -1;
    free (l->unit);
    l->unit = u;
    unit_init (u, l->t->process[process].who,
               l->main_tid ? l->main_tid[process]
                           : l->t->process[process].who->p.pid);
    u->main_thread = r->tid == u->main_tid;
    l->tid = r->tid;
    return 0;
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

static int loadrows_rows (struct loadrows *l)
{
    const struct profrows *rows = &l->source->rows;
    const struct profrow *before = NULL;
    size_t count = tracefile_processes (l->source->file), process = 0;

    for (size_t i = 0; i < rows->rows; i++) {
        const struct profrow *r = &rows->row[i];

        if (r->proc >= count || !l->process[r->proc])
            continue; /* another source has it, too */
        if (!before || before->proc != r->proc || before->tid != r->tid) {
            if (before && loadrows_thread (l, process) < 0)
                return -1;
            process = l->process[r->proc] - 1;
            if (loadrows_begin (l, process, r) < 0)
                return -1;
            before = r;
        }
        loadrows_note (l, r);
        if (scanrow_row (l->s, l->unit, &l->names, r) < 0)
            return -1;
    }
    return before ? loadrows_thread (l, process) : 0;
}

/* A value of a file that is read or written. */
static int loadrows_value_of (struct loadrows *l,
                              uint32_t name,
                              enum access_way way,
                              const struct profvalue *v)
{
    struct scan_name *n =
        name ? scan_name (l->s, l->names.number[name], SHARD_NAME_FILE) : NULL;
    struct file_total *f = n ? n->total.file : NULL;

    if (!f)
        return 0;
    if (v->kind == PROFVALUE_SIZE)
        return accessvalues_add (&f->sizes, way, v->bytes, v->times);
    return accessvalues_learn (v->kind == PROFVALUE_SIZE_BOTH ? &f->sizes
                                                              : &f->strides,
                               way, v->bytes, v->times);
}

static int loadrows_value (struct loadrows *l, const struct profvalue *v)
{
    enum call_class class = (enum call_class)call_table[v->call].class;

    if (scan_room (l->s) < 0)
        return -1;
    if (v->kind == PROFVALUE_SIZE_BOTH || v->kind == PROFVALUE_STRIDE_BOTH)
        return loadrows_value_of (l, v->name, ACCESS_BOTH, v);
    if (class == CALL_CLASS_WRITE)
        return loadrows_value_of (l, v->name, ACCESS_WRITE, v);
    if ((class == CALL_CLASS_READ || class == CALL_CLASS_COPY) &&
        loadrows_value_of (l, v->name, ACCESS_READ, v) < 0)
        return -1;
    return class == CALL_CLASS_COPY
               ? loadrows_value_of (l, v->name2, ACCESS_WRITE, v)
               : 0;
}

static int loadrows_more (struct loadrows *l)
{
    const struct profrows *rows = &l->source->rows;
    size_t count = tracefile_processes (l->source->file);

    for (size_t i = 0; i < rows->places; i++)
        if (rows->place[i].proc < count && l->process[rows->place[i].proc] &&
            scanrow_place (l->s, &l->names, &rows->place[i]) < 0)
            return -1;
    for (size_t i = 0; i < rows->values; i++)
        if (rows->value[i].proc < count && l->process[rows->value[i].proc] &&
            loadrows_value (l, &rows->value[i]) < 0)
            return -1;
    for (size_t i = 0; i < rows->groups; i++)
        if (rows->group[i].proc < count && l->process[rows->group[i].proc] &&
            scanrow_group (l->s, &l->names, &rows->group[i]) < 0)
            return -1;
    for (size_t i = 0; i < rows->bins; i++) {
        const struct profbin *b = &rows->bin[i];

        if (b->proc < count && l->process[b->proc] &&
            scanrow_bin (l->s, l->t->process[l->process[b->proc] - 1].who, b) <
                0)
            return -1;
    }
    for (size_t i = 0; i < rows->names; i++)
        l->t->profile.series += rows->name[i].folded;
    return 0;
}

int loadrows (struct totals *t,
              struct pass *pass,
              struct scanner *s,
              const struct where *where,
              const uint32_t *main_tid)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < pass->job->sources; i++) {
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
        rc = loadrows_find (&l, i);
        if (rc == 0)
            rc = scanrow_names (&l.names, pass->dict, &l.source->rows);
        if (rc == 0 && (rc = loadrows_rows (&l)) == 0)
            rc = loadrows_more (&l);
        scanrow_names_clear (&l.names);
        free (l.process);
        free (l.profiled);
        free (l.unit);
    }
    return rc;
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

int loadrows_have_events (const struct pass *pass, size_t piece)
{
    const struct part *part = &pass->parts.item[pass->piece[piece].process];

    return pass->job->source[part->source].rows.bins_have_events;
}

int loadrows_facts (struct tally *t, const struct darshan_facts *f)
{
    for (size_t i = 0; i < f->mounts; i++) {
        struct mount_entry m = {.block = 0};

        (void)snprintf (m.type, sizeof (m.type), "%s", f->mount[i].type);
        (void)snprintf (m.point, sizeof (m.point), "%s", f->mount[i].point);
        if (mounts_say (&t->mounts, m.point, strlen (m.point), &m) < 0)
            return -1;
    }
    for (size_t i = 0; i < f->stripings; i++) {
        const struct darshan_striping *s = &f->striping[i];
        int64_t at = strmap_find (t->files, s->path, strlen (s->path));
        struct file_total *file =
            at < 0 ? NULL : strmap_value (t->files, (size_t)at);

        if (!file)
            continue;
        file->stripes = s->stripes;
        file->stripe_bytes = s->stripe_bytes;
        file->components = s->components;
    }
    return 0;
}
