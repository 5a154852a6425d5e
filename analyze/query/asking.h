/* SPDX-License-Identifier: MIT
 *
 * asking.h - a condition that is being read (for where.c and asking*.c)
 */
#ifndef DFT_ANALYZE_ASKING_H
#define DFT_ANALYZE_ASKING_H

#include "analyze/query/where.h"

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

/* A value: what is in quotes, or a word up to a blank, parenthesis, one of
 * `stops`. *text is malloc'd. 1 a word, 2 in quotes, -1 with err. */
int asking_value (struct asking *a, const char *stops, char **text);

/* A new node. Its index, or -1 with err. */
int asking_node (struct asking *a, const struct where_node *node);
/* Texts belong to the condition from now on. NULL: ENOMEM, with err; text is
 * then freed. */
const char *asking_keep (struct asking *a, char *text);

/* The rest of a term behind its column, which began at `from`. Index of its
 * node, or -1 with err. */
int asking_term (struct asking *a, struct where_node n, size_t from);

/* The same with operator and value. */
int asking_number (struct asking *a,
                   struct where_node n,
                   enum where_operator how,
                   const char *value,
                   size_t at);
/* A number with the unit of the column; at is its place. 0, or -1 with err. */
int asking_whole (struct asking *a,
                  enum where_column column,
                  const char *text,
                  size_t at,
                  int64_t *value);
int asking_text (struct asking *a,
                 struct where_node n,
                 const char *value,
                 int quoted,
                 size_t at);

/* A column at a->at: 0, or -1 with err. */
int asking_column (struct asking *a, struct where_node *n);
/* The index of a word, -1: none. */
int asking_find (const char *word, size_t n);

#endif
