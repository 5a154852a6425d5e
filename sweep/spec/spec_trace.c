/* SPDX-License-Identifier: MIT
 *
 * spec_trace.c - trace, control, retry, data and cold -> struct spec
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/layers.h"
#include "lib/util/optparse.h"
#include "sweep/spec/grow.h"
#include "sweep/run/runstatus.h"
#include "sweep/spec/spec_read.h"

static int
layers_set (struct reader *r, const struct ynode *n, const char *text)
{
    struct errtext err;
    unsigned layers;
    char buf[256];

    if (layers_parse (text, &layers, &err) < 0)
        return reader_fail (r, n, 0, "trace: %s", err.text);
    (void)layers_format (layers, buf, sizeof (buf));
    r->spec->layers =
        layers & LAYER_OFF ? NULL : arena_text (r->spec->arena, text);
    return 0;
}

static int read_layers (struct reader *r, const struct ynode *n)
{
    const char *text = "";

    if (n->type == YNODE_SCALAR && !n->quoted && !strcmp (n->text, "false"))
        return layers_set (r, n, "off");
    if (n->type == YNODE_SCALAR)
        return layers_set (r, n, n->text);
    if (n->type != YNODE_LIST)
        return reader_fail (r, n, 0, "trace: layers are text or a list");
    for (size_t i = 0; i < n->count; i++) {
        if (n->item[i]->type != YNODE_SCALAR)
            return reader_fail (r, n->item[i], 0, "a layer should be here");
        text = arena_format (r->spec->arena, "%s%s%s", text, i ? "," : "",
                             n->item[i]->text);
    }
    return layers_set (r, n, text);
}

static int
tracing_add (struct reader *r, const char *key, const struct ynode *n)
{
    struct spec *s = r->spec;
    struct named_template *t;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "trace: %s: a value should be here", key);
    s->tracing = arena_grow (s->arena, s->tracing, s->tracings, sizeof (*t));
    t = &s->tracing[s->tracings];
    t->name = key;
    t->node = n;
    if (reader_template (r, n, &t->template) < 0)
        return -1;
    s->tracings++;
    return 0;
}

/* What is not ours is the tracer's; where its directory is, is ours. */
static int read_tracing (struct reader *r, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const char *key = n->key[i]->text;
        const struct ynode *item = n->item[i];

        if (!strcmp (key, "layers") || !strcmp (key, "check"))
            continue;
        if (!strcmp (key, "dir") || !strcmp (key, "root"))
            return reader_fail (r, n->key[i], 0,
                                "trace: %s is set by the sweep itself", key);
        key = arena_text (r->spec->arena, key);
        if (item->type != YNODE_LIST && tracing_add (r, key, item) < 0)
            return -1;
        for (size_t k = 0; item->type == YNODE_LIST && k < item->count; k++)
            if (tracing_add (r, key, item->item[k]) < 0)
                return -1;
    }
    return 0;
}

int reader_trace (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "trace"), *layers, *check;

    r->spec->layers = "posix,app";
    r->spec->trace_check = 1;
    if (!n || reader_is_null (n))
        return 0;
    if (n->type != YNODE_MAP)
        return read_layers (r, n);
    if (reader_keys (r, SECTION_TRACE, n) < 0)
        return -1;
    layers = ynode_get (n, "layers");
    if (layers && read_layers (r, layers) < 0)
        return -1;
    check = ynode_get (n, "check");
    if (check && strcmp (check->text, "complete") &&
        strcmp (check->text, "none"))
        return reader_fail (r, check, 0,
                            "check: \"%s\" is neither complete "
                            "nor none",
                            check->text);
    r->spec->trace_check = !check || !strcmp (check->text, "complete");
    return read_tracing (r, n);
}

static int read_truth (struct reader *r,
                       const struct ynode *map,
                       const char *key,
                       int fallback,
                       int *out)
{
    const struct ynode *n = ynode_get (map, key);

    *out = fallback;
    if (!n)
        return 0;
    if (n->quoted || (strcmp (n->text, "true") && strcmp (n->text, "false")))
        return reader_fail (r, n, 0, "%s: \"%s\" is neither true nor false",
                            key, n->text);
    *out = !strcmp (n->text, "true");
    return 0;
}

