/* SPDX-License-Identifier: MIT
 *
 * morecalls_streams.c - formatted and single characters, positions
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/victims/morecalls.h"
#include "tests/victims/variants.h"

static char buf[2 * ROOM];

static int scan (int c99, FILE *f, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    rc = c99 ? __isoc99_vfscanf (f, fmt, ap) : old_vfscanf (f, fmt, ap);
    va_end (ap);
    return rc;
}

static int scan_in (int c99, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    rc = c99 ? __isoc99_vscanf (fmt, ap) : old_vscanf (fmt, ap);
    va_end (ap);
    return rc;
}

static int print (int chk, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    rc = chk ? __vprintf_chk (1, fmt, ap) : vprintf (fmt, ap);
    va_end (ap);
    return rc;
}

static int print_to (int fd, int chk, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    rc = chk ? __vdprintf_chk (fd, 1, fmt, ap) : vdprintf (fd, fmt, ap);
    va_end (ap);
    return rc;
}

static void texts (void)
{
    fpos_t at;
    fpos64_t at64;
    int n;
    FILE *f, *old = stdin;

    DO_PTR (fopen, f, fopen ("t", "w+"));
    DO (fprintf, fprintf (f, "%s", "1 22 333 4444 55555 666666 "));
    DO (ftell, ftell (f));
    DO (fseek, (rewind (f), 0));
    DO (fscanf, old_fscanf (f, "%d", &n));
    DO (fscanf, __isoc99_fscanf (f, "%d", &n));
    DO (fscanf, scan (0, f, "%d", &n));
    DO (fscanf, scan (1, f, "%d", &n));
    DO (ftell, ftello (f));
    DO (ftell, ftello64 (f));
    DO (ftell, fgetpos (f, &at));
    DO (ftell, fgetpos64 (f, &at64));
    DO (fscanf, fscanf (f, "%d", &n));
    DO (fseek, fsetpos (f, &at));
    DO (fscanf, fscanf (f, "x%d", &n));
    DO (fseek, fsetpos64 (f, &at64));
    stdin = f;
    DO (fscanf, old_scanf ("%d", &n));
    DO (fscanf, __isoc99_scanf ("%d", &n));
    DO (fscanf, scan_in (0, "%d", &n));
    DO (fscanf, scan_in (1, "%d", &n));
    stdin = old;
    DO (fclose, fclose (f));
    DO (open, n = do_open ("t"));
    DO (dprintf, dprintf (n, "%d\n", 1));
    DO (dprintf, __dprintf_chk (n, 1, "%d\n", 1));
    DO (dprintf, print_to (n, 0, "%d\n", 1));
    DO (dprintf, print_to (n, 1, "%d\n", 1));
    DO (close, close (n));
}

/* Standard output is DIR/stdout. */
static void prints (void)
{
    DO (fputs, puts ("line"));
    DO (fprintf, printf ("%d\n", 42));
    DO (fprintf, __printf_chk (1, "%d\n", 42));
    DO (fprintf, print (0, "%d\n", 42));
    DO (fprintf, print (1, "%d\n", 42));
    DO (NONE, putchar ('c'));
    DO (NONE, putchar_unlocked ('c'));
    DO (fflush, fflush (stdout));
}

#define EACH(F)                   \
    do {                          \
        for (i = 0; i < 300; i++) \
            n += F != EOF;        \
    } while (0)

/* 3000 characters; a buffer has 1024 of them. */
static void characters (void)
{
    FILE *f, *old = stdin;
    int i, n = 0;

    DO_PTR (fopen, f, fopen ("c", "w"));
    (void)setvbuf (f, buf, _IOFBF, 1024);
    EACH (putc ('a', f));
    EACH (fputc ('b', f));
    EACH (_IO_putc ('c', f));
    EACH (fputc_unlocked ('d', f));
    EACH (putc_unlocked ('e', f));
    DO (fflush, fflush (f));
    EACH (__overflow (f, 'f'));
    EACH (__overflow (f, '\n'));
    EACH (putc ('g', f));
    EACH (putc ('h', f));
    EACH (putc ('i', f));
    DO (fclose, fclose (f));
    DO_PTR (fopen, f, fopen ("c", "r"));
    (void)setvbuf (f, buf, _IOFBF, 1024);
    EACH (getc (f));
    EACH (fgetc (f));
    EACH (_IO_getc (f));
    EACH (fgetc_unlocked (f));
    EACH (getc_unlocked (f));
    stdin = f;
    EACH (getchar ());
    EACH (getchar_unlocked ());
    stdin = old;
    EACH (getc (f));
    EACH (getc (f));
    EACH (getc (f));
    DO (NONE, __uflow (f));
    DO (NONE, n);
    DO (fclose, fclose (f));
    (void)unlink ("c");
}

void morecalls_streams (void)
{
    texts ();
    prints ();
    characters ();
}
