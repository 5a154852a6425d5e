/* SPDX-License-Identifier: MIT
 *
 * spec_keys.c - the keys of a sweep file: is one known, and of the right shape
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/settings/settings.h"
#include "lib/util/json.h"
#include "lib/util/optparse.h"
#include "sweep/spec/spec_read.h"

enum shape { SHAPE_SCALAR, SHAPE_LIST, SHAPE_MAP, SHAPE_ANY };
enum presence { PRESENCE_OPTIONAL, PRESENCE_NEEDED };

/* SECTION, word, shape, presence, help */
/* clang-format off */
static const struct key {
    enum section section;
    const char *word;
    enum shape shape;
    enum presence presence;
    const char *help;
} keys[] = {
#define KEY(SECTION, WORD, SHAPE, PRESENCE, HELP) \
    {SECTION_##SECTION, #WORD, SHAPE_##SHAPE, PRESENCE_##PRESENCE, HELP}
    KEY (TOP, sweep, SCALAR, NEEDED, "name: [a-z0-9][a-z0-9._-]*, at most 40"),
    KEY (TOP, axes, MAP, NEEDED, "name: list, generator, or value: companions"),
    KEY (TOP, was, MAP, OPTIONAL, "new axis: its value in the points of before"),
    KEY (TOP, points, LIST, OPTIONAL, "extra points, all axes named"),
    KEY (TOP, const, MAP, OPTIONAL, "name: value, where no companion says else"),
    KEY (TOP, derive, MAP, OPTIONAL, "name: expression, in order"),
    KEY (TOP, exclude, LIST, OPTIONAL, "conditions that drop a point"),
    KEY (TOP, require, LIST, OPTIONAL, "conditions every point must meet"),
    KEY (TOP, label, SCALAR, OPTIONAL, "readable name of a point, a template"),
    KEY (TOP, env, MAP, OPTIONAL, "variable: template; null leaves it unset"),
    KEY (TOP, setup, SCALAR, OPTIONAL, "bash text before run, not traced"),
    KEY (TOP, run, SCALAR, OPTIONAL, "bash text, traced, taken verbatim"),
    KEY (TOP, teardown, SCALAR, OPTIONAL, "bash text after run, whatever its end"),
    KEY (TOP, script, SCALAR, OPTIONAL, "an existing batch script instead of run"),
    KEY (TOP, task_id, SCALAR, OPTIONAL, "SLURM_ARRAY_TASK_ID of a run: grid, array or an expression"),
    KEY (TOP, trace, ANY, OPTIONAL, "layers (posix,app), off, or a mapping"),
    KEY (TOP, repeats, SCALAR, OPTIONAL, "times every point is run"),
    KEY (TOP, order, SCALAR, OPTIONAL, "blocked, random or grid"),
    KEY (TOP, seed, SCALAR, OPTIONAL, "of the order and of SWEEP_SEED"),
    KEY (TOP, max_running, SCALAR, OPTIONAL, "runs at a time, whole sweep"),
    KEY (TOP, slurm, MAP, OPTIONAL, "sbatch long options: templates"),
    KEY (TOP, mode, SCALAR, OPTIONAL, "array, pack (one job runs all) or local"),
    KEY (TOP, results, MAP, OPTIONAL, "which metrics the tables show"),
    KEY (TOP, check, MAP, OPTIONAL, "metric: its bounds, or a list of them"),
    KEY (TOP, control, MAP, OPTIONAL, "untraced controls: what tracing costs"),
    KEY (TOP, retry, MAP, OPTIONAL, "which ends are run again, how often"),
    KEY (TOP, data, LIST, OPTIONAL, "files and directories the runs read: templates"),
    KEY (TOP, cold, SCALAR, OPTIONAL, "true: drop data from the page cache first"),
    KEY (CONTROL, where, SCALAR, OPTIONAL, "points that get a control: a condition"),
    KEY (CONTROL, repeats, SCALAR, OPTIONAL, "only the first N repeats get one"),
    KEY (CONTROL, paired, SCALAR, OPTIONAL, "true: in the same task, order by coin"),
    KEY (RETRY, on, LIST, NEEDED, "states, as in node-fail, preempted, lost"),
    KEY (RETRY, times, SCALAR, OPTIONAL, "further attempts, 1 unless it says else"),
    KEY (RETRY, grow, MAP, OPTIONAL, "factors for time and mem"),
    KEY (TRACE, layers, ANY, OPTIONAL, "posix, app, …: text or list"),
    KEY (TRACE, check, SCALAR, OPTIONAL, "complete (a run needs a trace of each of its processes) or none"),
    KEY (RESULTS, metrics, LIST, OPTIONAL, "the metrics that tables show"),
    KEY (RESULTS, scrape, MAP, OPTIONAL, "name: regex with one group, of the output"),
    KEY (RESULTS, compare, MAP, OPTIONAL, "ratios between values of an axis"),
    KEY (RESULTS, group, LIST, OPTIONAL, "axes that tables group by"),
    KEY (RESULTS, baseline, MAP, OPTIONAL, "axis: value the others are to cost more than"),
    KEY (RESULTS, plots, LIST, OPTIONAL, "figures: a metric, or metric, x and by"),
    KEY (CHECK, min, SCALAR, OPTIONAL, "the least that is good: an expression"),
    KEY (CHECK, max, SCALAR, OPTIONAL, "the most that is good"),
    KEY (CHECK, equal, SCALAR, OPTIONAL, "what is expected"),
    KEY (CHECK, within, SCALAR, OPTIONAL, "how far from it is good, as in 5 %"),
    KEY (CHECK, where, SCALAR, OPTIONAL, "points that are checked: a condition"),
    KEY (PLOT, metric, SCALAR, NEEDED, "what goes up"),
    KEY (PLOT, x, SCALAR, OPTIONAL, "the axis that goes across"),
    KEY (PLOT, by, SCALAR, OPTIONAL, "the axis with a line per value"),
#undef KEY
/* what --dftrace= takes */
#define SETTING(FIELD, TYPE, DEFAULT, ENV, FALLBACK, WHO, HELP)          \
    {(WHO) & BY_OPTION ? SECTION_TRACE : SECTION_NONE, #FIELD, SHAPE_LIST, \
     PRESENCE_OPTIONAL, HELP},
#include "lib/settings/settings.def"
#undef SETTING
};
/* clang-format on */

enum { KEYS = ITEMS (keys) };

void reader_fail (struct reader *r,
                  const struct ynode *n,
                  size_t offset,
                  const char *fmt,
                  ...)
{
    struct ynode at = *n;
    char text[sizeof (r->err->text)];
    va_list ap;

    va_start (ap, fmt);
    vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    if (offset)
        at.column += (int)offset + (n->quoted ? 1 : 0);
    ytree_errf (r->spec->tree, &at, r->err, "%s", text);
    longjmp (r->failed, 1);
}

const char *reader_guess (const char *near)
{
    return near ? arena_format (" (did you mean \"%s\"?)", near) : "";
}

static void
key_unknown (struct reader *r, enum section section, const struct ynode *key)
{
    const char *names[KEYS + 1], *near;
    size_t n = 0;

    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == section)
            names[n++] = keys[i].word;
    names[n] = NULL;
    near = nearest_word (key->text, names);
    if (near)
        reader_fail (r, key, 0, "unknown key \"%s\" (did you mean \"%s\"?)",
                     key->text, near);
    reader_fail (r, key, 0,
                 "unknown key \"%s\": `dftrace sweep plan --keys` "
                 "lists the known ones",
                 key->text);
}

