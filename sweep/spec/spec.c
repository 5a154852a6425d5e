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
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"
#include "sweep/spec/value.h"
#include "sweep/spec/spec.h"
#include "sweep/spec/spec_read.h"

/* ---- scalars of a sweep file -> expressions and templates, bound ---- */

int reader_is_null (const struct ynode *n)
{
    return n->type == YNODE_SCALAR && !n->quoted &&
           (!*n->text || !strcmp (n->text, "null") || !strcmp (n->text, "~"));
}

void reader_expr (struct reader *r,
                  const struct ynode *n,
                  size_t known,
                  struct named_expr *out)
{
    const char **names = arena_array (known + 1, sizeof (*names));

    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "an expression should be here");
    memcpy (names, r->column, known * sizeof (*names));
    r->node = n;
    out->node = n;
    out->text = n->text;
    out->column = -1;
    out->expr = expr_parse (n->text, NULL, &r->mistakes);
    expr_bind (out->expr, names, &r->mistakes);
}

static void reader_derive (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "derive");
    struct spec *s = r->spec;

    if (!n)
        return;
    s->derives = n->count;
    s->derive = arena_array (n->count ? n->count : 1, sizeof (*s->derive));
    for (size_t i = 0; i < n->count; i++) {
        reader_expr (r, n->item[i], s->first_derived + i, &s->derive[i]);
        s->derive[i].column = (int)(s->first_derived + i);
    }
}

static void reader_conditions (struct reader *r,
                               const char *key,
                               struct named_expr **out,
                               size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);
    struct spec *s = r->spec;

    if (!n || reader_is_null (n))
        return;
    *count = reader_count (n);
    *out = arena_array (*count ? *count : 1, sizeof (**out));
    for (size_t i = 0; i < *count; i++) {
        struct named_expr *c = &(*out)[i];

        reader_expr (r, reader_item (n, i), r->columns, c);
        c->early = 1;
        for (size_t d = s->first_derived; d < r->columns; d++)
            if (expr_uses (c->expr, (int)d))
                c->early = 0;
    }
}

struct template *reader_template (struct reader *r, const struct ynode *n)
{
    struct template *t;

    if (n->type == YNODE_MAP)
        reader_fail (r, n, 0,
                     "a single value should be here: inside of { } "
                     "and [ ] a template is quoted, as in "
                     "\"${name}\"");
    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "a single value should be here");
    r->node = n;
    t = template_parse (n->text, n->quoted, &r->mistakes);
    template_bind (t, r->spec->column, &r->mistakes);
    return t;
}

static void reader_templates (struct reader *r,
                              const char *key,
                              void (*check) (struct reader *,
                                             const struct ynode *),
                              struct named_template **out,
                              size_t *count)
{
    const struct ynode *n = ynode_get (r->root, key);

    if (!n)
        return;
    *count = n->count;
    *out = arena_array (n->count ? n->count : 1, sizeof (**out));
    for (size_t i = 0; i < n->count; i++) {
        struct named_template *t = &(*out)[i];

        t->name = arena_text (n->key[i]->text);
        t->node = n->item[i];
        check (r, n->key[i]);
        t->template = reader_template (r, n->item[i]);
    }
}

/* ---- check: metric and bounds -> struct spec ---- */

static void check_bound (struct reader *r,
                         const struct ynode *map,
                         const char *key,
                         struct named_expr **out)
{
    const struct ynode *n = ynode_get (map, key);

    if (!n)
        return;
    *out = arena_array (1, sizeof (**out));
    reader_expr (r, n, r->columns, *out);
}

/* "5 %" -> 0.05 */
static void
check_within (struct reader *r, const struct ynode *map, double *fraction)
{
    const struct ynode *n = ynode_get (map, "within");
    char *end;
    double percent;

    if (!n)
        return;
    percent = strtod (n->text, &end);
    end += strspn (end, " ");
    if (end == n->text || strcmp (end, "%") != 0 || !(percent >= 0) ||
        percent > 1e6)
        reader_fail (r, n, 0, "within: \"%s\" is no percentage, as in 5 %%",
                     n->text);
    *fraction = percent / 100;
}

