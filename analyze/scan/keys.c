/* SPDX-License-Identifier: MIT
 *
 * keys.c - keys by which events can be grouped: words, titles, numbers as text
 *
 * In:  groupkeys.def; numbers
 * Out: texts and their order, to column.c and the tables
 */
#include "config.h"

#include "analyze/scan/keys.h"
#include "analyze/scan/where.h"
#include "lib/base/array.h"

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

enum { TEXT = 0, NUMBER = 1 };

const struct group_key_info group_key_table[GROUP_KEYS] = {
#define KEY(WORD, TITLE, ORDER, OF, HELP) {#WORD, TITLE, HELP, ORDER},
#include "lib/model/groupkeys.def"
#undef KEY
};

int query_key_is_number (const struct query_key *key)
{
    if (key->what == GROUP_column) {
        enum where_type type = where_column_info (key->column)->type;

        return type != WHERE_TEXT && type != WHERE_ERRNO;
    }
    return key->what < GROUP_KEYS && group_key_table[key->what].number;
}

/* --- words ------------------------------------------------------------------
 */

#define KEYS_ARGUMENT "arg."

const char *query_key_word (const struct query_key *key)
{
    return key->what < GROUP_KEYS ? group_key_table[key->what].word
                                  : key->argument;
}

const char *query_key_title (const struct query_key *key)
{
    return key->what < GROUP_KEYS ? group_key_table[key->what].title
                                  : key->argument;
}

const char *query_key_argument (const struct query_key *key)
{
    return key->what == GROUP_column ? key->name
                                     : key->argument + strlen (KEYS_ARGUMENT);
}

/* --- numbers ---------------------------------------------------------------
 */

/* The bins that DFAnalyzer made known; the last one takes all. */
static const uint64_t size_limits[] = {
    0,        4 * KIB,  16 * KIB,  64 * KIB, 256 * KIB, MIB,      4 * MIB,
    16 * MIB, 64 * MIB, 256 * MIB, GIB,      4 * GIB,   INT64_MAX};

int64_t query_size_bin (uint64_t bytes)
{
    size_t i = 0;

    while (bytes > size_limits[i])
        i++;
    return size_limits[i];
}

const char *query_number_text (enum group_key key,
                               int64_t number,
                               uint64_t interval,
                               char *buf)
{
    if (number == (key == GROUP_column ? QUERY_NO_VALUE : QUERY_NO_NUMBER))
        snprintf (buf, 32, "-");
    else if (key == GROUP_interval)
        snprintf (buf, 32, "%.9g", (double)number * (interval / 1e9));
    else if (key == GROUP_size && number == INT64_MAX)
        snprintf (buf, 32, "more");
    else
        snprintf (buf, 32, "%" PRId64, number);
    return buf;
}

int query_number_order (const char *a, const char *b)
{
    long double x = strtold (a, NULL), y = strtold (b, NULL);
    int order = (strcmp (b, "-") == 0) - (strcmp (a, "-") == 0);

    if (order)
        return -order;
    order = (*a == 'm') - (*b == 'm'); /* "more" */
    return order ? order : ORDER (x, y);
}
