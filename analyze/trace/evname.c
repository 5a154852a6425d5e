/* SPDX-License-Identifier: MIT
 *
 * evname.c - an event -> its category, name and file
 *
 * In:  a decoder and the event it gave
 * Out: what people call it, to dump.c, cmd_export.c, evfilter.c, groupscan.c
 */
#include "config.h"

#include "analyze/trace/evname.h"

#include <string.h>

struct evname evname_of (const struct decoder *d, const struct event *ev)
{
    const struct call_info *info = &call_table[ev->call];
    const struct name *name = decoder_name (d, ev->file);
    struct evname n = {call_category_name (info->category),
                       info->name ? info->name : "",
                       "",
                       0,
                       0,
                       0};

    n.category_length = strlen (n.category);
    n.name_length = strlen (n.name);
    if (!name)
        return n;
    if (info->category != CALL_CATEGORY_APP) {
        n.file = name->text;
        n.file_length = name->length;
        return n;
    }
    n.category = name->text;
    n.category_length = strnlen (name->text, name->length);
    n.name = name->text + n.category_length;
    n.name_length = name->length - n.category_length;
    if (n.name_length) { /* the NUL between them */
        n.name++;
        n.name_length--;
    }
    return n;
}

char *evname_text (char *to, const char *from, size_t length)
{
    if (length >= EVNAME_TEXT)
        length = EVNAME_TEXT - 1;
    if (length)
        memcpy (to, from, length);
    to[length] = '\0';
    return to;
}

void evarg_json (struct json *j,
                 const struct decoder *d,
                 const struct event_arg *arg)
{
    const struct name *key = decoder_name (d, arg->key);
    const struct name *text = decoder_name (d, arg->text);
    char name[256];
    size_t n = key ? key->length : 0;

    if (n >= sizeof (name))
        n = sizeof (name) - 1;
    if (n)
        memcpy (name, key->text, n);
    name[n] = '\0';
    if (arg->type == EVENT_ARG_INT)
        json_int (j, name, arg->i);
    else if (arg->type == EVENT_ARG_DOUBLE)
        json_double (j, name, arg->d);
    else
        json_bytes (j, name, text ? text->text : "", text ? text->length : 0);
}