static void
check_rule (struct reader *r, const char *metric, const struct ynode *n)
{
    struct check_rule *c;

    if (n->type != YNODE_MAP)
        reader_fail (r, n, 0,
                     "check: bounds should be here, as in "
                     "{min: 100} or {equal: n * 4096, within: 1 %%}");
    reader_keys (r, SECTION_CHECK, n);
    r->spec->check = arena_grow (r->spec->check, r->spec->checks, sizeof (*c));
    c = &r->spec->check[r->spec->checks];
    ZERO (c);
    c->metric = metric;
    check_bound (r, n, "min", &c->min);
    check_bound (r, n, "max", &c->max);
    check_bound (r, n, "equal", &c->equal);
    check_bound (r, n, "where", &c->where);
    check_within (r, n, &c->within);
    if (!c->min && !c->max && !c->equal)
        reader_fail (r, n, 0, "check: %s: one of min, max and equal is needed",
                     metric);
    if (ynode_get (n, "within") && !c->equal)
        reader_fail (r, n, 0, "within: of what? `equal:` names it");
    r->spec->checks++;
}

static void reader_checks (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "check");

    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *item = n->item[i];
        const char *metric;

        reader_metric (r, n->key[i], "check");
        metric = arena_text (column_name (n->key[i]->text));
        for (size_t k = 0; k < reader_count (item); k++)
            check_rule (r, metric, reader_item (item, k));
    }
}

/* -- single keys ------------------------------------------------------- */

int64_t reader_integer (struct reader *r,
                        const struct ynode *map,
                        const char *key,
                        int64_t least,
                        int64_t most,
                        int64_t fallback)
{
    const struct ynode *n = ynode_get (map, key);
    struct value v;

    if (!n)
        return fallback;
    v = value_of_scalar (n->text, n->quoted);
    if (v.type != VALUE_INT || v.integer < least || v.integer > most)
        reader_fail (r, n, 0, "%s: \"%s\" is no whole number from %lld to %lld",
                     key, n->text, (long long)least, (long long)most);
    return v.integer;
}

static void read_name (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "sweep");
    const char *p = n->text;

    if (!islower ((unsigned char)*p) && !isdigit ((unsigned char)*p))
        reader_fail (r, n, 0,
                     "sweep: \"%s\": a name begins with a "
                     "lower-case letter or a digit",
                     p);
    for (size_t i = 0; p[i]; i++)
        if (i >= SPEC_NAME_MAX ||
            (!islower ((unsigned char)p[i]) && !isdigit ((unsigned char)p[i]) &&
             !strchr ("._-", p[i])))
            reader_fail (r, n, i,
                         "sweep: \"%s\": a name is at most %d of "
                         "a-z 0-9 . _ -",
                         p, SPEC_NAME_MAX);
    r->spec->name = arena_text (p);
}

static const char *const order_words[] = {"blocked", "random", "grid", NULL};
static const char *const mode_words[] = {"array", "local", "pack", NULL};

static int
read_word (struct reader *r, const char *key, const char *const *words)
{
    const struct ynode *n = ynode_get (r->root, key);

    if (!n)
        return 0;
    for (int i = 0; words[i]; i++)
        if (!strcmp (words[i], n->text))
            return i;
    reader_fail (r, n, 0, "%s: \"%s\" is none of %s, %s%s%s", key, n->text,
                 words[0], words[1], words[2] ? ", " : "",
                 words[2] ? words[2] : "");
}

static void read_numbers (struct reader *r)
{
    struct spec *s = r->spec;

    s->repeats =
        (int)reader_integer (r, r->root, "repeats", 1, SPEC_REPEATS_MAX, 1);
    s->seed = reader_integer (r, r->root, "seed", 0, INT64_MAX, 1);
    s->max_running =
        (int)reader_integer (r, r->root, "max_running", 0, INT32_MAX, 0);
    s->order = read_word (r, "order", order_words);
    s->mode = read_word (r, "mode", mode_words);
}

static const char *spec_text_of (struct reader *r, const char *key)
{
    const struct ynode *n = ynode_get (r->root, key);

    return n && !reader_is_null (n) ? arena_text (n->text) : NULL;
}

static void read_texts (struct reader *r)
{
    struct spec *s = r->spec;

    s->setup = spec_text_of (r, "setup");
    s->run = spec_text_of (r, "run");
    s->teardown = spec_text_of (r, "teardown");
    s->script = spec_text_of (r, "script");
    if (s->run && s->script)
        reader_fail (r, ynode_get (r->root, "script"), 0,
                     "run and script: one of the two, not both");
    if (!s->run && !s->script)
        reader_fail (r, r->root, 0,
                     "the key \"run\" (or \"script\") is missing: "
                     "what should a point do?");
}

