/* SPDX-License-Identifier: MIT
 *
 * spec.c - sweep file -> struct spec
 *
 * In:  YAML text, by way of a tree with positions
 * Out: names, expressions and templates, all parsed and bound: what is left
 *      for the grid can only fail at a point, not in the text
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/layers.h"
#include "lib/core/parse.h"
#include "lib/util/optparse.h"
#include "sweep/sha256.h"
#include "sweep/spec_read.h"

/* -- the table of keys ------------------------------------------------- */

enum section { SECTION_TOP, SECTION_TRACE, SECTION_RESULTS };
enum shape { SHAPE_SCALAR, SHAPE_LIST, SHAPE_MAP, SHAPE_ANY };
enum presence { PRESENCE_OPTIONAL, PRESENCE_NEEDED, PRESENCE_LATER };

static const struct key {
    enum section section;
    const char *word;
    enum shape shape;
    enum presence presence;
    const char *help;
} keys[] = {
#define KEY(SECTION, WORD, SHAPE, PRESENCE, HELP) \
    {SECTION_##SECTION, #WORD, SHAPE_##SHAPE, PRESENCE_##PRESENCE, HELP},
#include "sweep/keys.def"
#undef KEY
};

enum { KEYS = sizeof (keys) / sizeof (keys[0]) };

int reader_fail (const struct reader *r,
                 const struct ynode *n,
                 size_t offset,
                 const char *fmt,
                 ...)
{
    struct ynode at = *n;
    char text[sizeof (r->err->text)];
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    if (offset)
        at.column += (int)offset + (n->quoted ? 1 : 0);
    errno = EINVAL;
    return ytree_errf (r->spec->tree, &at, r->err, "%s", text);
}

static int key_unknown (const struct reader *r,
                        enum section section,
                        const struct ynode *key)
{
    const char *names[KEYS + 1];
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == section)
            names[n++] = keys[i].word;
    names[n] = NULL;
    near = nearest_word (key->text, names);
    if (near)
        return reader_fail (r, key, 0,
                            "unknown key \"%s\" (did you mean \"%s\"?)",
                            key->text, near);
    return reader_fail (r, key, 0,
                        "unknown key \"%s\": `dftrace sweep plan --keys` "
                        "lists the known ones",
                        key->text);
}

static int key_check (const struct reader *r,
                      const struct key *k,
                      const struct ynode *key,
                      const struct ynode *n)
{
    static const char *const shape[] = {[SHAPE_SCALAR] = "a single value",
                                        [SHAPE_LIST] = "a list",
                                        [SHAPE_MAP] = "a mapping"};
    int bad = (k->shape == SHAPE_SCALAR && n->type != YNODE_SCALAR) ||
              (k->shape == SHAPE_LIST && n->type == YNODE_MAP) ||
              (k->shape == SHAPE_MAP && n->type != YNODE_MAP);

    if (k->presence == PRESENCE_LATER)
        return reader_fail (r, key, 0, "not supported yet: %s (%s): remove it",
                            k->word, k->help);
    if (bad)
        return reader_fail (r, n, 0, "%s: %s should be here: %s", k->word,
                            shape[k->shape], k->help);
    return 0;
}

static int
check_keys (const struct reader *r, enum section section, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const struct key *k = NULL;

        for (size_t j = 0; j < KEYS; j++)
            if (keys[j].section == section &&
                !strcmp (keys[j].word, n->key[i]->text))
                k = &keys[j];
        if (!k)
            return key_unknown (r, section, n->key[i]);
        if (key_check (r, k, n->key[i], n->item[i]) < 0)
            return -1;
    }
    for (size_t j = 0; j < KEYS; j++)
        if (keys[j].section == section && keys[j].presence == PRESENCE_NEEDED &&
            !ynode_get (n, keys[j].word))
            return reader_fail (r, n, 0, "the key \"%s\" is missing: %s",
                                keys[j].word, keys[j].help);
    return 0;
}

