/* SPDX-License-Identifier: MIT
 *
 * wide.c - ways to use a FILE of wide characters, and what the program had of
 *          each, in bytes
 *
 * wide DIR: works in DIR (empty), a file for each way. One line per way on
 * standard error: its file, bytes that the program was given, bytes that it
 * gave. Characters have one, two, three and four bytes.
 */
#include "config.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { LINES = 500, LINE = 30 };

/* Symbols that only compilers call, and those that the header renames. */
wint_t __wuflow (FILE *f);
wint_t __woverflow (FILE *f, wint_t c);
wchar_t *__fgetws_chk (wchar_t *s, size_t room, int n, FILE *f);
wchar_t *__fgetws_unlocked_chk (wchar_t *s, size_t room, int n, FILE *f);
int __fwprintf_chk (FILE *f, int flag, const wchar_t *fmt, ...);
int __wprintf_chk (int flag, const wchar_t *fmt, ...);
int __vfwprintf_chk (FILE *f, int flag, const wchar_t *fmt, va_list ap);
int __vwprintf_chk (int flag, const wchar_t *fmt, va_list ap);
int old_fwscanf (FILE *f, const wchar_t *fmt, ...) __asm__("fwscanf");
int old_vfwscanf (FILE *f, const wchar_t *fmt, va_list ap) __asm__("vfwscanf");
int old_wscanf (const wchar_t *fmt, ...) __asm__("wscanf");
int old_vwscanf (const wchar_t *fmt, va_list ap) __asm__("vwscanf");
int __isoc99_fwscanf (FILE *f, const wchar_t *fmt, ...);
int __isoc99_vfwscanf (FILE *f, const wchar_t *fmt, va_list ap);
int __isoc99_wscanf (const wchar_t *fmt, ...);
int __isoc99_vwscanf (const wchar_t *fmt, va_list ap);

static const wchar_t line[] =
    L"a line, \u00e9\u00e8 \u20ac \U0001d11e ......\n";
static size_t all; /* bytes of a file that make_file has made */

static size_t bytes_of (const wchar_t *s)
{
    size_t n = wcstombs (NULL, s, 0);

    if (n == (size_t)-1)
        exit (98);
    return n;
}

static void make_file (const char *name)
{
    char text[4 * LINE];
    FILE *f = fopen (name, "w");

    if (!f || wcstombs (text, line, sizeof (text)) == (size_t)-1)
        exit (99);
    for (int i = 0; i < LINES; i++)
        fwrite (text, 1, strlen (text), f);
    all = (size_t)ftell (f);
    fclose (f);
}

static FILE *reading (const char *name)
{
    make_file (name);
    return fopen (name, "r");
}

static void said (const char *name, size_t got, size_t put)
{
    char text[128];
    int n = snprintf (text, sizeof (text), "%s %zu %zu\n", name, got, put);

    if (write (STDERR_FILENO, text, (size_t)n) != n)
        exit (99);
}

/* --- in ------------------------------------------------------------------- */

typedef wint_t getter (FILE *f);

static wint_t get_in (FILE *f)
{
    (void)f;
    return getwchar ();
}

static wint_t get_in_unlocked (FILE *f)
{
    (void)f;
    return getwchar_unlocked ();
}

static void gets_all (const char *name, getter *get, FILE *f)
{
    size_t n = 0;
    wint_t c;

    while ((c = get (f)) != WEOF)
        n += bytes_of ((wchar_t[]){(wchar_t)c, 0});
    said (name, n, 0);
}

static void characters_in (void)
{
    static const struct {
        const char *name;
        getter *get;
    } ways[] = {{"fgetwc", fgetwc},
                {"getwc", getwc},
                {"fgetwc_unlocked", fgetwc_unlocked},
                {"getwc_unlocked", getwc_unlocked},
                {"wuflow", __wuflow}};

    for (size_t i = 0; i < sizeof (ways) / sizeof (ways[0]); i++) {
        FILE *f = reading (ways[i].name);

        gets_all (ways[i].name, ways[i].get, f);
        fclose (f);
    }
    make_file ("getwchar");
    gets_all ("getwchar", get_in, freopen ("getwchar", "r", stdin));
    make_file ("getwchar_unlocked");
    gets_all ("getwchar_unlocked", get_in_unlocked,
              freopen ("getwchar_unlocked", "r", stdin));
}

static void lines_in (void)
{
    wchar_t s[LINE + 2];
    FILE *f = reading ("fgetws");

    while (fgetws (s, LINE, f) && fgetws_unlocked (s, 5, f) &&
           __fgetws_chk (s, LINE, LINE, f) &&
           __fgetws_unlocked_chk (s, LINE, LINE, f))
        ;
    said ("fgetws", all, 0); /* it ended at the end of the file */
    fclose (f);
}

/* A character put back; a part of the file; a seek; more of it. */
static void some_in (void)
{
    FILE *f = reading ("some");
    wchar_t s[LINE + 2];
    wint_t c = fgetwc (f);
    size_t n;

    ungetwc (c, f);
    n = fgetws (s, LINE, f) ? bytes_of (s) : 0;
    fseek (f, 0, SEEK_SET);
    n += fgetws (s, LINE, f) ? bytes_of (s) : 0;
    said ("some", n, 0);
    fclose (f);
}

