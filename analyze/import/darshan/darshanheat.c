/* SPDX-License-Identifier: MIT
 *
 * darshanheat.c - heat maps of a log -> a map of time
 *
 * In:  the region of HEATMAP: for each rank and interface a record, which is
 *      the number of its name and the rank (u64, i64), the width of its slices
 *      (s, f64), how many there are (i64), 16 bytes of no meaning, the bytes
 *      written in each slice, then those read (i64)
 * Out: struct profbin: bytes read and written of all ranks, by POSIX and STDIO;
 *      those of MPI-IO are in POSIX below it
 * Caveat: a slice has neither calls nor durations. Slices begin with the job;
 *         there are at most PROFILE_BINS_MAX of a width.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/darshan/darshanwork.h"

enum { HEAT_HEAD = 48, HEAT_WIDTHS = 64 };

#define HEAT_WIDTH_MAX 1e8 /* s */

/* The slices of one width, of all records. */
struct darshan_heat {
    uint64_t width;  /* ns */
    uint64_t slices; /* of the longest record */
    uint64_t read[PROFILE_BINS_MAX], written[PROFILE_BINS_MAX];
};

struct darshan_heats {
    struct darshan_work *w;
    struct darshan_heat *of; /* owned; HEAT_WIDTHS */
    size_t widths, taken;
    int posix; /* some of them are of POSIX */
};

static struct darshan_heat *darshan_heat_of (struct darshan_heats *h,
                                             uint64_t width)
{
    for (size_t i = 0; i < h->widths; i++)
        if (h->of[i].width == width)
            return &h->of[i];
    if (h->widths == HEAT_WIDTHS)
        return NULL;
    h->of[h->widths].width = width;
    return &h->of[h->widths++];
}

/* Is it of POSIX, or of streams? Others do not count. */
static int
darshan_heat_counts (const struct darshan_work *w, uint64_t id, int *posix)
{
    int64_t at = strmap_find (w->ids, (char *)&id, sizeof (id));
    const char *name = at < 0 ? NULL : w->name[at].text;

    *posix = name && strcmp (name, "heatmap:POSIX") == 0;
    return *posix || (name && strcmp (name, "heatmap:STDIO") == 0);
}

static uint64_t darshan_heat_bytes (const struct darshan_log *l,
                                    const unsigned char *p)
{
    int64_t n = darshan_i64 (l, p);

    if (n >= 0 && n <= DARSHAN_COUNT_MAX)
        return (uint64_t)n;
    l->account->bad++;
    return 0;
}

static void darshan_heat_take (struct darshan_heats *h,
                               const unsigned char *p,
                               uint64_t slices)
{
    const struct darshan_log *l = &h->w->log;
    double s = darshan_f64 (l, p + 16);
    struct darshan_heat *heat;
    int posix;

    if (!darshan_heat_counts (h->w, darshan_u64 (l, p), &posix))
        return;
    if (!(s >= 1e-6 && s <= HEAT_WIDTH_MAX) || slices > PROFILE_BINS_MAX ||
        !(heat = darshan_heat_of (h, (uint64_t)llround (s * 1e9)))) {
        l->account->bad++;
        return;
    }
    h->taken++;
    h->posix |= posix;
    heat->slices = slices > heat->slices ? slices : heat->slices;
    for (uint64_t i = 0; i < slices; i++) {
        const unsigned char *at = p + HEAT_HEAD + 8 * i;

        heat->written[i] += darshan_heat_bytes (l, at);
        heat->read[i] += darshan_heat_bytes (l, at + 8 * slices);
    }
}

static int darshan_heat_bins (struct darshan_heats *h)
{
    for (size_t k = 0; k < h->widths; k++)
        for (uint64_t i = 0; i < h->of[k].slices; i++) {
            const struct darshan_heat *heat = &h->of[k];
            struct profbin *b;

            if (!heat->read[i] && !heat->written[i] && i > 0 &&
                i + 1 < heat->slices) /* the first and the last: from where
                                         to where it is known */
                continue;
            if (!(b = profrows_bin (h->w->rows)))
                return -1;
            b->start = h->w->start + i * heat->width;
            b->width = heat->width;
            b->n[PROFILE_BIN_read_bytes] = heat->read[i];
            b->n[PROFILE_BIN_write_bytes] = heat->written[i];
        }
    return 0;
}

static void darshan_heat_records (struct darshan_heats *h,
                                  const struct darshan_bytes *b)
{
    struct darshan_account *account = h->w->log.account;
    size_t at = 0, records = 0;

    while (b->count - at >= HEAT_HEAD) {
        uint64_t slices = darshan_u64 (&h->w->log, b->at + at + 24);

        if (slices > (b->count - at - HEAT_HEAD) / 16)
            break;
        darshan_heat_take (h, b->at + at, slices);
        at += HEAT_HEAD + 16 * (size_t)slices;
        records++;
    }
    account->bad += at != b->count;
    account->skipped += records && !h->taken; /* hidden names */
}

int darshan_read_heat (struct darshan_work *w)
{
    const struct darshan_log *l = &w->log;
    struct darshan_heats h = {.w = w};
    struct darshan_bytes b = {NULL, 0};
    int rc;

    if (!l->module[DARSHAN_HEATMAP].bytes)
        return 0;
    if (l->module_version[DARSHAN_HEATMAP] != 1) {
        l->account->skipped++;
        return 0;
    }
    rc = darshan_log_unpack (l, &l->module[DARSHAN_HEATMAP], &b);
    if (rc == 0 && !(h.of = calloc (HEAT_WIDTHS, sizeof (*h.of))))
        rc = -1;
    if (rc == 0) {
        darshan_heat_records (&h, &b);
        rc = darshan_heat_bins (&h);
        w->rows->bins_have_events = h.posix; /* segments of DXT_POSIX */
    }
    l->account->partial += l->partial >> DARSHAN_HEATMAP & 1;
    darshan_bytes_clear (&b);
    free (h.of);
    return rc;
}
