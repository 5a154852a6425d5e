/* SPDX-License-Identifier: MIT
 *
 * effectpairs.h - points that differ in one axis alone -> what it does
 *                 (private to effects.c)
 */
#ifndef DFT_SWEEP_EFFECTPAIRS_H
#define DFT_SWEEP_EFFECTPAIRS_H

#include "sweep/results/cells.h"

struct level {
    const struct value *value;
    double mean;
};

struct factor {
    struct level *level;
    size_t levels;
    int *of; /* level of every point */
    size_t low, high;
    double squares; /* sum of, between levels */
    int *at;        /* [setting of the other axes][level]: point, -1 none */
    size_t settings;
    size_t pairs; /* settings with a point at low and one at high */
};

struct effects {
    const struct resultset *results;
    struct arena *arena;
    size_t points, repeats; /* repeats that count */
    double *x;              /* [repeat * points + point] */
    int *shown;             /* points of the grid */
    double mean, squares;   /* of all x */
    int whole;              /* every combination of values is there */
    struct factor *factor;
    size_t factors;
    const char *metric; /* in a column of its own, or NULL */
};

/* Which point has each level of an axis in each setting of the others. */
void effectpairs_settings (struct effects *e, struct factor *f, size_t axis);

/* Per repeat: high less low in % of the mean of both, over all pairs; f->pairs
 * of them. */
struct statistics effectpairs_changes (const struct effects *e,
                                       struct factor *f,
                                       size_t low,
                                       size_t high);

/* f->low and f->high: the levels that pairs set furthest apart; f->pairs 0:
 * there are none. */
void effectpairs_ends (struct effects *e, struct factor *f);

#endif