static int scan (FILE *f, int c99, const wchar_t *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    if (f)
        rc = c99 ? __isoc99_vfwscanf (f, fmt, ap) : old_vfwscanf (f, fmt, ap);
    else
        rc = c99 ? __isoc99_vwscanf (fmt, ap) : old_vwscanf (fmt, ap);
    va_end (ap);
    return rc;
}

static void scans (void)
{
    static const wchar_t fmt[] = L"%29l[^\n]\n";
    wchar_t s[LINE];
    FILE *f = reading ("fwscanf");

    while (old_fwscanf (f, fmt, s) == 1 && __isoc99_fwscanf (f, fmt, s) == 1 &&
           scan (f, 0, fmt, s) == 1 && scan (f, 1, fmt, s) == 1)
        ;
    said ("fwscanf", all, 0);
    fclose (f);
    make_file ("wscanf");
    if (!freopen ("wscanf", "r", stdin))
        exit (99);
    while (old_wscanf (fmt, s) == 1 && __isoc99_wscanf (fmt, s) == 1 &&
           scan (NULL, 0, fmt, s) == 1 && scan (NULL, 1, fmt, s) == 1)
        ;
    said ("wscanf", all, 0);
}

/* --- out ------------------------------------------------------------------ */

typedef wint_t putter (wchar_t c, FILE *f);

static wint_t put_over (wchar_t c, FILE *f)
{
    return __woverflow (f, (wint_t)c);
}

static wint_t put_out (wchar_t c, FILE *f)
{
    (void)f;
    return putwchar (c);
}

static wint_t put_out_unlocked (wchar_t c, FILE *f)
{
    (void)f;
    return putwchar_unlocked (c);
}

static void puts_all (const char *name, putter *put, FILE *f)
{
    size_t n = 0;

    if (fwide (f, 1) <= 0)
        exit (99);
    for (int i = 0; i < LINES; i++)
        for (const wchar_t *s = line; *s; s++)
            if (put (*s, f) != WEOF)
                n += bytes_of ((wchar_t[]){*s, 0});
    fflush (f);
    if (put (L'x', f) != WEOF)
        n++;
    said (name, 0, n);
}

static void characters_out (void)
{
    static const struct {
        const char *name;
        putter *put;
    } ways[] = {{"fputwc", fputwc},
                {"putwc", putwc},
                {"fputwc_unlocked", fputwc_unlocked},
                {"putwc_unlocked", putwc_unlocked},
                {"woverflow", put_over}};

    for (size_t i = 0; i < sizeof (ways) / sizeof (ways[0]); i++) {
        FILE *f = fopen (ways[i].name, "w");

        puts_all (ways[i].name, ways[i].put, f);
        fclose (f);
    }
    puts_all ("putwchar", put_out, freopen ("putwchar", "w", stdout));
    puts_all ("putwchar_unlocked", put_out_unlocked,
              freopen ("putwchar_unlocked", "w", stdout));
}

static void strings_out (void)
{
    FILE *f = fopen ("fputws", "w");

    for (int i = 0; i < LINES; i++)
        if (fputws (line, f) < 0 || fputws_unlocked (line, f) < 0)
            exit (99);
    said ("fputws", 0, 2 * LINES * bytes_of (line));
    fclose (f);
}

static void print (FILE *f, int checked, const wchar_t *fmt, ...)
{
    va_list ap;

    va_start (ap, fmt);
    if (f && checked)
        __vfwprintf_chk (f, 1, fmt, ap);
    else if (f)
        vfwprintf (f, fmt, ap);
    else if (checked)
        __vwprintf_chk (1, fmt, ap);
    else
        vwprintf (fmt, ap);
    va_end (ap);
}

static void texts_out (void)
{
    static const wchar_t fmt[] = L"%d %ls";
    FILE *f = fopen ("fwprintf", "w");

    for (int i = 0; i < LINES; i++) {
        fwprintf (f, fmt, 7, line);
        __fwprintf_chk (f, 1, fmt, 7, line);
        print (f, 0, fmt, 7, line);
        print (f, 1, fmt, 7, line);
    }
    said ("fwprintf", 0, 4 * LINES * (2 + bytes_of (line)));
    fclose (f);
    f = freopen ("wprintf", "w", stdout);
    for (int i = 0; i < LINES; i++) {
        wprintf (fmt, 7, line);
        __wprintf_chk (1, fmt, 7, line);
        print (NULL, 0, fmt, 7, line);
        print (NULL, 1, fmt, 7, line);
    }
    said ("wprintf", 0, 4 * LINES * (2 + bytes_of (line)));
}

int main (int argc, char **argv)
{
    if (argc != 2 || chdir (argv[1]) < 0)
        return 2;
    if (!setlocale (LC_ALL, "C.UTF-8") && !setlocale (LC_ALL, "en_US.UTF-8"))
        return 77;
    characters_in ();
    lines_in ();
    some_in ();
    scans ();
    characters_out ();
    strings_out ();
    texts_out (); /* the last: standard output is left to exit */
    return 0;
}
