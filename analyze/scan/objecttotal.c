/* SPDX-License-Identifier: MIT
 *
 * objecttotal.c - objects of files: sums, keys, those of a tally
 */
#include "config.h"

#include <string.h>

#include "analyze/scan/objecttotal.h"
#include "analyze/scan/tally.h"

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
#include "lib/model/objectcounts.def"
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

/* --- in a tally ------------------------------------------------------- */

struct object_total *tally_object (struct tally *t,
                                   enum call_category layer,
                                   const char *file,
                                   const char *object)
{
    const char *texts[] = {call_category_name (layer), file, object};
    char key[2 * EVENT_NAME_MAX + 32];
    size_t n = 0;
    int isnew;

    if (!t->objects && !(t->objects = strmap_create ()))
        return NULL; /* that of a worker begins empty */
    for (int i = 0; i < 3; i++) {
        size_t m = strnlen (texts[i], EVENT_NAME_MAX);

        memcpy (key + n, texts[i], m);
        n += m;
        key[n++] = '\0';
    }
    return tally_value (t->objects, key, n - 1, sizeof (struct object_total),
                        &isnew);
}

int tally_merge_objects (struct tally *t, const struct tally *other)
{
    for (size_t i = 0; other->objects && i < strmap_count (other->objects);
         i++) {
        size_t length;
        const char *key = strmap_key (other->objects, i, &length);
        const struct object_total *from = strmap_value (other->objects, i);
        int isnew;
        struct object_total *to =
            from ? tally_value (t->objects, key, length, sizeof (*to), &isnew)
                 : NULL;

        if (from && !to)
            return -1;
        if (from)
            object_total_add (to, from);
    }
    return 0;
}
