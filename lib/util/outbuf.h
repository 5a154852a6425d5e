/* SPDX-License-Identifier: MIT
 *
 * outbuf.h - text that grows: bytes and whole numbers, fast
 */
#ifndef DFT_ANALYZE_OUTBUF_H
#define DFT_ANALYZE_OUTBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero is empty. Once memory was short, nothing more is put and failed
 * stays set. */
struct outbuf {
    char *p; /* owned */
    size_t n, room;
    int failed;
};

enum { OUTBUF_NUMBER = 20 }; /* bytes of the longest number */

/* Room for n more bytes? */
int outbuf_grow (struct outbuf *b, size_t n);
void outbuf_clear (struct outbuf *b);

/* JSON's escapes of any bytes; a double, or null. */
void outbuf_escaped (struct outbuf *b, const char *text, size_t n);
void outbuf_double (struct outbuf *b, double d);

static inline int outbuf_has (struct outbuf *b, size_t n)
{
    return b->room - b->n >= n || outbuf_grow (b, n);
}

static inline void outbuf_put (struct outbuf *b, const char *text, size_t n)
{
    if (n && outbuf_has (b, n)) {
        memcpy (b->p + b->n, text, n);
        b->n += n;
    }
}

/* A literal. */
#define OUTBUF_PUT(B, TEXT) outbuf_put (B, TEXT, sizeof (TEXT) - 1)

void outbuf_u64 (struct outbuf *b, uint64_t value);
void outbuf_i64 (struct outbuf *b, int64_t value);

#endif