void spec_print_keys (FILE *out)
{
    static const char *const prefix[] = {[SECTION_TOP] = "",
                                         [SECTION_TRACE] = "trace.",
                                         [SECTION_RESULTS] = "results."};

    for (size_t i = 0; i < KEYS; i++)
        fprintf (out, "%s%-*s %s%s\n", prefix[keys[i].section],
                 (int)(18 - strlen (prefix[keys[i].section])), keys[i].word,
                 keys[i].help,
                 keys[i].presence == PRESENCE_LATER    ? " (not yet)"
                 : keys[i].presence == PRESENCE_NEEDED ? " (needed)"
                                                       : "");
}

/* -- single keys ------------------------------------------------------- */

static int is_null (const struct ynode *n)
{
    return n->type == YNODE_SCALAR && !n->quoted &&
           (!*n->text || !strcmp (n->text, "null") || !strcmp (n->text, "~"));
}

static int read_name (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "sweep");
    const char *p = n->text;

    if (!islower ((unsigned char)*p) && !isdigit ((unsigned char)*p))
        return reader_fail (r, n, 0,
                            "sweep: \"%s\": a name begins with a "
                            "lower-case letter or a digit",
                            p);
    for (size_t i = 0; p[i]; i++)
        if (i >= SPEC_NAME_MAX ||
            (!islower ((unsigned char)p[i]) && !isdigit ((unsigned char)p[i]) &&
             !strchr ("._-", p[i])))
            return reader_fail (r, n, i,
                                "sweep: \"%s\": a name is at most %d of "
                                "a-z 0-9 . _ -",
                                p, SPEC_NAME_MAX);
    r->spec->name = arena_text (r->spec->arena, p);
    return 0;
}

static int read_integer (struct reader *r,
                         const char *key,
                         int64_t least,
                         int64_t most,
                         int64_t fallback,
                         int64_t *out)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct value v;

    *out = fallback;
    if (!n)
        return 0;
    v = value_of_scalar (r->spec->arena, n->text, n->quoted);
    if (v.type != VALUE_INT || v.integer < least || v.integer > most)
        return reader_fail (r, n, 0,
                            "%s: \"%s\" is no whole number from %lld to %lld",
                            key, n->text, (long long)least, (long long)most);
    *out = v.integer;
    return 0;
}

static const char *const order_words[] = {"blocked", "random", "grid", NULL};
static const char *const mode_words[] = {"array", "local", NULL};

static int read_word (struct reader *r,
                      const char *key,
                      const char *const *words,
                      int *out)
{
    const struct ynode *n = ynode_get (r->root, key);

    *out = 0;
    if (!n)
        return 0;
    for (int i = 0; words[i]; i++)
        if (!strcmp (words[i], n->text)) {
            *out = i;
            return 0;
        }
    if (words == mode_words && !strcmp (n->text, "pack"))
        return reader_fail (r, n, 0,
                            "not supported yet: mode: pack (one job "
                            "runs all): use array or local");
    return reader_fail (r, n, 0, "%s: \"%s\" is none of %s, %s%s%s", key,
                        n->text, words[0], words[1], words[2] ? ", " : "",
                        words[2] ? words[2] : "");
}

static int read_numbers (struct reader *r)
{
    struct spec *s = r->spec;
    int64_t repeats, seed, max_running;
    int order, mode;

    if (read_integer (r, "repeats", 1, SPEC_REPEATS_MAX, 1, &repeats) < 0 ||
        read_integer (r, "seed", 0, INT64_MAX, 1, &seed) < 0 ||
        read_integer (r, "max_running", 0, INT32_MAX, 0, &max_running) < 0 ||
        read_word (r, "order", order_words, &order) < 0 ||
        read_word (r, "mode", mode_words, &mode) < 0)
        return -1;
    s->repeats = (int)repeats;
    s->seed = (uint64_t)seed;
    s->max_running = (int)max_running;
    s->order = (enum sweep_order)order;
    s->mode = (enum sweep_mode)mode;
    return 0;
}

