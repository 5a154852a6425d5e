/* SPDX-License-Identifier: MIT
 *
 * place.c - position of a read or write relative to the one before it
 *
 * In:  reads and writes of one file in one chunk of a thread, in order
 * Out: how each follows the one before, to scan.c and column.c; bytes skipped
 */
#include "config.h"

#include "analyze/scan/place.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum placed
place_move (struct place *at, unsigned call, int64_t offset, uint64_t bytes)
{
    const struct call_info *info = &call_table[call];

    return offset < 0 || !(info->fields & F_OFFSET)
               ? PLACED_NOT
               : place_follow (at, info->class == CALL_CLASS_WRITE, offset,
                               bytes);
}

const char *placed_name (enum placed placed)
{
    static const char *const names[PLACED_COUNT] = {
        "none", "consecutive", "strided", "sequential", "backward"};

    return names[placed];
}

int64_t strides_add (struct strides *s, uint32_t name)
{
    GROW (s->item, s->room, s->count + 1);
    s->item[s->count] = (struct strides_file){.name = name};
    return s->count++;
}

static int strides_by_name (const void *a, const void *b)
{
    const struct strides_file *x = a, *y = b;

    return ORDER (x->name, y->name);
}

static void strides_sort (struct strides *s)
{
    if (s->count)
        SORT (s->item, s->count, strides_by_name);
}

void strides_join (
    struct strides *to,
    struct strides *later,
    void (*take) (void *cookie, uint32_t name, int is_write, uint64_t stride),
    void *cookie)
{
    size_t known = to->count, at = 0;

    strides_sort (to);
    strides_sort (later);
    for (size_t i = 0; i < later->count; i++) {
        const struct strides_file *l = &later->item[i];
        int64_t same;

        while (at < known && to->item[at].name < l->name)
            at++;
        same = at < known && to->item[at].name == l->name
                   ? (int64_t)at
                   : strides_add (to, l->name);
        for (int w = 0; w < 2; w++) {
            uint64_t *end = &to->item[same].end[w];

            if (l->first[w])
                take (cookie, l->name, w, strides_of (*end, l->first[w] - 1));
            *end = l->end[w] ? l->end[w] : *end;
        }
    }
    strides_clear (later);
}

void strides_clear (struct strides *s)
{
    free (s->item);
    *s = (struct strides){.continues = s->continues};
}
