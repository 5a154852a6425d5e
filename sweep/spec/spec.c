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

#include "lib/base/array.h"
#include "lib/util/sha256.h"
#include "lib/util/xalloc.h"
#include "sweep/spec/value.h"
#include "sweep/spec/spec.h"
#include "sweep/spec/spec_read.h"

/* -- single keys ------------------------------------------------------- */

int reader_integer (struct reader *r,
                    const struct ynode *map,
                    const char *key,
                    int64_t least,
                    int64_t most,
                    int64_t *out)
{
    const struct ynode *n = ynode_get (map, key);
    struct value v;

    if (!n)
        return 0;
    v = value_of_scalar (n->text, n->quoted);
    if (v.type != VALUE_INT || v.integer < least || v.integer > most)
        return reader_fail (r, n, 0,
                            "%s: \"%s\" is no whole number from %lld to %lld",
                            key, n->text, (long long)least, (long long)most);
    *out = v.integer;
    return 0;
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
    r->spec->name = arena_text (p);
    return 0;
}

static const char *const order_words[] = {"blocked", "random", "grid", NULL};
static const char *const mode_words[] = {"array", "local", "pack", NULL};

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
    return reader_fail (r, n, 0, "%s: \"%s\" is none of %s, %s%s%s", key,
                        n->text, words[0], words[1], words[2] ? ", " : "",
                        words[2] ? words[2] : "");
}

static int read_numbers (struct reader *r)
{
    struct spec *s = r->spec;
    int64_t repeats = 1, seed = 1, max_running = 0;
    int order, mode;

    if (reader_integer (r, r->root, "repeats", 1, SPEC_REPEATS_MAX, &repeats) <
            0 ||
        reader_integer (r, r->root, "seed", 0, INT64_MAX, &seed) < 0 ||
        reader_integer (r, r->root, "max_running", 0, INT32_MAX, &max_running) <
            0 ||
        read_word (r, "order", order_words, &order) < 0 ||
        read_word (r, "mode", mode_words, &mode) < 0)
        return -1;
    s->repeats = (int)repeats;
    s->seed = seed;
    s->max_running = (int)max_running;
    s->order = order;
    s->mode = mode;
    return 0;
}

static const char *spec_text_of (struct reader *r, const char *key)
{
    const struct ynode *n = ynode_get (r->root, key);

    return n && !reader_is_null (n) ? arena_text (n->text) : NULL;
}

static int read_texts (struct reader *r)
{
    struct spec *s = r->spec;

    s->setup = spec_text_of (r, "setup");
    s->run = spec_text_of (r, "run");
    s->teardown = spec_text_of (r, "teardown");
    s->script = spec_text_of (r, "script");
    if (s->run && s->script)
        return reader_fail (r, ynode_get (r->root, "script"), 0,
                            "run and script: one of the two, not both");
    if (!s->run && !s->script)
        return reader_fail (r, r->root, 0,
                            "the key \"run\" (or \"script\") is missing: "
                            "what should a point do?");
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
        {"wait", "--wait"},
    };
    const char *p = key->text;

    for (size_t i = 0; i < ITEMS (ours); i++)
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

static int read_task_id (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "task_id");
    struct spec *s = r->spec;

    if (!n || reader_is_null (n))
        return 0;
    if (!strcmp (n->text, "grid") && s->extras)
        return reader_fail (r, n, 0,
                            "task_id: grid: extra points have no place in the "
                            "grid: use an expression");
    if (!strcmp (n->text, "grid") || !strcmp (n->text, "array")) {
        s->task_id = *n->text == 'g' ? TASK_ID_GRID : TASK_ID_ARRAY;
        return 0;
    }
    s->task_id = TASK_ID_EXPR;
    s->task_id_expr = arena_array (1, sizeof (*s->task_id_expr));
    return reader_expr (r, n, r->columns, s->task_id_expr);
}

