/* SPDX-License-Identifier: MIT
 *
 * askingtext.c - texts that a condition compares with; do they occur at all?
 *
 * In:  values of a condition on a column of texts; names of the traces
 * Out: nodes; a message with the nearest word
 */
#include "config.h"

#include "analyze/query/asking.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/scan/place.h"
#include "analyze/trace/dict.h"
#include "lib/model/pattern.h"
#include "lib/util/optparse.h"

enum { WORDS_ROOM = 32 };

/* --- columns with few words ----------------------------------------------- */

/* All words of the column in list, NULL behind them; 0: any word may occur. */
static int askingtext_words (uint16_t column, const char **list)
{
    int n = 0;

    switch (column) {
    case WHERE_BY_class:
        for (int c = CALL_CLASS_NONE + 1; c <= CALL_CLASS_LAST; c++)
            list[n++] = call_class_name ((enum call_class)c);
        break;
    case WHERE_BY_kind:
        for (int k = 0; k < KIND_COUNT; k++)
            list[n++] = kind_name ((enum file_kind)k);
        break;
    case WHERE_BY_role:
        for (int r = 0; r < ROLE_COUNT; r++)
            list[n++] = role_word ((enum role)r);
        break;
    case WHERE_BY_access:
        for (int p = 0; p < PLACED_COUNT; p++)
            list[n++] = placed_name ((enum placed)p);
        break;
    default:
        break;
    }
    list[n] = NULL;
    return n;
}

static int askingtext_is_pattern (const char *text)
{
    return text[strcspn (text, "*?[")] != '\0';
}

/* Each of the words of a list must be one of the column. */
static int askingtext_check (struct asking *a,
                             uint16_t column,
                             const char *value,
                             size_t at)
{
    const char *list[WORDS_ROOM], *near, *s = value;
    char word[64], all[160] = "";

    if (!askingtext_words (column, list))
        return 0;
    for (size_t n; *s; s += n + (s[n] == ',')) {
        int found = 0;

        n = strcspn (s, ",");
        (void)snprintf (word, sizeof (word), "%.*s", (int)n, s);
        for (int i = 0; list[i]; i++)
            found |= pattern_match (word, list[i]);
        if (found || !n)
            continue;
        for (int i = 0; list[i]; i++)
            (void)snprintf (all + strlen (all), sizeof (all) - strlen (all),
                            "%s%s", i ? ", " : "", list[i]);
        near = nearest_word (word, list);
        return asking_fail (a, at + (size_t)(s - value),
                            "no such %s%s%s%s are %s",
                            where_column_info ((enum where_column)column)->word,
                            near ? ": did you mean " : "", near ? near : "",
                            near ? "? There" : ": there", all);
    }
    return 0;
}

int asking_text (struct asking *a,
                 struct where_node n,
                 const char *value,
                 int quoted,
                 size_t at)
{
    n.test = quoted ? WHERE_SAME : WHERE_GLOB;
    n.text = value;
    return askingtext_check (a, n.column, value, at + (size_t)quoted) < 0
               ? -1
               : asking_node (a, &n);
}

/* --- words of the traces -------------------------------------------------- */

static int askingtext_fits (const struct where_node *n, const char *text)
{
    return n->test == WHERE_SAME ? strcmp (n->text, text) == 0
                                 : pattern_match (n->text, text);
}

struct askingtext_list {
    const struct where_node *node;
    const char **word; /* owned; NULL at its end */
    size_t count, room;
    int found;
};

/* 0, or -1 (ENOMEM). */
static int askingtext_offer (struct askingtext_list *l, const char *text)
{
    const char **word = l->word;

    l->found |= askingtext_fits (l->node, text);
    if (l->count + 1 >= l->room) {
        l->room = l->room ? 2 * l->room : 64;
        if (!(word = reallocarray (word, l->room, sizeof (*word))))
            return -1;
        l->word = word;
    }
    word[l->count++] = text;
    word[l->count] = NULL;
    return 0;
}

static int askingtext_collect (struct askingtext_list *l,
                               const struct dict *dict)
{
    int name = l->node->column == WHERE_name;
    uint32_t limit = dict_limit (dict);

    for (int c = 0; name && c < CALL_MAX; c++)
        if (call_table[c].name[0] &&
            askingtext_offer (l, call_table[c].name) < 0)
            return -1;
    for (int c = CALL_CATEGORY_POSIX; !name && c < CALL_CATEGORY_COUNT; c++)
        if (askingtext_offer (l, call_category_name ((enum call_category)c)) <
            0)
            return -1;
    for (uint32_t i = 1; i < limit; i++) {
        const struct dict_entry *e = dict_entry_of (dict, i, SHARD_NAME_EVENT);

        if (e &&
            askingtext_offer (l, name ? dict_region_name (e) : e->text) < 0)
            return -1;
    }
    return 0;
}

static int askingtext_seen (const struct where_node *n,
                            const struct dict *dict,
                            struct errtext *err)
{
    struct askingtext_list l = {.node = n};
    const char *near;
    int rc = askingtext_collect (&l, dict);

    near = rc == 0 && !l.found ? nearest_word (n->text, l.word) : NULL;
    if (near) {
        errno = EINVAL;
        rc = errf (err, "--where: no event has the %s %s: did you mean %s?",
                   where_column_info ((enum where_column)n->column)->word,
                   n->text, near);
    }
    free (l.word);
    return rc;
}

int where_check (const struct where *w,
                 const struct dict *dict,
                 struct errtext *err)
{
    for (int i = 0; i < w->nodes && !w->partial; i++) {
        const struct where_node *n = &w->node[i];

        if ((n->test == WHERE_SAME || n->test == WHERE_GLOB) &&
            !askingtext_is_pattern (n->text) &&
            (n->column == WHERE_name || n->column == WHERE_cat ||
             n->column == WHERE_BY_layer) &&
            askingtext_seen (n, dict, err) < 0)
            return -1;
    }
    return 0;
}
