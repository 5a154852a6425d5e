/* SPDX-License-Identifier: MIT
 *
 * ytree.c - YAML text -> tree with positions; reading the tree
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/ytree_build.h"

enum { BYTES_MAX = 16 * 1024 * 1024 };

struct ytree *ytree_parse (const char *name,
                           const char *text,
                           size_t length,
                           struct errtext *err)
{
    struct builder b = {.err = err};
    int rc = -1, parser = 0;

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
    if (!(b.t = calloc (1, sizeof (*b.t))) || !(b.t->name = strdup (name)) ||
        !(b.anchors = strmap_create ()) ||
        !(parser = yaml_parser_initialize (&b.parser)))
        errf (err, "%s: not enough memory", name);
    else {
        yaml_parser_set_encoding (&b.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string (&b.parser, (const unsigned char *)text,
                                      length);
        rc = ytree_build (&b);
    }
    if (parser)
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
