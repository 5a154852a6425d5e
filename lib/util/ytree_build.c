/* SPDX-License-Identifier: MIT
 *
 * ytree_build.c - YAML events -> nodes
 *
 * Input is hostile: depth and nodes (an alias counts for all that it stands
 * for) are limited. All nodes hang in one list, so that aliases may share
 * them and a half-built tree is freed as a whole one.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/ytree_build.h"

enum {
    NODES_MAX = 1000000, /* a plan of 20 000 points has about 400 000 */
    DEPTH_MAX = 64,
    FEW_KEYS = 16 /* up to here a map's keys are compared one by one */
};

static struct node *
build (struct builder *b, const yaml_event_t *event, int depth);

/* --- nodes ------------------------------------------------------------ */

static struct node *
new_node (struct builder *b, enum ynode_type type, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    struct node *n;

    if (++b->weight > NODES_MAX) {
        ytree_place_errf (b, mark, "more than %d nodes", NODES_MAX);
        return NULL;
    }
    if (!(n = calloc (1, sizeof (*n)))) {
        errf (b->err, "%s: not enough memory", b->t->name);
        return NULL;
    }
    n->n.type = type;
    n->n.line = (int)mark->line + 1;
    n->n.column = (int)mark->column + 1;
    n->weight = 1;
    n->height = 1;
    n->next = b->t->all;
    b->t->all = n;
    return n;
}

static int add_child (struct builder *b,
                      struct node *n,
                      const struct node *key,
                      struct node *item)
{
    if (n->n.count == n->room) {
        size_t room = n->room ? n->room * 2 : 4;
        struct ynode **more = realloc (n->n.item, room * sizeof (*more));

        if (!more)
            goto nomem;
        n->n.item = more;
        if (key) {
            if (!(more = realloc (n->n.key, room * sizeof (*more))))
                goto nomem;
            n->n.key = more;
        }
        n->room = room;
    }
    if (key)
        n->n.key[n->n.count] = (struct ynode *)&key->n;
    n->n.item[n->n.count++] = &item->n;
    n->weight += item->weight + (key ? 1 : 0);
    if (item->height >= n->height)
        n->height = item->height + 1;
    return 0;
nomem:
    return errf (b->err, "%s: not enough memory", b->t->name);
}

static int
remember_anchor (struct builder *b, const yaml_char_t *anchor, struct node *n)
{
    const char *name = (const char *)anchor;
    int64_t i;

    if (!name)
        return 0;
    if ((i = strmap_intern (b->anchors, name, strlen (name), NULL)) < 0)
        return errf (b->err, "%s: not enough memory", b->t->name);
    strmap_set (b->anchors, (size_t)i, n); /* a later one replaces it */
    return 0;
}

/* The limits hold for the tree that a reader walks, not for the text. */
static struct node *
build_alias (struct builder *b, const yaml_event_t *event, int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    int64_t i = strmap_find (b->anchors, name, strlen (name));
    struct node *n = i < 0 ? NULL : strmap_value (b->anchors, (size_t)i);

    if (!n)
        ytree_place_errf (b, &event->start_mark, "*%s: no such anchor", name);
    else if (n->open)
        ytree_place_errf (b, &event->start_mark, "*%s contains itself", name);
    else if ((b->weight += n->weight) > NODES_MAX)
        ytree_place_errf (b, &event->start_mark, "*%s: more than %d nodes",
                          name, NODES_MAX);
    else if (depth + n->height - 1 > DEPTH_MAX)
        ytree_place_errf (b, &event->start_mark, "*%s: nested deeper than %d",
                          name, DEPTH_MAX);
    else
        return n;
    return NULL;
}

static struct node *build_scalar (struct builder *b, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    struct node *n = new_node (b, YNODE_SCALAR, event);

    if (!n)
        return NULL;
    if (memchr (value, '\0', length)) {
        ytree_place_errf (b, &event->start_mark, "a NUL character in the text");
        return NULL;
    }
    if (!(n->n.text = strndup (value, length))) {
        errf (b->err, "%s: not enough memory", b->t->name);
        return NULL;
    }
    n->n.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (remember_anchor (b, event->data.scalar.anchor, n) < 0)
        return NULL;
    return n;
}

/* --- lists and maps --------------------------------------------------- */

/* Next event and what it builds; NULL with *ended set at the end event. */
static struct node *
build_next (struct builder *b, yaml_event_type_t end, int depth, int *ended)
{
    yaml_event_t event;
    struct node *n = NULL;

    *ended = 0;
    if (!yaml_parser_parse (&b->parser, &event)) {
        (void)ytree_parser_errf (b);
        return NULL;
    }
    if (event.type == end)
        *ended = 1;
    else
        n = build (b, &event, depth);
    yaml_event_delete (&event);
    return n;
}

