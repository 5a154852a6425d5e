/* SPDX-License-Identifier: MIT
 *
 * spec.h - a sweep file, read and checked
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "lib/util/ytree.h"
#include "sweep/spec/template.h"

enum {
    SPEC_NAME_MAX = 40,        /* bytes of the sweep's name */
    SPEC_VALUES_MAX = 100000,  /* of one axis */
    SPEC_POINTS_MAX = 1000000, /* of the whole grid */
    SPEC_REPEATS_MAX = 10000,
    SPEC_SCRIPT_MAX = 4 * 1024 * 1024 /* bytes; Slurm's own limit */
};

/* One value of an axis, or one extra point: columns it sets. */
struct setting_list {
    int *column;
    struct value *value;
    size_t count;
};

struct axis {
    const char *name; /* column i is axis i */
    struct value *value;
    struct setting_list *companion; /* per value */
    size_t count;
    const struct ynode *node;
};

struct extra_point {
    struct setting_list set;
    const struct ynode *node;
};

struct named_expr {
    int column; /* derive; -1 for conditions */
    struct expr *expr;
    const char *text;
    int early; /* condition: needs no derived name */
    const struct ynode *node;
};

struct named_template {
    const char *name;
    struct template *template;
    const struct ynode *node;
};

/* Untraced controls of runs: the same, but for the tracer. */
struct control {
    int wanted;
    struct named_expr *where; /* 1 condition, or NULL: every point */
    size_t wheres;
    int repeats; /* the first so many */
    int paired;  /* in the task of the run, else a task of its own */
};

/* A number in a run's output: the group of the last match. */
struct scrape {
    const char *name, *regex;
};

struct compare {
    int axis;
    struct value left, right;
};

/* A metric over an axis, a line per value of another; -1: the usual ones. */
struct plot {
    const char *metric;
    int x, by;
};

/* Bounds of a metric's mean at a point; expressions, NULL: none. */
struct check_rule {
    const char *metric;
    struct named_expr *min, *max, *equal, *where;
    double within; /* of equal, as a fraction; 0: exactly */
};

/* The state or the end of a run. */
enum outcome {
    OUTCOME_DONE,
    OUTCOME_RUNNING,
    OUTCOME_QUEUED,
    OUTCOME_FAILED,
    OUTCOME_BAD_TRACE,
    OUTCOME_TIMEOUT,
    OUTCOME_CANCELLED,
    OUTCOME_PREEMPTED,
    OUTCOME_OUT_OF_MEMORY,
    OUTCOME_NODE_FAIL,
    OUTCOME_STOPPED,
    OUTCOME_LOST,
    OUTCOME_MISSING,
    OUTCOME_COUNT
};

enum outcome_class { OUTCOME_GOOD, OUTCOME_OPEN, OUTCOME_BAD };

const char *outcome_word (enum outcome o);
enum outcome_class outcome_class (enum outcome o);

struct retry {
    unsigned on; /* 1u << enum outcome */
    int times;
    double grow_time, grow_mem; /* 0: as before */
};

/* The SLURM_ARRAY_TASK_ID of a run. */
enum task_id {
    TASK_ID_UNSAID = 0, /* that of the array; plan refuses who indexes by it */
    TASK_ID_ARRAY,      /* that of the array, on purpose */
    TASK_ID_GRID,       /* the place of its point, from 0, last axis fastest */
    TASK_ID_EXPR
};

enum sweep_order { ORDER_BLOCKED = 0, ORDER_RANDOM, ORDER_GRID };
enum sweep_mode {
    MODE_ARRAY = 0,
    MODE_LOCAL,
    MODE_PACK /* one job runs all that share options, on the same nodes */
};

struct spec {
    struct ytree *tree;
    const char *name;

    const char *const *column; /* names, NULL-terminated; axes first */
    size_t columns;
    size_t first_derived;
    struct axis *axis;
    size_t axes;
    struct value *was; /* per axis, VALUE_NONE: it was there from the first */
    struct extra_point *extra;
    size_t extras;
    struct value *constant; /* per column; VALUE_NONE where there is none */
    struct named_expr *derive;
    size_t derives;
    struct named_expr *exclude;
    size_t excludes;
    struct named_expr *require;
    size_t requires;
    struct template *label; /* or NULL */
    const struct ynode *label_node;
    struct named_template *env;
    size_t envs;
    struct named_template *slurm;
    size_t slurms;
    struct named_template *data; /* paths */
    size_t datas;
    int cold; /* drop data from the page cache before a run */
    struct control control;
    struct retry retry;

    const char *setup, *run, *teardown, *script; /* or NULL */
    enum task_id task_id;
    struct named_expr *task_id_expr; /* TASK_ID_EXPR: 1, else NULL */
    const char *layers;              /* "posix,app"; NULL: not traced */
    struct named_template *tracing;  /* settings of the tracer */
    size_t tracings;
    int trace_check; /* a run without a trace of each process has failed */
    int repeats;
    enum sweep_order order;
    uint64_t seed;
    int max_running; /* 0: no limit */
    enum sweep_mode mode;
    const char **metrics; /* NULL-terminated, or NULL: the usual ones */
    const struct ynode *metrics_node;
    struct scrape *scrape;
    size_t scrapes;
    struct compare *compare;
    size_t compares;
    struct compare *baseline; /* left: the value; right is not set */
    size_t baselines;
    struct plot *plot;
    size_t plots;
    struct check_rule *check;
    size_t checks;
    int *group; /* axes that tables group by */
    size_t groups;
};

/* NULL and err ("FILE:LINE:COLUMN: …") on failure. */
struct spec *spec_load (const char *path, struct errtext *err);
struct spec *spec_parse (const char *name,
                         const char *text,
                         size_t length,
                         struct errtext *err);
void spec_destroy (struct spec *s);

/* Return the path of `script:`, relative to the sweep file, or NULL. */
const char *spec_script_path (const struct spec *s);

/* The keys whose digests say whether two runs were shaped alike. */
extern const char *const spec_parts[];

/* Digest of one top-level key as it stands in the file ("" when absent). */
void spec_digest (const struct spec *s, const char *key, char hex[65]);

/* The table of keys, for `plan --keys`. */
void spec_print_keys (FILE *out);

/* Print the keys as a JSON schema, for editors. */
void spec_print_schema (FILE *out);

/* Words of the enums. */
const char *spec_order_word (enum sweep_order order);
