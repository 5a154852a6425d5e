/* SPDX-License-Identifier: MIT
 *
 * numwords.h - numbers -> words for people; pure
 */
#ifndef DFT_UTIL_NUMWORDS_H
#define DFT_UTIL_NUMWORDS_H

enum { WORDS_MAX = 64 };

/* Unit and factor of the numbers in a figure. */
struct shown_unit {
    char name[16]; /* "" counts */
    double factor; /* shown = value * factor */
};

/* The unit to show values up to max in: "s" becomes ms or µs, "us" becomes
 * ms or s, "B" becomes KiB … TiB; others stay. NULL is "". */
struct shown_unit unit_for (const char *unit, double max);

/* Three significant digits without an exponent; thousands apart; from a
 * million on "1.23 M". NaN is "n/a". Returns buf (of WORDS_MAX bytes). */
char *number_words (char *buf, double v);

/* As number_words, with the unit that suits this value: "1.5 ms". */
char *value_words (char *buf, double v, const char *unit);

/* Tick labels: as many digits as the step between ticks needs. */
char *tick_words (char *buf, double v, double step);

#endif
