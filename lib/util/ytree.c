/* SPDX-License-Identifier: MIT
 *
 * ytree.c - YAML text -> tree with positions; reading the tree
 */
#include "config.h"

#include <stdarg.h>
#include <yaml.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

/* n comes first: a ynode of ours is a struct node. */
struct node {
    struct ynode n;
    struct node *next; /* all nodes of the tree */
    size_t room;
    size_t weight; /* nodes below and this one, aliases followed */
    int height;    /* levels below and this one */
    int open;      /* still being read */
};

struct ytree {
    char *name;
    struct node *all;
    const struct ynode *root;
};

struct builder {
    struct ytree *t;
    yaml_parser_t parser;
    const char *text;
    size_t length;
    struct strmap *anchors; /* name -> node */
    size_t weight;          /* so far */
    struct errtext *err;
};

/* ---- where and why a text is no tree -> one line ---- */

/* err = "FILE:LINE:COLUMN: message", errno EINVAL; returns -1. */
static int ytree_place_errf (struct builder *b,
                             const yaml_mark_t *mark,
                             const char *fmt,
                             ...)
{
    char text[400];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    errno = EINVAL;
    return errf (b->err, "%s:%zu:%zu: %s", b->t->name, mark->line + 1,
                 mark->column + 1, text);
}

int ytree_errf (const struct ytree *t,
                const struct ynode *n,
                struct errtext *err,
                const char *fmt,
                ...)
{
    char text[400];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    return errf (err, "%s:%d:%d: %s", t->name, n ? n->line : 1,
                 n ? n->column : 1, text);
}

/* Return the position of an unquoted ${ in the line of the mark, 0 if there is
 * none. The index of a mark counts characters, so the search is by line. */
static int dollar_brace (const struct builder *b, const yaml_mark_t *mark)
{
    const char *p = b->text, *end = p + b->length, *stop;
    char quote = '\0';

    for (size_t line = 0; line < mark->line && p; line++)
        if ((p = memchr (p, '\n', end - p)))
            p++;
    if (!p || !(stop = memchr (p, '\n', end - p)))
        stop = end;
    for (const char *s = p; p && s + 1 < stop; s++) {
        if (quote)
            quote = *s == quote ? '\0' : quote;
        else if (*s == '"' || *s == '\'')
            quote = *s;
        else if (*s == '$' && s[1] == '{')
            return (int)(s - p) + 1;
    }
    return 0;
}

/* libyaml's own words, with a better sentence for the usual mistake. */
static int ytree_parser_errf (struct builder *b)
{
    yaml_parser_t *p = &b->parser;
    int column;

    if (p->error == YAML_MEMORY_ERROR)
        xalloc_die ();
    if (p->error == YAML_READER_ERROR) {
        errno = EINVAL;
        return errf (b->err, "%s: byte %zu: %s", b->t->name, p->problem_offset,
                     p->problem ? p->problem : "not text in UTF-8");
    }
    if ((column = dollar_brace (b, &p->problem_mark)) > 0) {
        yaml_mark_t mark = p->problem_mark;

        mark.column = (size_t)column - 1;
        return ytree_place_errf (b, &mark,
                                 "${…} inside {…} or […] must be quoted: write "
                                 "\"${name}\"");
    }
    return ytree_place_errf (
        b, &p->problem_mark, "%s%s%s", p->problem ? p->problem : "not YAML",
        p->context ? " " : "", p->context ? p->context : "");
}

/* ---- YAML events -> nodes ---- */

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
    NEW (n, 1);
    n->n.type = type;
    n->n.line = (int)mark->line + 1;
    n->n.column = (int)mark->column + 1;
    n->weight = 1;
    n->height = 1;
    n->next = b->t->all;
    b->t->all = n;
    return n;
}

static void
add_child (struct node *n, const struct node *key, struct node *item)
{
    if (n->n.count == n->room) {
        n->room = n->room ? n->room * 2 : 4;
        n->n.item = xreallocarray (n->n.item, n->room, sizeof (*n->n.item));
        if (key)
            n->n.key = xreallocarray (n->n.key, n->room, sizeof (*n->n.key));
    }
    if (key)
        n->n.key[n->n.count] = (struct ynode *)&key->n;
    n->n.item[n->n.count++] = &item->n;
    n->weight += item->weight + (key ? 1 : 0);
    if (item->height >= n->height)
        n->height = item->height + 1;
}

