/* SPDX-License-Identifier: MIT
 *
 * objecttotal.c - objects of files: sums, keys
 */
#include "config.h"

#include <string.h>

#include "analyze/query/totals/objecttotal.h"

static void object_rule_SUM (uint64_t *to, uint64_t from)
{
    *to += from;
}

static void object_rule_MAX (uint64_t *to, uint64_t from)
{
    if (from > *to)
        *to = from;
}

static void object_rule_BITS (uint64_t *to, uint64_t from)
{
    *to |= from;
}

void object_total_add (struct object_total *to, const struct object_total *from)
{
#define OBJECTCOUNT(RULE, NAME, HELP) \
    object_rule_##RULE (&to->NAME, from->NAME);
#include "lib/model/above/objectcounts.def"
#undef OBJECTCOUNT
}

int object_name_of (const char *key, size_t length, struct object_name *name)
{
    const char *end = key + length;

    name->layer = key;
    name->file = memchr (key, '\0', length);
    if (!name->file)
        return -1;
    name->file++;
    name->object = memchr (name->file, '\0', (size_t)(end - name->file));
    if (!name->object)
        return -1;
    name->object++;
    return memchr (name->object, '\0', (size_t)(end - name->object)) ? -1 : 0;
}
