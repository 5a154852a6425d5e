/* SPDX-License-Identifier: MIT
 *
 * viewcoverage.c - the kernel's count of a job, part by part
 *
 * In:  struct coverage
 * Out: the view coverage; a line of the first screen and of a job's page
 */
#include "config.h"

#include "analyze/facts/coverage.h"
#include "analyze/tables/screen.h"
#include "analyze/tables/views.h"
#include "lib/base/clock.h"
#include "lib/util/optparse.h"

/* True for the rows that are shown even without bytes: the sum's own, and
 * calls that move none. */
static int viewcoverage_stays (const struct coverage *c, int part)
{
    if (part >= COVERAGE_LEFT)
        return c->left[part - COVERAGE_LEFT].calls > 0;
    return part == COVERAGE_KERNEL || part == COVERAGE_RECORDED ||
           part == COVERAGE_UNTRACED || part == COVERAGE_REST;
}

static double
viewcoverage_percent (const struct coverage *c, int64_t n, int side)
{
    int64_t all = c->part[COVERAGE_KERNEL][side];

    return all > 0 ? 100 * (double)n / (double)all : 0;
}

static void
viewcoverage_put_calls (struct textable *t, const struct coverage *c, int part)
{
    const struct leftsum *l = NULL;

    if (part < COVERAGE_LEFT || !c->known) {
        textable_cells (t, "- -");
        return;
    }
    l = &c->left[part - COVERAGE_LEFT];
    textable_cells (t, "%ju %.6f", l->calls, (double)l->ns / CLOCK_NS_PER_S);
}

static void
viewcoverage_put (struct textable *t, const struct coverage *c, int part)
{
    const int64_t *n = c->part[part];

    if (!n[COUNTED_READ] && !n[COUNTED_WRITTEN] &&
        !viewcoverage_stays (c, part))
        return;
    textable_line (t, "%s", coverage_title (part));
    for (int side = 0; side < COUNTED_SIDES; side++) {
        if (!c->known) {
            textable_cells (t, "- -");
            continue;
        }
        textable_cells (t, "%.0f %.2f", (double)n[side],
                        c->part[COVERAGE_KERNEL][side] > 0
                            ? viewcoverage_percent (c, n[side], side)
                            : NAN);
    }
    viewcoverage_put_calls (t, c, part);
}

void fill_coverage (struct textable *t, const struct result *r, size_t top)
{
    const struct coverage *c = &r->summary->coverage;

    viewcoverage_put (t, c, COVERAGE_KERNEL);
    viewcoverage_put (t, c, COVERAGE_RECORDED);
    for (int part = COVERAGE_LEFT; part < COVERAGE_PARTS; part++)
        viewcoverage_put (t, c, part);
    for (int part = COVERAGE_FILLS; part <= COVERAGE_REST; part++)
        viewcoverage_put (t, c, part);
}

/* Round to tenths; there is no -0.0. */
static double tenths (double x)
{
    return rint (x * 10) / 10 + 0.0;
}

char *
coverage_words (char text[COVERAGE_WORDS], const struct coverage *c, int side)
{
    char bytes[WORDS_MAX];

    snprintf (
        text, COVERAGE_WORDS, "%s %s, %.1f %% recorded, rest %.1f %%",
        value_words (bytes, c->part[COVERAGE_KERNEL][side], "B"),
        side == COUNTED_READ ? "read" : "written",
        viewcoverage_percent (c, c->part[COVERAGE_RECORDED][side], side),
        tenths (viewcoverage_percent (c, c->part[COVERAGE_REST][side], side)));
    return text;
}

/* All of it on one line, where there is no rest. 0: there is one. */
static int screencoverage_put_short (struct screen *s, const struct coverage *c)
{
    char bytes[COUNTED_SIDES][WORDS_MAX];
    double part[COUNTED_SIDES];

    for (int side = 0; side < COUNTED_SIDES; side++) {
        const uint64_t rest = c->part[COVERAGE_REST][side];

        if (tenths (viewcoverage_percent (c, rest, side)) != 0)
            return 0;
        value_words (bytes[side], c->part[COVERAGE_KERNEL][side], "B");
        part[side] =
            viewcoverage_percent (c, c->part[COVERAGE_RECORDED][side], side);
    }
    screen_line (
        s,
        "by the kernel's count: %s read, %.1f %% recorded; %s written, "
        "%.1f %%",
        bytes[COUNTED_READ], part[COUNTED_READ], bytes[COUNTED_WRITTEN],
        part[COUNTED_WRITTEN]);
    return 1;
}

void screencoverage_put (struct screen *s, const struct result *r)
{
    const struct coverage *c = &r->summary->coverage;
    char text[COVERAGE_WORDS];

    if (!c->known)
        return;
    if (!c->cut && !c->missing && screencoverage_put_short (s, c))
        return;
    if (c->cut || c->missing)
        s->keep = KEEP_ALWAYS;
    screen_add (s, "by the kernel's count (--view coverage)");
    if (c->missing)
        screen_add (s, ", without %zu of %zu processes", c->missing,
                    c->missing + c->programs);
    screen_line (s, ":");
    if (c->cut)
        screen_line (s, "  not complete: " COVERAGE_CUT);
    screen_flow (s, coverage_words (text, c, COUNTED_READ), 1);
    screen_flow (s, coverage_words (text, c, COUNTED_WRITTEN), 0);
    screen_end_line (s);
}