static void check_env_name (struct reader *r, const struct ynode *key)
{
    const char *p = key->text;

    if (isalpha ((unsigned char)*p) || *p == '_')
        while (isalnum ((unsigned char)*p) || *p == '_')
            p++;
    if (*p || p == key->text)
        reader_fail (r, key, 0, "env: \"%s\" is no variable's name", key->text);
    if (!strncmp (key->text, "SWEEP_", 6) ||
        !strcmp (key->text, "DFTRACE_JOB_DIR") ||
        !strcmp (key->text, "DFTRACE_POINT"))
        reader_fail (r, key, 0, "env: %s is set by the sweep itself",
                     key->text);
}

static void check_slurm_option (struct reader *r, const struct ynode *key)
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
            reader_fail (r, key, 0,
                         "slurm: %s is set by the sweep itself: use "
                         "%s instead",
                         p, ours[i].instead);
    if (!islower ((unsigned char)*p) || !p[1] ||
        p[strspn (p, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        reader_fail (r, key, 0,
                     "slurm: \"%s\": a long option of sbatch, without "
                     "the dashes, should be here",
                     p);
}

static void read_task_id (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "task_id");
    struct spec *s = r->spec;

    if (!n || reader_is_null (n))
        return;
    if (!strcmp (n->text, "grid") && s->extras)
        reader_fail (r, n, 0,
                     "task_id: grid: extra points have no place in the "
                     "grid: use an expression");
    if (!strcmp (n->text, "grid") || !strcmp (n->text, "array")) {
        s->task_id = *n->text == 'g' ? TASK_ID_GRID : TASK_ID_ARRAY;
        return;
    }
    s->task_id = TASK_ID_EXPR;
    s->task_id_expr = arena_array (1, sizeof (*s->task_id_expr));
    reader_expr (r, n, r->columns, s->task_id_expr);
}

static void read_label (struct reader *r)
{
    r->spec->label_node = ynode_get (r->root, "label");
    if (!r->spec->label_node)
        return;
    r->spec->label = reader_template (r, r->spec->label_node);
}

/* -- the story --------------------------------------------------------- */

static void spec_read (struct reader *r)
{
    struct spec *s = r->spec;

    r->root = ytree_root (s->tree);
    if (!r->root || r->root->type != YNODE_MAP) {
        errf (r->err,
              "%s: no sweep: a mapping with sweep, axes and run should be here",
              ytree_name (s->tree));
        longjmp (r->failed, 1);
    }
    reader_keys (r, SECTION_TOP, r->root);
    read_name (r);
    reader_axes (r);
    reader_points (r);
    reader_const (r);
    s->columns = r->columns;
    r->column = arena_grow (r->column, r->columns, sizeof (*r->column));
    r->column[r->columns] = NULL;
    s->column = r->column;
    reader_derive (r);
    reader_conditions (r, "exclude", &s->exclude, &s->excludes);
    reader_conditions (r, "require", &s->require, &s->requires);
    read_label (r);
    read_task_id (r);
    reader_templates (r, "env", check_env_name, &s->env, &s->envs);
    reader_templates (r, "slurm", check_slurm_option, &s->slurm, &s->slurms);
    read_texts (r);
    reader_trace (r);
    read_numbers (r);
    reader_control (r);
    reader_retry (r);
    reader_data (r);
    reader_results (r);
    reader_checks (r);
}

static void reader_mistake (void *reader, size_t offset, const char *problem)
{
    struct reader *r = reader;

    reader_fail (r, r->node, offset, "%s", problem);
}

static struct spec *spec_of_tree (struct ytree *tree, struct errtext *err)
{
    struct reader *r = arena_alloc (sizeof (*r)); /* as longjmp () may change
                                                     what is on the stack */

    if (!tree)
        return NULL;
    r->err = err;
    r->mistakes = (struct mistakes){reader_mistake, r, 0};
    r->spec = arena_alloc (sizeof (*r->spec));
    r->spec->tree = tree;
    if (setjmp (r->failed)) {
        strmap_destroy (r->values);
        ytree_destroy (tree);
        errno = EINVAL;
        return NULL;
    }
    spec_read (r);
    return r->spec;
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
