/* SPDX-License-Identifier: MIT
 *
 * mmlosses.h - the rows of mmlosses.def as counts
 *
 * What each counts is said in usage.def.
 */
#ifndef DFT_CORE_MMLOSSES_H
#define DFT_CORE_MMLOSSES_H

#include <stdint.h>

struct mm_losses {
#define LOSS(FIELD, ROW) uint64_t FIELD;
#include "lib/format/mmlosses.def"
#undef LOSS
};

static inline int mm_losses_same (const struct mm_losses *a,
                                  const struct mm_losses *b)
{
#define LOSS(FIELD, ROW) a->FIELD == b->FIELD &&
    return
#include "lib/format/mmlosses.def"
        1;
#undef LOSS
}

/* Join two reports of one process: its counts only grow, so the larger ones are
 * the later. */
static inline void mm_losses_meet (struct mm_losses *to,
                                   const struct mm_losses *from)
{
#define LOSS(FIELD, ROW)         \
    if (from->FIELD > to->FIELD) \
        to->FIELD = from->FIELD;
#include "lib/format/mmlosses.def"
#undef LOSS
}

/* Add the counts of another process. */
static inline void mm_losses_add (struct mm_losses *to,
                                  const struct mm_losses *from)
{
#define LOSS(FIELD, ROW) to->FIELD += from->FIELD;
#include "lib/format/mmlosses.def"
#undef LOSS
}

#endif
