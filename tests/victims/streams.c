/* SPDX-License-Identifier: MIT
 *
 * streams.c - ways to use a FILE, and what the program had of each
 *
 * streams DIR: works in DIR (empty), a file for each way. One line per way on
 * standard output: its file, bytes that the program was given (put back ones
 * once), bytes that it gave.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 10000, BIG = 1 << 20, ITEM = 4096 };

static char data[BIG];

static FILE *reading (const char *name, size_t n)
{
    int fd = open (name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write (fd, data, n) != (ssize_t)n)
        exit (99);
    close (fd);
    return fopen (name, "r");
}

static void said (const char *name, size_t got, size_t put)
{
    printf ("%s %zu %zu\n", name, got, put);
}

static void put_back (void)
{
    FILE *f = reading ("ungetc", SMALL);
    int c = getc (f);

    ungetc (c, f);
    said ("ungetc", fread (data, 1, SMALL, f), 0);
    fclose (f);
}

static void put_back_other (void)
{
    FILE *f = reading ("ungetc_other", SMALL);
    size_t got = 1;

    (void)getc (f);
    ungetc ('!', f);
    got += fread (data, 1, SMALL, f) - 1; /* of them, one was put back */
    said ("ungetc_other", got, 0);
    fclose (f);
}

static void mixed (void)
{
    FILE *f = reading ("mixed", BIG);
    size_t got = fgetc (f) != EOF;

    got += fread (data, 1, BIG, f);
    said ("mixed", got, 0);
    fclose (f);
}

static void characters (void)
{
    FILE *f = reading ("getc", SMALL);
    size_t got = 0;

    while (got < SMALL - 500 && getc_unlocked (f) != EOF)
        got++;
    said ("getc", got, 0);
    fclose (f);
}

static void to_the_end (void)
{
    FILE *f = reading ("end", SMALL);
    size_t got = 0;

    while (getc (f) != EOF)
        got++;
    said ("end", got, 0);
    fclose (f);
}

/* The last item is not whole, so the program has been told of two. */
static void items (void)
{
    FILE *f = reading ("items", SMALL);
    size_t got = 0;

    while (fread (data, ITEM, 1, f) == 1)
        got += ITEM;
    said ("items", got, 0);
    fclose (f);
}

static void lines (void)
{
    FILE *f = reading ("lines", SMALL);
    char *line = NULL;
    size_t room = 0, got = 0;
    ssize_t n;

    got += fgets (data + SMALL, 200, f) ? strlen (data + SMALL) : 0;
    (void)!getc (f);
    got++;
    while ((n = getline (&line, &room, f)) > 0)
        got += (size_t)n;
    free (line);
    said ("lines", got, 0);
    fclose (f);
}

static void seeks (void)
{
    FILE *f = reading ("seeks", BIG);
    size_t got = fread (data, 1, 100, f);

    fseek (f, 200, SEEK_SET); /* in the buffer */
    got += fread (data, 1, 100, f);
    fseek (f, 500000, SEEK_SET);
    got += getc (f) != EOF;
    got += getc_unlocked (f) != EOF;
    fseek (f, -100, SEEK_END);
    got += fread (data, 1, BIG, f);
    rewind (f);
    got += fread (data, 1, 5000, f);
    said ("seeks", got, 0);
    fclose (f);
}

/* What GROMACS does for the sum of its output at each checkpoint: the seek to
 * the end fills the buffer, and the descriptor is then where it was. */
static void checkpoints (void)
{
    FILE *f = fopen ("checkpoints", "w+");
    size_t got = 0, given = 0;

    for (int i = 0; i < 50; i++) {
        given += fwrite (data, 1, 5000, f);
        fflush (f);
        fseeko (f, 0, SEEK_SET);
        got += fread (data, 1, BIG, f);
        fseeko (f, 0, SEEK_END);
    }
    said ("checkpoints", got, given);
    fclose (f);
}

/* Seeks of each kind: to the place it is at, back by a few, out of the buffer,
 * behind the end, of a character put back; fsetpos and rewind. */
