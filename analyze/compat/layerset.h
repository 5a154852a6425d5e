/* SPDX-License-Identifier: MIT
 *
 * layerset.h - which events make up a layer: presets, or the user's YAML
 */
#ifndef DFT_ANALYZE_LAYERSET_H
#define DFT_ANALYZE_LAYERSET_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/errtext.h"

enum { LAYERSET_MAX = 32 };

struct layer_def {
    char *name, *title;
    int overlap; /* compared with the layer "compute" */
    int size;    /* has bytes */
};

struct layer_rule {
    size_t layer;
    char *cats, *names, *not_names; /* patterns; NULL any, none */
};

struct layerset {
    struct layer_def layer[LAYERSET_MAX];
    size_t layers;
    struct layer_rule *rule;
    size_t rules;
    int compute; /* index of the layer of that name, -1 none */
};

/* Rows of layerrules.def. */
enum layer_preset {
    PRESET_DLIO,
    PRESET_AI,
    PRESET_DLIO_0_0_9,
    PRESET_AI_0_0_9
};

/* 0, or -1 with err. */
int layerset_preset (struct layerset *s,
                     enum layer_preset preset,
                     struct errtext *err);

/* From a file:
 *
 *     layers:
 *       - name: compute
 *         cat: compute            patterns: text or list
 *         func: [forward, step]
 *         not_func: step.init
 *         title: Compute
 *         overlap: no             yes unless its name is compute
 *         size: yes               no unless it is said
 *
 * 0, or -1 with err. */
int layerset_file (struct layerset *s, const char *path, struct errtext *err);
void layerset_clear (struct layerset *s);

/* A number that differs when the layers do. */
uint64_t layerset_sum (const struct layerset *s);

/* Set of layers (bit i: layer i) of an event; category in small letters. */
uint32_t layerset_match (const struct layerset *s,
                         const char *category,
                         const char *name);

#endif
