/* SPDX-License-Identifier: MIT
 *
 * wrap_wide.c - wrappers of calls on streams of wide characters
 *
 * In:  fgetwc, fputwc, fgetws, wprintf, wscanf and their kin
 * Out: events as of fgetc, fputc, fgets, fprintf and fscanf, in bytes of the
 *      file; single characters as in wrap_chars.c
 */
#define CONFIG_ALONE
#include "config.h"

#include "preload/wrap/wrap.h" /* first: see there about scanf */

#include "preload/wrap/facts.h"
#include "preload/wrap/streams.h"
#include "preload/real.h"
#include "preload/span.h"

static int wide_wanted (struct span *sp, FILE *f)
{
    return !streams_are_musl () && (recorder_layers & LAYER_STDIO) &&
           span_open_stream (sp, f);
}

/* Bytes of this call, with those of calls before that no event has. */
static uint64_t wide_taken (struct span *sp, int writes, int64_t own)
{
    if (sp->stream.chars > 0 && sp->stream.writes == writes) {
        own += sp->stream.chars;
        sp->stream.told = sp->stream.chars;
        sp->stream.chars = 0;
    }
    return (uint64_t)own;
}

static int64_t wide_size (wint_t c)
{
    wchar_t one = (wchar_t)c;

    return c == WEOF ? 0 : wide_bytes (&one, &one + 1);
}

/* --- single characters ---------------------------------------------------- */

static inline wint_t wrap_wide_get (wint_t (*function) (FILE *), FILE *f)
{
    const struct wide_data *w = wide_data (f);
    struct span sp = {.call = CALL_fgetc};
    wint_t c;

    if ((w && w->read_ptr < w->read_end) || !wide_wanted (&sp, f))
        return function (f);
    c = function (f);
    if (c == WEOF && ferror_unlocked (f))
        facts_moved (&sp, 1, 0);
    else
        facts_moved (&sp, 0, wide_taken (&sp, 0, wide_size (c)));
    return c;
}

#define GET(F)                              \
    wint_t F (FILE *f)                      \
    {                                       \
        return wrap_wide_get (REAL (F), f); \
    }

GET (fgetwc)
GET (getwc)
GET (fgetwc_unlocked)
GET (getwc_unlocked)
GET (__wuflow)

wint_t getwchar (void)
{
    return getwc (stdin);
}

wint_t getwchar_unlocked (void)
{
    return getwc_unlocked (stdin);
}

static wint_t
wrap_wide_put_end (wint_t (*function) (wchar_t, FILE *), wchar_t c, FILE *f)
{
    struct span sp = {.call = CALL_fputc};
    int64_t own = wide_size ((wint_t)c);
    wint_t rc;

    if (!wide_wanted (&sp, f))
        return function (c, f);
    rc = function (c, f);
    if (rc == WEOF)
        facts_moved (&sp, 1, 0);
    else if (wide_unwritten (f) != sp.stream.unwritten + own)
        facts_moved (&sp, 0, wide_taken (&sp, 1, own));
    else
        streams_cancel (&sp);
    return rc;
}

static inline wint_t
wrap_wide_put (wint_t (*function) (wchar_t, FILE *), wchar_t c, FILE *f)
{
    const struct wide_data *w = wide_data (f);

    return w && w->write_ptr < w->write_end
               ? function (c, f)
               : wrap_wide_put_end (function, c, f);
}

#define PUT(F)                                 \
    wint_t F (wchar_t c, FILE *f)              \
    {                                          \
        return wrap_wide_put (REAL (F), c, f); \
    }

PUT (fputwc)
PUT (putwc)
PUT (fputwc_unlocked)
PUT (putwc_unlocked)

static wint_t wrap_wide_overflow (wchar_t c, FILE *f)
{
    return REAL (__woverflow) (f, (wint_t)c);
}

wint_t __woverflow (FILE *f, wint_t c)
{
    return wrap_wide_put_end (wrap_wide_overflow, (wchar_t)c, f);
}

wint_t putwchar (wchar_t c)
{
    return putwc (c, stdout);
}

wint_t putwchar_unlocked (wchar_t c)
{
    return putwc_unlocked (c, stdout);
}

/* --- strings -------------------------------------------------------------- */

static const wchar_t *wide_end (const wchar_t *s)
{
    while (*s)
        s++;
    return s;
}

static void wide_got (struct span *sp, const wchar_t *s, FILE *f)
{
    int64_t n = s ? wide_bytes (s, wide_end (s)) : 0;

    facts_moved (sp, !s && ferror_unlocked (f), (uint64_t)n);
}

#define GETS(F, PARAMS, ARGS)                  \
    wchar_t *F PARAMS                          \
    {                                          \
        __typeof__ (real.F) real_f = REAL (F); \
        struct span sp = {.call = CALL_fgets}; \
        wchar_t *rc;                           \
        if (!span_open_stream (&sp, f))        \
            return real_f ARGS;                \
        rc = real_f ARGS;                      \
        wide_got (&sp, rc, f);                 \
        return rc;                             \
    }

