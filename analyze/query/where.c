/* SPDX-License-Identifier: MIT
 *
 * where.c - 'dur > 10ms and file ~ "*.bin"' -> a tree of terms
 *
 * In:  words of the command line
 * Out: struct where, to evfilter.c
 */
#include "config.h"

#include "analyze/query/where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/asking.h"

/* --- nodes ---------------------------------------------------------------- */

int asking_node (struct asking *a, const struct where_node *node)
{
    struct where *w = a->w;
    struct where_node *all;

    if (w->nodes == WHERE_NODES_MAX)
        return asking_fail (a, a->at, "more than %d terms", WHERE_NODES_MAX);
    if (!(all = reallocarray (w->node, (size_t)w->nodes + 1, sizeof (*all))))
        return asking_fail (a, a->at, "%s", strerror (ENOMEM));
    w->node = all;
    w->node[w->nodes] = *node;
    return w->nodes++;
}

const char *asking_keep (struct asking *a, char *text)
{
    struct where *w = a->w;
    char **all = reallocarray (w->text, (size_t)w->texts + 1, sizeof (*all));

    if (!all || !text) {
        free (text);
        (void)asking_fail (a, a->at, "%s", strerror (ENOMEM));
        if (all)
            w->text = all;
        return NULL;
    }
    w->text = all;
    w->text[w->texts++] = text;
    return text;
}

/* Two conditions as one: what decides both decides it. */
static int
where_join (struct asking *a, enum where_test test, int left, int right)
{
    struct where_node n = {
        .test = test, .left = (uint16_t)left, .right = (uint16_t)right};

    if (left < 0 || right < 0)
        return -1;
    if (a->w->node[left].of == a->w->node[right].of)
        n.of = a->w->node[left].of;
    return asking_node (a, &n);
}

static int where_not (struct asking *a, int of)
{
    return where_join (a, WHERE_NOT, of, of);
}

/* --- grammar -------------------------------------------------------------- */

static int where_or (struct asking *a);

static int where_sign (struct asking *a, const char *word, const char *sign)
{
    return asking_take (a, word) || asking_take (a, sign);
}

static int where_has_value (struct asking *a)
{
    struct where_node n;

    if (asking_column (a, &n) < 0)
        return -1;
    if (!asking_take (a, ")"))
        return asking_fail (a, a->at, "\")\" should be here");
    return asking_node (a, &n);
}

static int where_primary (struct asking *a)
{
    struct where_node n;
    size_t from;
    int node;

    asking_space (a);
    from = a->at;
    if (asking_take (a, "has") && asking_take (a, "("))
        return where_has_value (a);
    a->at = from;
    if (!asking_take (a, "("))
        return asking_column (a, &n) < 0 ? -1 : asking_term (a, n, from);
    if ((node = where_or (a)) < 0)
        return -1;
    return asking_take (a, ")")
               ? node
               : asking_fail (a, a->at,
                              "\")\" should be here, or \"and\" or "
                              "\"or\"");
}

static int where_negated (struct asking *a)
{
    int node;

    if (++a->depth > WHERE_DEPTH_MAX)
        return asking_fail (a, a->at, "more than %d parentheses and nots",
                            WHERE_DEPTH_MAX);
    node = where_sign (a, "not", "!") ? where_not (a, where_negated (a))
                                      : where_primary (a);
    a->depth--;
    return node;
}

static int where_and (struct asking *a)
{
    int node = where_negated (a);

    while (node >= 0 && where_sign (a, "and", "&&"))
        node = where_join (a, WHERE_AND, node, where_negated (a));
    return node;
}

static int where_or (struct asking *a)
{
    int node = where_and (a);

    while (node >= 0 && where_sign (a, "or", "||"))
        node = where_join (a, WHERE_OR, node, where_and (a));
    return node;
}

/* --- all ------------------------------------------------------------------ */

static void where_cut (struct where *w, int nodes, int texts)
{
    for (; w->nodes > nodes; w->nodes--) {
        regex_t *regex = w->node[w->nodes - 1].regex;

        if (regex)
            regfree (regex);
        free (regex);
    }
    while (w->texts > texts)
        free (w->text[--w->texts]);
}

int where_add (struct where *w, const char *text, struct errtext *err)
{
    struct asking a = {.text = text, .w = w, .err = err};
    int nodes = w->nodes, texts = w->texts, root = where_or (&a);

    asking_space (&a);
    if (root >= 0 && text[a.at])
        root = asking_fail (&a, a.at,
                            "\"and\" or \"or\" should be here; a text with "
                            "blanks stands in quotes");
    if (root >= 0 && w->terms)
        root = where_join (&a, WHERE_AND, w->root, root);
    if (root < 0) {
        where_cut (w, nodes, texts);
        return -1;
    }
    w->root = root;
    w->terms++;
    return 0;
}

void where_clear (struct where *w)
{
    where_cut (w, 0, 0);
    free (w->node);
    free (w->text);
    memset (w, 0, sizeof (*w));
}

int where_has (const struct where *w, enum where_column column)
{
    for (int i = 0; i < w->nodes; i++)
        if (w->node[i].test >= WHERE_HAS &&
            (w->node[i].column == column ||
             (w->node[i].test == WHERE_COMPARE && w->node[i].other == column)))
            return 1;
    return 0;
}

int where_needs_context (const struct where *w)
{
    return where_has (w, WHERE_BY_step) || where_has (w, WHERE_BY_epoch);
}
