/* SPDX-License-Identifier: MIT
 *
 * arrow.h - the C data interface and the C stream interface of Apache Arrow
 *
 * Published as a stable ABI: names, order and meaning of the members are
 * Arrow's. Who releases a structure calls its `release`, which sets that member
 * to NULL; a structure without it is released.
 */
#pragma once

#include <stdint.h>

#include "lib/util/textable.h"

/* -- the C data interface and the C stream interface of Apache Arrow -- */

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release) (struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release) (struct ArrowArray *array);
    void *private_data;
};

struct ArrowArrayStream {
    /* 0, or an errno */
    int (*get_schema) (struct ArrowArrayStream *stream,
                       struct ArrowSchema *out);
    /* The next batch; at the end `out` is a released array. */
    int (*get_next) (struct ArrowArrayStream *stream, struct ArrowArray *out);
    /* Return the error of the last call that failed; NULL: none. */
    const char *(*get_last_error) (struct ArrowArrayStream *stream);
    void (*release) (struct ArrowArrayStream *stream);
    void *private_data;
};

/* -- a column of values that grows -> a child of an Arrow array -- */

enum arrowcol_type {
    ARROWCOL_NONE = 0,
    ARROWCOL_INT32,
    ARROWCOL_INT64,
    ARROWCOL_DOUBLE,
    ARROWCOL_WORDS, /* a dictionary of texts, and an index of 32 bits a row */
    ARROWCOL_TEXT   /* a text of its own in each row */
};

/* Name and unit of a column; unit NULL: none. The caller owns both. */
struct arrowcol_field {
    const char *name, *unit;
    enum arrowcol_type type;
};

struct arrowcol {
    enum arrowcol_type type;
    size_t count, nulls, room;
    unsigned char *valid; /* a bit a row, once there are nulls; owned */
    void *data;           /* owned: values, indices, or ends of texts */
    /* of words, and of texts */
    char *text;   /* owned */
    int32_t *end; /* of words: where each one ends; owned */
    size_t words, words_room;
    size_t used, text_room; /* bytes of text */
};

/* An empty column with room for so many rows. */
void arrowcol_init (struct arrowcol *c, enum arrowcol_type type, size_t room);
void arrowcol_clear (struct arrowcol *c); /* zeroed is fine, keeps errno */

/* The next row, which must have room: a number, an index of a word, nothing. */
void arrowcol_int (struct arrowcol *c, int64_t value);
void arrowcol_double (struct arrowcol *c, double value);
void arrowcol_null (struct arrowcol *c);
/* n rows at once: value[pick[i]]; words by index + 1, 0: nothing. */
void arrowcol_ints (struct arrowcol *c,
                    const int64_t *value,
                    const uint16_t *pick,
                    size_t n);
void arrowcol_indices (struct arrowcol *c, const uint32_t *index, size_t n);
/* A text; what is no UTF-8 becomes U+00XX, byte by byte, as in JSON. */
void arrowcol_text (struct arrowcol *c, const char *text, size_t length);

/* A new word, in the same way: its index, or -1 (EOVERFLOW). */
int64_t arrowcol_word (struct arrowcol *c, const char *text, size_t length);

/* The schema of a struct of n fields. */
void arrowcol_schema (struct ArrowSchema *out,
                      const struct arrowcol_field *field,
                      size_t n);

/* A struct array of n columns with as many rows each; the columns are then
 * empty. */
void arrowcol_array (struct ArrowArray *out, struct arrowcol *column, size_t n);

/* -- a table -> typed values, and a stream of one record batch -- */

/* Make a column of INT64, DOUBLE, or TEXT of one of the table, to be cleared.
 * One that has only whole numbers is INT64, also if the table has them as text;
 * "-" and n/a are null. */
void tablearrow_column (struct arrowcol *to,
                        const struct textable *t,
                        size_t column);

/* A stream of the whole table, which has its own memory. */
void tablearrow_stream (struct ArrowArrayStream *out, const struct textable *t);