static int read_label (struct reader *r)
{
    r->spec->label_node = ynode_get (r->root, "label");
    if (!r->spec->label_node)
        return 0;
    return reader_template (r, r->spec->label_node, &r->spec->label);
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
    if (reader_keys (r, SECTION_TOP, r->root) < 0 || read_name (r) < 0 ||
        reader_axes (r) < 0 || reader_points (r) < 0 || reader_const (r) < 0)
        return -1;
    s->columns = r->columns;
    r->column = arena_grow (r->column, r->columns, sizeof (*r->column));
    r->column[r->columns] = NULL;
    s->column = r->column;
    if (reader_derive (r) < 0 ||
        reader_conditions (r, "exclude", &s->exclude, &s->excludes) < 0 ||
        reader_conditions (r, "require", &s->require, &s->requires) < 0 ||
        read_label (r) < 0 || read_task_id (r) < 0 ||
        reader_templates (r, "env", check_env_name, &s->env, &s->envs) < 0 ||
        reader_templates (r, "slurm", check_slurm_option, &s->slurm,
                          &s->slurms) < 0)
        return -1;
    if (read_texts (r) < 0 || reader_trace (r) < 0 || read_numbers (r) < 0 ||
        reader_control (r) < 0 || reader_retry (r) < 0 || reader_data (r) < 0)
        return -1;
    if (reader_results (r) < 0)
        return -1;
    return reader_checks (r);
}

static struct spec *spec_of_tree (struct ytree *tree, struct errtext *err)
{
    struct reader r = {.err = err};

    if (!tree)
        return NULL;
    NEW (r.spec, 1);
    if (!r.spec) {
        ytree_destroy (tree);
        errf (err, "memory: not enough");
        return NULL;
    }
    r.spec->tree = tree;
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
    FORMAT (head, "%d %d %zu:", (int)n->type,
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

const char *const spec_parts[] = {
    "axes",   "const", "derive", "env",  "setup", "run",     "teardown",
    "script", "slurm", "trace",  "data", "cold",  "task_id", NULL};

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

const char *spec_script_path (const struct spec *s)
{
    const char *file = ytree_name (s->tree), *slash = strrchr (file, '/');

    if (!s->script || *s->script == '/' || !slash)
        return s->script;
    return arena_format ("%.*s/%s", (int)(slash - file), file, s->script);
}

/* ---- check: metric and bounds -> struct spec ---- */

static int check_bound (struct reader *r,
                        const struct ynode *map,
                        const char *key,
                        struct named_expr **out)
{
    const struct ynode *n = ynode_get (map, key);

    if (!n)
        return 0;
    *out = arena_array (1, sizeof (**out));
    return reader_expr (r, n, r->columns, *out);
}

/* "5 %" -> 0.05 */
static int
check_within (struct reader *r, const struct ynode *map, double *fraction)
{
    const struct ynode *n = ynode_get (map, "within");
    char *end;
    double percent;

    if (!n)
        return 0;
    percent = strtod (n->text, &end);
    end += strspn (end, " ");
    if (end == n->text || strcmp (end, "%") != 0 || !(percent >= 0) ||
        percent > 1e6)
        return reader_fail (
            r, n, 0, "within: \"%s\" is no percentage, as in 5 %%", n->text);
    *fraction = percent / 100;
    return 0;
}

static int
check_rule (struct reader *r, const char *metric, const struct ynode *n)
{
    struct check_rule *c;

    if (n->type != YNODE_MAP)
        return reader_fail (r, n, 0,
                            "check: bounds should be here, as in "
                            "{min: 100} or {equal: n * 4096, within: 1 %%}");
    if (reader_keys (r, SECTION_CHECK, n) < 0)
        return -1;
    r->spec->check = arena_grow (r->spec->check, r->spec->checks, sizeof (*c));
    c = &r->spec->check[r->spec->checks];
    ZERO (c);
    c->metric = metric;
    if (check_bound (r, n, "min", &c->min) < 0 ||
        check_bound (r, n, "max", &c->max) < 0 ||
        check_bound (r, n, "equal", &c->equal) < 0 ||
        check_bound (r, n, "where", &c->where) < 0 ||
        check_within (r, n, &c->within) < 0)
        return -1;
    if (!c->min && !c->max && !c->equal)
        return reader_fail (
            r, n, 0, "check: %s: one of min, max and equal is needed", metric);
    if (ynode_get (n, "within") && !c->equal)
        return reader_fail (r, n, 0, "within: of what? `equal:` names it");
    r->spec->checks++;
    return 0;
}

int reader_checks (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "check");

    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *item = n->item[i];
        int list = item->type == YNODE_LIST;
        const char *metric;

        if (reader_metric (r, n->key[i], "check") < 0)
            return -1;
        metric = arena_text (column_name (n->key[i]->text));
        for (size_t k = 0; k < (list ? item->count : 1); k++)
            if (check_rule (r, metric, list ? item->item[k] : item) < 0)
                return -1;
    }
    return 0;
}

