/* SPDX-License-Identifier: MIT
 *
 * arrow.h - the C data interface and the C stream interface of Apache Arrow
 *
 * Published as a stable ABI: names, order and meaning of the members are
 * Arrow's. Who releases a structure calls its `release`, which sets that member
 * to NULL; a structure without it is released.
 */
#ifndef DFT_READER_ARROW_H
#define DFT_READER_ARROW_H

#include <stdint.h>

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

#endif
