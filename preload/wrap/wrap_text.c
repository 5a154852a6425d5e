/* SPDX-License-Identifier: MIT
 *
 * wrap_text.c - wrappers of the printf and scanf families
 *
 * In:  formats and their arguments, which go on as a va_list
 * Out: the same; how many bytes went through the stream
 * Caveat: of a scan that takes more than what is left of one buffer and one
 *         more, the bytes between are not counted.
 */
#define CONFIG_ALONE
#include "config.h"

#include "preload/wrap/wrap.h" /* first: see there about scanf */

#include "lib/base/sys.h"
#include "preload/wrap/facts.h"
#include "preload/real.h"
#include "preload/span.h"

/* --- out: to our own wrappers of the functions with a va_list ---------- */

#define PRINT(F, TO, PARAMS, LAST, ...) \
    int F PARAMS                        \
    {                                   \
        va_list ap;                     \
        va_start (ap, LAST);            \
        int rc = TO (__VA_ARGS__, ap);  \
        va_end (ap);                    \
        return rc;                      \
    }

PRINT (printf, vprintf, (const char *fmt, ...), fmt, fmt)
PRINT (__printf_chk,
       __vprintf_chk,
       (int flag, const char *fmt, ...),
       fmt,
       flag,
       fmt)
PRINT (fprintf, vfprintf, (FILE * f, const char *fmt, ...), fmt, f, fmt)
PRINT (__fprintf_chk,
       __vfprintf_chk,
       (FILE * f, int flag, const char *fmt, ...),
       fmt,
       f,
       flag,
       fmt)
PRINT (dprintf, vdprintf, (int fd, const char *fmt, ...), fmt, fd, fmt)
PRINT (__dprintf_chk,
       __vdprintf_chk,
       (int fd, int flag, const char *fmt, ...),
       fmt,
       fd,
       flag,
       fmt)

/* --- in ----------------------------------------------------------------- */

typedef int scanner (FILE *f, const char *fmt, va_list ap);

/* Bytes between two places of a stream's buffer, which may have been filled
 * once in between. */
static uint64_t taken (const FILE *f, const char *from, const char *end)
{
    const char *now = f->_IO_read_ptr;

    if (now >= from && now <= end && f->_IO_read_end == end)
        return (uint64_t)(now - from);
    return (uint64_t)(end - from) + (uint64_t)(now - f->_IO_read_base);
}

static int
wrap_text_scan (scanner *function, FILE *f, const char *fmt, va_list ap)
{
    struct span sp = {.call = CALL_fscanf};
    const char *from, *end;
    int musl = streams_are_musl (), rc;

    if (!span_open_stream (&sp, f))
        return function (f, fmt, ap);
    from = f->_IO_read_ptr;
    end = f->_IO_read_end;
    if (musl)
        sp.stream.place = sys_call (SYS_lseek, sp.fd, 0, SEEK_CUR);
    rc = function (f, fmt, ap);
    facts_moved (&sp, rc < 0 && ferror_unlocked (f),
                 musl ? (uint64_t)streams_text (&sp, 0) : taken (f, from, end));
    return rc;
}

#define SCAN(P)                                                             \
    int P##vfscanf (FILE *f, const char *fmt, va_list ap)                   \
    {                                                                       \
        return wrap_text_scan (REAL (P##vfscanf), f, fmt, ap);              \
    }                                                                       \
    int P##vscanf (const char *fmt, va_list ap)                             \
    {                                                                       \
        return wrap_text_scan (REAL (P##vfscanf), stdin, fmt, ap);          \
    }                                                                       \
    PRINT (P##fscanf, P##vfscanf, (FILE * f, const char *fmt, ...), fmt, f, \
           fmt)                                                             \
    PRINT (P##scanf, P##vscanf, (const char *fmt, ...), fmt, fmt)

SCAN ()
SCAN (__isoc99_)
SCAN (__isoc23_)
