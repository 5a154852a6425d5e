/* SPDX-License-Identifier: MIT
 *
 * keys.c - keys by which events can be grouped: words, titles, numbers as text
 *
 * In:  groupkeys.def; numbers
 * Out: texts and their order, to column.c and the tables
 */
#include "config.h"

#include "analyze/scan/column.h"
#include "analyze/scan/keys.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return (int64_t)size_limits[i];
}

const char *query_number_text (enum group_key key,
                               int64_t number,
                               uint64_t interval,
                               char *buf)
{
    if (number == (key == GROUP_column ? QUERY_NO_VALUE : QUERY_NO_NUMBER))
        (void)snprintf (buf, 32, "-");
    else if (key == GROUP_interval)
        (void)snprintf (buf, 32, "%.9g",
                        (double)number * ((double)interval / 1e9));
    else if (key == GROUP_size && number == INT64_MAX)
        (void)snprintf (buf, 32, "more");
    else
        (void)snprintf (buf, 32, "%" PRId64, number);
    return buf;
}

int query_number_order (const char *a, const char *b)
{
    long double x = strtold (a, NULL), y = strtold (b, NULL);
    int order = (strcmp (b, "-") == 0) - (strcmp (a, "-") == 0);

    if (order)
        return -order;
    order = (*a == 'm') - (*b == 'm'); /* "more" */
    return order ? order : (x > y) - (x < y);
}

/* --- texts ------------------------------------------------------------------
 */

/* Every run of digits becomes an N. */
static void key_pattern (char *to, const char *from)
{
    int in_number = 0;

    for (; *from; from++) {
        int digit = isdigit ((unsigned char)*from) != 0;

        if (!digit)
            *to++ = *from;
        else if (!in_number)
            *to++ = 'N';
        in_number = digit;
    }
    *to = '\0';
}

static const char *key_directory (char *to, const char *path)
{
    const char *slash = strrchr (path, '/');

    if (!slash)
        return ".";
    (void)snprintf (to, KEYTEXT_MAX, "%.*s",
                    (int)(slash - path) + (slash == path), path);
    return to;
}

static const char *
key_file_text (enum group_key key, const struct dict_entry *file, char *buf)
{
    if (!file || !file->length)
        return "-";
    switch (key) {
    case GROUP_kind:
        return file->class == FILE_CLASS_STORAGE
                   ? kind_name ((enum file_kind)file->file_kind)
                   : "-";
    case GROUP_directory:
        return key_directory (buf, file->text);
    case GROUP_pattern:
        key_pattern (buf, file->text);
        return buf;
    default:
        return file->text;
    }
}

/* Category of a region, or layer of a call; with its name. */
static const char *
key_function (const struct column_source *s, size_t i, int name, char *buf)
{
    const struct call_info *info = &call_table[s->batch->call[i]];
    const struct dict_entry *region =
        info->category == CALL_CATEGORY_APP
            ? dict_entry_of (s->dict, s->batch->name[i], SHARD_NAME_EVENT)
            : NULL;
    const char *layer =
        region ? region->text
               : call_category_name ((enum call_category)info->category);

    if (!name)
        return layer;
    (void)snprintf (buf, KEYTEXT_MAX, "%s/%s", layer,
                    region ? dict_region_name (region) : info->name);
    return buf;
}

/* "host", "host:pid", "host:pid:tid". */
static const char *
key_thread_text (enum group_key key, const struct batch *b, char *buf)
{
    const char *host = b->who->text[SHARD_STRING_HOST];

    if (key == GROUP_host)
        return host;
    if (key == GROUP_process)
        (void)snprintf (buf, KEYTEXT_MAX, "%s:%u", host, b->who->p.pid);
    else
        (void)snprintf (buf, KEYTEXT_MAX, "%s:%u:%u", host, b->who->p.pid,
                        b->tid);
    return buf;
}

const char *keytext_of (enum group_key key,
                        const struct column_source *s,
                        size_t i,
                        char *buf)
{
    const struct batch *b = s->batch;
    const struct dict_entry *e;

    switch (key) {
    case GROUP_layer:
        return key_function (s, i, 0, buf);
    case GROUP_function:
        return key_function (s, i, 1, buf);
    case GROUP_class:
        return call_class_name ((enum call_class)call_table[b->call[i]].class);
    case GROUP_access:
        return s->how[i] & COLUMN_MOVES
                   ? placed_name ((enum placed)s->placed[i])
                   : "-";
    case GROUP_role:
        e = dict_entry_of (s->dict, b->name[i], SHARD_NAME_EVENT);
        return role_word (e ? (enum role)e->role : ROLE_NONE);
    case GROUP_configuration:
        return s->context && s->context->label ? s->context->label : "-";
    case GROUP_host:
    case GROUP_process:
    case GROUP_thread:
        return key_thread_text (key, b, buf);
    default:
        e = dict_entry_of (s->dict, b->name[i], SHARD_NAME_FILE);
        return key_file_text (key, e, buf);
    }
}
