/* SPDX-License-Identifier: MIT
 *
 * tallyobject.c - objects of files in a tally
 */
#include "config.h"

#include <string.h>

#include "analyze/query/totals/tally.h"

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
