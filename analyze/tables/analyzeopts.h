/* SPDX-License-Identifier: MIT
 *
 * analyzeopts.h - command line of `dftrace analyze` -> what to do
 */
#pragma once

#include "analyze/query/show.h"
#include "analyze/tables/eventprint.h"
#include "lib/util/textable.h"
#include "lib/util/optparse.h"

struct analyze_options {
    /* as given */
    const char *view_word;
    const char *by_word, *show_word, *sort_word;
    const char *data, *checkpoint, *index;
    const char *draw_word, *tables_word;
    struct opt_list conditions;
    uint64_t interval; /* ns, 0 not given */
    uint64_t memory;   /* bytes of times */
    int top, threads, no_write, quiet, strict;
    int write;      /* --no-write was not given */
    int no_answers; /* neither keep answers nor use kept ones */
    int trace_part; /* without what only profiles have */
    int debug;      /* say how often and how much is read (for tests) */
    const char *partition_word, *sqlite, *baseline;
    int partial, reduce, tasks; /* of Slurm; 0 not given */
    struct opt_list srun;       /* more words for it */
    /* derived */
    enum table_format format;
    int draw;         /* bars and maps of blocks */
    int few_tables;   /* not of tasks of arrays, nor of profiles */
    int view;         /* enum view; -1: none, all_views or by.keys */
    int all_views;    /* every table, not the first screen */
    struct query by;  /* keys 0: none, or all events as one group */
    struct show show; /* items 0: the usual columns */
    int top_given;
    struct eventtable events; /* of --view event */
    int events_asked, tree_asked;
    enum group_key tree_by; /* GROUP_KEYS: none */
    struct where where;     /* terms 0: all events */
    struct kind_rules rules;
    unsigned partition,
        partitions; /* from 0; partitions 0: not divided, or not known */
};

/* Is it a query, not a table of its own? */
static inline int analyze_asks (const struct analyze_options *o)
{
    return o->by.keys > 0 || o->show.items > 0 || o->events_asked ||
           o->tree_asked;
}

/* Errors are said on standard error. The words of argv stay in use. */
enum optparse_result analyze_options_parse (struct analyze_options *o,
                                            int argc,
                                            char **argv,
                                            int *operands);
