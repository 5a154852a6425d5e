/* SPDX-License-Identifier: MIT
 *
 * jobbins.c - stretches of time -> shares of bins
 *
 * In:  when something ran, in the order of the ends, one thread at a time
 * Out: shares of time and bytes by bin; pure
 */
#include "config.h"

#include "report/job/jobbins.h"

double jobscan_seconds (const struct jobscan *s)
{
    return (double)(s->t1 - s->t0) / 1e9;
}

double jobscan_bin_seconds (const struct jobscan *s)
{
    return (double)(s->t1 - s->t0) / 1e9 / SCAN_BINS;
}

uint64_t bins_clamp (const struct jobscan *s, uint64_t t)
{
    return t < s->t0 ? s->t0 : t > s->t1 ? s->t1 : t;
}

/* Call with each bin that from…to touches and the share of the bin. */
#define EACH_BIN(S, FROM, TO, I, SHARE, CODE)                               \
    do {                                                                    \
        double w_ = (double)((S)->t1 - (S)->t0) / SCAN_BINS;                \
        double a_ = (double)((FROM) - (S)->t0) / w_;                        \
        double b_ = (double)((TO) - (S)->t0) / w_;                          \
        for (size_t I = (size_t)a_; I < SCAN_BINS && (double)I < b_; I++) { \
            double SHARE = (b_ < (double)I + 1 ? b_ : (double)I + 1) -      \
                           (a_ > (double)I ? a_ : (double)I);               \
            CODE;                                                           \
        }                                                                   \
    } while (0)

void bins_flush (const struct jobscan *s,
                 struct scan_process *p,
                 struct stretches *l,
                 size_t lane)
{
    float *busy = p->busy[lane];

    for (size_t k = 0; k < l->n; k++)
        EACH_BIN (s, l->item[k].from, l->item[k].to, i, share,
                  busy[i] += (float)share);
    l->n = 0;
}

void bins_lane (const struct jobscan *s,
                struct scan_process *p,
                struct stretches *l,
                size_t lane,
                uint64_t from,
                uint64_t to)
{
    from = bins_clamp (s, from);
    to = bins_clamp (s, to);
    while (l->n && l->item[l->n - 1].from >= from)
        l->n--;
    if (l->n && l->item[l->n - 1].to > from)
        from = l->item[l->n - 1].to;
    if (from >= to)
        return;
    if (l->n == STRETCHES_MAX)
        bins_flush (s, p, l, lane);
    l->item[l->n++] = (struct stretch){from, to};
}

void bins_bytes (const struct jobscan *s,
                 struct scan_process *p,
                 int written,
                 uint64_t from,
                 uint64_t to,
                 uint64_t bytes)
{
    double *bin = p->bytes[written], whole;

    from = bins_clamp (s, from);
    to = bins_clamp (s, to);
    if (to <= from)
        to = from + 1;
    whole = (double)(to - from) / ((double)(s->t1 - s->t0) / SCAN_BINS);
    if (from >= s->t1) {
        bin[SCAN_BINS - 1] += (double)bytes;
        return;
    }
    EACH_BIN (s, from, to, i, share, bin[i] += (double)bytes * (share / whole));
}

void bins_ended (struct jobscan *s, int written, uint64_t to, uint64_t bytes)
{
    double share =
        (double)(bins_clamp (s, to) - s->t0) / (double)(s->t1 - s->t0);
    size_t bin = (size_t)(share * SCAN_BINS);

    if (bin >= SCAN_BINS)
        bin = SCAN_BINS - 1;
    s->ended[written][bin].calls++;
    s->ended[written][bin].bytes += (double)bytes;
}