static struct node *
build_list (struct builder *b, const yaml_event_t *event, int depth)
{
    struct node *n = new_node (b, YNODE_LIST, event), *item;
    int ended;

    if (!n || remember_anchor (b, event->data.sequence_start.anchor, n) < 0)
        return NULL;
    n->open = 1;
    while ((item = build_next (b, YAML_SEQUENCE_END_EVENT, depth + 1, &ended)))
        if (add_child (b, n, NULL, item) < 0)
            return NULL;
    n->open = 0;
    return ended ? n : NULL;
}

static int key_error (struct builder *b, const struct node *key)
{
    const struct ynode *n = &key->n;

    if (n->type != YNODE_SCALAR)
        ytree_errf (b->t, n, b->err, "a key must be text");
    else if (strcmp (n->text, "<<") == 0 && !n->quoted)
        ytree_errf (b->t, n, b->err,
                    "<< does not merge here: write the keys out");
    else if (!n->text[0] && !n->quoted)
        ytree_errf (b->t, n, b->err, "the key before \":\" is missing");
    else
        return 0;
    errno = EINVAL;
    return -1;
}

/* Has n the key already? Maps with many keys use a set made on the way. */
static int
seen_key (const struct node *n, const char *text, struct strmap **set)
{
    int isnew = 0;

    if (!*set && n->n.count >= FEW_KEYS) {
        if (!(*set = strmap_create ()))
            return 0;
        for (size_t i = 0; i < n->n.count; i++)
            (void)strmap_intern (*set, n->n.key[i]->text,
                                 strlen (n->n.key[i]->text), NULL);
    }
    if (*set)
        return strmap_intern (*set, text, strlen (text), &isnew) >= 0 && !isnew;
    return ynode_get (&n->n, text) != NULL;
}

static struct node *
build_map (struct builder *b, const yaml_event_t *event, int depth)
{
    struct node *n = new_node (b, YNODE_MAP, event), *key, *item;
    struct strmap *set = NULL;
    int ended, bad = 0;

    if (!n || remember_anchor (b, event->data.mapping_start.anchor, n) < 0)
        return NULL;
    n->open = 1;
    while ((key = build_next (b, YAML_MAPPING_END_EVENT, depth + 1, &ended))) {
        if ((bad = key_error (b, key) < 0))
            break;
        if ((bad = seen_key (n, key->n.text, &set))) {
            ytree_errf (b->t, &key->n, b->err, "%s: key given twice",
                        key->n.text);
            errno = EINVAL;
            break;
        }
        item = build_next (b, YAML_NO_EVENT, depth + 1, &ended);
        if ((bad = !item || add_child (b, n, key, item) < 0))
            break;
    }
    strmap_destroy (set);
    n->open = 0;
    return ended && !bad ? n : NULL;
}

static struct node *
build (struct builder *b, const yaml_event_t *event, int depth)
{
    const yaml_char_t *tag = NULL;

    if (depth > DEPTH_MAX) {
        ytree_place_errf (b, &event->start_mark, "nested deeper than %d",
                          DEPTH_MAX);
        return NULL;
    }
    if (event->type == YAML_SCALAR_EVENT)
        tag = event->data.scalar.tag;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        tag = event->data.sequence_start.tag;
    else if (event->type == YAML_MAPPING_START_EVENT)
        tag = event->data.mapping_start.tag;
    if (tag) {
        ytree_place_errf (b, &event->start_mark,
                          "tags (%.40s) are not used here: leave it out",
                          (const char *)tag);
        return NULL;
    }
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return build_alias (b, event, depth);
    case YAML_SCALAR_EVENT:
        return build_scalar (b, event);
    case YAML_SEQUENCE_START_EVENT:
        return build_list (b, event, depth);
    case YAML_MAPPING_START_EVENT:
        return build_map (b, event, depth);
    default:
        ytree_place_errf (b, &event->start_mark, "not expected here");
        return NULL;
    }
}

/* --- documents -------------------------------------------------------- */

/* Stream and document marks around the root: 0 or -1. */
int ytree_build (struct builder *b)
{
    yaml_event_t event;
    int done = 0, rc = 0, documents = 0;

    while (!done && rc == 0) {
        struct node *n;

        if (!yaml_parser_parse (&b->parser, &event))
            return ytree_parser_errf (b);
        switch (event.type) {
        case YAML_STREAM_END_EVENT:
            done = 1;
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (documents++ > 0)
                rc = ytree_place_errf (b, &event.start_mark,
                                       "a second document");
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        default:
            if ((n = build (b, &event, 1)))
                b->t->root = &n->n;
            else
                rc = -1;
        }
        yaml_event_delete (&event);
    }
    return rc;
}
