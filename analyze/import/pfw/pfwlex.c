/* SPDX-License-Identifier: MIT
 *
 * pfwlex.c - one JSON object of a DFTracer trace -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: keys and values, to pfwvalue.c; facts and texts, to pfwread.c
 * Caveat: what a JSON parser would refuse but can only mean one thing (a
 *         comma before a brace, control characters) is taken.
 */
#include "config.h"

#include "analyze/import/pfw/pfwlex.h"

#include <string.h>

#include "analyze/import/pfw/pfwtoken.h"

const size_t pfw_line_head = offsetof (struct pfw_line, arg);

static const char *
pfwlex_args (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    p = pfw_blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if ((p = pfw_key_of (p, limit, &key)) &&
            (p = pfw_value (p, limit, &v))) {
            pfw_value_arg (l, &key, &v);
            p = pfw_next_key (p, limit);
        }
    }
    return p && p < limit ? p + 1 : NULL;
}

const char *pfw_lex (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    memset (l, 0, pfw_line_head);
    if (p >= limit || *p != '{')
        return NULL;
    p = pfw_blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if (!(p = pfw_key_of (p, limit, &key)))
            return NULL;
        if (key.code == PFW_KEY_ARGS && p < limit && *p == '{')
            p = pfwlex_args (l, p, limit);
        else if ((p = pfw_value (p, limit, &v)))
            pfw_value_top (l, &key, &v);
        if (p)
            p = pfw_next_key (p, limit);
    }
    if (!p || p >= limit || !l->phase ||
        (!l->name.p && l->phase != PFW_PHASE_END))
        return NULL;
    return p + 1;
}
