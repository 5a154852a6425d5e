/* SPDX-License-Identifier: MIT
 *
 * arrow.c - a column of values that grows
 *
 * In:  numbers and texts, row by row
 * Out: arrays of Arrow
 */
#include "config.h"

#include "analyze/python/arrow.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

static size_t arrowcol_width (enum arrowcol_type type)
{
    return type == ARROWCOL_INT32 || type == ARROWCOL_WORDS ? 4 : 8;
}

void arrowcol_init (struct arrowcol *c, enum arrowcol_type type, size_t room)
{
    ZERO (c);
    c->type = type;
    c->room = room;
    NEW (c->valid, room / 8 + 1);
    c->data = xmalloc ((room + 1) * arrowcol_width (type));
    if (type == ARROWCOL_TEXT)
        ((int64_t *)c->data)[0] = 0;
}

void arrowcol_clear (struct arrowcol *c)
{
    int saved = errno;

    free (c->valid);
    free (c->data);
    free (c->text);
    free (c->end);
    ZERO (c);
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
        ((int64_t *)c->data)[i + 1] = c->used;
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

static void arrowcol_put (struct arrowcol *c, const char *text, size_t length)
{
    size_t taken;

    GROW (c->text, c->text_room, c->used + ESCAPE_BYTES_MAX * length + 1);
    for (; length > 0; text += taken, length -= taken)
        c->used += escape_bytes (c->text + c->used, text, length, &taken);
}

void arrowcol_text (struct arrowcol *c, const char *text, size_t length)
{
    arrowcol_put (c, text, length);
    ((int64_t *)c->data)[c->count + 1] = c->used;
    arrowcol_has (c);
}

int64_t arrowcol_word (struct arrowcol *c, const char *text, size_t length)
{
    GROW_ZEROED (c->end, c->words_room, c->words + 2);
    arrowcol_put (c, text, length);
    if (c->used > INT32_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    c->end[c->words + 1] = (int32_t)c->used;
    return c->words++;
}

/* --- columns -> arrays and schemas of Arrow ---------------------------------
 */

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

/* An array of so many rows without buffers. */
static struct arrowout_hold *
arrowout_begin (struct ArrowArray *a, size_t rows, size_t nulls, int buffers)
{
    struct arrowout_hold *h = ZEROED (h, 1);

    ZERO (a);
    a->length = rows;
    a->null_count = nulls;
    a->n_buffers = buffers;
    a->buffers = h->buffer;
    a->private_data = h;
    a->release = arrowout_release;
    return h;
}

/* The words of a column. */
static struct ArrowArray *arrowout_dictionary (struct arrowcol *c)
{
    static const int32_t none[1] = {0};
    struct ArrowArray *a = ZEROED (a, 1);
    struct arrowout_hold *h = arrowout_begin (a, c->words, 0, 3);

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

/* One column. */
static void arrowout_child (struct ArrowArray *a, struct arrowcol *c)
{
    struct arrowout_hold *h = arrowout_begin (a, c->count, c->nulls,
                                              c->type == ARROWCOL_TEXT ? 3 : 2);

    arrowout_take (h, c);
    if (c->type == ARROWCOL_TEXT) {
        h->buffer[2] = c->text ? c->text : xcalloc (1, 1);
        c->text = NULL;
        a->release = arrowout_text_release;
    } else if (c->type == ARROWCOL_WORDS) {
        a->dictionary = arrowout_dictionary (c);
    }
}

void arrowcol_array (struct ArrowArray *out, struct arrowcol *column, size_t n)
{
    arrowout_begin (out, n ? column[0].count : 0, 0, 1);
    NEW (out->children, n);
    for (size_t i = 0; i < n; i++) {
        NEW (out->children[i], 1);
        out->n_children++;
        arrowout_child (out->children[i], &column[i]);
        arrowcol_clear (&column[i]);
    }
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

static void
arrowout_schema_of (struct ArrowSchema *s, const char *format, const char *name)
{
    ZERO (s);
    s->format = format;
    s->flags = ARROW_FLAG_NULLABLE;
    s->name = xstrdup (name);
    s->release = arrowout_release_schema;
}

/* One pair: int32 pairs, then for each int32 bytes, key, int32 bytes, value.
 */
static char *arrowout_metadata (const char *unit)
{
    static const char key[] = "unit";
    int32_t head[2] = {1, sizeof (key) - 1}, length = (int32_t)strlen (unit);
    char *m = xmalloc (sizeof (head) + sizeof (key) + sizeof (length) +
                       (size_t)length);

    memcpy (m, head, sizeof (head));
    memcpy (m + sizeof (head), key, sizeof (key) - 1);
    memcpy (m + sizeof (head) + sizeof (key) - 1, &length, sizeof (length));
    memcpy (m + sizeof (head) + sizeof (key) - 1 + sizeof (length), unit,
            length);
    return m;
}

static void arrowout_schema_field (struct ArrowSchema *s,
                                   const struct arrowcol_field *f)
{
    static const char *const format[] = {"n", "i", "l", "g", "i", "U"};

    arrowout_schema_of (s, format[f->type], f->name);
    if (f->unit)
        s->metadata = arrowout_metadata (f->unit);
    if (f->type == ARROWCOL_WORDS)
        arrowout_schema_of (NEW (s->dictionary, 1), "u", "");
}

void arrowcol_schema (struct ArrowSchema *out,
                      const struct arrowcol_field *field,
                      size_t n)
{
    arrowout_schema_of (out, "+s", "");
    out->flags = 0;
    NEW (out->children, n);
    for (size_t i = 0; i < n; i++) {
        NEW (out->children[i], 1);
        out->n_children++;
        arrowout_schema_field (out->children[i], &field[i]);
    }
}

/* --- a table -> typed values, and a stream of one record batch --------------
 */

static const struct table_cell *
tablearrow_cell (const struct textable *t, size_t row, size_t column)
{
    return &t->cell[row * t->columns + column];
}

static int tablearrow_nothing (const struct table_cell *c, int number)
{
    return c->type == CELL_NA ||
           (c->type == CELL_TEXT &&
            (!c->text || (number && strcmp (c->text, "-") == 0)));
}

/* Is a text a number, and which? */
static int
tablearrow_number (const struct table_cell *c, double *value, int *whole)
{
    char *end;

    *value = strtod (c->text, &end);
    *whole = strspn (c->text, "-0123456789") == strlen (c->text) &&
             fabs (*value) < 0x1p53;
    return end != c->text && *end == '\0' && isfinite (*value);
}

/* The type that a cell needs. */
static enum arrowcol_type tablearrow_cell_type (const struct table_cell *c,
                                                int number)
{
    double value;
    int whole;

    if (tablearrow_nothing (c, number))
        return ARROWCOL_NONE;
    if (c->type == CELL_UINT)
        return c->u <= INT64_MAX ? ARROWCOL_INT64 : ARROWCOL_DOUBLE;
    if (c->type == CELL_DOUBLE)
        return ARROWCOL_DOUBLE;
    if (!number || !tablearrow_number (c, &value, &whole))
        return ARROWCOL_TEXT;
    return whole ? ARROWCOL_INT64 : ARROWCOL_DOUBLE;
}

static enum arrowcol_type tablearrow_type (const struct textable *t,
                                           size_t column)
{
    int number = t->column[column].right;
    enum arrowcol_type type = ARROWCOL_NONE;

    for (size_t r = 0; r < t->rows; r++) {
        enum arrowcol_type one =
            tablearrow_cell_type (tablearrow_cell (t, r, column), number);

        type = MAX (one, type);
    }
    if (type != ARROWCOL_NONE)
        return type;
    return number ? ARROWCOL_DOUBLE : ARROWCOL_TEXT;
}

/* A cell as a number. */
static double tablearrow_value (const struct table_cell *c)
{
    double value;
    int whole;

    if (c->type == CELL_UINT)
        return c->u;
    if (c->type == CELL_DOUBLE)
        return c->d;
    tablearrow_number (c, &value, &whole);
    return value;
}

static void tablearrow_put (struct arrowcol *to,
                            const struct textable *t,
                            size_t row,
                            size_t column)
{
    const struct table_cell *c = tablearrow_cell (t, row, column);
    char buf[TEXTABLE_NUMBER_MAX];
    const char *text = textable_cell (t, row, (int)column, buf);

    if (tablearrow_nothing (c, t->column[column].right))
        arrowcol_null (to);
    else if (to->type == ARROWCOL_TEXT)
        arrowcol_text (to, text, strlen (text));
    else if (to->type == ARROWCOL_DOUBLE)
        arrowcol_double (to, tablearrow_value (c));
    else
        arrowcol_int (to, c->type == CELL_UINT ? (int64_t)c->u
                                               : (int64_t)tablearrow_value (c));
}

void tablearrow_column (struct arrowcol *to,
                        const struct textable *t,
                        size_t column)
{
    arrowcol_init (to, tablearrow_type (t, column), t->rows);
    for (size_t r = 0; r < t->rows; r++)
        tablearrow_put (to, t, r, column);
}

/* --- the stream -------------------------------------------------------------
 */

struct tablearrow {
    struct ArrowSchema schema; /* moved out when it is asked for */
    struct ArrowArray array;   /* the same */
};

static int tablearrow_schema (struct ArrowArrayStream *s,
                              struct ArrowSchema *out)
{
    struct tablearrow *h = s->private_data;
    struct arrowcol_field *field;
    size_t n = h->schema.n_children;

    NEW (field, n);
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *c = h->schema.children[i];

        field[i].name = c->name;
        field[i].type = *c->format == 'l'   ? ARROWCOL_INT64
                        : *c->format == 'g' ? ARROWCOL_DOUBLE
                                            : ARROWCOL_TEXT;
    }
    arrowcol_schema (out, field, n);
    free (field);
    return 0;
}

static int tablearrow_next (struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct tablearrow *h = s->private_data;

    *out = h->array;
    h->array.release = NULL;
    return 0;
}

static const char *tablearrow_error (struct ArrowArrayStream *s)
{
    return NULL; /* lack of memory is the caller's */
}

static void tablearrow_release (struct ArrowArrayStream *s)
{
    struct tablearrow *h = s->private_data;

    if (h->array.release)
        h->array.release (&h->array);
    if (h->schema.release)
        h->schema.release (&h->schema);
    free (h);
    s->release = NULL;
}

void tablearrow_stream (struct ArrowArrayStream *out, const struct textable *t)
{
    struct tablearrow *h = ZEROED (h, 1);
    struct arrowcol_field *field = ZEROED (field, t->columns);
    struct arrowcol *column = ZEROED (column, t->columns);

    for (size_t c = 0; c < t->columns; c++) {
        tablearrow_column (&column[c], t, c);
        field[c].name = t->column[c].name;
        field[c].type = column[c].type;
    }
    arrowcol_schema (&h->schema, field, t->columns);
    arrowcol_array (&h->array, column, t->columns);
    free (field);
    free (column);
    *out = (struct ArrowArrayStream){.get_schema = tablearrow_schema,
                                     .get_next = tablearrow_next,
                                     .get_last_error = tablearrow_error,
                                     .release = tablearrow_release,
                                     .private_data = h};
}