int reader_control (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "control"), *where;
    struct spec *s = r->spec;
    int64_t repeats;

    if (!n)
        return 0;
    if (!s->layers)
        return reader_fail (r, n, 0,
                            "control: is the untraced run of a pair, "
                            "and trace is off");
    if (reader_keys (r, SECTION_CONTROL, n) < 0 ||
        reader_integer (r, n, "repeats", 1, s->repeats, s->repeats, &repeats) <
            0 ||
        read_truth (r, n, "paired", 1, &s->control.paired) < 0)
        return -1;
    s->control.wanted = 1;
    s->control.repeats = (int)repeats;
    where = ynode_get (n, "where");
    if (!where)
        return 0;
    s->control.wheres = 1;
    s->control.where = arena_array (s->arena, 1, sizeof (*s->control.where));
    return reader_expr (r, where, r->columns, s->control.where);
}

/* "node_fail" or "node-fail" */
static int retry_state (struct reader *r, const struct ynode *n)
{
    const char *names[OUTCOME_COUNT + 1], *near;
    char word[32];
    size_t count = 0;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "on: a state should be here");
    (void)snprintf (word, sizeof (word), "%s", n->text);
    for (char *p = word; *p; p++)
        if (*p == '_')
            *p = '-';
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (outcome_class ((enum outcome)o) != OUTCOME_BAD)
            continue;
        names[count++] = outcome_word ((enum outcome)o);
        if (!strcmp (names[count - 1], word)) {
            r->spec->retry.on |= 1u << o;
            return 0;
        }
    }
    names[count] = NULL;
    near = nearest_word (word, names);
    return reader_fail (r, n, 0, "on: \"%s\" is no bad end of a run%s%s%s",
                        n->text, near ? " (did you mean \"" : "",
                        near ? near : "", near ? "\"?)" : "");
}

static int retry_grow (struct reader *r, const struct ynode *n)
{
    struct retry *t = &r->spec->retry;
    struct errtext err;
    double time, mem;

    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *factor = n->item[i];
        const char *text =
            arena_format (r->spec->arena, "%s=%s", n->key[i]->text,
                          factor->type == YNODE_SCALAR ? factor->text : "?");

        if (grow_parse (text, &time, &mem, &err) < 0)
            return reader_fail (r, n->key[i], 0, "grow: %s", err.text);
        if (time > 0)
            t->grow_time = time;
        if (mem > 0)
            t->grow_mem = mem;
    }
    return 0;
}

int reader_retry (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "retry"), *on;
    int64_t times;

    if (!n)
        return 0;
    if (reader_keys (r, SECTION_RETRY, n) < 0 ||
        reader_integer (r, n, "times", 1, 100, 1, &times) < 0 ||
        retry_grow (r, ynode_get (n, "grow")) < 0)
        return -1;
    r->spec->retry.times = (int)times;
    on = ynode_get (n, "on");
    if (on->type == YNODE_SCALAR)
        return retry_state (r, on);
    for (size_t i = 0; i < on->count; i++)
        if (retry_state (r, on->item[i]) < 0)
            return -1;
    return 0;
}

int reader_data (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "data");
    struct spec *s = r->spec;
    size_t count = n && n->type == YNODE_LIST ? n->count : n != NULL;

    if (read_truth (r, r->root, "cold", 0, &s->cold) < 0)
        return -1;
    if (s->cold && !count)
        return reader_fail (r, ynode_get (r->root, "cold"), 0,
                            "cold: of which files? `data:` names them");
    s->data = arena_array (s->arena, count + 1, sizeof (*s->data));
    for (size_t i = 0; i < count; i++) {
        s->data[i].name = "data";
        s->data[i].node = n->type == YNODE_LIST ? n->item[i] : n;
        if (reader_template (r, s->data[i].node, &s->data[i].template) < 0)
            return -1;
    }
    s->datas = count;
    return 0;
}