/* ---- scalars of a sweep file -> expressions and templates, bound ---- */

int reader_is_null (const struct ynode *n)
{
    return n->type == YNODE_SCALAR && !n->quoted &&
           (!*n->text || !strcmp (n->text, "null") || !strcmp (n->text, "~"));
}

int reader_expr (struct reader *r,
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
    out->expr = expr_parse (n->text, NULL, &fault, &err);
    if (!out->expr)
        return reader_fail (r, n, fault, "%s", err.text);
    names = arena_array (known + 1, sizeof (*names));
    memcpy (names, r->column, known * sizeof (*names));
    if (expr_bind (out->expr, names, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

int reader_derive (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "derive");
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->derives = n->count;
    s->derive = arena_array (n->count ? n->count : 1, sizeof (*s->derive));
    for (size_t i = 0; i < n->count; i++) {
        if (reader_expr (r, n->item[i], s->first_derived + i, &s->derive[i]) <
            0)
            return -1;
        s->derive[i].column = (int)(s->first_derived + i);
    }
    return 0;
}

int reader_conditions (struct reader *r,
                       const char *key,
                       struct named_expr **out,
                       size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct spec *s = r->spec;

    if (!n || reader_is_null (n))
        return 0;
    *count = n->type == YNODE_LIST ? n->count : 1;
    *out = arena_array (*count ? *count : 1, sizeof (**out));
    for (size_t i = 0; i < *count; i++) {
        struct named_expr *c = &(*out)[i];

        if (reader_expr (r, n->type == YNODE_LIST ? n->item[i] : n, r->columns,
                         c) < 0)
            return -1;
        c->early = 1;
        for (size_t d = s->first_derived; d < r->columns; d++)
            if (expr_uses (c->expr, (int)d))
                c->early = 0;
    }
    return 0;
}

int reader_template (struct reader *r,
                     const struct ynode *n,
                     struct template **out)
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
    *out = template_parse (n->text, n->quoted, &fault, &err);
    if (!*out)
        return reader_fail (r, n, fault, "%s", err.text);
    if (template_bind (*out, r->spec->column, &fault, &err) < 0)
        return reader_fail (r, n, fault, "%s", err.text);
    return 0;
}

int reader_templates (struct reader *r,
                      const char *key,
                      int (*check) (struct reader *, const struct ynode *),
                      struct named_template **out,
                      size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);

    if (!n)
        return 0;
    *count = n->count;
    *out = arena_array (n->count ? n->count : 1, sizeof (**out));
    for (size_t i = 0; i < n->count; i++) {
        struct named_template *t = &(*out)[i];

        t->name = arena_text (n->key[i]->text);
        t->node = n->item[i];
        if (check (r, n->key[i]) < 0 ||
            reader_template (r, n->item[i], &t->template) < 0)
            return -1;
    }
    return 0;
}
