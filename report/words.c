/* SPDX-License-Identifier: MIT
 *
 * words.c - numbers -> words for people, and how wide words are
 *
 * In:  numbers, units, labels
 * Out: texts and their places, to every figure and table; pure
 */
#include "config.h"

#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define THIN     "\xe2\x80\xaf" /* narrow no-break space */
#define ELLIPSIS "\xe2\x80\xa6"

static struct unit unit_make (const char *name, double factor)
{
    struct unit u = {.factor = factor};

    (void)snprintf (u.name, sizeof (u.name), "%s", name);
    return u;
}

struct unit unit_for (const char *unit, double max)
{
    static const char *bytes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double factor = 1;
    int i = 0;

    if (!unit)
        unit = "";
    max = fabs (max);
    if (strcmp (unit, "s") == 0 && max > 0 && max < 1)
        return max < 1e-3 ? unit_make ("\xc2\xb5s", 1e6)
                          : unit_make ("ms", 1e3);
    if (strcmp (unit, "B") != 0)
        return unit_make (unit, 1);
    while (i < 4 && max * factor >= 1024) {
        factor /= 1024;
        i++;
    }
    return unit_make (bytes[i], factor);
}

/* "1234567" -> "1 234 567" */
static char *grouped (char *buf, double v)
{
    char digits[WORDS_MAX];
    size_t n = (size_t)snprintf (digits, sizeof (digits), "%.0f", fabs (v));
    size_t at = 0;

    if (v < 0)
        buf[at++] = '-';
    for (size_t i = 0; i < n && at + 5 < WORDS_MAX; i++) {
        if (i && (n - i) % 3 == 0) {
            memcpy (buf + at, THIN, 3);
            at += 3;
        }
        buf[at++] = digits[i];
    }
    buf[at] = '\0';
    return buf;
}

static char *significant (char *buf, double v, const char *suffix)
{
    double a = fabs (v);
    int digits = a == 0 ? 0 : 2 - (int)floor (log10 (a) + 1e-9);

    if (digits < 0)
        digits = 0;
    if (digits > 12)
        digits = 12;
    (void)snprintf (buf, WORDS_MAX, "%.*f%s", digits, v, suffix);
    return buf;
}

char *number_words (char *buf, double v)
{
    double a = fabs (v);

    if (!isfinite (v))
        return memcpy (buf, "n/a", sizeof ("n/a")); /* as short as a number */
    if (a >= 1e18)
        (void)snprintf (buf, WORDS_MAX, "%.2e", v);
    else if (a >= 1e12)
        significant (buf, v / 1e12, THIN "T");
    else if (a >= 1e9)
        significant (buf, v / 1e9, THIN "G");
    else if (a >= 1e6)
        significant (buf, v / 1e6, THIN "M");
    else if (a >= 999.5)
        grouped (buf, v);
    else if (v == floor (v))
        (void)snprintf (buf, WORDS_MAX, "%.0f", v);
    else
        significant (buf, v, "");
    return buf;
}

char *value_words (char *buf, double v, const char *unit)
{
    struct unit u = unit_for (unit, v);
    size_t n;

    number_words (buf, v * u.factor);
    n = strlen (buf);
    if (isfinite (v) && u.name[0])
        (void)snprintf (buf + n, WORDS_MAX - n, "%s%s", THIN, u.name);
    return buf;
}

char *tick_words (char *buf, double v, double step)
{
    int digits = step > 0 ? (int)ceil (-log10 (step) - 1e-9) : 0;

    if (step <= 0 && v > 0 && v < 1) {
        (void)snprintf (buf, WORDS_MAX, "%g", v); /* a power of ten */
        return buf;
    }
    if (fabs (v) >= 1e6 || digits <= 0)
        return number_words (buf, v);
    (void)snprintf (buf, WORDS_MAX, "%.*f", digits > 12 ? 12 : digits, v);
    return buf;
}

/* --- width ------------------------------------------------------------ */

/* In em, of DejaVu Sans, the widest of the page's fonts. */
static double letter_width (unsigned char c)
{
    if (c >= 0x80)
        return (c & 0xc0) == 0x80 ? 0 : 0.75; /* one for each letter */
    if (strchr ("ijl.,:;|!'I() []tfr/", c))
        return 0.42;
    if (strchr ("mwMW%@", c))
        return 0.98;
    if (c >= 'A' && c <= 'Z')
        return 0.74;
    return 0.645;
}

double text_width (const char *text, double size)
{
    double em = 0;

    for (; *text; text++)
        em += letter_width ((unsigned char)*text);
    return em * size;
}

static size_t back_to_letter (const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

char *
text_fit (char *buf, size_t room, const char *text, double width, double size)
{
    size_t n = strlen (text), keep = n;

    (void)snprintf (buf, room, "%s", text);
    while (keep > 2 && (text_width (buf, size) > width || keep + 4 > room)) {
        size_t head, tail;

        keep--;
        head = back_to_letter (text, keep / 2);
        tail = back_to_letter (text, n - (keep - keep / 2));
        (void)snprintf (buf, room, "%.*s" ELLIPSIS "%s", (int)head, text,
                        text + tail);
    }
    return buf;
}

struct label_plan label_plan (size_t n, double step, double widest, double size)
{
    struct label_plan p = {0, 1, size * 1.4};
    double apart;

    if (n < 2 || step >= widest + size * 0.6)
        return p;
    /* A few short ones may stay level when every second one is enough. */
    p.upright = 1;
    p.depth = widest + size * 0.6;
    apart = size * 1.35;
    if (step < apart)
        p.every = (size_t)ceil (apart / (step > 0.01 ? step : 0.01));
    return p;
}