static void
key_check (struct reader *r, const struct key *k, const struct ynode *n)
{
    static const char *const shape[] = {[SHAPE_SCALAR] = "a single value",
                                        [SHAPE_LIST] = "a list",
                                        [SHAPE_MAP] = "a mapping"};
    int bad = (k->shape == SHAPE_SCALAR && n->type != YNODE_SCALAR) ||
              (k->shape == SHAPE_LIST && n->type == YNODE_MAP) ||
              (k->shape == SHAPE_MAP && n->type != YNODE_MAP);

    if (bad)
        reader_fail (r, n, 0, "%s: %s should be here: %s", k->word,
                     shape[k->shape], k->help);
}

void reader_keys (struct reader *r, enum section section, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const struct key *k = NULL;

        for (size_t j = 0; j < KEYS; j++)
            if (keys[j].section == section &&
                !strcmp (keys[j].word, n->key[i]->text))
                k = &keys[j];
        if (!k) {
            key_unknown (r, section, n->key[i]);
            return;
        }
        key_check (r, k, n->item[i]);
    }
    for (size_t j = 0; j < KEYS; j++)
        if (keys[j].section == section && keys[j].presence == PRESENCE_NEEDED &&
            !ynode_get (n, keys[j].word))
            reader_fail (r, n, 0, "the key \"%s\" is missing: %s", keys[j].word,
                         keys[j].help);
}

