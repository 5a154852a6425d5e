/* SPDX-License-Identifier: MIT
 *
 * wrap_chars.c - wrappers of calls on single characters
 *
 * In:  getc, putc and their kin, millions of times
 * Out: an event where the buffer was empty or full and libc had to read or
 *      write, of all characters since the event before; else not more than
 *      two loads
 */
#include "config.h"

#include <stdio_ext.h>

#include "preload/wrap/facts.h"
#include "preload/real.h"
#include "preload/span.h"

static int wants (struct span *sp, FILE *f)
{
    return span_open_stream (sp, f);
}

/* This call's characters, with those of the calls before that no event has. */
static uint64_t chars (struct span *sp, int writes, int own)
{
    uint64_t n = (uint64_t)own;

    if (sp->stream.chars > 0 && sp->stream.writes == writes) {
        n += (uint64_t)sp->stream.chars;
        sp->stream.told = sp->stream.chars;
        sp->stream.chars = 0;
    }
    return n;
}

/* musl has the two pointers of its buffer at the same places: NULL if it does
 * not read. The third and fourth are its begin and NULL. */

/* --- in ----------------------------------------------------------------- */

static inline int wrap_chars_get (int (*function) (FILE *), FILE *f)
{
    struct span sp = {.call = CALL_fgetc};
    int c;

    if (f->_IO_read_ptr < f->_IO_read_end || !wants (&sp, f))
        return function (f);
    c = function (f);
    if (c == EOF && ferror_unlocked (f))
        facts_moved (&sp, 1, 0);
    else
        facts_moved (&sp, 0, chars (&sp, 0, c != EOF));
    return c;
}

#define GET(F)                               \
    int F (FILE *f)                          \
    {                                        \
        return wrap_chars_get (REAL (F), f); \
    }

GET (fgetc)
GET (getc)
GET (_IO_getc)
GET (fgetc_unlocked)
GET (getc_unlocked)
GET (__uflow)

int getchar (void)
{
    return getc (stdin);
}

int getchar_unlocked (void)
{
    return getc_unlocked (stdin);
}

/* --- out ---------------------------------------------------------------- */

static inline uint64_t waiting (FILE *f)
{
    if (streams_are_musl ())
        return __fpending (f);
    return (uint64_t)(f->_IO_write_ptr - f->_IO_write_base);
}

static int put_end (int (*function) (int, FILE *), int c, FILE *f)
{
    struct span sp = {.call = CALL_fputc};
    uint64_t before, moved;
    int rc;

    if (!wants (&sp, f))
        return function (c, f);
    before = waiting (f);
    rc = function (c, f);
    moved = before + 1 - waiting (f);
    if (rc == EOF)
        facts_moved (&sp, 1, 0);
    else if (moved)
        facts_moved (&sp, 0, chars (&sp, 1, 1));
    else
        streams_cancel (&sp);
    return rc;
}

#define PUT(F)                                                                 \
    int F (int c, FILE *f)                                                     \
    {                                                                          \
        int (*function) (int, FILE *) = REAL (F);                              \
        return f->_IO_write_ptr < f->_IO_write_end ? function (c, f)           \
                                                   : put_end (function, c, f); \
    }

PUT (fputc)
PUT (putc)
PUT (_IO_putc)
PUT (fputc_unlocked)
PUT (putc_unlocked)

static int real_overflow (int c, FILE *f)
{
    return REAL (__overflow) (f, c);
}

int __overflow (FILE *f, int c)
{
    return put_end (real_overflow, c, f);
}

int putchar (int c)
{
    return putc (c, stdout);
}

int putchar_unlocked (int c)
{
    return putc_unlocked (c, stdout);
}
