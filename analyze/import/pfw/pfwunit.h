/* SPDX-License-Identifier: MIT
 *
 * pfwunit.h - times of a DFTracer trace -> nanoseconds
 *
 * They are microseconds unless a line of metadata (CM, time_metric) says NS,
 * MS or SEC. A file that says nothing and whose times cannot be microseconds
 * of these days is taken as what they can be.
 */
#ifndef DFT_ANALYZE_PFWUNIT_H
#define DFT_ANALYZE_PFWUNIT_H

#include "analyze/import/pfw/pfwlex.h"

struct pfw_unit {
    uint32_t ns;              /* of 1 in the file */
    uint64_t latest, longest; /* later times, longer durations cannot be */
    uint8_t guessed;          /* not said by the file */
    uint8_t of_day;           /* times count from 1970, not from some start */
};

/* Look at the first lines of fd, and leave it where it was. 0, or -1. */
int pfw_unit_find (int fd, struct pfw_unit *unit);

/* The ns that a line of metadata says, or 0. */
uint32_t pfw_unit_said (const struct pfw_line *l);

/* When the line's event began and ended; without a duration it took no time.
 * 0, or -1: such times cannot be. */
int pfw_unit_times (const struct pfw_unit *unit,
                    const struct pfw_line *l,
                    uint64_t *start,
                    uint64_t *end);

#endif