static const char *text_of (struct reader *r, const char *key)
{
    const struct ynode *n = ynode_get (r->root, key);

    return n && !is_null (n) ? arena_text (r->spec->arena, n->text) : NULL;
}

static int read_texts (struct reader *r)
{
    struct spec *s = r->spec;

    s->setup = text_of (r, "setup");
    s->run = text_of (r, "run");
    s->teardown = text_of (r, "teardown");
    s->script = text_of (r, "script");
    if (s->run && s->script)
        return reader_fail (r, ynode_get (r->root, "script"), 0,
                            "run and script: one of the two, not both");
    if (!s->run && !s->script)
        return reader_fail (r, r->root, 0,
                            "the key \"run\" (or \"script\") is missing: "
                            "what should a point do?");
    return 0;
}

/* -- trace, results ---------------------------------------------------- */

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

static int read_trace (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "trace"), *layers, *check;

    r->spec->layers = "posix,app";
    r->spec->trace_check = 1;
    if (!n || is_null (n))
        return 0;
    if (n->type != YNODE_MAP)
        return read_layers (r, n);
    if (check_keys (r, SECTION_TRACE, n) < 0)
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
    return 0;
}

/* A name that no table has would never be shown. */
static int metric_check (const struct reader *r, const struct ynode *n)
{
    static const char *const names[] = {
#define COLUMN(SECTION, METRIC, TITLE, UNIT, DIGITS) #METRIC,
#include "sweep/columns.def"
#undef COLUMN
        NULL,
    };
    const char *near;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "a metric's name should be here");
    for (size_t i = 0; names[i]; i++)
        if (!strcmp (names[i], n->text))
            return 0;
    near = nearest_word (n->text, names);
    if (near)
        return reader_fail (r, n, 0,
                            "metrics: unknown metric \"%s\" (did you mean "
                            "\"%s\"?)",
                            n->text, near);
    return reader_fail (r, n, 0, "metrics: unknown metric \"%s\"", n->text);
}

static int read_results (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "results");
    struct arena *a = r->spec->arena;

    if (!n)
        return 0;
    if (check_keys (r, SECTION_RESULTS, n) < 0)
        return -1;
    n = ynode_get (n, "metrics");
    if (!n)
        return 0;
    if (n->type != YNODE_LIST)
        return reader_fail (r, n, 0, "metrics: a list should be here");
    r->spec->metrics_node = n;
    r->spec->metrics = arena_array (a, n->count + 1, sizeof (char *));
    for (size_t i = 0; i < n->count; i++) {
        if (metric_check (r, n->item[i]) < 0)
            return -1;
        r->spec->metrics[i] = arena_text (a, n->item[i]->text);
    }
    return 0;
}

/* -- expressions and templates ----------------------------------------- */

