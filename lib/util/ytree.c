/* SPDX-License-Identifier: MIT
 *
 * ytree.c - YAML text -> tree with positions; reading the tree
 */
#include "config.h"

#include <setjmp.h>
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
    size_t weight;       /* nodes below and this one, aliases followed */
    int height;          /* levels below and this one */
    int open;            /* still being read */
    struct strmap *keys; /* of a map with many, while it is read */
};

struct ytree {
    char *name;
    struct node *all;
    const struct ynode *root;
};

struct builder {
    struct ytree *t;
    yaml_parser_t parser;
    yaml_event_t event; /* the last one */
    const char *text;
    size_t length;
    struct strmap *anchors; /* name -> node */
    size_t weight;          /* so far */
    struct errtext *err;
    jmp_buf failed; /* where building ends at the first mistake */
};

/* ---- where and why a text is no tree -> one line ---- */

/* End the building with err = "FILE:LINE:COLUMN: message". */
static _Noreturn void
ytree_fail (struct builder *b, int line, int column, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

static void
ytree_fail (struct builder *b, int line, int column, const char *fmt, ...)
{
    const struct ynode at = {.line = line, .column = column};
    char text[400];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    ytree_errf (b->t, &at, b->err, "%s", text);
    longjmp (b->failed, 1);
}

/* At a mark of libyaml. */
#define MARK_FAIL(B, MARK, ...) \
    ytree_fail (B, (int)(MARK)->line + 1, (int)(MARK)->column + 1, __VA_ARGS__)

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
static _Noreturn void ytree_parser_fail (struct builder *b)
{
    yaml_parser_t *p = &b->parser;
    int column;

    if (p->error == YAML_MEMORY_ERROR)
        xalloc_die ();
    if (p->error == YAML_READER_ERROR) {
        errf (b->err, "%s: byte %zu: %s", b->t->name, p->problem_offset,
              p->problem ? p->problem : "not text in UTF-8");
        longjmp (b->failed, 1);
    }
    if ((column = dollar_brace (b, &p->problem_mark)) > 0)
        ytree_fail (b, (int)p->problem_mark.line + 1, column,
                    "${…} inside {…} or […] must be quoted: write "
                    "\"${name}\"");
    MARK_FAIL (b, &p->problem_mark, "%s%s%s",
               p->problem ? p->problem : "not YAML", p->context ? " " : "",
               p->context ? p->context : "");
}

/* The next event; the one before is gone. */
static const yaml_event_t *ytree_next (struct builder *b)
{
    yaml_event_delete (&b->event);
    if (!yaml_parser_parse (&b->parser, &b->event))
        ytree_parser_fail (b);
    return &b->event;
}

/* ---- YAML events -> nodes ---- */

enum {
    NODES_MAX = 1000000, /* a plan of 20 000 points has about 400 000 */
    DEPTH_MAX = 64,
    FEW_KEYS = 16 /* up to here a map's keys are compared one by one */
};

static struct node *build (struct builder *b, int depth);

/* --- nodes ------------------------------------------------------------ */

/* A node that begins with the event at hand. */
static struct node *
new_node (struct builder *b, enum ynode_type type, const yaml_char_t *anchor)
{
    const yaml_mark_t *mark = &b->event.start_mark;
    const char *name = (const char *)anchor;
    struct node *n;

    if (++b->weight > NODES_MAX)
        MARK_FAIL (b, mark, "more than %d nodes", NODES_MAX);
    NEW (n, 1);
    n->n.type = type;
    n->n.line = (int)mark->line + 1;
    n->n.column = (int)mark->column + 1;
    n->weight = 1;
    n->height = 1;
    n->next = b->t->all;
    b->t->all = n;
    if (name) /* a later one replaces it */
        strmap_set (b->anchors,
                    strmap_intern (b->anchors, name, strlen (name), NULL), n);
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

/* The limits hold for the tree that a reader walks, not for the text. */
static struct node *build_alias (struct builder *b, int depth)
{
    const yaml_mark_t *mark = &b->event.start_mark;
    const char *name = (const char *)b->event.data.alias.anchor;
    int64_t i = strmap_find (b->anchors, name, strlen (name));
    struct node *n = i < 0 ? NULL : strmap_value (b->anchors, i);

    if (!n)
        MARK_FAIL (b, mark, "*%s: no such anchor", name);
    if (n->open)
        MARK_FAIL (b, mark, "*%s contains itself", name);
    if ((b->weight += n->weight) > NODES_MAX)
        MARK_FAIL (b, mark, "*%s: more than %d nodes", name, NODES_MAX);
    if (depth + n->height - 1 > DEPTH_MAX)
        MARK_FAIL (b, mark, "*%s: nested deeper than %d", name, DEPTH_MAX);
    return n;
}

static struct node *build_scalar (struct builder *b)
{
    const char *value = (const char *)b->event.data.scalar.value;
    size_t length = b->event.data.scalar.length;
    struct node *n = new_node (b, YNODE_SCALAR, b->event.data.scalar.anchor);

    if (memchr (value, '\0', length))
        MARK_FAIL (b, &b->event.start_mark, "a NUL character in the text");
    n->n.text = xstrndup (value, length);
    n->n.quoted = b->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return n;
}

/* --- lists and maps --------------------------------------------------- */

static struct node *build_list (struct builder *b, int depth)
{
    struct node *n =
        new_node (b, YNODE_LIST, b->event.data.sequence_start.anchor);

    n->open = 1;
    while (ytree_next (b)->type != YAML_SEQUENCE_END_EVENT)
        add_child (n, NULL, build (b, depth + 1));
    n->open = 0;
    return n;
}

/* Has n the key already? Maps with many keys use a set made on the way. */
static int seen_key (struct node *n, const char *text)
{
    int isnew = 0;

    if (!n->keys && n->n.count >= FEW_KEYS) {
        n->keys = strmap_create ();
        for (size_t i = 0; i < n->n.count; i++)
            strmap_intern (n->keys, n->n.key[i]->text,
                           strlen (n->n.key[i]->text), NULL);
    }
    if (!n->keys)
        return ynode_get (&n->n, text) != NULL;
    strmap_intern (n->keys, text, strlen (text), &isnew);
    return !isnew;
}

static void
check_key (struct builder *b, struct node *map, const struct ynode *n)
{
    const char *problem = NULL;

    if (n->type != YNODE_SCALAR)
        problem = "a key must be text";
    else if (strcmp (n->text, "<<") == 0 && !n->quoted)
        problem = "<< does not merge here: write the keys out";
    else if (!n->text[0] && !n->quoted)
        problem = "the key before \":\" is missing";
    if (problem)
        ytree_fail (b, n->line, n->column, "%s", problem);
    if (seen_key (map, n->text))
        ytree_fail (b, n->line, n->column, "%s: key given twice", n->text);
}

static struct node *build_map (struct builder *b, int depth)
{
    struct node *n =
        new_node (b, YNODE_MAP, b->event.data.mapping_start.anchor);

    n->open = 1;
    while (ytree_next (b)->type != YAML_MAPPING_END_EVENT) {
        struct node *key = build (b, depth + 1);

        check_key (b, n, &key->n);
        ytree_next (b);
        add_child (n, key, build (b, depth + 1));
    }
    strmap_destroy (n->keys);
    n->keys = NULL;
    n->open = 0;
    return n;
}

/* The node that begins with the event at hand. */
static struct node *build (struct builder *b, int depth)
{
    const yaml_event_t *event = &b->event;
    const yaml_char_t *tag = NULL;

    if (depth > DEPTH_MAX)
        MARK_FAIL (b, &event->start_mark, "nested deeper than %d", DEPTH_MAX);
    if (event->type == YAML_SCALAR_EVENT)
        tag = event->data.scalar.tag;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        tag = event->data.sequence_start.tag;
    else if (event->type == YAML_MAPPING_START_EVENT)
        tag = event->data.mapping_start.tag;
    if (tag)
        MARK_FAIL (b, &event->start_mark,
                   "tags (%.40s) are not used here: leave it out",
                   (const char *)tag);
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return build_alias (b, depth);
    case YAML_SCALAR_EVENT:
        return build_scalar (b);
    case YAML_SEQUENCE_START_EVENT:
        return build_list (b, depth);
    case YAML_MAPPING_START_EVENT:
        return build_map (b, depth);
    default:
        MARK_FAIL (b, &event->start_mark, "not expected here");
    }
}

/* --- documents -------------------------------------------------------- */

/* Stream and document marks around the root. */
static void ytree_build (struct builder *b)
{
    int documents = 0;

    for (;;)
        switch (ytree_next (b)->type) {
        case YAML_STREAM_END_EVENT:
            return;
        case YAML_DOCUMENT_START_EVENT:
            if (documents++ > 0)
                MARK_FAIL (b, &b->event.start_mark, "a second document");
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        default:
            b->t->root = &build (b, 1)->n;
        }
}

/* --- parsing ---------------------------------------------------------- */

enum { BYTES_MAX = 16 * 1024 * 1024 };

struct ytree *ytree_parse (const char *name,
                           const char *text,
                           size_t length,
                           struct errtext *err)
{
    struct builder *b; /* as longjmp () may change what is on the stack */
    struct ytree *volatile t = NULL;

    if (length > BYTES_MAX) {
        errno = EFBIG;
        errf (err, "%s: larger than %d bytes", name, BYTES_MAX);
        return NULL;
    }
    /* a byte order mark is no text; libyaml wants none where it is told the
     * encoding */
    if (length >= 3 && !memcmp (text, "\xef\xbb\xbf", 3)) {
        text += 3;
        length -= 3;
    }
    NEW (b, 1);
    b->err = err;
    b->text = text;
    b->length = length;
    t = NEW (b->t, 1);
    t->name = xstrdup (name);
    b->anchors = strmap_create ();
    if (!yaml_parser_initialize (&b->parser))
        xalloc_die ();
    yaml_parser_set_encoding (&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string (&b->parser, (const unsigned char *)text,
                                  length);
    if (setjmp (b->failed)) {
        ytree_destroy (t);
        t = NULL;
    } else
        ytree_build (b);
    yaml_event_delete (&b->event);
    yaml_parser_delete (&b->parser);
    strmap_destroy (b->anchors);
    free (b);
    if (!t)
        errno = EINVAL;
    return t;
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
        strmap_destroy (n->keys);
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
