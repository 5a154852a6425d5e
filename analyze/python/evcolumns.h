/* SPDX-License-Identifier: MIT
 *
 * evcolumns.h - the columns of events that are asked for
 *
 * Words are those of conditions (dftrace help where), and time_ns, dur_ns,
 * args, which dftrace export has, too.
 */
#ifndef DFT_READER_EVCOLUMNS_H
#define DFT_READER_EVCOLUMNS_H

#include "analyze/python/arrowcol.h"
#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"
#include "lib/base/errtext.h"

enum evcolumn_from {
    EVCOLUMN_NUMBER, /* a row of groupkeys.def or eventcolumns.def */
    EVCOLUMN_TEXT,
    EVCOLUMN_REAL_TIME, /* ns since 1970 */
    EVCOLUMN_ARGS,      /* all arguments, as JSON */
    EVCOLUMN_ARGUMENT   /* one of them */
};

struct evcolumn {
    char word[KEYS_WORD_MAX];
    enum evcolumn_from from;
    enum arrowcol_type type;  /* of an argument: NONE until it is learnt */
    enum where_column column; /* of numbers and texts */
    struct query_key key;     /* of texts */
    const char *unit;         /* NULL: none */
};

enum { EVCOLUMNS_MAX = 64 };

struct evcolumns {
    struct evcolumn item[EVCOLUMNS_MAX];
    size_t count;
};

/* Those of dftrace export -f csv. */
extern const char *const evcolumns_default[];

/* Add a column. 0, or -1 with err. */
int evcolumns_add (struct evcolumns *c, const char *word, struct errtext *err);

/* Does any of them need what is known only when the job has been read: steps,
 * epochs? */
int evcolumns_need_context (const struct evcolumns *c);
int evcolumns_has (const struct evcolumns *c, enum where_column column);

/* Return the columns of a batch that they and a condition (NULL: none) need. */
enum batch_need evcolumns_need (const struct evcolumns *c,
                                const struct where *where);

/* Fields of the schema; room for `count` of them. */
void evcolumns_fields (const struct evcolumns *c, struct arrowcol_field *field);

#endif