GETS (fgetws, (wchar_t * s, int n, FILE *f), (s, n, f))
GETS (fgetws_unlocked, (wchar_t * s, int n, FILE *f), (s, n, f))
GETS (__fgetws_chk, (wchar_t * s, size_t room, int n, FILE *f), (s, room, n, f))
GETS (__fgetws_unlocked_chk,
      (wchar_t * s, size_t room, int n, FILE *f),
      (s, room, n, f))

#define PUTS(F)                                                            \
    int F (const wchar_t *s, FILE *f)                                      \
    {                                                                      \
        __typeof__ (real.F) real_f = REAL (F);                             \
        struct span sp = {.call = CALL_fputs};                             \
        int rc;                                                            \
        if (!span_open_stream (&sp, f))                                    \
            return real_f (s, f);                                          \
        rc = real_f (s, f);                                                \
        facts_moved (&sp, rc < 0, (uint64_t)wide_bytes (s, wide_end (s))); \
        return rc;                                                         \
    }

PUTS (fputws)
PUTS (fputws_unlocked)

/* --- texts ---------------------------------------------------------------- */

static int wide_open_text (struct span *sp, FILE *f)
{
    if (!span_open_stream (sp, f))
        return 0;
    streams_before_text (sp, f);
    return 1;
}

#define PRINT(F, P, TO, LAST, ...)     \
    int F P                            \
    {                                  \
        va_list ap;                    \
        va_start (ap, LAST);           \
        int rc = TO (__VA_ARGS__, ap); \
        va_end (ap);                   \
        return rc;                     \
    }

#define VPRINT(F, PARAMS, ARGS)                                      \
    int F PARAMS                                                     \
    {                                                                \
        __typeof__ (real.F) real_f = REAL (F);                       \
        struct span sp = {.call = CALL_fprintf};                     \
        int rc;                                                      \
        if (!wide_open_text (&sp, f))                                \
            return real_f ARGS;                                      \
        rc = real_f ARGS;                                            \
        facts_moved (&sp, rc < 0, (uint64_t)streams_text (&sp, rc)); \
        return rc;                                                   \
    }

VPRINT (vfwprintf, (FILE * f, const wchar_t *fmt, va_list ap), (f, fmt, ap))
VPRINT (__vfwprintf_chk,
        (FILE * f, int flag, const wchar_t *fmt, va_list ap),
        (f, flag, fmt, ap))

int vwprintf (const wchar_t *fmt, va_list ap)
{
    return vfwprintf (stdout, fmt, ap);
}

int __vwprintf_chk (int flag, const wchar_t *fmt, va_list ap)
{
    return __vfwprintf_chk (stdout, flag, fmt, ap);
}

PRINT (fwprintf, (FILE * f, const wchar_t *fmt, ...), vfwprintf, fmt, f, fmt)
PRINT (wprintf, (const wchar_t *fmt, ...), vwprintf, fmt, fmt)
PRINT (__fwprintf_chk,
       (FILE * f, int flag, const wchar_t *fmt, ...),
       __vfwprintf_chk,
       fmt,
       f,
       flag,
       fmt)
PRINT (__wprintf_chk,
       (int flag, const wchar_t *fmt, ...),
       __vwprintf_chk,
       fmt,
       flag,
       fmt)

typedef int wide_scanner (FILE *f, const wchar_t *fmt, va_list ap);

static int
wrap_wide_scan (wide_scanner *function, FILE *f, const wchar_t *fmt, va_list ap)
{
    struct span sp = {.call = CALL_fscanf};
    int rc;

    if (!wide_open_text (&sp, f))
        return function (f, fmt, ap);
    rc = function (f, fmt, ap);
    facts_moved (&sp, rc < 0 && ferror_unlocked (f),
                 (uint64_t)streams_text (&sp, 0));
    return rc;
}

#define SCAN(P)                                                               \
    int P##vfwscanf (FILE *f, const wchar_t *fmt, va_list ap)                 \
    {                                                                         \
        return wrap_wide_scan (REAL (P##vfwscanf), f, fmt, ap);               \
    }                                                                         \
    int P##vwscanf (const wchar_t *fmt, va_list ap)                           \
    {                                                                         \
        return wrap_wide_scan (REAL (P##vfwscanf), stdin, fmt, ap);           \
    }                                                                         \
    PRINT (P##fwscanf, (FILE * f, const wchar_t *fmt, ...), P##vfwscanf, fmt, \
           f, fmt)                                                            \
    PRINT (P##wscanf, (const wchar_t *fmt, ...), P##vwscanf, fmt, fmt)

SCAN ()
SCAN (__isoc99_)
SCAN (__isoc23_)
