/* SPDX-License-Identifier: MIT
 *
 * partialsizes.c - the sizes of a file <-> a part of its section
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/query/partials/partialreader.h"

int partial_pack_sizes (struct packer *p, const struct file_sizes *f)
{
    static const struct sizes none;

    for (int way = 0; way < SIZES_WAYS; way++) {
        const struct sizes *s = f ? &f->way[way] : &none;
        size_t n;
        struct valuecount_slot *all = sizes_sorted (s, &n);

        if (!all)
            return -1;
        pack_uint (p, s->unknown);
        pack_uint (p, n);
        for (size_t i = 0; i < n; i++) {
            pack_uint (p, all[i].value);
            pack_uint (p, all[i].times);
        }
        free (all);
    }
    return 0;
}

int partial_get_sizes (struct partial_reader *r, struct file_total *f)
{
    for (int w = 0; w < SIZES_WAYS; w++) {
        enum sizes_way way = (enum sizes_way)w;
        uint64_t unknown = unpack_uint (&r->u), n = unpack_uint (&r->u);

        if (unknown && sizes_add_unknown (&f->sizes, way, unknown) < 0)
            return -1;
        for (uint64_t i = 0; i < n && !r->u.bad; i++) {
            uint64_t bytes = unpack_uint (&r->u), times = unpack_uint (&r->u);

            if (!r->u.bad && times &&
                sizes_add (&f->sizes, way, bytes, times) < 0)
                return -1;
        }
    }
    return r->u.bad ? -1 : 0;
}
