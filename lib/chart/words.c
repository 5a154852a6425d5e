/* SPDX-License-Identifier: MIT
 *
 * words.c - how wide words are, and which of them fit
 *
 * In:  labels
 * Out: their places, to every figure and table; pure
 */
#include "config.h"

#include "lib/chart/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

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

    (void)snprintf (buf, room, "%s", text);
    while (keep > 2 && (text_width (buf, size) > width || keep + 4 > room)) {
        size_t head, tail;

        keep--;
        head = words_back_to_letter (text, keep / 2);
        tail = words_back_to_letter (text, n - (keep - keep / 2));
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
