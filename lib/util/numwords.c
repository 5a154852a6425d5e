/* SPDX-License-Identifier: MIT
 *
 * numwords.c - numbers -> words for people
 *
 * In:  numbers and their units
 * Out: short texts, to figures and live views; pure
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/optparse.h"

#define THIN "\xe2\x80\xaf" /* narrow no-break space */

static struct shown_unit unit_make (const char *name, double factor)
{
    struct shown_unit u = {.factor = factor};

    FORMAT (u.name, "%s", name);
    return u;
}

struct shown_unit unit_for (const char *unit, double max)
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
    if (strcmp (unit, "us") == 0)
        return max >= 1e6 || max == 0 ? unit_make ("s", 1e-6)
               : max >= 1e3           ? unit_make ("ms", 1e-3)
                                      : unit_make ("\xc2\xb5s", 1);
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
    size_t n = FORMAT (digits, "%.0f", fabs (v));
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
    snprintf (buf, WORDS_MAX, "%.*f%s", digits, v, suffix);
    return buf;
}

char *number_words (char *buf, double v)
{
    double a = fabs (v);

    if (!isfinite (v))
        return memcpy (buf, "n/a", sizeof ("n/a")); /* as short as a number */
    if (a >= 1e18)
        snprintf (buf, WORDS_MAX, "%.2e", v);
    else if (a >= 1e12)
        significant (buf, v / 1e12, THIN "T");
    else if (a >= 1e9)
        significant (buf, v / 1e9, THIN "G");
    else if (a >= 1e6)
        significant (buf, v / 1e6, THIN "M");
    else if (a >= 999.5)
        grouped (buf, v);
    else if (v == floor (v))
        snprintf (buf, WORDS_MAX, "%.0f", v);
    else
        significant (buf, v, "");
    return buf;
}

char *value_words (char *buf, double v, const char *unit)
{
    struct shown_unit u = unit_for (unit, v);
    size_t n;

    number_words (buf, v * u.factor);
    n = strlen (buf);
    if (isfinite (v) && u.name[0])
        snprintf (buf + n, WORDS_MAX - n, "%s%s", THIN, u.name);
    return buf;
}

char *tick_words (char *buf, double v, double step)
{
    int digits = step > 0 ? (int)ceil (-log10 (step) - 1e-9) : 0;

    if (step <= 0 && v > 0 && v < 1) {
        snprintf (buf, WORDS_MAX, "%g", v); /* a power of ten */
        return buf;
    }
    if (fabs (v) >= 1e6 || digits <= 0)
        return number_words (buf, v);
    snprintf (buf, WORDS_MAX, "%.*f", MIN (12, digits), v);
    return buf;
}
