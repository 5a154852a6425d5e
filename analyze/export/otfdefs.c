/* SPDX-License-Identifier: MIT
 *
 * otfdefs.c - names and descriptors of a trace <-> numbers of OTF2's
 * definitions
 *
 * In:  what events name
 * Out: numbers for their records; strings at once, as all else refers to them
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otfdefs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"

enum {
    OTFDEFS_TEXT = 4 * EVENT_NAME_MAX + 1, /* each byte may become \xNN */
    OTFDEFS_REGIONS = CALL_MAX /* numbers of calls are below, of regions from
                                  here on */
};

int otfdefs_open (struct otfdefs *d)
{
    d->first = UINT64_MAX;
    d->strings = strmap_create ();
    d->handles = strmap_create ();
    d->attributes = strmap_create ();
    return d->strings && d->handles && d->attributes ? 0 : -1;
}

static void otfrefs_clear (struct otfrefs *r)
{
    free (r->of);
    free (r->item);
}

void otfdefs_clear (struct otfdefs *d)
{
    int saved_errno = errno;

    strmap_destroy (d->strings);
    strmap_destroy (d->handles);
    strmap_destroy (d->attributes);
    otfrefs_clear (&d->regions);
    otfrefs_clear (&d->files);
    free (d->life);
    free (d->location);
    errno = saved_errno;
}

/* Make room for one more behind count. 0, or -1. */
static int otfdefs_grow (void *items, size_t *room, size_t count, size_t size)
{
    void **owned = items;
    size_t more = *room ? *room : 64;
    void *p;

    if (count < *room)
        return 0;
    while (more <= count)
        more *= 2;
    if (!(p = reallocarray (*owned, more, size)))
        return -1;
    memset ((char *)p + *room * size, 0, (more - *room) * size);
    *owned = p;
    *room = more;
    return 0;
}

static int64_t otfrefs_get (struct otfrefs *r, uint32_t number)
{
    if (number < r->room && r->of[number])
        return r->of[number] - 1;
    if (otfdefs_grow (&r->of, &r->room, number, sizeof (*r->of)) < 0 ||
        otfdefs_grow (&r->item, &r->items_room, r->count, sizeof (*r->item)) <
            0)
        return -1;
    r->item[r->count] = number;
    r->of[number] = (uint32_t)++r->count;
    return (int64_t)r->count - 1;
}

int64_t otfdefs_string (struct otfdefs *d, const char *text)
{
    char plain[OTFDEFS_TEXT];
    int isnew = 0;
    int64_t ref;

    (void)escape_text (plain, sizeof (plain), text, ESCAPE_LINES);
    ref = strmap_intern (d->strings, plain, strlen (plain), &isnew);
    if (ref >= 0 && isnew && d->failed == OTF2_SUCCESS)
        d->failed =
            OTF2_GlobalDefWriter_WriteString (d->out, (uint32_t)ref, plain);
    return ref;
}

int64_t otfdefs_region (struct otfdefs *d, unsigned call, uint32_t name)
{
    int own = call_table[call].category == CALL_CATEGORY_APP && name;

    return otfrefs_get (&d->regions, own ? OTFDEFS_REGIONS + name : call);
}

int64_t otfdefs_file (struct otfdefs *d, uint32_t name)
{
    return otfrefs_get (&d->files, name);
}

int64_t otfdefs_handle (struct otfdefs *d, const struct otfhandle *h)
{
    int isnew = 0;
    int64_t ref =
        strmap_intern (d->handles, (const char *)h, sizeof (*h), &isnew);

    if (ref < 0 || !isnew)
        return ref;
    if (otfdefs_grow (&d->life, &d->life_room, (size_t)ref, sizeof (*d->life)) <
        0)
        return -1;
    d->life[ref] = (struct otflife){UINT64_MAX, UINT64_MAX};
    return h->name && otfdefs_file (d, h->name) < 0 ? -1 : ref;
}

int64_t otfdefs_attribute (struct otfdefs *d, const char *name, OTF2_Type type)
{
    size_t n = strlen (name);
    char key[EVENT_NAME_MAX + 1];

    n = n < EVENT_NAME_MAX ? n : EVENT_NAME_MAX;
    key[0] = (char)type;
    memcpy (key + 1, name, n);
    return strmap_intern (d->attributes, key, n + 1, NULL);
}

int64_t
otfdefs_location (struct otfdefs *d, size_t part, uint32_t tid, uint32_t lane)
{
    if (otfdefs_grow (&d->location, &d->locations_room, d->locations,
                      sizeof (*d->location)) < 0)
        return -1;
    d->location[d->locations] = (struct otflocation){part, tid, lane, 0};
    return (int64_t)d->locations++;
}

#endif
