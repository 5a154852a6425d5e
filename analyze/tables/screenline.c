/* SPDX-License-Identifier: MIT
 *
 * screenline.c - words -> a line of a terminal of 80 columns
 *
 * In:  words, numbers with units, from screen.c
 * Out: lines without control characters, cut where the terminal ends
 */
#include "config.h"

#include "analyze/tables/screenline.h"

#include <stdarg.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/util/numwords.h"

int screen_places (const char *text)
{
    int places = 0;

    for (; *text; text++)
        places += ((unsigned char)*text & 0xc0) != 0x80;
    return places;
}

/* The characters of numwords.h that are not of ASCII become ones that are. */
static void screen_plain (char *words)
{
    static const struct {
        const char *from, *to;
    } plain[] = {{"\u00a0", " "}, {"\u202f", " "}, {"\u2009", " "}, {"µ", "u"}};

    for (size_t i = 0; i < sizeof (plain) / sizeof (plain[0]); i++) {
        size_t n = strlen (plain[i].from);

        for (char *p = words; (p = strstr (p, plain[i].from)); p++) {
            *p = plain[i].to[0];
            memmove (p + 1, p + n, strlen (p + n) + 1);
        }
    }
}

/* What is beyond the last column goes. */
static void screen_trim (char *line)
{
    int places = 0;

    for (char *p = line; *p; p++) {
        places += ((unsigned char)*p & 0xc0) != 0x80;
        if (places > SCREEN_COLUMNS) {
            *p = '\0';
            return;
        }
    }
}

/* Add to the line what there is room for. Names of a user may hold anything:
 * what is no plain character is escaped. */
void screen_add (struct screen *s, const char *format, ...)
{
    size_t used = strlen (s->line);
    char text[sizeof (s->line)];
    va_list args;

    va_start (args, format);
    (void)vsnprintf (text, sizeof (text), format, args);
    va_end (args);
    screen_plain (text);
    (void)escape_text (s->line + used, sizeof (s->line) - used, text,
                       ESCAPE_LINES);
    screen_trim (s->line);
}

/* Add text, after blanks so that it ends at that column. */
void screen_add_right (struct screen *s, int column, const char *text)
{
    char words[WORDS_MAX];
    int pad;

    (void)snprintf (words, sizeof (words), "%s", text);
    screen_plain (words);
    pad = column - screen_places (s->line) - screen_places (words);
    screen_add (s, "%*s%s", pad > 0 ? pad : 0, "", words);
}

void screen_end_line (struct screen *s)
{
    (void)fprintf (s->out, "%s\n", s->line);
    s->lines++;
    s->line[0] = '\0';
}

/* Add words to a list; where they do not fit, on a line of their own. */
void screen_flow (struct screen *s, const char *words, int first)
{
    int room = SCREEN_COLUMNS - screen_places (s->line) - 3;

    if (!first)
        screen_add (s, ",");
    if (!first && screen_places (words) > room) {
        screen_end_line (s);
        first = 1;
    }
    screen_add (s, first ? "  %s" : " %s", words);
}

void screen_put_count (struct screen *s,
                       uint64_t n,
                       const char *one,
                       const char *many)
{
    if (n)
        screen_add (s, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void screen_put_loss (struct screen *s,
                      uint64_t n,
                      const char *one,
                      const char *many)
{
    enum { DIGITS_MAX = 20 };

    if (n && s->line[0] &&
        screen_places (s->line) + screen_places (many) + DIGITS_MAX >
            SCREEN_COLUMNS) {
        s->line[strlen (s->line) - 2] = '\0';
        screen_end_line (s);
    }
    screen_put_count (s, n, one, many);
}
