/* SPDX-License-Identifier: MIT
 *
 * marks.h - regions that name their step or epoch, and barriers -> when
 *           each one was
 */
#ifndef DFT_ANALYZE_MARKS_H
#define DFT_ANALYZE_MARKS_H

#include <stddef.h>
#include <stdint.h>

enum mark_kind {
    MARK_STEP,
    MARK_EPOCH,
    MARK_BARRIER,
    MARK_CHECKPOINT,
    MARK_KINDS
};

/* [start, end), ns of CLOCK_REALTIME; a number below 0: not said. */
struct mark {
    int64_t number;
    uint64_t start, end;
};

/* All zero is empty. */
struct marks {
    struct mark *item; /* owned */
    size_t count, room;
};

/* A region of this number was seen. One that follows another of the same
 * number makes it longer. 0, or -1 (ENOMEM). */
int marks_add (struct marks *m, int64_t number, uint64_t start, uint64_t end);
int marks_append (struct marks *m, const struct marks *more);

/* Marks of a rank -> windows: sorted by start, each reaching to the start of
 * the next, the last one to its own end; neighbours of the same number are
 * one. Marks without a number get their place, from 0. */
void marks_to_windows (struct marks *m);

/* The window in which t is, or NULL. */
const struct mark *windows_find (const struct marks *windows, uint64_t t);

void marks_clear (struct marks *m); /* keeps errno */

#endif
