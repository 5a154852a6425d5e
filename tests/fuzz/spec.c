/* SPDX-License-Identifier: MIT
 *
 * spec.c - any bytes as a sweep file: read, expanded, cut into arrays
 *
 * make fuzz-spec FUZZ_SECONDS=60; starts from etc/examples
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "sweep/plan/order.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { GRID_MAX = 2000 }; /* points x repeats: fast enough to go on */

static size_t product_of (const struct spec *s)
{
    size_t n = (size_t)s->repeats;

    for (size_t i = 0; i < s->axes && n <= GRID_MAX; i++)
        n *= s->axis[i].count;
    return n;
}

static void expand (const struct spec *s)
{
    struct errtext err = {""};
    struct grid *g = grid_expand (s, &err);
    struct layout *l;
    size_t tasks = 0;

    if (!g) {
        if (!err.text[0])
            abort ();
        return;
    }
    l = layout_make (s, g, 7);
    for (size_t i = 0; i < l->chunks; i++)
        tasks += (size_t)l->chunk[i].count;
    if (tasks != g->count * (size_t)s->repeats)
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    void *mark = arena_alloc (1);
    struct errtext err = {""};
    struct spec *s = spec_parse ("fuzz", (const char *)data, size, &err);

    if (!s && !err.text[0])
        abort ();
    if (s && product_of (s) <= GRID_MAX)
        expand (s);
    spec_destroy (s);
    arena_free (mark);
    return 0;
}
