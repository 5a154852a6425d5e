/* SPDX-License-Identifier: MIT
 *
 * evterm.c - one term of a condition, of the events of a batch
 *
 * In:  events in columns; a term
 * Out: yes or no, to evfilter.c
 */
#include "config.h"

#include "analyze/query/evterm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/query/keytext.h"
#include "lib/model/pattern.h"

/* --- texts ---------------------------------------------------------------- */

static const char *evterm_name (const struct column_source *s, size_t i)
{
    const struct call_info *info = &call_table[s->batch->call[i]];
    const struct dict_entry *region =
        info->category == CALL_CATEGORY_APP
            ? dict_entry_of (s->dict, s->batch->name[i], SHARD_NAME_EVENT)
            : NULL;

    return region ? dict_region_name (region) : info->name;
}

const char *evterm_text (enum where_column column,
                         const struct column_source *s,
                         size_t i,
                         char *buf)
{
    const struct dict_entry *e;
    const char *text;

    if (column == WHERE_name)
        text = evterm_name (s, i);
    else if (column == WHERE_file2) {
        e = dict_entry (s->dict, s->batch->name2[i]);
        text = e ? e->text : "";
    } else
        text = keytext_of (column == WHERE_cat ? GROUP_layer
                                               : (enum group_key)column,
                           s, i, buf);
    return !*text || strcmp (text, "-") == 0 ? NULL : text;
}

static int evterm_ordered (enum where_operator how, int order)
{
    switch (how) {
    case WHERE_LESS:
        return order < 0;
    case WHERE_LESS_EQUAL:
        return order <= 0;
    case WHERE_MORE:
        return order > 0;
    case WHERE_MORE_EQUAL:
        return order >= 0;
    default:
        return order == 0;
    }
}

static int evterm_is_path (uint16_t column)
{
    return column == WHERE_BY_file || column == WHERE_file2 ||
           column == WHERE_BY_directory || column == WHERE_BY_pattern;
}

static int evterm_test (const struct where_node *n, const char *text)
{
    if (!text)
        return 0;
    switch (n->test) {
    case WHERE_SAME:
        return strcmp (text, n->text) == 0;
    case WHERE_GLOB:
        return evterm_is_path (n->column) ? pattern_match_path (n->text, text)
                                          : pattern_match (n->text, text);
    case WHERE_REGEX:
        return regexec (n->regex, text, 0, NULL, 0) == 0;
    case WHERE_ORDER:
        return evterm_ordered (n->how, strcmp (text, n->text));
    default:
        return 1;
    }
}

/* --- entries -------------------------------------------------------------- */

static int64_t evterm_thread (uint16_t column, const struct column_source *s)
{
    return column == WHERE_pid   ? (int64_t)s->batch->who->p.pid
           : column == WHERE_tid ? (int64_t)s->batch->tid
                                 : s->rank;
}

int evterm_entry (const struct where_node *n,
                  const struct column_source *s,
                  size_t i)
{
    char buf[KEYTEXT_MAX];
    int64_t number;

    if (where_column_info ((enum where_column)n->column)->type == WHERE_TEXT)
        return evterm_test (
            n, evterm_text ((enum where_column)n->column, s, i, buf));
    number = evterm_thread (n->column, s);
    if (n->column == WHERE_BY_rank && number < 0)
        return 0;
    return n->test == WHERE_HAS || (number >= n->low && number <= n->high);
}

/* --- numbers -------------------------------------------------------------- */

