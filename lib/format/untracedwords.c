/* SPDX-License-Identifier: MIT
 *
 * untracedwords.c - processes that were not traced -> words for one line
 *
 * In:  struct untraced, settled
 * Out: "3 processes: 2 × ldconfig (static), 1 × sudo (setuid)"
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/format/untracedlist.h"

enum { NAME_MAX_SHOWN = 32, GROUP_TEXT = 128 };

/* Rows of one name and reason. */
struct untraced_group {
    const char *name;
    const struct untraced_program *first;
    uint64_t count;
};

static const char *untracedwords_name (const struct untraced_program *p)
{
    const char *slash = strrchr (p->exe, '/');

    return slash && slash[1] ? slash + 1 : p->exe;
}

static int untracedwords_by_name (const void *a, const void *b)
{
    const struct untraced_group *x = a, *y = b;
    int order = strcmp (x->name, y->name);

    return order ? order : strcmp (x->first->reason, y->first->reason);
}

/* The user's own wishes last. */
static int untracedwords_by_count (const void *a, const void *b)
{
    const struct untraced_group *x = a, *y = b;
    int wish =
        untracedlist_is_wish (x->first) - untracedlist_is_wish (y->first);

    if (wish)
        return wish;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return untracedwords_by_name (a, b);
}

/* malloc'd; NULL: none, or no memory. */
static struct untraced_group *untracedwords_groups (const struct untraced *u,
                                                    size_t *groups)
{
    struct untraced_group *g = calloc (u->count + 1, sizeof (*g));
    size_t kept = 0;

    for (size_t i = 0; g && i < u->count; i++)
        g[i] = (struct untraced_group){untracedwords_name (&u->item[i]),
                                       &u->item[i], u->item[i].count};
    if (!g || !u->count) {
        free (g);
        *groups = 0;
        return NULL;
    }
    qsort (g, u->count, sizeof (*g), untracedwords_by_name);
    for (size_t i = 0; i < u->count; i++)
        if (kept && untracedwords_by_name (&g[kept - 1], &g[i]) == 0)
            g[kept - 1].count += g[i].count;
        else
            g[kept++] = g[i];
    qsort (g, kept, sizeof (*g), untracedwords_by_count);
    *groups = kept;
    return g;
}

/* "settings", of "settings: DFTRACE_CHUNK: …". */
static void untracedwords_group (char text[GROUP_TEXT],
                                 const struct untraced_group *g)
{
    int length = (int)strcspn (g->first->reason, ":");
    char raw[GROUP_TEXT];

    (void)snprintf (raw, sizeof (raw), "%" PRIu64 " × %.*s (%.*s)", g->count,
                    NAME_MAX_SHOWN, g->name,
                    length < NAME_MAX_SHOWN ? length : NAME_MAX_SHOWN,
                    g->first->reason);
    (void)escape_text (text, GROUP_TEXT, raw, ESCAPE_LINES);
}

static int untracedwords_places (const char *text)
{
    int places = 0;

    for (; *text; text++)
        places += ((unsigned char)*text & 0xc0) != 0x80;
    return places;
}

/* Add a part to a list of these where there is room for it. */
static int untracedwords_put (
    char *text, size_t size, int places, int first, const char *part)
{
    enum { MORE = 3 }; /* ", …" */
    size_t used = strlen (text);

    if (used + strlen (part) + sizeof (", …") > size ||
        untracedwords_places (text) + untracedwords_places (part) + 2 + MORE >
            places)
        return 0;
    (void)snprintf (text + used, size - used, "%s%s", first ? " " : ", ", part);
    return 1;
}

char *untracedlist_words (const struct untraced *u,
                          uint64_t more,
                          char *text,
                          size_t size,
                          int places)
{
    uint64_t sum = untracedlist_sum (u) + more;
    struct untraced_group *g;
    size_t groups, shown = 0;
    char part[GROUP_TEXT];
    int whole;

    text[0] = '\0';
    if (!sum && !u->cut)
        return text;
    g = untracedwords_groups (u, &groups);
    (void)snprintf (text, size, "%" PRIu64 "%s %s:", sum,
                    u->cut ? " or more" : "",
                    sum == 1 && !u->cut ? "process" : "processes");
    while (shown < groups) {
        untracedwords_group (part, &g[shown]);
        if (!untracedwords_put (text, size, places, !shown, part))
            break;
        shown++;
    }
    (void)snprintf (part, sizeof (part), "%" PRIu64 " × not known", more);
    whole = shown == groups &&
            (!more || untracedwords_put (text, size, places, !shown, part));
    if (whole && u->cut)
        whole = untracedwords_put (text, size, places, !shown && !more,
                                   "more were not listed");
    if (!whole && size > strlen (text) + sizeof (", …"))
        (void)strcat (text, shown ? ", …" : " …");
    free (g);
    return text;
}
