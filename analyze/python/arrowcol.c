/* SPDX-License-Identifier: MIT
 *
 * arrowcol.c - a column of values that grows
 *
 * In:  numbers and texts, row by row
 * Out: columns, to arrowout.c
 */
#include "config.h"

#include "analyze/python/arrowcol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"

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

/* Room for a text whose every byte becomes as many as escape_bytes has. */
static int arrowcol_text_room (struct arrowcol *c, size_t length)
{
    size_t room = c->text_room ? c->text_room : 256;
    char *text;

    while (room - c->used < ESCAPE_BYTES_MAX * length + 1)
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
    size_t taken;

    if (arrowcol_text_room (c, length) < 0)
        return -1;
    for (; length > 0; text += taken, length -= taken)
        c->used += escape_bytes (c->text + c->used, text, length, &taken);
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
