/* SPDX-License-Identifier: MIT
 *
 * arrowout.c - columns -> arrays and schemas of Arrow
 *
 * In:  columns, from arrowcol.c
 * Out: arrays that own their memory, one by one: a consumer may keep a child
 *      of a batch and release the others
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/python/arrowcol.h"

/* --- arrays --------------------------------------------------------------- */

/* The memory that an array owns. */
struct arrowout_hold {
    void *owned[2];
    const void *buffer[3];
};

static void arrowout_release (struct ArrowArray *a)
{
    struct arrowout_hold *h = a->private_data;

    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release)
            a->children[i]->release (a->children[i]);
        free (a->children[i]);
    }
    free (a->children);
    if (a->dictionary && a->dictionary->release)
        a->dictionary->release (a->dictionary);
    free (a->dictionary);
    free (h->owned[0]);
    free (h->owned[1]);
    free (h);
    a->release = NULL;
}

/* An array of so many rows without buffers. 0, or -1 (ENOMEM). */
static int
arrowout_begin (struct ArrowArray *a, size_t rows, size_t nulls, int buffers)
{
    struct arrowout_hold *h = calloc (1, sizeof (*h));

    memset (a, 0, sizeof (*a));
    if (!h)
        return -1;
    a->length = (int64_t)rows;
    a->null_count = (int64_t)nulls;
    a->n_buffers = buffers;
    a->buffers = h->buffer;
    a->private_data = h;
    a->release = arrowout_release;
    return 0;
}

/* The words of a column. */
static struct ArrowArray *arrowout_dictionary (struct arrowcol *c)
{
    static const int32_t none[1] = {0};
    struct ArrowArray *a = malloc (sizeof (*a));
    struct arrowout_hold *h;

    if (!a || arrowout_begin (a, c->words, 0, 3) < 0) {
        free (a);
        return NULL;
    }
    h = a->private_data;
    h->buffer[1] = c->end ? c->end : none;
    h->buffer[2] = c->text ? c->text : "";
    h->owned[0] = c->end;
    h->owned[1] = c->text;
    c->end = NULL;
    c->text = NULL;
    return a;
}

/* Move the memory of a column to the array. */
static void arrowout_take (struct arrowout_hold *h, struct arrowcol *c)
{
    h->buffer[0] = c->nulls ? c->valid : NULL;
    h->buffer[1] = c->data;
    h->owned[0] = c->data;
    h->owned[1] = c->valid;
    c->data = NULL;
    c->valid = NULL;
}

static void arrowout_text_release (struct ArrowArray *a)
{
    struct arrowout_hold *h = a->private_data;

    free ((void *)(uintptr_t)(h->buffer[2]));
    arrowout_release (a);
}

/* One column. 0, or -1 (ENOMEM). */
static int arrowout_child (struct ArrowArray *a, struct arrowcol *c)
{
    struct arrowout_hold *h;

    if (arrowout_begin (a, c->count, c->nulls,
                        c->type == ARROWCOL_TEXT ? 3 : 2) < 0)
        return -1;
    h = a->private_data;
    arrowout_take (h, c);
    if (c->type == ARROWCOL_TEXT) {
        h->buffer[2] = c->text ? c->text : calloc (1, 1);
        c->text = NULL;
        a->release = arrowout_text_release;
    } else if (c->type == ARROWCOL_WORDS &&
               !(a->dictionary = arrowout_dictionary (c))) {
        a->release (a);
        return -1;
    }
    return 0;
}

int arrowcol_array (struct ArrowArray *out, struct arrowcol *column, size_t n)
{
    size_t rows = n ? column[0].count : 0;
    int rc = arrowout_begin (out, rows, 0, 1);

    if (rc == 0 && !(out->children = calloc (n + 1, sizeof (void *))))
        rc = -1;
    for (size_t i = 0; i < n; i++) {
        struct ArrowArray *a = rc == 0 ? calloc (1, sizeof (*a)) : NULL;

        if (a && arrowout_child (a, &column[i]) == 0)
            out->children[out->n_children++] = a;
        else {
            free (a);
            rc = -1;
        }
        arrowcol_clear (&column[i]);
    }
    if (rc < 0 && out->release)
        out->release (out);
    if (rc < 0)
        errno = ENOMEM;
    return rc;
}

/* --- schemas -------------------------------------------------------------- */

static void arrowout_release_schema (struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release)
            s->children[i]->release (s->children[i]);
        free (s->children[i]);
    }
    free (s->children);
    if (s->dictionary && s->dictionary->release)
        s->dictionary->release (s->dictionary);
    free (s->dictionary);
    free ((void *)(uintptr_t)s->name);
    free ((void *)(uintptr_t)s->metadata);
    s->release = NULL;
}

static int
arrowout_schema_of (struct ArrowSchema *s, const char *format, const char *name)
{
    memset (s, 0, sizeof (*s));
    s->format = format;
    s->flags = ARROW_FLAG_NULLABLE;
    if (!(s->name = strdup (name)))
        return -1;
    s->release = arrowout_release_schema;
    return 0;
}

/* One pair: int32 pairs, then for each int32 bytes, key, int32 bytes, value.
 */
static char *arrowout_metadata (const char *unit)
{
    static const char key[] = "unit";
    int32_t head[2] = {1, sizeof (key) - 1}, length = (int32_t)strlen (unit);
    char *m = malloc (sizeof (head) + sizeof (key) + sizeof (length) +
                      (size_t)length);

    if (!m)
        return NULL;
    memcpy (m, head, sizeof (head));
    memcpy (m + sizeof (head), key, sizeof (key) - 1);
    memcpy (m + sizeof (head) + sizeof (key) - 1, &length, sizeof (length));
    memcpy (m + sizeof (head) + sizeof (key) - 1 + sizeof (length), unit,
            (size_t)length);
    return m;
}

static int arrowout_schema_field (struct ArrowSchema *s,
                                  const struct arrowcol_field *f)
{
    static const char *const format[] = {"n", "i", "l", "g", "i", "U"};

    if (arrowout_schema_of (s, format[f->type], f->name) < 0 ||
        (f->unit && !(s->metadata = arrowout_metadata (f->unit))))
        return -1;
    if (f->type != ARROWCOL_WORDS)
        return 0;
    return (s->dictionary = calloc (1, sizeof (*s->dictionary))) &&
                   arrowout_schema_of (s->dictionary, "u", "") == 0
               ? 0
               : -1;
}

int arrowcol_schema (struct ArrowSchema *out,
                     const struct arrowcol_field *field,
                     size_t n)
{
    int rc = arrowout_schema_of (out, "+s", "");

    if (rc == 0) {
        out->flags = 0;
        out->children = calloc (n + 1, sizeof (void *));
        rc = out->children ? 0 : -1;
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct ArrowSchema *s = calloc (1, sizeof (*s));

        if (!s) {
            rc = -1;
            break;
        }
        out->children[out->n_children++] = s;
        rc = arrowout_schema_field (s, &field[i]);
    }
    if (rc < 0 && out->release)
        out->release (out);
    if (rc < 0)
        errno = ENOMEM;
    return rc;
}
