/* SPDX-License-Identifier: MIT
 *
 * value.h - values of a sweep, and the numbers that a run can have
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "lib/model/metric.h"
#include "lib/util/xalloc.h"

/* --- value.c: what a name of a sweep stands for: null, bool, number, text,
 * list ---
 */

enum value_type {
    VALUE_NONE = 0, /* the name has no value at this point */
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_DECIMAL,
    VALUE_TEXT,
    VALUE_LIST
};

/* Longer than any path, command or list of options; texts of texts double. */
enum { VALUE_TEXT_MAX = 64 * 1024 };

struct value {
    enum value_type type;
    int64_t integer;          /* INT; BOOL: 0 or 1 */
    double decimal;           /* DECIMAL */
    const char *text;         /* TEXT; numbers: as the user wrote it, or NULL */
    const struct value *item; /* LIST */
    size_t count;
};

/* Make a value of the user's text. A plain scalar is null, a bool, a number or
 * text; a quoted one is always text. The bytes are kept: 08 stays 08. */
struct value value_of_scalar (const char *text, int quoted);

struct value value_null (void);
struct value value_bool (int truth);
struct value value_int (int64_t integer);
struct value value_decimal (double decimal);
struct value value_str (const char *text); /* not copied */

/* The text that is exported: as written, else the shortest that reads back.
 * null is "", bools are "true" and "false". */
const char *value_text (const struct value *v);

/* As value_text with text in quotes and null spelled out, for messages. */
const char *value_show (const struct value *v);

/* "null", "a bool", "an integer" … for messages; one word for ids. */
const char *value_type_words (enum value_type type);
const char *value_type_word (enum value_type type);

int value_is_number (const struct value *v);
double value_as_double (const struct value *v); /* of a number */

/* The handler of mistakes in an expression or a template: fail is called with
 * the offset of the mistake in the text, and does not return. */
struct mistakes {
    void (*fail) (void *cookie, size_t offset, const char *problem);
    void *cookie;
    size_t base; /* of the expression in a longer text */
};

_Noreturn void
mistake (const struct mistakes *m, size_t offset, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

/* -1, 0 or 1. null equals only null. What cannot be compared is a mistake. */
int value_compare (const struct value *x,
                   const struct value *y,
                   const struct mistakes *m);

/* Return a text that is equal for numbers that are equal, however they are
 * written (1e-3 and 0.001, 10 and 1e1), and for nothing else. */
const char *value_key (const struct value *v);

/* Whether a user who writes `text` means this value: it has this text or, with
 * as_number, it is the number that the text stands for. */
int value_is_called (const struct value *v, const char *text, int as_number);

/* Same type, same exported text: the same cell of a grid. */
int value_same (const struct value *x, const struct value *y);

/* --- column.c: every number that a run can have: those of metrics.def and
 * others; pure ---
 */

struct column {
    const char *name, *title, *unit;
    int digits;
    enum metric_section section;
};

enum {
    COLUMN_wall_time, /* from the start of the run's shell to its end; known of
                         runs that were not traced, too */
    COLUMN_ranks, /* ranks of srun, mpirun or torchrun that left a trace, sum
                     over the run's steps */
    COLUMN_ranks_started, /* ranks as these launchers said; not known where none
                             said a number */
    COLUMN_acct_elapsed,  /* Elapsed of the task, where Slurm keeps accounts */
    COLUMN_acct_max_rss,  /* MaxRSS, the largest of the task's steps */
    COLUMN_acct_disk_read, /* MaxDiskRead, the largest of the task's steps */
    COLUMNS_OWN,
    COLUMNS = METRIC_COUNT + COLUMNS_OWN
};

/* Metrics in the order of their rows, then the others; at < COLUMNS. */
struct column column_at (size_t at);

/* Return the index of a number by its name, or -1. */
int column_find (const char *name);

/* Return today's name of a number; name itself when there is no such one. */
const char *column_name (const char *name);

/* The nearest name there is, for "did you mean"; NULL: none is near. */
const char *column_near (const char *name);