static void more_seeks (void)
{
    FILE *f = reading ("more_seeks", SMALL);
    size_t got = fread (data, 1, 100, f);
    fpos_t at;

    fgetpos (f, &at);
    fseek (f, 0, SEEK_CUR);
    fseek (f, -50, SEEK_CUR);
    got += fread (data, 1, 5000, f);
    fsetpos (f, &at);
    (void)getc (f); /* and as if it had not been */
    ungetc ('!', f);
    fseek (f, 100, SEEK_SET);
    fseek (f, SMALL + 100, SEEK_SET);
    got += fread (data, 1, 10, f);
    fseek (f, -1, SEEK_END);
    fseek (f, 0, SEEK_END);
    fseek (f, 0, SEEK_END);
    fsetpos (f, &at);
    rewind (f);
    got += fread (data, 1, 4096, f);
    fseek (f, 4096, SEEK_SET);
    rewind (f);
    rewind (f);
    got += fread (data, 1, 10, f);
    said ("more_seeks", got, 0);
    fclose (f);
}

/* A seek in a file that is written and read, and one that is only written. */
static void seeks_out (void)
{
    FILE *f = fopen ("seeks_out", "w+");
    size_t given = fwrite (data, 1, 3000, f), got;

    fseek (f, 100, SEEK_SET);
    given += fwrite (data, 1, 10, f);
    fseek (f, 5000, SEEK_SET);
    given += fwrite (data, 1, 10, f);
    fseek (f, -5, SEEK_END);
    got = fread (data, 1, 5, f);
    said ("seeks_out", got, given);
    fclose (f);
    f = fopen ("seeks_only", "w");
    given = fwrite (data, 1, 3000, f);
    fseek (f, 100, SEEK_SET);
    given += fwrite (data, 1, 10, f);
    fseek (f, 0, SEEK_END);
    said ("seeks_only", 0, given);
    fclose (f);
}

static void put (void)
{
    FILE *f = fopen ("putc", "w");

    for (int i = 0; i < 3000; i++)
        putc ('x', f);
    said ("putc", 0, 3000);
    fclose (f);
}

static void put_many (void)
{
    FILE *f = fopen ("putc_many", "w");
    size_t n = 20000;

    for (size_t i = 0; i < n; i++)
        putc_unlocked ('x', f);
    n += fwrite (data, 1, 100, f);
    fflush (f);
    n += fwrite (data, 1, 100000, f);
    n += (size_t)fprintf (f, "%d", 42);
    said ("putc_many", 0, n);
    fclose (f);
}

static void update (void)
{
    FILE *f = reading ("update", SMALL);
    size_t got, given;

    f = freopen ("update", "r+", f);
    got = fread (data, 1, 10, f);
    fseek (f, 0, SEEK_CUR);
    given = fwrite (data, 1, 10, f);
    fseek (f, 5000, SEEK_SET);
    got += getc (f) != EOF;
    said ("update", got, given);
    fclose (f);
}

static void unbuffered (void)
{
    FILE *f = fopen ("unbuffered", "w");

    setvbuf (f, NULL, _IONBF, 0);
    putc ('x', f);
    fputs ("12345", f);
    said ("unbuffered", 0, 6);
    fclose (f);
}

static void lined (void)
{
    FILE *f = fopen ("lined", "w");

    setvbuf (f, NULL, _IOLBF, 0);
    for (int i = 0; i < 10; i++)
        putc (i % 5 == 4 ? '\n' : 'x', f);
    fputs ("12\n45", f);
    said ("lined", 0, 15);
    fclose (f);
}

static void flush_all (void)
{
    FILE *f = fopen ("flush_all", "w");

    fputs ("12345", f);
    putc ('6', f);
    fflush (NULL);
    putc ('7', f);
    said ("flush_all", 0, 7);
    fclose (f);
}

static void reopened (void)
{
    FILE *f = fopen ("reopened", "w");

    fputs ("12345", f);
    f = freopen ("reopened2", "w", f);
    fputs ("123", f);
    said ("reopened", 0, 5);
    said ("reopened2", 0, 3);
    fclose (f);
}

/* Never closed. */
static void left (void)
{
    FILE *f = fopen ("exit", "w");

    for (int i = 0; i < 700; i++)
        putc ('x', f);
    said ("exit", 0, 700);
}

int main (int argc, char **argv)
{
    if (argc != 2 || chdir (argv[1]) < 0)
        return 2;
    for (size_t i = 0; i < BIG; i++)
        data[i] = i % 80 == 79 ? '\n' : 'a';
    put_back ();
    put_back_other ();
    mixed ();
    characters ();
    to_the_end ();
    items ();
    lines ();
    seeks ();
    checkpoints ();
    more_seeks ();
    seeks_out ();
    put ();
    put_many ();
    update ();
    unbuffered ();
    lined ();
    flush_all ();
    reopened ();
    left ();

    return 0;
}
