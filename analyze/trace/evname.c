/* SPDX-License-Identifier: MIT
 *
 * evname.c - an event -> its category, name and file
 *
 * In:  an event of a batch
 * Out: what people call it, to eventprint.c
 */
#include "config.h"

#include "analyze/trace/evname.h"

#include <string.h>

static const char *evname_text (const struct dict *d, uint32_t number)
{
    const struct dict_entry *e = dict_entry (d, number);

    return e ? e->text : "";
}

struct evname evname_of (const struct dict *d, const struct batch *b, size_t i)
{
    const struct call_info *info = &call_table[b->call[i]];
    const struct dict_entry *e = dict_entry (d, b->name[i]);
    struct evname n = {call_category_name (info->category), info->name, "",
                       evname_text (d, b->name2[i])};
    size_t category;

    if (!e)
        return n;
    if (info->category != CALL_CATEGORY_APP) {
        n.file = e->text;
        return n;
    }
    n.category = e->text;
    category = strlen (e->text);
    n.name = e->text + (category < e->length ? category + 1 : category);
    return n;
}

void evarg_json (struct json *j,
                 const struct dict *d,
                 const struct batch_arg *arg)
{
    const struct dict_entry *text;
    const char *key = evname_text (d, arg->key);

    if (arg->type == EVENT_ARG_INT)
        json_int (j, key, arg->i);
    else if (arg->type == EVENT_ARG_DOUBLE)
        json_double (j, key, arg->d);
    else {
        text = dict_entry (d, arg->text);
        json_bytes (j, key, text ? text->text : "", text ? text->length : 0);
    }
}
