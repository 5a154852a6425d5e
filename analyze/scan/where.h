/* SPDX-License-Identifier: MIT
 *
 * where.h - a condition on events (--where): its terms, and their parser
 */

/* Design. A condition (analyze/scan/where.h) is a tree of terms. A part of
 * it that one thing decides (the call or region, its file, the thread) is
 * worked out once for each of these and then looked up; the rest is worked
 * out column by column for a whole batch, and what is behind an and only
 * where an event of the batch is left. */

#pragma once

#include "analyze/scan/keys.h"
#include "lib/base/text.h"

#include <regex.h>
#include <stdint.h>

enum where_type {
    WHERE_TEXT,
    WHERE_NUMBER,
    WHERE_BYTES,
    WHERE_TIME, /* ns */
    WHERE_ERRNO,
    WHERE_ANY /* of an argument: each event says */
};

/* Part of an event that decides a condition. */
enum where_of {
    WHERE_OF_EVENT,
    WHERE_OF_THREAD,
    WHERE_OF_CALL,  /* the call, or the name of a region */
    WHERE_OF_CLASS, /* the call */
    WHERE_OF_FILE   /* the name of a file or region */
};

struct where_column_info {
    const char *word, *help;
    enum where_type type;
    enum where_of of;
};

enum where_test {
    WHERE_AND,
    WHERE_OR,
    WHERE_NOT,
    WHERE_HAS,     /* the event has a value */
    WHERE_RANGE,   /* a number from low to high */
    WHERE_COMPARE, /* two columns of numbers: compared */
    WHERE_SAME,    /* this text */
    WHERE_GLOB,    /* one of these patterns */
    WHERE_REGEX,
    WHERE_ORDER /* a text before or after this one */
};

enum where_operator {
    WHERE_EQUAL,
    WHERE_LESS,
    WHERE_LESS_EQUAL,
    WHERE_MORE,
    WHERE_MORE_EQUAL,
    WHERE_LIKE, /* from here on of texts only */
    WHERE_MATCH
};

enum { WHERE_NODES_MAX = 256, WHERE_DEPTH_MAX = 32, WHERE_TEXT_MAX = 1024 };

/* A term, or what joins one or two of them. */
struct where_node {
    enum where_test test;
    enum where_of of; /* WHERE_OF_EVENT also where several things decide */
    uint16_t left, right;
    uint16_t column, other;
    enum where_operator how; /* COMPARE, ORDER */
    int64_t low, high;       /* both included */
    double least, most;      /* the same for arguments that are no integers */
    const char *text;        /* SAME, GLOB, ORDER; owned */
    const char *argument;    /* WHERE_argument: its name; owned */
    regex_t *regex;          /* owned */
};

/* All zero: every event. */
struct where {
    struct where_node *node; /* owned */
    int nodes, root;
    int terms;   /* conditions that were added; all have to hold */
    char **text; /* owned by the nodes; owned */
    int texts;
    int partial; /* of a part of the traces: words that are not in
                    it may be in another one */
};

/* Add a condition. 0, or -1 with err, which has a line with a mark where the
 * mistake is; w is then as before. */
int where_add (struct where *w, const char *text, struct errtext *err);
void where_clear (struct where *w); /* zeroed is fine */

/* Does any term ask for this column? */
int where_has (const struct where *w, enum where_column column);

/* Does it need what only a query knows: step, epoch? */
int where_needs_context (const struct where *w);

/* "ENOENT"; a number where it has no name in errnos. buf has room for 32.
 */
const char *where_errno_name (int error, char *buf);

/* Row of a column that is not WHERE_argument. */
const struct where_column_info *where_column_info (enum where_column column);
/* Is it one that conditions take? The others are keys only. */
int where_column_taken (enum where_column column);

struct dict;

/* Is a category or name that a term asks for, and that is no pattern, in the
 * traces, or a call? 0, or -1 with err, which names the nearest there is; a
 * word that is near to none passes. */
int where_check (const struct where *w,
                 const struct dict *dict,
                 struct errtext *err);

/* --- a text that is being parsed; for other parsers of columns, too ------- */

struct asking {
    const char *text; /* all of it */
    size_t at;        /* what is to be read next */
    int depth;
    struct where *w;
    struct errtext *err;
};

/* Say what is wrong at an offset, with that line of text and a mark. Always
 * -1, errno EINVAL. */
int asking_fail (const struct asking *a, size_t at, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

void asking_space (struct asking *a);
/* Go past this sign or, when it is letters, word; 0: it is not there. */
int asking_take (struct asking *a, const char *word);

/* A number with the unit of the column; at is its place. 0, or -1 with err. */
int asking_whole (struct asking *a,
                  enum where_column column,
                  const char *text,
                  size_t at,
                  int64_t *value);
/* A column at a->at: 0, or -1 with err. */
int asking_column (struct asking *a, struct where_node *n);
/* The index of a word, -1: none. */
int asking_find (const char *word, size_t n);
