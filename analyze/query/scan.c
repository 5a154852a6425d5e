/* SPDX-License-Identifier: MIT
 *
 * scan.c - one chunk's events -> tally and unit
 *
 * In:  checked payloads, from load.c
 * Out: counts, histograms, sets of time
 * Caveat: the hot loop of the analysis; it allocates only where a name, a
 *         call or a set is new or has to grow.
 */
#include "config.h"

#include "analyze/query/scanstep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/core/settings/layers.h"

/* Only their addresses count. */
char scan_key_size, scan_key_step, scan_key_epoch;
static char key_other;

/* --- names ------------------------------------------------------------ */

static void *intern (
    struct strmap *m, const char *key, size_t length, size_t size, int *isnew)
{
    int64_t at = strmap_intern (m, key, length, isnew);
    void *value;

    if (at < 0)
        return NULL;
    if (!*isnew)
        return strmap_value (m, (size_t)at);
    if ((value = calloc (1, size)))
        strmap_set (m, (size_t)at, value);
    return value;
}

static void *new_file (struct scanner *s, const struct name *name)
{
    int isnew;
    struct file_total *f =
        intern (s->tally->files, name->text, name->length, sizeof (*f), &isnew);
    int64_t at;

    if (!f || !isnew)
        return f;
    at = strmap_find (s->tally->files, name->text, name->length);
    f->class = (enum file_class)name->class;
    f->kind = KIND_NONE;
    if (f->class == FILE_CLASS_STORAGE)
        f->kind =
            kind_of (s->rules, strmap_key (s->tally->files, (size_t)at, NULL));
    return f;
}

static void *new_op (struct scanner *s, const struct name *name)
{
    int isnew;
    struct op_total *op =
        intern (s->tally->ops, name->text, name->length, sizeof (*op), &isnew);
    const char *category;
    int64_t at;

    if (!op || !isnew)
        return op;
    at = strmap_find (s->tally->ops, name->text, name->length);
    category = strmap_key (s->tally->ops, (size_t)at, NULL);
    op->foreign = strcasecmp (category, "POSIX") == 0   ? CALL_CATEGORY_POSIX
                  : strcasecmp (category, "STDIO") == 0 ? CALL_CATEGORY_STDIO
                                                        : CALL_CATEGORY_APP;
    if (strlen (category) < name->length)
        op->role = role_of (category, category + strlen (category) + 1);
    return op;
}

static void *new_key (const struct name *name)
{
    static const struct {
        const char *word;
        char *key;
    } keys[] = {{"image_size", &scan_key_size},
                {"step", &scan_key_step},
                {"epoch", &scan_key_epoch}};

    for (size_t i = 0; i < sizeof (keys) / sizeof (keys[0]); i++)
        if (name->length == strlen (keys[i].word) &&
            memcmp (name->text, keys[i].word, name->length) == 0)
            return keys[i].key;
    return &key_other;
}

static int grow_targets (struct scanner *s, uint32_t id)
{
    size_t room = s->target_room ? s->target_room : 256;
    void **target;
    struct place *place;

    if (id < s->target_room)
        return 0;
    while (room <= id)
        room *= 2;
    if (!(place = reallocarray (s->place, room, sizeof (*place))))
        return -1;
    memset (place + s->target_room, 0,
            (room - s->target_room) * sizeof (*place));
    s->place = place;
    if (!(target = reallocarray (s->target, room, sizeof (*target))))
        return -1;
    memset (target + s->target_room, 0,
            (room - s->target_room) * sizeof (*target));
    s->target = target;
    s->target_room = room;
    return 0;
}

void *scan_new_target (struct scanner *s, uint32_t id, const struct name *name)
{
    if (grow_targets (s, id) < 0)
        return NULL;
    s->target[id] = name->kind == SHARD_NAME_FILE    ? new_file (s, name)
                    : name->kind == SHARD_NAME_EVENT ? new_op (s, name)
                                                     : new_key (name);
    return s->target[id];
}

/* --- times ------------------------------------------------------------ */

/* The spans of the event's call and sets. NULL: ENOMEM. */
static struct spans *find_spans (const struct step *e)
{
    struct spans **list = &e->u->call[e->ev->call], *s;

    for (s = *list; s; s = s->next)
        if (s->sets == e->sets)
            return s;
    if (!(s = calloc (1, sizeof (*s))))
        return NULL;
    s->call = e->ev->call;
    s->sets = e->sets;
    s->next = *list;
    return *list = s;
}

int scan_keep_time (const struct step *e)
{
    struct spans *s = find_spans (e);

    return s ? spanlog_add (&s->log, e->start, e->end) : -1;
}

/* --- chunks ----------------------------------------------------------- */

static int
count_event (struct scanner *s, struct unit *u, const struct event *ev)
{
    struct step e = {.s = s, .u = u, .ev = ev};
    int wanted;

    if (ev->call >= CALL_MAX || !call_table[ev->call].name)
        return 0; /* of a later version of the format */
    e.info = &call_table[ev->call];
    e.start = trace_real_ns (u->who, ev->start);
    e.end = trace_real_ns (u->who, ev->end);
    if (s->filter.where &&
        (wanted = evfilter_wants (&s->filter, &s->decoder, ev, e.start)) <= 0)
        return wanted;
    if (e.start < u->first)
        u->first = e.start;
    if (e.end > u->last)
        u->last = e.end;
    u->n.events++;
    errno = 0;
    if ((u->who->p.layers & LAYER_MMAP) &&
        mmlog_event (&u->mm, ev, &s->decoder, u->tid, e.start, e.end) < 0)
        return -1;
    if (e.info->category == CALL_CATEGORY_MMAP)
        return 0;
    return e.info->category == CALL_CATEGORY_APP ? scan_region (&e)
                                                 : scan_call (&e);
}

static void forget_targets (struct scanner *s)
{
    memset (s->target, 0, s->target_room * sizeof (*s->target));
    memset (s->place, 0, s->target_room * sizeof (*s->place));
}

int scanner_chunk (struct scanner *s,
                   struct unit *u,
                   const struct trace_chunk *c,
                   const unsigned char *payload,
                   size_t bytes,
                   uint64_t *decoded)
{
    struct event ev;
    int rc;

    *decoded = 0;
    u->tid = c->head.tid;
    u->main_thread = c->head.tid == u->who->p.pid;
    if (decoder_begin (&s->decoder, &c->head, payload, bytes) < 0)
        return -1;
    if (s->target)
        forget_targets (s);
    if (s->filter.where)
        evfilter_chunk (&s->filter, u->who, c->head.tid);
    while ((rc = decoder_next (&s->decoder, &ev)) > 0) {
        if (count_event (s, u, &ev) < 0) {
            errno = ENOMEM;
            return -1;
        }
        (*decoded)++;
    }
    return rc;
}

void scanner_clear (struct scanner *s)
{
    decoder_end (&s->decoder);
    evfilter_clear (&s->filter);
    free (s->target);
    free (s->place);
    s->place = NULL;
    s->target = NULL;
    s->target_room = 0;
}
