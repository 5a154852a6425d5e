/* SPDX-License-Identifier: MIT
 *
 * askingterm.c - operator and values of a condition -> terms
 *
 * In:  what stands behind a column, from where.c
 * Out: nodes
 */
#include "config.h"

#include "analyze/query/asking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum askingterm_how {
    ASKING_EQUAL,
    ASKING_UNEQUAL,
    ASKING_LESS,
    ASKING_LESS_EQUAL,
    ASKING_MORE,
    ASKING_MORE_EQUAL,
    ASKING_LIKE,
    ASKING_UNLIKE,
    ASKING_REGEX,
    ASKING_HOWS
};

/* Those that begin like another one stand before it. */
static const struct {
    const char *sign;
    enum askingterm_how how;
} signs[] = {{"=~", ASKING_REGEX},      {"==", ASKING_EQUAL},
             {"=", ASKING_EQUAL},       {"!=", ASKING_UNEQUAL},
             {"!~", ASKING_UNLIKE},     {"~", ASKING_LIKE},
             {"<=", ASKING_LESS_EQUAL}, {"<", ASKING_LESS},
             {">=", ASKING_MORE_EQUAL}, {">", ASKING_MORE}};

static enum where_operator askingterm_operator (enum askingterm_how how)
{
    switch (how) {
    case ASKING_LESS:
        return WHERE_LESS;
    case ASKING_LESS_EQUAL:
        return WHERE_LESS_EQUAL;
    case ASKING_MORE:
        return WHERE_MORE;
    case ASKING_MORE_EQUAL:
        return WHERE_MORE_EQUAL;
    default:
        return WHERE_EQUAL;
    }
}

/* --- one value ------------------------------------------------------------ */

/* A regular expression that takes neither much memory nor much time: libc
 * copies what is repeated, and tries what a back reference may stand for. */
enum { REGEX_MAX = 255, REGEX_REPEATS = 64 };

static const char *askingterm_bound (const char *text)
{
    unsigned repeats = 1;

    if (strlen (text) > REGEX_MAX)
        return "more than 255 bytes";
    for (const char *s = text; *s; s++) {
        if (*s == '\\' && s[1] >= '0' && s[1] <= '9')
            return "back references are not taken";
        if (*s == '\\' && s[1])
            s++;
        else if (*s == '{') {
            unsigned long n = strtoul (s + 1, NULL, 10), most = n;
            const char *comma = strpbrk (s, ",}");

            if (comma && *comma == ',' && comma[1] >= '0' && comma[1] <= '9')
                most = strtoul (comma + 1, NULL, 10);
            if (most < n)
                most = n;
            if (most > REGEX_REPEATS ||
                (repeats *= (unsigned)(most ? most : 1)) > REGEX_REPEATS)
                return "more than 64 repetitions";
        }
    }
    return NULL;
}

static int askingterm_regex (struct asking *a,
                             struct where_node n,
                             const char *value,
                             size_t at)
{
    const char *why = askingterm_bound (value);
    char said[128];
    int rc, node;

    if (why)
        return asking_fail (a, at, "not a regular expression for us: %s", why);
    n.test = WHERE_REGEX;
    n.text = value;
    if (!(n.regex = calloc (1, sizeof (*n.regex))))
        return asking_fail (a, at, "%s", strerror (ENOMEM));
    if ((rc = regcomp (n.regex, value, REG_EXTENDED | REG_NOSUB)) != 0) {
        (void)regerror (rc, n.regex, said, sizeof (said));
        free (n.regex);
        return asking_fail (a, at, "not a regular expression: %s", said);
    }
    if ((node = asking_node (a, &n)) < 0) {
        regfree (n.regex);
        free (n.regex);
    }
    return node;
}

/* A text against a column of texts. */
static int askingterm_text (struct asking *a,
                            struct where_node n,
                            enum askingterm_how how,
                            const char *value,
                            int quoted,
                            size_t at)
{
    n.text = value;
    switch (how) {
    case ASKING_REGEX:
        return askingterm_regex (a, n, value, at);
    case ASKING_LIKE:
    case ASKING_UNLIKE:
        n.test = WHERE_GLOB;
        return asking_node (a, &n);
    case ASKING_EQUAL:
    case ASKING_UNEQUAL:
        return asking_text (a, n, value, quoted, at);
    default:
        n.test = WHERE_ORDER;
        n.how = askingterm_operator (how);
        return asking_node (a, &n);
    }
}

/* An argument is a number or a text: what the value looks like. */
static int askingterm_is_number (const char *value)
{
    value += *value == '-';
    value += *value == '.';
    return *value >= '0' && *value <= '9';
}

static int askingterm_value (struct asking *a,
                             struct where_node n,
                             enum askingterm_how how,
                             const char *stops)
{
    enum where_type type =
        where_column_info ((enum where_column)n.column)->type;
    char *made;
    const char *value;
    size_t at;
    int quoted;

    asking_space (a);
    at = a->at;
    if ((quoted = asking_value (a, stops, &made) - 1) < 0 ||
        !(value = asking_keep (a, made)))
        return -1;
    if (type == WHERE_TEXT ||
        (type == WHERE_ANY &&
         (quoted || how >= ASKING_LIKE || !askingterm_is_number (value))))
        return askingterm_text (a, n, how, value, quoted, at);
    if (how >= ASKING_LIKE)
        return asking_fail (
            a, at, "%s is a number: use = != < <= > >= or in (…)",
            where_column_info ((enum where_column)n.column)->word);
    return asking_number (a, n, askingterm_operator (how), value, at);
}

/* --- several -------------------------------------------------------------- */

static int askingterm_not (struct asking *a, int node)
{
    struct where_node n = {.test = WHERE_NOT, .left = (uint16_t)node};

    if (node < 0)
        return -1;
    n.right = n.left;
    n.of = a->w->node[node].of;
    return asking_node (a, &n);
}

static int askingterm_in (struct asking *a, struct where_node column)
{
    int node = -1;

    if (!asking_take (a, "("))
        return asking_fail (a, a->at, "a list should be here: in (1, 2)");
    do {
        int one = askingterm_value (a, column, ASKING_EQUAL, " \t\r\n'\"(),|&"),
            both;
        struct where_node n = {.test = WHERE_OR,
                               .of = column.of,
                               .left = (uint16_t)node,
                               .right = (uint16_t)one};

        if (one < 0)
            return -1;
        both = node < 0 ? one : asking_node (a, &n);
        if ((node = both) < 0)
            return -1;
    } while (asking_take (a, ","));
    return asking_take (a, ")")
               ? node
               : asking_fail (a, a->at, "\",\" or \")\" should be here");
}

int asking_term (struct asking *a, struct where_node n, size_t from)
{
    enum askingterm_how how = ASKING_HOWS;
    size_t at;
    int node, unequal;

    (void)from;
    asking_space (a);
    at = a->at;
    unequal = asking_take (a, "not");
    if (asking_take (a, "in")) {
        node = askingterm_in (a, n);
        return unequal ? askingterm_not (a, node) : node;
    }
    a->at = at;
    for (size_t i = 0;
         how == ASKING_HOWS && i < sizeof (signs) / sizeof (*signs); i++)
        if (asking_take (a, signs[i].sign))
            how = signs[i].how;
    if (how == ASKING_HOWS)
        return asking_fail (a, at,
                            "a comparison should be here: = != < <= > >= ~ !~ "
                            "=~ or in (…)");
    node = askingterm_value (a, n, how, " \t\r\n'\"()|&");
    return how == ASKING_UNEQUAL || how == ASKING_UNLIKE
               ? askingterm_not (a, node)
               : node;
}