static const char *const prefix[] = {[SECTION_TOP] = "",
                                     [SECTION_TRACE] = "trace.",
                                     [SECTION_CONTROL] = "control.",
                                     [SECTION_RETRY] = "retry.",
                                     [SECTION_RESULTS] = "results.",
                                     [SECTION_PLOT] = "results.plots.",
                                     [SECTION_CHECK] = "check.METRIC."};

void spec_print_keys (FILE *out)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].section == SECTION_NONE)
            continue;
        fprintf (out, "%s%-*s %s%s\n", prefix[keys[i].section],
                 (int)(18 - strlen (prefix[keys[i].section])), keys[i].word,
                 keys[i].help,
                 keys[i].presence == PRESENCE_NEEDED ? " (needed)" : "");
    }
}

/* -- for editors ------------------------------------------------------- */

static void spec_keys_schema_types (struct json *j, enum shape shape)
{
    static const char *const scalar[] = {"string", "number", "boolean", "null"};

    json_open (j, "type", '[');
    for (size_t i = 0; shape != SHAPE_MAP && i < 4; i++)
        json_text (j, NULL, scalar[i]);
    if (shape == SHAPE_LIST || shape == SHAPE_ANY)
        json_text (j, NULL, "array");
    if (shape == SHAPE_MAP || shape == SHAPE_ANY)
        json_text (j, NULL, "object");
    json_close (j, ']');
}

static void schema_section (struct json *j, enum section section);

/* A metric, or a mapping of its own section. */
static void schema_plots (struct json *j)
{
    json_put (j, "items:{ type:[ 'string' 'object' ]");
    schema_section (j, SECTION_PLOT);
    json_close (j, '}');
}

/* Under the name of a metric: a mapping of its own section, or some. */
static void schema_checks (struct json *j)
{
    json_put (j, "additionalProperties:{ anyOf:[ { type:'object'");
    schema_section (j, SECTION_CHECK);
    json_put (j, "} { type:'array' items:{ type:'object'");
    schema_section (j, SECTION_CHECK);
    json_put (j, "} } ] }");
}

/* Keys that are a section have its keys; other mappings have any. */
static void schema_key (struct json *j, const struct key *k)
{
    static const struct {
        const char *word;
        enum section section;
    } sections[] = {
        {"trace", SECTION_TRACE},
        {"control", SECTION_CONTROL},
        {"retry", SECTION_RETRY},
        {"results", SECTION_RESULTS},
    };

    json_open (j, k->word, '{');
    json_text (j, "description", k->help);
    spec_keys_schema_types (j, k->shape);
    for (size_t i = 0; i < ITEMS (sections); i++)
        if (k->section == SECTION_TOP && !strcmp (sections[i].word, k->word))
            schema_section (j, sections[i].section);
    if (k->section == SECTION_RESULTS && !strcmp (k->word, "plots"))
        schema_plots (j);
    if (k->section == SECTION_TOP && !strcmp (k->word, "check"))
        schema_checks (j);
    json_close (j, '}');
}

static void schema_section (struct json *j, enum section section)
{
    json_put (j, "additionalProperties:%db properties:{", 0);
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == section)
            schema_key (j, &keys[i]);
    json_put (j, "} required:[");
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].section == section && keys[i].presence == PRESENCE_NEEDED)
            json_text (j, NULL, keys[i].word);
    json_close (j, ']');
}

void spec_print_schema (FILE *out)
{
    struct json j;

    json_init (&j, out, 0);
    json_put (&j, "{ $schema:%s title:%s type:'object'",
              "http://json-schema.org/draft-07/schema#", "dftrace sweep");
    schema_section (&j, SECTION_TOP);
    json_close (&j, '}');
}