/* A scalar as expression; names must be among the first `known` columns. */
static int read_expr (struct reader *r,
                      const struct ynode *n,
                      size_t known,
                      struct named_expr *out)
{
    struct errtext err;
    const char **names;
    size_t fault = 0;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "an expression should be here");
    out->node = n;
    out->text = n->text;
    out->column = -1;
    out->expr = expr_parse (r->spec->arena, n->text, NULL, &fault, &err);
    if (!out->expr)
        return reader_fail (r, n, fault, "%s", err.text);
    names = arena_array (r->spec->arena, known + 1, sizeof (*names));
    memcpy (names, r->column, known * sizeof (*names));
    if (expr_bind (out->expr, names, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

static int read_derive (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "derive");
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->derives = n->count;
    s->derive =
        arena_array (s->arena, n->count ? n->count : 1, sizeof (*s->derive));
    for (size_t i = 0; i < n->count; i++) {
        if (read_expr (r, n->item[i], s->first_derived + i, &s->derive[i]) < 0)
            return -1;
        s->derive[i].column = (int)(s->first_derived + i);
    }
    return 0;
}

static int read_conditions (struct reader *r,
                            const char *key,
                            struct named_expr **out,
                            size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct spec *s = r->spec;

    if (!n || is_null (n))
        return 0;
    *count = n->type == YNODE_LIST ? n->count : 1;
    *out = arena_array (s->arena, *count ? *count : 1, sizeof (**out));
    for (size_t i = 0; i < *count; i++) {
        struct named_expr *c = &(*out)[i];

        if (read_expr (r, n->type == YNODE_LIST ? n->item[i] : n, r->columns,
                       c) < 0)
            return -1;
        c->early = 1;
        for (size_t d = s->first_derived; d < r->columns; d++)
            if (expr_uses (c->expr, (int)d))
                c->early = 0;
    }
    return 0;
}

static int
read_template (struct reader *r, const struct ynode *n, struct template **out)
{
    struct errtext err;
    size_t fault = 0;

    if (n->type == YNODE_MAP)
        return reader_fail (r, n, 0,
                            "a single value should be here: inside of { } "
                            "and [ ] a template is quoted, as in "
                            "\"${name}\"");
    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "a single value should be here");
    *out = template_parse (r->spec->arena, n->text, n->quoted, &fault, &err);
    if (!*out)
        return reader_fail (r, n, fault, "%s", err.text);
    if (template_bind (*out, r->spec->column, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

static int read_templates (struct reader *r,
                           const char *key,
                           int (*check) (struct reader *, const struct ynode *),
                           struct named_template **out,
                           size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct arena *a = r->spec->arena;

    if (!n)
        return 0;
    *count = n->count;
    *out = arena_array (a, n->count ? n->count : 1, sizeof (**out));
    for (size_t i = 0; i < n->count; i++) {
        struct named_template *t = &(*out)[i];

        t->name = arena_text (a, n->key[i]->text);
        t->node = n->item[i];
        if (check (r, n->key[i]) < 0 ||
            read_template (r, n->item[i], &t->template) < 0)
            return -1;
    }
    return 0;
}

static int check_env_name (struct reader *r, const struct ynode *key)
{
    const char *p = key->text;

    if (isalpha ((unsigned char)*p) || *p == '_')
        while (isalnum ((unsigned char)*p) || *p == '_')
            p++;
    if (*p || p == key->text)
        return reader_fail (r, key, 0, "env: \"%s\" is no variable's name",
                            key->text);
    if (!strncmp (key->text, "SWEEP_", 6) ||
        !strcmp (key->text, "DFTRACE_JOB_DIR") ||
        !strcmp (key->text, "DFTRACE_POINT"))
        return reader_fail (r, key, 0, "env: %s is set by the sweep itself",
                            key->text);
    return 0;
}

static int check_slurm_option (struct reader *r, const struct ynode *key)
{
    static const struct {
        const char *word, *instead;
    } ours[] = {
        {"array", "max_running"},
        {"output", "dftrace sweep logs"},
        {"error", "dftrace sweep logs"},
        {"job-name", "sweep"},
        {"dependency", "max_running"},
        {"wrap", "run"},
        {"parsable", "nothing"},
        {"export", "env"},
        {"hold", "--hold"},
        {"dftrace", "trace"},
        {"open-mode", "nothing"},
        {"requeue", "nothing"},
        {"wait", "--wait"},
    };
    const char *p = key->text;

    for (size_t i = 0; i < sizeof (ours) / sizeof (ours[0]); i++)
        if (!strcmp (p, ours[i].word))
            return reader_fail (r, key, 0,
                                "slurm: %s is set by the sweep itself: use "
                                "%s instead",
                                p, ours[i].instead);
    if (!islower ((unsigned char)*p) || !p[1] ||
        p[strspn (p, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return reader_fail (r, key, 0,
                            "slurm: \"%s\": a long option of sbatch, without "
                            "the dashes, should be here",
                            p);
    return 0;
}

static int read_label (struct reader *r)
{
    r->spec->label_node = ynode_get (r->root, "label");
    if (!r->spec->label_node)
        return 0;
    return read_template (r, r->spec->label_node, &r->spec->label);
}

/* -- the story --------------------------------------------------------- */

static int spec_read (struct reader *r)
{
    struct spec *s = r->spec;

    r->root = ytree_root (s->tree);
    if (!r->root || r->root->type != YNODE_MAP)
        return errf (r->err,
                     "%s: no sweep: a mapping with sweep, axes and "
                     "run should be here",
                     ytree_name (s->tree));
    if (check_keys (r, SECTION_TOP, r->root) < 0 || read_name (r) < 0 ||
        reader_axes (r) < 0 || reader_points (r) < 0 || reader_const (r) < 0)
        return -1;
    s->columns = r->columns;
    r->column =
        arena_grow (s->arena, r->column, r->columns, sizeof (*r->column));
    r->column[r->columns] = NULL;
    s->column = r->column;
    if (read_derive (r) < 0 ||
        read_conditions (r, "exclude", &s->exclude, &s->excludes) < 0 ||
        read_conditions (r, "require", &s->require, &s->requires) < 0 ||
        read_label (r) < 0 ||
        read_templates (r, "env", check_env_name, &s->env, &s->envs) < 0 ||
        read_templates (r, "slurm", check_slurm_option, &s->slurm, &s->slurms) <
            0)
        return -1;
    if (read_texts (r) < 0 || read_trace (r) < 0 || read_numbers (r) < 0)
        return -1;
    return read_results (r);
}

static struct spec *spec_of_tree (struct ytree *tree, struct errtext *err)
{
    struct reader r = {.err = err};

    if (!tree)
        return NULL;
    r.spec = calloc (1, sizeof (*r.spec));
    if (!r.spec) {
        ytree_destroy (tree);
        (void)errf (err, "memory: not enough");
        return NULL;
    }
    r.spec->tree = tree;
    r.spec->arena = arena_create ();
    if (spec_read (&r) < 0) {
        spec_destroy (r.spec);
        errno = EINVAL;
        return NULL;
    }
    return r.spec;
}

struct spec *spec_load (const char *path, struct errtext *err)
{
    return spec_of_tree (ytree_load (path, err), err);
}

struct spec *spec_parse (const char *name,
                         const char *text,
                         size_t length,
                         struct errtext *err)
{
    return spec_of_tree (ytree_parse (name, text, length, err), err);
}

void spec_destroy (struct spec *s)
{
    int saved_errno = errno;

    if (!s)
        return;
    ytree_destroy (s->tree);
    arena_destroy (s->arena);
    free (s);
    errno = saved_errno;
}

static void digest_node (struct sha256 *d, const struct ynode *n)
{
    char head[64];

    if (!n) {
        sha256_text (d, "-");
        return;
    }
    (void)snprintf (head, sizeof (head), "%d %d %zu:", (int)n->type,
                    n->quoted && n->type == YNODE_SCALAR,
                    n->type == YNODE_SCALAR ? strlen (n->text) : n->count);
    sha256_text (d, head);
    if (n->type == YNODE_SCALAR)
        sha256_text (d, n->text);
    else
        for (size_t i = 0; i < n->count; i++) {
            if (n->type == YNODE_MAP)
                digest_node (d, n->key[i]);
            digest_node (d, n->item[i]);
        }
}

void spec_digest (const struct spec *s, const char *key, char hex[65])
{
    struct sha256 d;

    sha256_init (&d);
    digest_node (&d, ynode_get (ytree_root (s->tree), key));
    sha256_hex (&d, hex);
}

const char *spec_order_word (enum sweep_order order)
{
    return order_words[order];
}

const char *spec_mode_word (enum sweep_mode mode)
{
    return mode_words[mode];
}