static void
remember_anchor (struct builder *b, const yaml_char_t *anchor, struct node *n)
{
    const char *name = (const char *)anchor;

    if (name) /* a later one replaces it */
        strmap_set (b->anchors,
                    strmap_intern (b->anchors, name, strlen (name), NULL), n);
}

/* The limits hold for the tree that a reader walks, not for the text. */
static struct node *
build_alias (struct builder *b, const yaml_event_t *event, int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    int64_t i = strmap_find (b->anchors, name, strlen (name));
    struct node *n = i < 0 ? NULL : strmap_value (b->anchors, i);

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
    n->n.text = xstrndup (value, length);
    n->n.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    remember_anchor (b, event->data.scalar.anchor, n);
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
        ytree_parser_errf (b);
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

    if (!n)
        return NULL;
    remember_anchor (b, event->data.sequence_start.anchor, n);
    n->open = 1;
    while ((item = build_next (b, YAML_SEQUENCE_END_EVENT, depth + 1, &ended)))
        add_child (n, NULL, item);
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
        *set = strmap_create ();
        for (size_t i = 0; i < n->n.count; i++)
            strmap_intern (*set, n->n.key[i]->text, strlen (n->n.key[i]->text),
                           NULL);
    }
    if (*set) {
        strmap_intern (*set, text, strlen (text), &isnew);
        return !isnew;
    }
    return ynode_get (&n->n, text) != NULL;
}

static struct node *
build_map (struct builder *b, const yaml_event_t *event, int depth)
{
    struct node *n = new_node (b, YNODE_MAP, event), *key, *item;
    struct strmap *set = NULL;
    int ended, bad = 0;

    if (!n)
        return NULL;
    remember_anchor (b, event->data.mapping_start.anchor, n);
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
        if ((bad = !item))
            break;
        add_child (n, key, item);
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
static int ytree_build (struct builder *b)
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

/* --- parsing ---------------------------------------------------------- */

enum { BYTES_MAX = 16 * 1024 * 1024 };

struct ytree *ytree_parse (const char *name,
                           const char *text,
                           size_t length,
                           struct errtext *err)
{
    struct builder b = {.err = err};
    int rc;

    /* a byte order mark is no text; libyaml wants none where it is told the
     * encoding */
    if (length >= 3 && !memcmp (text, "\xef\xbb\xbf", 3)) {
        text += 3;
        length -= 3;
    }
    b.text = text;
    b.length = length;

    if (length > BYTES_MAX) {
        errno = EFBIG;
        errf (err, "%s: larger than %d bytes", name, BYTES_MAX);
        return NULL;
    }
    NEW (b.t, 1);
    b.t->name = xstrdup (name);
    b.anchors = strmap_create ();
    if (!yaml_parser_initialize (&b.parser))
        xalloc_die ();
    yaml_parser_set_encoding (&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string (&b.parser, (const unsigned char *)text,
                                  length);
    rc = ytree_build (&b);
    yaml_parser_delete (&b.parser);
    strmap_destroy (b.anchors);
    if (rc < 0) {
        ytree_destroy (b.t);
        return NULL;
    }
    return b.t;
}

struct ytree *ytree_load (const char *path, struct errtext *err)
{
    size_t length;
    char *text = read_user_file (path, BYTES_MAX, &length, err);
    struct ytree *t;

    if (!text)
        return NULL;
    t = ytree_parse (path, text, length, err);
    free (text);
    return t;
}

void ytree_destroy (struct ytree *t)
{
    int saved_errno = errno;

    if (!t)
        return;
    for (struct node *n = t->all, *next; n; n = next) {
        next = n->next;
        free (n->n.text);
        free (n->n.item);
        free (n->n.key);
        free (n);
    }
    free (t->name);
    free (t);
    errno = saved_errno;
}

/* --- reading the tree ------------------------------------------------- */

const struct ynode *ytree_root (const struct ytree *t)
{
    return t->root;
}

const char *ytree_name (const struct ytree *t)
{
    return t->name;
}

const struct ynode *ynode_get (const struct ynode *n, const char *key)
{
    if (!n || n->type != YNODE_MAP)
        return NULL;
    for (size_t i = 0; i < n->count; i++)
        if (strcmp (n->key[i]->text, key) == 0)
            return n->item[i];
    return NULL;
}

const char *
ynode_text (const struct ynode *n, const char *key, const char *fallback)
{
    const struct ynode *v = ynode_get (n, key);

    return v && v->type == YNODE_SCALAR ? v->text : fallback;
}

uint64_t ynode_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    parse_u64 (ynode_text (n, key, "0"), &value);
    return value;
}