static int64_t evterm_clamp (uint64_t x)
{
    return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

static void evterm_fields (const struct batch *b,
                           const uint64_t *from,
                           unsigned field,
                           int64_t *value,
                           unsigned char *has)
{
    for (size_t i = 0; i < b->count; i++) {
        value[i] = evterm_clamp (from[i]);
        has[i] = (call_table[b->call[i]].fields & field) != 0;
    }
}

static void evterm_times (enum where_column column,
                          const struct batch *b,
                          uint64_t start,
                          int64_t *value,
                          unsigned char *has)
{
    memset (has, 1, b->count);
    if (column == WHERE_dur)
        for (size_t i = 0; i < b->count; i++)
            value[i] = (int64_t)(b->end[i] - b->start[i]);
    else
        for (size_t i = 0; i < b->count; i++)
            value[i] = (int64_t)(b->start[i] - start);
}

/* What few ask for, event by event. */
static int evterm_number (enum where_column column,
                          const struct column_source *s,
                          size_t i,
                          int64_t *value)
{
    const struct batch *b = s->batch;
    const struct call_info *info = &call_table[b->call[i]];

    switch (column) {
    case WHERE_bytes:
        *value = (int64_t)s->bytes[i];
        return (s->how[i] & COLUMN_MOVES) != 0;
    case WHERE_offset:
        *value = b->offset[i];
        return info->fields & F_OFFSET && b->offset[i] >= 0;
    case WHERE_ret:
        *value = b->ret[i];
        return info->category != CALL_CATEGORY_APP;
    case WHERE_errno:
        *value = b->error[i];
        return b->error[i] != 0;
    case WHERE_fd:
        *value = b->fd[i];
        return (info->fields & F_FD) != 0;
    case WHERE_BY_step:
    case WHERE_BY_epoch:
        *value = column_source_mark (
            s, i, column == WHERE_BY_step ? MARK_STEP : MARK_EPOCH);
        return *value >= 0;
    default: /* of the thread */
        *value = evterm_thread ((uint16_t)column, s);
        return column != WHERE_BY_rank || *value >= 0;
    }
}

void evterm_numbers (enum where_column column,
                     const struct column_source *s,
                     uint64_t start,
                     int64_t *value,
                     unsigned char *has)
{
    const struct batch *b = s->batch;

    if (column == WHERE_dur || column == WHERE_time)
        evterm_times (column, b, start, value, has);
    else if (column == WHERE_size)
        evterm_fields (b, b->size, F_SIZE, value, has);
    else if (column == WHERE_flags)
        evterm_fields (b, b->flags, F_FLAGS, value, has);
    else
        for (size_t i = 0; i < b->count; i++)
            has[i] = (unsigned char)evterm_number (column, s, i, &value[i]);
}

static void evterm_compare (const struct where_node *n,
                            const struct column_source *s,
                            uint64_t start,
                            int64_t *value,
                            unsigned char *wanted)
{
    int64_t other[BATCH_EVENTS];
    unsigned char has[BATCH_EVENTS];

    evterm_numbers ((enum where_column)n->other, s, start, other, has);
    for (size_t i = 0; i < s->batch->count; i++)
        wanted[i] = wanted[i] && has[i] &&
                    evterm_ordered (n->how, (value[i] > other[i]) -
                                                (value[i] < other[i]));
}

void evterm_batch (const struct where_node *n,
                   const struct column_source *s,
                   uint64_t start,
                   unsigned char *wanted)
{
    enum where_column column = (enum where_column)n->column;
    int64_t value[BATCH_EVENTS];
    char buf[KEYTEXT_MAX];

    if (where_column_info (column)->type == WHERE_TEXT) {
        for (size_t i = 0; i < s->batch->count; i++)
            wanted[i] =
                (unsigned char)evterm_test (n, evterm_text (column, s, i, buf));
        return;
    }
    evterm_numbers (column, s, start, value, wanted);
    if (n->test == WHERE_COMPARE)
        evterm_compare (n, s, start, value, wanted);
    else if (n->test == WHERE_RANGE)
        for (size_t i = 0; i < s->batch->count; i++)
            wanted[i] &=
                (unsigned char)((value[i] >= n->low) & (value[i] <= n->high));
}

/* --- arguments ------------------------------------------------------------ */

static int evterm_test_argument (const struct where_node *n,
                                 const struct column_source *s,
                                 const struct batch_arg *a)
{
    const struct dict_entry *e;
    char buf[32];

    if (n->test == WHERE_HAS)
        return 1;
    if (n->test == WHERE_RANGE)
        return a->type == EVENT_ARG_INT
                   ? a->i >= n->low && a->i <= n->high
                   : a->type == EVENT_ARG_DOUBLE && a->d >= n->least &&
                         a->d <= n->most;
    if (a->type == EVENT_ARG_TEXT) {
        e = dict_entry (s->dict, a->text);
        return evterm_test (n, e ? e->text : "");
    }
    if (a->type == EVENT_ARG_INT)
        (void)snprintf (buf, sizeof (buf), "%" PRId64, a->i);
    else
        (void)snprintf (buf, sizeof (buf), "%.9g", a->d);
    return evterm_test (n, buf);
}

void evterm_argument (const struct where_node *n,
                      const struct column_source *s,
                      uint32_t key,
                      unsigned char *wanted)
{
    const struct batch *b = s->batch;

    memset (wanted, 0, b->count);
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++)
            if (b->args[a].key == key) {
                wanted[i] =
                    (unsigned char)evterm_test_argument (n, s, &b->args[a]);
                break;
            }
}
