/* SPDX-License-Identifier: MIT
 *
 * layerset.c - which events make up a layer: presets, or the user's YAML
 *
 * In:  layerrules.def, or a file
 * Out: struct layerset, to compat.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/layerset.h"
#include "lib/model/pattern.h"
#include "lib/format/shard.h"
#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"

enum { OVERLAP = 1, SIZE = 2 };

static const struct preset_row {
    enum layer_preset preset;
    const char *name, *title;
    int shows;
    const char *cats, *names, *not_names;
} rows[] = {
#define RULE(PRESET, NAME, TITLE, SHOWS, CATS, NAMES, NOT) \
    {PRESET_##PRESET, NAME, TITLE, SHOWS, CATS, NAMES, NOT},
#include "analyze/compat/layerrules.def"
#undef RULE
};

/* --- building --------------------------------------------------------- */

static char *layerset_copy (const char *text, int *failed)
{
    char *p = text ? strdup (text) : NULL;

    *failed |= text && !p;
    return p;
}

/* Index of the layer of that name, a new one if need be; -1: too many, or
 * no memory. */
static int layer_index (struct layerset *s, const char *name, const char *title)
{
    struct layer_def *l = &s->layer[s->layers];
    int failed = 0;

    for (size_t i = 0; i < s->layers; i++)
        if (strcmp (s->layer[i].name, name) == 0)
            return (int)i;
    if (s->layers == LAYERSET_MAX)
        return -1;
    l->name = layerset_copy (name, &failed);
    l->title = layerset_copy (title, &failed);
    s->layers++; /* layerset_clear frees what there is */
    if (failed)
        return -1;
    if (strcmp (name, "compute") == 0)
        s->compute = (int)s->layers - 1;
    return (int)s->layers - 1;
}

/* Takes the patterns. */
static int add_rule (struct layerset *s, struct layer_rule *r)
{
    struct layer_rule *all =
        reallocarray (s->rule, s->rules + 1, sizeof (*all));

    if (!all) {
        free (r->cats);
        free (r->names);
        free (r->not_names);
        return -1;
    }
    s->rule = all;
    s->rule[s->rules++] = *r;
    return 0;
}

static int layerset_add_row (struct layerset *s, const struct preset_row *row)
{
    int failed = 0, layer = layer_index (s, row->name, row->title);
    struct layer_rule r = {.layer = (size_t)layer};

    if (layer < 0)
        return -1;
    s->layer[layer].overlap = (row->shows & OVERLAP) != 0;
    s->layer[layer].size = (row->shows & SIZE) != 0;
    r.cats = layerset_copy (row->cats, &failed);
    r.names = layerset_copy (row->names, &failed);
    r.not_names = layerset_copy (row->not_names, &failed);
    return add_rule (s, &r) < 0 || failed ? -1 : 0;
}

int layerset_preset (struct layerset *s,
                     enum layer_preset preset,
                     struct errtext *err)
{
    memset (s, 0, sizeof (*s));
    s->compute = -1;
    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
        if (rows[i].preset == preset && layerset_add_row (s, &rows[i]) < 0) {
            layerset_clear (s);
            return errf (err, "layers: %s", strerror (ENOMEM));
        }
    return 0;
}

/* --- the user's file -------------------------------------------------- */

/* A scalar, or a list of them with commas between. NULL: not there. */
static char *patterns (const struct ynode *n, int *failed)
{
    char *all = NULL, *next;

    if (!n)
        return NULL;
    if (n->type == YNODE_SCALAR)
        return layerset_copy (n->text, failed);
    for (size_t i = 0; n->type == YNODE_LIST && i < n->count; i++) {
        if (n->item[i]->type != YNODE_SCALAR)
            continue;
        next = all ? text_format ("%s,%s", all, n->item[i]->text)
                   : strdup (n->item[i]->text);
        free (all);
        all = next;
        *failed |= !next;
    }
    return all;
}

static int yes (const struct ynode *n, const char *key, int otherwise)
{
    const char *text = ynode_text (n, key, NULL);

    return !text ? otherwise
                 : strcmp (text, "yes") == 0 || strcmp (text, "true") == 0;
}

