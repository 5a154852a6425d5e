/* SPDX-License-Identifier: MIT
 *
 * where.c - "cat=POSIX", "file=*.bin", "time=0.5-2" -> which events
 *
 * In:  words of the command line
 * Out: yes or no, to cmd_export.c and evfilter.c
 */
#include "config.h"

#include "analyze/query/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/pattern.h"

static const char *const keys[WHERE_KEYS] = {
    [WHERE_CAT] = "cat",   [WHERE_NAME] = "name", [WHERE_FILE] = "file",
    [WHERE_HOST] = "host", [WHERE_PID] = "pid",   [WHERE_TID] = "tid",
    [WHERE_RANK] = "rank", [WHERE_TIME] = "time",
};

static int find_key (const char *text, size_t n)
{
    for (int i = 0; i < WHERE_KEYS; i++)
        if (strlen (keys[i]) == n && memcmp (keys[i], text, n) == 0)
            return i;
    return -1;
}

/* N, N-M, N-, -M. */
static int range (const char *text, double *low, double *high)
{
    char *end;

    *low = -INFINITY;
    *high = INFINITY;
    if (*text != '-') {
        *low = strtod (text, &end);
        if (end == text)
            return -1;
        if (!*end) {
            *high = *low;
            return 0;
        }
        text = end;
    }
    if (*text++ != '-')
        return -1;
    if (!*text)
        return isinf (*low) ? -1 : 0;
    *high = strtod (text, &end);
    return end == text || *end || *high < *low ? -1 : 0;
}

int where_add (struct where *w, const char *text, struct errtext *err)
{
    size_t n = strcspn (text, "!=");
    int key = find_key (text, n), unequal = text[n] == '!';
    const char *value = text + n + (size_t)unequal;

    if (key < 0 || *value != '=' || !value[1])
        return errf (err,
                     "%s: no such condition: use KEY=VALUE or KEY!=VALUE with "
                     "cat, name, file, host, pid, tid, rank or time",
                     text);
    if (w->terms == WHERE_MAX)
        return errf (err, "%s: more than %d conditions", text, WHERE_MAX);
    w->term[w->terms].key = (enum where_key)key;
    w->term[w->terms].unequal = unequal;
    w->term[w->terms].pattern = value + 1;
    if (key >= WHERE_PID &&
        range (value + 1, &w->term[w->terms].low, &w->term[w->terms].high) < 0)
        return errf (err, "%s: not a number or a range: use N, N-M, N- or -M",
                     text);
    w->terms++;
    return 0;
}

int where_match_keys (const struct where *w,
                      const struct where_event *e,
                      unsigned keys_asked)
{
    for (int i = 0; i < w->terms; i++) {
        enum where_key key = w->term[i].key;
        int match;

        if (!(keys_asked & 1u << key))
            continue;
        if (key >= WHERE_PID)
            match = e->number[key] >= w->term[i].low &&
                    e->number[key] <= w->term[i].high;
        else if (key == WHERE_FILE)
            match = pattern_match_path (w->term[i].pattern, e->text[key]);
        else
            match = pattern_match (w->term[i].pattern, e->text[key]);
        if (match == w->term[i].unequal)
            return 0;
    }
    return 1;
}

int where_match (const struct where *w, const struct where_event *e)
{
    return where_match_keys (w, e, ~0u);
}

int where_has (const struct where *w, enum where_key key)
{
    for (int i = 0; i < w->terms; i++)
        if (w->term[i].key == key)
            return 1;
    return 0;
}
