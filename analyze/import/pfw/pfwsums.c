/* SPDX-License-Identifier: MIT
 *
 * pfwsums.c - aggregated lines of a DFTracer trace -> sums by call
 *
 * In:  lines, from pfwbatch.c
 * Out: counts, durations and bytes as far as they are exact, to the view of
 * sums
 */
#include "config.h"

#include "analyze/import/pfw/pfwsums.h"

#include "analyze/import/pfw/pfwnames.h"
#include "lib/util/xalloc.h"

enum { NAME_MAX_BYTES = 512, NS_PER_US = 1000 };

static int sums_has (const struct pfw_line *l, unsigned what)
{
    return (l->has & what) == what;
}

/* Durations of a line: one, or the sum, minimum and maximum of several. */
static void take_time (struct pfw_sum *to, const struct pfw_line *l)
{
    const unsigned sums = PFW_HAS_DUR_SUM | PFW_HAS_DUR_MIN | PFW_HAS_DUR_MAX;
    int64_t n = l->merged, low = l->dur_min, high = l->dur_max,
            sum = l->dur_sum, most, least;

    if (!sums_has (l, sums)) {
        low = high = sum = l->dur_one;
        if (!sums_has (l, PFW_HAS_DUR_ONE))
            to->unknown |= PFW_UNKNOWN_TIME | PFW_UNKNOWN_COUNT;
    }
    if (low < 0 || high < low || sum < high || sum > INT64_MAX / NS_PER_US)
        to->unknown |= PFW_UNKNOWN_TIME | PFW_UNKNOWN_COUNT;
    if (n < 1 || n > PFW_MERGED_MAX ||
        __builtin_mul_overflow (n, high, &most) ||
        __builtin_mul_overflow (n, low, &least) || sum > most || sum < least)
        to->unknown |= PFW_UNKNOWN_COUNT;
    to->count = n > 0 && n <= PFW_MERGED_MAX ? (uint64_t)n : 1;
    if (to->unknown & PFW_UNKNOWN_TIME)
        return;
    to->ns = (uint64_t)sum * NS_PER_US;
    to->min = (uint64_t)low * NS_PER_US;
    to->max = (uint64_t)high * NS_PER_US;
}

/* Results of reads and writes; a -1 in their sum hides a byte. */
static void
take_bytes (struct pfw_sum *to, const struct pfw_line *l, enum call call)
{
    const struct call_info *info = &call_table[call];
    int moves =
        info->category == CALL_CATEGORY_POSIX &&
        (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE);

    if (moves && sums_has (l, PFW_HAS_RET_SUM | PFW_HAS_RET_MIN) &&
        l->ret_min >= 0 && l->ret_sum >= l->ret_min)
        to->bytes = (uint64_t)l->ret_sum;
    else if (moves && sums_has (l, PFW_HAS_RET) && l->ret >= 0 &&
             l->merged == 1)
        to->bytes = (uint64_t)l->ret;
    else
        to->unknown |= PFW_UNKNOWN_BYTES;
}

/* "POSIX NUL open" for open64, too. Returns its length. */
static size_t
key_of (const struct pfw_line *l, enum call call, char key[2 * NAME_MAX_BYTES])
{
    const struct call_info *info = &call_table[call];
    size_t n, more;

    if (call == CALL_region) {
        n = pfw_unescape (&l->cat, key, NAME_MAX_BYTES - 1);
        key[n++] = '\0';
        more = pfw_unescape (&l->name, key + n, NAME_MAX_BYTES - 1);
    } else {
        const char *category = call_category_name (info->category);

        n = strlen (category) + 1;
        memcpy (key, category, n);
        more = strlen (info->name);
        memcpy (key + n, info->name, more);
    }
    return n + more;
}

void pfw_sums_add (struct pfw_sums *s, const struct pfw_line *l)
{
    enum call call = pfw_names_call (&l->cat, &l->name);
    struct pfw_sum one = {.lines = 1};
    char key[2 * NAME_MAX_BYTES];

    take_time (&one, l);
    take_bytes (&one, l, call);
    pfw_sums_put (s, key, key_of (l, call, key), &one);
}

static void sums_add (struct pfw_sum *to, const struct pfw_sum *more)
{
    if (!(more->unknown & PFW_UNKNOWN_TIME)) {
        if (more->min < to->min)
            to->min = more->min;
        if (more->max > to->max)
            to->max = more->max;
    }
    to->lines += more->lines;
    to->count += more->count;
    to->ns += more->ns;
    to->bytes += more->bytes;
    to->unknown |= more->unknown;
}

void pfw_sums_put (struct pfw_sums *s,
                   const char *key,
                   size_t length,
                   const struct pfw_sum *more)
{
    int isnew;
    int64_t at;

    if (!s->of)
        s->of = strmap_create ();
    at = strmap_intern (s->of, key, length, &isnew);
    if (isnew)
        strmap_set (s->of, (size_t)at, xmemdup (more, sizeof (*more)));
    else
        sums_add (strmap_value (s->of, (size_t)at), more);
}

void pfw_sums_merge (struct pfw_sums *s, const struct pfw_sums *more)
{
    for (size_t i = 0; i < pfw_sums_count (more); i++) {
        const struct pfw_sum *sum = strmap_value (more->of, i);
        size_t length;
        const char *key = strmap_key (more->of, i, &length);

        pfw_sums_put (s, key, length, sum);
    }
}

size_t pfw_sums_count (const struct pfw_sums *s)
{
    return s->of ? strmap_count (s->of) : 0;
}

void pfw_sums_clear (struct pfw_sums *s)
{
    int saved = errno;

    for (size_t i = 0; i < pfw_sums_count (s); i++)
        free (strmap_value (s->of, i));
    strmap_destroy (s->of);
    s->of = NULL;
    errno = saved;
}
