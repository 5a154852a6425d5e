/* SPDX-License-Identifier: MIT
 *
 * scanregion.c - one application event -> counters of its operation, process
 *
 * In:  events, from scan.c
 * Out: counts, histograms, self time, the sets of time it belongs to
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analyze/scan/scanstep.h"

/* What a region says of itself; -1 nothing. */
struct said {
    int64_t size;             /* bytes of the sample it handled */
    int64_t mark[MARK_KINDS]; /* its step, its epoch */
    int marks;                /* there is one */
};

static void listen (struct said *said, const struct step *e)
{
    const struct batch_arg *arg = e->b->args + e->b->arg[e->i];
    const struct batch_arg *end = e->b->args + e->b->arg[e->i + 1];

    *said = (struct said){-1, {-1, -1, -1}, 0};
    for (; arg < end; arg++) {
        const struct scan_name *key;

        if (arg->type != EVENT_ARG_INT || arg->i < 0 ||
            !(key = scan_name (e->s, arg->key, SHARD_NAME_KEY)))
            continue;
        if (key->key == DICT_KEY_IMAGE_SIZE)
            said->size = arg->i;
        else if (key->key == DICT_KEY_STEP || key->key == DICT_KEY_EPOCH) {
            said->mark[key->key == DICT_KEY_STEP ? MARK_STEP : MARK_EPOCH] =
                arg->i;
            said->marks = 1;
        }
    }
}

static int count_marks (struct step *e, const struct said *said, enum role role)
{
    if (!said->marks && role != ROLE_EPOCH && role != ROLE_BARRIER)
        return 0;
    for (int kind = 0; kind < MARK_KINDS; kind++)
        if ((said->mark[kind] >= 0 ||
             (kind == MARK_EPOCH && role == ROLE_EPOCH) ||
             (kind == MARK_BARRIER && role == ROLE_BARRIER)) &&
            marks_add (&e->u->marks[kind], said->mark[kind], e->start, e->end) <
                0)
            return -1;
    return 0;
}

/* Keep when a region of the role was: the sets and the bill of all of them in a
 * unit are the same. */
static int region_keep (struct step *e, enum role role)
{
    struct spans *spans = e->s->region[role].spans;

    if (e->s->region[role].unit != e->u) {
        spans = unit_spans (e->u, (struct span_key){.call = CALL_region,
                                                    .sets = (uint16_t)e->sets,
                                                    .bill = e->bill});
        if (!spans)
            return -1;
        e->s->region[role].unit = e->u;
        e->s->region[role].spans = spans;
    }
    return spanlog_add (&spans->log, e->start, e->end);
}

static int count_role (struct step *e, enum role role)
{
    e->u->n.regions[role]++;
    if (role == ROLE_LOADER || role == ROLE_STALL || role == ROLE_COMPUTE)
        startup_train (&e->u->startup, e->start, e->end, role != ROLE_LOADER);
    if (e->u->main_thread)
        e->bill = e->s->bill_role[role];
    switch (role) {
    case ROLE_LOADER:
        scan_add_set (e, SET_LOADER);
        break;
    case ROLE_STALL:
        scan_add_set (e, SET_STALL);
        break;
    case ROLE_CHECKPOINT:
        if (!e->u->main_thread) /* nobody waits for it */
            return 0;
        scan_add_set (e, SET_CHECKPOINT);
        break;
    case ROLE_BARRIER:
        scan_add_set (e, SET_BARRIER);
        startup_barrier (&e->u->startup, e->end - e->start);
        break;
    case ROLE_COLLECTIVE:
        if (!e->u->main_thread)
            return 0;
        break;
    default:
        return 0;
    }
    return region_keep (e, role);
}

/* What of the region is in no other region that has a row in the bill. */
static int count_own (struct step *e, enum role role)
{
    uint64_t inside;

    if (e->s->bill_role[role] == BILL_NONE)
        return 0;
    e->u->own.keeps_gaps = role == ROLE_COMPUTE || role == ROLE_BODY;
    if (nest_add (&e->u->own, e->start, e->end, 0, (void *)(uintptr_t)role,
                  &inside) < 0)
        return -1;
    return e->u->own.keeps_gaps ? unit_keep_own (e->u, role) : 0;
}

/* A call that DFTracer knows and calls.def does not. */
static void foreign_call (struct step *e, struct op_total *op)
{
    e->u->n.posix += op->foreign == CALL_CATEGORY_POSIX;
    e->u->n.stdio += op->foreign == CALL_CATEGORY_STDIO;
    hist_add (&op->time, e->end - e->start);
    op->self += e->end - e->start;
}

/* An item, or a region of the loader that says how large its sample is. What
 * others say by image_size is something else (a batch, an argument). */
static int is_sample (const struct op_total *op, const struct said *said)
{
    return op->sample == ROLE_SAMPLE_ITEM ||
           (op->role == ROLE_LOADER && said->size > 0);
}

static uint64_t sample_tag (const struct op_total *op, const struct said *said)
{
    uint64_t size = said->size > 0 ? (uint64_t)said->size : 0;

    return op->sample == ROLE_SAMPLE_READ ? size | NEST_WINS : size;
}

int scan_region (struct step *e)
{
    uint32_t number = e->b->name[e->i];
    struct scan_name *name =
        number ? scan_name (e->s, number, SHARD_NAME_EVENT) : NULL;
    struct op_total *op = name ? name->total.op : NULL;
    uint64_t inside = 0;
    struct said said;

    if (op && op->foreign != CALL_CATEGORY_APP) {
        foreign_call (e, op);
        return 0;
    }
    e->u->n.app++;
    if (!op)
        return number && errno == ENOMEM ? -1 : 0;
    if (e->b->call[e->i] == CALL_metadata)
        return pointfaults_take (&e->s->tally.points, e->s->dict, e->b, e->i);
    hist_add (&op->time, e->end - e->start);
    if (e->b->call[e->i] != CALL_region)
        return 0;
    if (nest_add (&e->u->regions, e->start, e->end, 0, op, &inside) < 0)
        return -1;
    op->self += e->end - e->start - inside;
    listen (&said, e);
    if (count_marks (e, &said, op->role) < 0 ||
        (is_sample (op, &said) &&
         nest_add (&e->u->samples, e->start, e->end, sample_tag (op, &said),
                   NULL, &inside) < 0))
        return -1;
    return count_own (e, op->role) < 0 ? -1 : count_role (e, op->role);
}
