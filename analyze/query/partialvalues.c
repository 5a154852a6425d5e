/* SPDX-License-Identifier: MIT
 *
 * partialvalues.c - sizes and strides of a file <-> a part of its section
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/query/partialreader.h"

static int partialvalues_pack (struct packer *p, const struct accessvalues *f)
{
    static const struct accessvalues_of none;

    for (int way = 0; way < ACCESS_WAYS; way++) {
        const struct accessvalues_of *s =
            f && f->way[way] ? f->way[way] : &none;
        size_t n;
        struct valuecount_slot *all = accessvalues_sorted (s, &n);

        if (!all)
            return -1;
        pack_uint (p, s->unknown);
        pack_uint (p, s->bits);
        pack_uint (p, n);
        for (size_t i = 0; i < n; i++) {
            pack_uint (p, all[i].value);
            pack_uint (p, all[i].times);
        }
        free (all);
    }
    return 0;
}

int partial_pack_values (struct packer *p, const struct file_total *f)
{
    return partialvalues_pack (p, f->sizes) < 0
               ? -1
               : partialvalues_pack (p, f->strides);
}

static int partialvalues_get (struct partial_reader *r, struct accessvalues **f)
{
    for (int w = 0; w < ACCESS_WAYS; w++) {
        enum access_way way = (enum access_way)w;
        uint64_t unknown = unpack_uint (&r->u), bits = unpack_uint (&r->u);
        uint64_t n = unpack_uint (&r->u);

        if (bits > 64)
            r->u.bad = 1;
        if ((unknown && accessvalues_add_unknown (f, way, unknown) < 0) ||
            accessvalues_bound (f, way, r->u.bad ? 0 : (unsigned)bits) < 0)
            return -1;
        for (uint64_t i = 0; i < n && !r->u.bad; i++) {
            uint64_t bytes = unpack_uint (&r->u), times = unpack_uint (&r->u);

            if (!r->u.bad && times &&
                accessvalues_add (f, way, bytes, times) < 0)
                return -1;
        }
    }
    return r->u.bad ? -1 : 0;
}

int partial_get_values (struct partial_reader *r, struct file_total *f)
{
    return partialvalues_get (r, &f->sizes) < 0
               ? -1
               : partialvalues_get (r, &f->strides);
}
