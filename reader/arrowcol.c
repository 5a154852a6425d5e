/* SPDX-License-Identifier: MIT
 *
 * arrowcol.c - a column of values that grows -> a child of an Arrow array
 *
 * In:  numbers and texts, row by row
 * Out: arrays that own their memory, one by one: a consumer may keep a child
 *      of a batch and release the others
 */
#include "config.h"

#include "reader/arrowcol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/escape.h"

static size_t arrowcol_width (enum arrowcol_type type)
{
    return type == ARROWCOL_INT32 || type == ARROWCOL_WORDS ? 4 : 8;
}

int arrowcol_init (struct arrowcol *c, enum arrowcol_type type, size_t room)
{
    memset (c, 0, sizeof (*c));
    c->type = type;
    c->room = room;
    c->valid = calloc (room / 8 + 1, 1);
    c->data = malloc ((room + 1) * arrowcol_width (type));
    if (!c->valid || !c->data)
        return -1;
    if (type == ARROWCOL_TEXT)
        ((int64_t *)c->data)[0] = 0;
    return 0;
}

void arrowcol_clear (struct arrowcol *c)
{
    int saved = errno;

    free (c->valid);
    free (c->data);
    free (c->text);
    free (c->end);
    memset (c, 0, sizeof (*c));
    errno = saved;
}

/* --- rows ----------------------------------------------------------------- */

/* Bits are kept from the first row on that has nothing. */
static void arrowcol_has (struct arrowcol *c)
{
    if (c->nulls)
        c->valid[c->count / 8] |= (unsigned char)(1 << c->count % 8);
    c->count++;
}

/* All rows before this one have a value. */
static void arrowcol_first_null (struct arrowcol *c)
{
    memset (c->valid, 0xff, c->count / 8);
    c->valid[c->count / 8] = (unsigned char)((1 << c->count % 8) - 1);
}

void arrowcol_int (struct arrowcol *c, int64_t value)
{
    if (arrowcol_width (c->type) == 4)
        ((int32_t *)c->data)[c->count] = (int32_t)value;
    else
        ((int64_t *)c->data)[c->count] = value;
    arrowcol_has (c);
}

void arrowcol_double (struct arrowcol *c, double value)
{
    ((double *)c->data)[c->count] = value;
    arrowcol_has (c);
}

void arrowcol_null (struct arrowcol *c)
{
    size_t i = c->count;

    if (!c->nulls++)
        arrowcol_first_null (c);
    c->count++;
    if (c->type == ARROWCOL_TEXT)
        ((int64_t *)c->data)[i + 1] = (int64_t)c->used;
    else if (arrowcol_width (c->type) == 4)
        ((int32_t *)c->data)[i] = 0;
    else
        ((int64_t *)c->data)[i] = 0;
}

void arrowcol_ints (struct arrowcol *c,
                    const int64_t *value,
                    const uint16_t *pick,
                    size_t n)
{
    int32_t *narrow = (int32_t *)c->data + c->count;
    int64_t *wide = (int64_t *)c->data + c->count;

    if (c->nulls)
        for (size_t i = 0; i < n; i++)
            arrowcol_int (c, value[pick[i]]);
    else if (arrowcol_width (c->type) == 4)
        for (size_t i = 0; i < n; i++)
            narrow[i] = (int32_t)value[pick[i]];
    else
        for (size_t i = 0; i < n; i++)
            wide[i] = value[pick[i]];
    c->count += c->nulls ? 0 : n;
}

