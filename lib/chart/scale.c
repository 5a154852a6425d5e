/* SPDX-License-Identifier: MIT
 *
 * scale.c - values -> positions, and the ticks between them
 *
 * In:  domains (data) and ranges (pixels)
 * Out: positions and ticks, to axis.c and the figures; pure
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/scale.h"
#include "lib/util/xalloc.h"

double scale_round (double x)
{
    double power, part;

    if (!(x > 0) || !isfinite (x))
        return 1;
    power = pow (10, floor (log10 (x) + 1e-9));
    part = x / power * (1 + 1e-9);
    return power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

/* Round step so that at most `most` steps cover span. */
static double scale_step_of (double span, size_t most)
{
    double step = scale_round (span / (double)most);
    static const double next[] = {1, 2, 2.5, 4, 5, 10, 20};

    for (size_t i = 0; i < ITEMS (next); i++) {
        double s = step * next[i], part = s / pow (10, floor (log10 (s)));

        part = round (part * 1e6) / 1e6;
        if (part != 1 && part != 2 && part != 5)
            continue;
        if (span / s <= (double)most + 1e-9)
            return s;
    }
    return step * 20;
}

struct scale scale_exact (double lo, double hi, double r0, double r1)
{
    struct scale s = {SCALE_LINEAR, lo, hi, r0, r1, 0};

    if (!isfinite (lo) || !isfinite (hi) || !(hi > lo)) {
        s.d0 = isfinite (lo) ? lo : 0;
        s.d1 = s.d0 + 1;
    }
    return s;
}

struct scale scale_linear (double lo, double hi, double r0, double r1)
{
    double step;

    if (!isfinite (lo))
        lo = 0;
    if (!isfinite (hi))
        hi = 0;
    lo = MIN (0, lo);
    hi = MAX (0, hi);
    if (!(hi > lo))
        hi = lo + 1;
    step = scale_step_of (hi - lo, 5);
    return scale_exact (floor (lo / step + 1e-9) * step,
                        ceil (hi / step - 1e-9) * step, r0, r1);
}

struct scale scale_log (double lo, double hi, double r0, double r1)
{
    struct scale s = {SCALE_LOG, 1, 10, r0, r1, 0};

    if (!(lo > 0) || !isfinite (lo))
        lo = hi;
    if (!(hi > 0) || !isfinite (hi))
        return s;
    s.d0 = pow (10, floor (log10 (lo) + 1e-9));
    s.d1 = pow (10, ceil (log10 (hi) - 1e-9));
    if (s.d0 >= lo * (1 - 1e-9))
        s.d0 /= 10; /* a bar of the smallest value has to be seen */
    return s;
}

struct scale scale_band (size_t n, double gap, double r0, double r1)
{
    struct scale s = {SCALE_BAND, 0, n ? (double)n : 1, r0, r1, gap};

    return s;
}

double scale_at (const struct scale *s, double v)
{
    double t;

    if (s->kind == SCALE_BAND)
        v += 0.5;
    if (s->kind == SCALE_LOG)
        t = v > 0 ? log (v / s->d0) / log (s->d1 / s->d0) : 0;
    else
        t = (v - s->d0) / (s->d1 - s->d0);
    if (!(t > 0))
        t = 0;
    if (t > 1)
        t = 1;
    return s->r0 + t * (s->r1 - s->r0);
}

double scale_band_width (const struct scale *s)
{
    return fabs (s->r1 - s->r0) / s->d1 * (1 - s->gap);
}

double scale_band_start (const struct scale *s, size_t i)
{
    return scale_at (s, i) - scale_band_width (s) / 2;
}

static void
scale_log_ticks (const struct scale *s, size_t most, struct ticks *t)
{
    int low = (int)lround (log10 (s->d0)), high = (int)lround (log10 (s->d1));
    int every = 1;

    while ((size_t)((high - low) / every + 1) > most)
        every++;
    for (int e = low; e <= high && t->n < TICKS_MAX; e += every)
        t->at[t->n++] = pow (10, e);
}

void scale_ticks (const struct scale *s, size_t most, struct ticks *t)
{
    double step, first;

    ZERO (t);
    most = MIN (MAX (most, 2), TICKS_MAX);
    if (s->kind == SCALE_LOG) {
        scale_log_ticks (s, most, t);
        return;
    }
    step = scale_step_of (s->d1 - s->d0, most - 1);
    first = ceil (s->d0 / step - 1e-9) * step;
    for (size_t i = 0; t->n < most; i++) {
        double v = first + (double)i * step;

        if (v > s->d1 + step * 1e-6)
            break;
        t->at[t->n++] = fabs (v) < step * 1e-9 ? 0 : v;
    }
    t->step = t->n > 1 ? t->at[1] - t->at[0] : 0;
}

/* ---- how wide words are, and which of them fit ---- */

#define ELLIPSIS "\xe2\x80\xa6"

const char *number_shown (double v)
{
    char buf[WORDS_MAX];

    return arena_text (number_words (buf, v));
}

const char *value_shown (double v, const char *unit)
{
    char buf[WORDS_MAX];

    return arena_text (value_words (buf, v, unit));
}

/* --- width ------------------------------------------------------------ */

/* In em, of DejaVu Sans, the widest of the page's fonts. */
static double words_letter_width (unsigned char c)
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
        em += words_letter_width ((unsigned char)*text);
    return em * size;
}

static size_t words_back_to_letter (const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

char *
text_fit (char *buf, size_t room, const char *text, double width, double size)
{
    size_t n = strlen (text), keep = n;

    snprintf (buf, room, "%s", text);
    while (keep > 2 && (text_width (buf, size) > width || keep + 4 > room)) {
        size_t head, tail;

        keep--;
        head = words_back_to_letter (text, keep / 2);
        tail = words_back_to_letter (text, n - (keep - keep / 2));
        snprintf (buf, room, "%.*s" ELLIPSIS "%s", (int)head, text,
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
        p.every = ceil (apart / MAX (step, 0.01));
    return p;
}
