/* SPDX-License-Identifier: MIT
 *
 * groupvalue.c - an event -> the texts and numbers that it is grouped by
 *
 * In:  decoded events, from groupscan.c
 * Out: values of the keys of groupkeys.def
 */
#include "config.h"

#include "analyze/query/groupvalue.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/trace/evname.h"

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* The bins that DFAnalyzer made known; the last one takes all. */
static const uint64_t size_limits[] = {
    0,        4 * KIB,  16 * KIB,  64 * KIB, 256 * KIB, MIB,      4 * MIB,
    16 * MIB, 64 * MIB, 256 * MIB, GIB,      4 * GIB,   INT64_MAX};

int64_t group_size_bin (uint64_t bytes)
{
    size_t i = 0;

    while (bytes > size_limits[i])
        i++;
    return (int64_t)size_limits[i];
}

static int key_is (const struct name *key, const char *word)
{
    return key && key->length == strlen (word) &&
           memcmp (key->text, word, key->length) == 0;
}

static void read_marks (struct group_event *what,
                        const struct decoder *d,
                        const struct event *ev)
{
    for (int i = 0; i < ev->nargs; i++) {
        const struct name *key = decoder_name (d, ev->args[i].key);

        if (ev->args[i].type != EVENT_ARG_INT || ev->args[i].i < 0)
            continue;
        if (key_is (key, "step"))
            what->mark[MARK_STEP] = ev->args[i].i;
        else if (key_is (key, "epoch"))
            what->mark[MARK_EPOCH] = ev->args[i].i;
    }
}

void group_event_read (struct group_event *what,
                       const struct decoder *d,
                       const struct event *ev,
                       struct place *at)
{
    const struct call_info *info = &call_table[ev->call];

    *what = (struct group_event){.mark = {-1, -1, -1}};
    if (info->category == CALL_CATEGORY_APP) {
        read_marks (what, d, ev);
        return;
    }
    what->failed = ev->err != 0 || ev->ret == -1;
    what->moves = info->class == CALL_CLASS_READ ||
                  info->class == CALL_CLASS_WRITE ||
                  info->class == CALL_CLASS_COPY;
    if (!what->moves)
        return;
    what->bytes = ev->ret > 0 ? (uint64_t)ev->ret : 0;
    what->placed = ev->file && info->class != CALL_CLASS_COPY
                       ? place_move (at, ev, what->bytes)
                       : PLACED_NOT;
}

const char *
group_number (enum group_key key, int64_t number, uint64_t interval, char *buf)
{
    if (number == GROUP_NO_NUMBER)
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

/* Every run of digits becomes an N. */
static void to_pattern (char *text)
{
    char *to = text;
    int in_number = 0;

    for (const char *from = text; *from; from++) {
        int digit = isdigit ((unsigned char)*from) != 0;

        if (!digit)
            *to++ = *from;
        else if (!in_number)
            *to++ = 'N';
        in_number = digit;
    }
    *to = '\0';
}

static void to_directory (char *text)
{
    char *slash = strrchr (text, '/');

    if (!slash)
        (void)snprintf (text, EVNAME_TEXT, ".");
    else
        slash[slash == text] = '\0';
}

static const char *
kind_text (const struct groupscan *s, const struct event *ev, const char *path)
{
    const struct name *name = decoder_name (&s->decoder, ev->file);

    return name && name->class == FILE_CLASS_STORAGE
               ? kind_name (kind_of (s->by->rules, path))
               : "-";
}

static const char *file_text (enum group_key key,
                              const struct groupscan *s,
                              const struct event *ev,
                              char *buf)
{
    struct evname n = evname_of (&s->decoder, ev);

    if (!n.file_length)
        return "-";
    (void)evname_text (buf, n.file, n.file_length);
    if (key == GROUP_kind)
        return kind_text (s, ev, buf);
    if (key == GROUP_directory)
        to_directory (buf);
    else if (key == GROUP_pattern)
        to_pattern (buf);
    return buf;
}

/* "host", "host:pid", "host:pid:tid". */
static const char *
thread_text (enum group_key key, const struct groupscan *s, char *buf)
{
    const char *host = s->who->text[SHARD_STRING_HOST];

    if (key == GROUP_host)
        return host;
    if (key == GROUP_process)
        (void)snprintf (buf, EVNAME_TEXT, "%s:%u", host, s->who->p.pid);
    else
        (void)snprintf (buf, EVNAME_TEXT, "%s:%u:%u", host, s->who->p.pid,
                        s->tid);
    return buf;
}

const char *group_text (enum group_key key,
                        const struct groupscan *s,
                        const struct event *ev,
                        const struct group_event *what,
                        char *buf)
{
    struct evname n;
    size_t at;

    switch (key) {
    case GROUP_layer:
        n = evname_of (&s->decoder, ev);
        return evname_text (buf, n.category, n.category_length);
    case GROUP_function:
        n = evname_of (&s->decoder, ev);
        (void)evname_text (buf, n.category, n.category_length);
        at = strlen (buf);
        (void)snprintf (buf + at, EVNAME_TEXT - at, "/%.*s", (int)n.name_length,
                        n.name);
        return buf;
    case GROUP_class:
        return call_class_name ((enum call_class)call_table[ev->call].class);
    case GROUP_place:
        return what->moves ? placed_name (what->placed) : "-";
    case GROUP_configuration:
        return s->label;
    case GROUP_host:
    case GROUP_process:
    case GROUP_thread:
        return thread_text (key, s, buf);
    default:
        return file_text (key, s, ev, buf);
    }
}