static int
known_keys (const struct ytree *t, const struct ynode *n, struct errtext *err)
{
    static const char *const known[] = {"name",     "title",   "cat",  "func",
                                        "not_func", "overlap", "size", NULL};

    for (size_t k = 0; k < n->count; k++) {
        int i = 0;

        while (known[i] && strcmp (known[i], n->key[k]->text) != 0)
            i++;
        if (!known[i])
            return ytree_errf (t, n->key[k], err,
                               "no such key of a layer: %s: use name, title, "
                               "cat, func, not_func, overlap or size",
                               n->key[k]->text);
    }
    return 0;
}

static int take_layer (struct layerset *s,
                       const struct ytree *t,
                       const struct ynode *n,
                       struct errtext *err)
{
    const char *name = ynode_text (n, "name", NULL);
    struct layer_rule r = {0};
    int failed = 0, layer;

    if (n->type != YNODE_MAP || !name)
        return ytree_errf (t, n, err, "a layer needs a name");
    if (known_keys (t, n, err) < 0)
        return -1;
    if (!ynode_get (n, "cat") && !ynode_get (n, "func"))
        return ytree_errf (t, n, err, "layer %s: it needs cat or func", name);
    if ((layer = layer_index (s, name, ynode_text (n, "title", name))) < 0)
        return ytree_errf (t, n, err, "more than %d layers", LAYERSET_MAX);
    s->layer[layer].overlap = yes (n, "overlap", strcmp (name, "compute") != 0);
    s->layer[layer].size = yes (n, "size", 0);
    r.layer = (size_t)layer;
    r.cats = patterns (ynode_get (n, "cat"), &failed);
    r.names = patterns (ynode_get (n, "func"), &failed);
    r.not_names = patterns (ynode_get (n, "not_func"), &failed);
    if (add_rule (s, &r) < 0 || failed)
        return errf (err, "%s: %s", ytree_name (t), strerror (ENOMEM));
    return 0;
}

static int
layerset_take_file (struct layerset *s, const char *path, struct errtext *err)
{
    struct ytree *t = ytree_load (path, err);
    const struct ynode *list = t ? ynode_get (ytree_root (t), "layers") : NULL;
    int rc = t ? 0 : -1;

    if (t && (!list || list->type != YNODE_LIST || !list->count))
        rc = errf (err, "%s: no layers: it needs a list of that name", path);
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        rc = take_layer (s, t, list->item[i], err);
    ytree_destroy (t);
    return rc;
}

int layerset_file (struct layerset *s, const char *path, struct errtext *err)
{
    memset (s, 0, sizeof (*s));
    s->compute = -1;
    if (layerset_take_file (s, path, err) == 0)
        return 0;
    layerset_clear (s);
    return -1;
}

void layerset_clear (struct layerset *s)
{
    int saved = errno;

    for (size_t i = 0; i < s->layers; i++) {
        free (s->layer[i].name);
        free (s->layer[i].title);
    }
    for (size_t i = 0; i < s->rules; i++) {
        free (s->rule[i].cats);
        free (s->rule[i].names);
        free (s->rule[i].not_names);
    }
    free (s->rule);
    memset (s, 0, sizeof (*s));
    errno = saved;
}

static uint64_t layerset_mix (uint64_t sum, const char *text)
{
    return text ? shard_checksum (text, strlen (text) + 1, sum) : sum + 1;
}

uint64_t layerset_sum (const struct layerset *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->layers; i++)
        sum = layerset_mix (layerset_mix (sum, s->layer[i].name),
                            s->layer[i].title) +
              (uint64_t)(s->layer[i].overlap + 2 * s->layer[i].size);
    for (size_t i = 0; i < s->rules; i++) {
        const struct layer_rule *r = &s->rule[i];

        sum = layerset_mix (sum + r->layer, r->cats);
        sum = layerset_mix (layerset_mix (sum, r->names), r->not_names);
    }
    return sum;
}

uint32_t layerset_match (const struct layerset *s,
                         const char *category,
                         const char *name)
{
    uint32_t set = 0;

    for (size_t i = 0; i < s->rules; i++) {
        const struct layer_rule *r = &s->rule[i];

        if ((!r->cats || pattern_match (r->cats, category)) &&
            (!r->names || pattern_match (r->names, name)) &&
            !(r->not_names && pattern_match (r->not_names, name)))
            set |= (uint32_t)1 << r->layer;
    }
    return set;
}
