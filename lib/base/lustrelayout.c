/* SPDX-License-Identifier: MIT
 *
 * lustrelayout.c - lov_user_md_v1, _v3, lov_comp_md_v1 -> struct lustrelayout
 *
 *     v1: 0 magic u32, pattern u32, id 16 bytes, 24 stripe_size u32,
 *         28 stripe_count u16, 30 generation u16, 32 objects of 24 bytes
 *     v3: as v1, 32 pool name 16 bytes, 48 objects
 *     composite: 0 magic u32, size u32, generation u32, flags u16,
 *         14 entry_count u16, 16 mirror_count - 1 u16, … , 32 entries of 48
 *         bytes: id u32, flags u32, 8 start u64, 16 end u64, 24 offset u32,
 *         28 size u32, …; at offset: a v1 or v3
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/base/lustrelayout.h"

enum {
    MAGIC_V1 = 0x0BD10BD0,
    MAGIC_V3 = 0x0BD30BD0,
    MAGIC_COMPOSITE = 0x0BD60BD0,
    MAGIC_SPECIFIC = 0x0BD50BD0, /* v3 with chosen targets */
    PLAIN_BYTES = 32,
    HEAD_BYTES = 32,
    ENTRY_BYTES = 48,
    HAS_OBJECTS = 0x10,         /* LCME_FL_INIT */
    RELEASED = (int)0x80000000, /* LOV_PATTERN_F_RELEASED */
    ALL_TARGETS = 0xffff        /* stripe_count of -1 */
};

static uint32_t lustrelayout_u32 (const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint32_t lustrelayout_u16 (const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static int lustrelayout_is_plain (uint32_t magic)
{
    return magic == MAGIC_V1 || magic == MAGIC_V3 || magic == MAGIC_SPECIFIC;
}

static int lustrelayout_bad (int error)
{
    errno = error;
    return -1;
}

static int
lustrelayout_plain (struct lustrelayout *l, const unsigned char *p, size_t n)
{
    uint32_t count;

    if (n < PLAIN_BYTES)
        return lustrelayout_bad (EOVERFLOW);
    if (!lustrelayout_is_plain (lustrelayout_u32 (p)))
        return lustrelayout_bad (EINVAL);
    count = lustrelayout_u16 (p + 28);
    l->stripes = count == ALL_TARGETS ? 0 : count;
    l->stripe_size = lustrelayout_u32 (p + 24);
    l->released = (lustrelayout_u32 (p + 4) & (uint32_t)RELEASED) != 0;
    l->components = 1;
    return 0;
}

/* Is b, with objects or without, the one to tell of? */
static int lustrelayout_beats (const struct lustrelayout *b,
                               uint32_t objects,
                               const struct lustrelayout *a,
                               uint32_t before)
{
    if (objects != before)
        return objects > before;
    return b->stripes > a->stripes;
}

static int lustrelayout_composite (struct lustrelayout *l,
                                   const unsigned char *p,
                                   size_t n)
{
    uint32_t entries, objects = 0, found = 0;

    if (n < HEAD_BYTES)
        return lustrelayout_bad (EOVERFLOW);
    entries = lustrelayout_u16 (p + 14);
    for (uint32_t i = 0; i < entries && i < LUSTRELAYOUT_COMPONENTS; i++) {
        const unsigned char *e = p + HEAD_BYTES + i * ENTRY_BYTES;
        struct lustrelayout one = {0};
        uint32_t at, has;

        if ((size_t)(e - p) + ENTRY_BYTES > n)
            return lustrelayout_bad (EOVERFLOW);
        at = lustrelayout_u32 (e + 24);
        has = (lustrelayout_u32 (e + 4) & HAS_OBJECTS) != 0;
        if (at > n)
            return lustrelayout_bad (EOVERFLOW);
        if (lustrelayout_plain (&one, p + at, n - at) < 0)
            return -1;
        if (!found++ || lustrelayout_beats (&one, has, l, objects)) {
            *l = one;
            objects = has;
        }
    }
    if (!found)
        return lustrelayout_bad (EINVAL);
    l->components = entries;
    l->mirrors = lustrelayout_u16 (p + 16) + 1;
    return 0;
}

int lustrelayout_parse (struct lustrelayout *l, const void *bytes, size_t n)
{
    memset (l, 0, sizeof (*l));
    if (n < 4)
        return lustrelayout_bad (EOVERFLOW);
    if (lustrelayout_u32 (bytes) == MAGIC_COMPOSITE)
        return lustrelayout_composite (l, bytes, n);
    return lustrelayout_plain (l, bytes, n);
}
