/* SPDX-License-Identifier: MIT
 *
 * profrows.c - the rows of a profile: make, append, free
 *
 * In:  readers of profiles
 * Out: to load.c
 */
#include "config.h"

#include "analyze/trace/profrows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more of `size` bytes, which is zeroed; NULL: ENOMEM. */
static void *
profrows_append (void **array, size_t *count, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 64;
    char *all = *array;

    if (*count == *room) {
        if (!(all = reallocarray (all, more, size)))
            return NULL;
        *array = all;
        *room = more;
    }
    return memset (all + (*count)++ * size, 0, size);
}

uint32_t profrows_name (struct profrows *p,
                        const struct profname *like,
                        const char *text,
                        size_t length)
{
    void *array = p->name;
    char *copy = malloc (length + 1);
    struct profname *n;

    if (!copy)
        return 0;
    n = profrows_append (&array, &p->names, &p->name_room, sizeof (*n));
    p->name = array;
    if (!n) {
        free (copy);
        return 0;
    }
    memcpy (copy, text, length);
    copy[length] = '\0';
    *n = *like;
    n->text = copy;
    n->length = (uint32_t)length;
    return (uint32_t)p->names;
}

struct profrow *profrows_row (struct profrows *p)
{
    void *array = p->row;
    struct profrow *r =
        profrows_append (&array, &p->rows, &p->row_room, sizeof (*r));

    p->row = array;
    return r;
}

struct profplace *profrows_place (struct profrows *p)
{
    void *array = p->place;
    struct profplace *r =
        profrows_append (&array, &p->places, &p->place_room, sizeof (*r));

    p->place = array;
    return r;
}

struct profvalue *profrows_value (struct profrows *p)
{
    void *array = p->value;
    struct profvalue *r =
        profrows_append (&array, &p->values, &p->value_room, sizeof (*r));

    p->value = array;
    return r;
}

struct profgroup *profrows_group (struct profrows *p)
{
    void *array = p->group;
    struct profgroup *r =
        profrows_append (&array, &p->groups, &p->group_room, sizeof (*r));

    p->group = array;
    return r;
}

struct profbin *profrows_bin (struct profrows *p)
{
    void *array = p->bin;
    struct profbin *r =
        profrows_append (&array, &p->bins, &p->bin_room, sizeof (*r));

    p->bin = array;
    return r;
}

void profrows_clear (struct profrows *p)
{
    int saved = errno;

    for (size_t i = 0; i < p->names; i++)
        free (p->name[i].text);
    free (p->name);
    free (p->row);
    free (p->place);
    free (p->value);
    free (p->group);
    free (p->bin);
    memset (p, 0, sizeof (*p));
    errno = saved;
}