void arrowcol_indices (struct arrowcol *c, const uint32_t *index, size_t n)
{
    int32_t *to = (int32_t *)c->data + c->count;
    uint32_t none = c->nulls != 0;

    for (size_t i = 0; i < n; i++)
        none |= index[i] == 0;
    if (none) {
        for (size_t i = 0; i < n; i++)
            if (index[i])
                arrowcol_int (c, index[i] - 1);
            else
                arrowcol_null (c);
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = (int32_t)(index[i] - 1);
    c->count += n;
}

/* --- texts ---------------------------------------------------------------- */

/* Room for a text whose every byte becomes two. */
static int arrowcol_text_room (struct arrowcol *c, size_t length)
{
    size_t room = c->text_room ? c->text_room : 256;
    char *text;

    while (room - c->used < 2 * length + 1)
        room *= 2;
    if (room == c->text_room)
        return 0;
    if (!(text = realloc (c->text, room)))
        return -1;
    c->text = text;
    c->text_room = room;
    return 0;
}

static int arrowcol_put (struct arrowcol *c, const char *text, size_t length)
{
    uint32_t unit;
    size_t taken;

    if (arrowcol_text_room (c, length) < 0)
        return -1;
    for (; length > 0; text += taken, length -= taken) {
        if ((taken = escape_char (text, length, &unit)) > 0) {
            memcpy (c->text + c->used, text, taken);
            c->used += taken;
            continue;
        }
        taken = 1;
        c->text[c->used++] = (char)(0xc0 | (unsigned char)*text >> 6);
        c->text[c->used++] = (char)(0x80 | (*text & 0x3f));
    }
    return 0;
}

int arrowcol_text (struct arrowcol *c, const char *text, size_t length)
{
    if (arrowcol_put (c, text, length) < 0)
        return -1;
    ((int64_t *)c->data)[c->count + 1] = (int64_t)c->used;
    arrowcol_has (c);
    return 0;
}

int64_t arrowcol_word (struct arrowcol *c, const char *text, size_t length)
{
    size_t room = c->words_room ? 2 * c->words_room : 16;
    int32_t *end;

    if (c->words + 2 > c->words_room) {
        if (!(end = reallocarray (c->end, room, sizeof (*end))))
            return -1;
        c->end = end;
        c->end[0] = 0;
        c->words_room = room;
    }
    if (arrowcol_put (c, text, length) < 0)
        return -1;
    if (c->used > INT32_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    c->end[c->words + 1] = (int32_t)c->used;
    return (int64_t)c->words++;
}

/* --- arrays --------------------------------------------------------------- */

/* What an array owns. */
struct arrowcol_hold {
    void *owned[2];
    const void *buffer[3];
};

static void arrowcol_release (struct ArrowArray *a)
{
    struct arrowcol_hold *h = a->private_data;

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
arrowcol_begin (struct ArrowArray *a, size_t rows, size_t nulls, int buffers)
{
    struct arrowcol_hold *h = calloc (1, sizeof (*h));

    memset (a, 0, sizeof (*a));
    if (!h)
        return -1;
    a->length = (int64_t)rows;
    a->null_count = (int64_t)nulls;
    a->n_buffers = buffers;
    a->buffers = h->buffer;
    a->private_data = h;
    a->release = arrowcol_release;
    return 0;
}

/* The words of a column. */
static struct ArrowArray *arrowcol_dictionary (struct arrowcol *c)
{
    static const int32_t none[1] = {0};
    struct ArrowArray *a = malloc (sizeof (*a));
    struct arrowcol_hold *h;

    if (!a || arrowcol_begin (a, c->words, 0, 3) < 0) {
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

/* Texts have their bytes behind their ends, in one block of memory less to own.
 */
static void arrowcol_take (struct arrowcol_hold *h, struct arrowcol *c)
{
    h->buffer[0] = c->nulls ? c->valid : NULL;
    h->buffer[1] = c->data;
    h->owned[0] = c->data;
    h->owned[1] = c->valid;
    c->data = NULL;
    c->valid = NULL;
}

static void arrowcol_text_release (struct ArrowArray *a)
{
    struct arrowcol_hold *h = a->private_data;

    free ((void *)(uintptr_t)(h->buffer[2]));
    arrowcol_release (a);
}

/* One column. 0, or -1 (ENOMEM). */
static int arrowcol_child (struct ArrowArray *a, struct arrowcol *c)
{
    struct arrowcol_hold *h;

    if (arrowcol_begin (a, c->count, c->nulls,
                        c->type == ARROWCOL_TEXT ? 3 : 2) < 0)
        return -1;
    h = a->private_data;
    arrowcol_take (h, c);
    if (c->type == ARROWCOL_TEXT) {
        h->buffer[2] = c->text ? c->text : calloc (1, 1);
        c->text = NULL;
        a->release = arrowcol_text_release;
    } else if (c->type == ARROWCOL_WORDS &&
               !(a->dictionary = arrowcol_dictionary (c))) {
        a->release (a);
        return -1;
    }
    return 0;
}

int arrowcol_array (struct ArrowArray *out, struct arrowcol *column, size_t n)
{
    size_t rows = n ? column[0].count : 0;
    int rc = arrowcol_begin (out, rows, 0, 1);

    if (rc == 0 && !(out->children = calloc (n + 1, sizeof (void *))))
        rc = -1;
    for (size_t i = 0; i < n; i++) {
        struct ArrowArray *a = rc == 0 ? calloc (1, sizeof (*a)) : NULL;

        if (a && arrowcol_child (a, &column[i]) == 0)
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

static void arrowcol_release_schema (struct ArrowSchema *s)
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
arrowcol_schema_of (struct ArrowSchema *s, const char *format, const char *name)
{
    memset (s, 0, sizeof (*s));
    s->format = format;
    s->flags = ARROW_FLAG_NULLABLE;
    if (!(s->name = strdup (name)))
        return -1;
    s->release = arrowcol_release_schema;
    return 0;
}

/* One pair: int32 pairs, then for each int32 bytes, key, int32 bytes, value.
 */
static char *arrowcol_metadata (const char *unit)
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

static int arrowcol_schema_field (struct ArrowSchema *s,
                                  const struct arrowcol_field *f)
{
    static const char *const format[] = {"n", "i", "l", "g", "i", "U"};

    if (arrowcol_schema_of (s, format[f->type], f->name) < 0 ||
        (f->unit && !(s->metadata = arrowcol_metadata (f->unit))))
        return -1;
    if (f->type != ARROWCOL_WORDS)
        return 0;
    return (s->dictionary = calloc (1, sizeof (*s->dictionary))) &&
                   arrowcol_schema_of (s->dictionary, "u", "") == 0
               ? 0
               : -1;
}

int arrowcol_schema (struct ArrowSchema *out,
                     const struct arrowcol_field *field,
                     size_t n)
{
    int rc = arrowcol_schema_of (out, "+s", "");

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
        rc = arrowcol_schema_field (s, &field[i]);
    }
    if (rc < 0 && out->release)
        out->release (out);
    if (rc < 0)
        errno = ENOMEM;
    return rc;
}
