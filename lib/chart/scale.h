/* SPDX-License-Identifier: MIT
 *
 * scale.h - values -> positions, and the ticks between them; pure
 */
#pragma once

#include <stddef.h>

#include "lib/util/optparse.h"

/* -- values -> positions, and the ticks between them; pure -- */

enum scale_kind { SCALE_LINEAR, SCALE_LOG, SCALE_BAND };

enum { TICKS_MAX = 40 };

struct ticks {
    size_t n;
    double at[TICKS_MAX]; /* ascending, inside the domain */
    double step;          /* between two; 0: logarithmic, or fewer than two */
};

struct scale {
    enum scale_kind kind;
    double d0, d1; /* domain; of a band: 0 and the number of bands */
    double r0, r1; /* range in pixels; r0 > r1 draws upwards */
    double gap;    /* band: share of a step that stays free */
};

/* Domains are widened to round numbers: a linear one that does not cross zero
 * starts at zero; a logarithmic one covers whole decades, or 1-2-5 steps when
 * it spans little. Values that no axis can show (NaN, infinite, <= 0 on a
 * logarithmic one) are ignored; without any the domain is 0…1 or 1…10. */
struct scale scale_linear (double lo, double hi, double r0, double r1);
struct scale scale_log (double lo, double hi, double r0, double r1);
/* As linear, but exactly lo…hi (time axes). */
struct scale scale_exact (double lo, double hi, double r0, double r1);
struct scale scale_band (size_t n, double gap, double r0, double r1);

/* Position, clamped into the range; NaN gives r0. Of a band: of the middle of
 * band v. */
double scale_at (const struct scale *s, double v);
/* Left (upper) edge and width of a band, the gap left out. */
double scale_band_start (const struct scale *s, size_t i);
double scale_band_width (const struct scale *s);

/* At most `most` (2…TICKS_MAX) round numbers of the domain. */
void scale_ticks (const struct scale *s, size_t most, struct ticks *t);

/* The largest of 1, 2, 5 times a power of ten not above x > 0. */
double scale_round (double x);

/* -- how wide words are, and which of them fit; pure -- */

/* number_words and value_words, in the memory of the arena. */
const char *number_shown (double v);
const char *value_shown (double v, const char *unit);

/* Width in pixels at a font size, never less than what a browser needs with
 * the fonts of the page. */
double text_width (const char *text, double size);

/* Copy of text that is at most width pixels wide, its middle replaced by an
 * ellipsis, of which the first and last letter stay. Returns buf. */
char *
text_fit (char *buf, size_t room, const char *text, double width, double size);

/* How labels that stand step pixels apart are written below an axis: all of
 * them side by side, upright, or only every n-th, so that none touches
 * another. width: of the widest. */
struct label_plan {
    int upright;  /* turned by 90 degrees */
    size_t every; /* from 1 */
    double depth; /* pixels they need below the axis */
};
struct label_plan
label_plan (size_t n, double step, double widest, double size);
