/* SPDX-License-Identifier: MIT
 *
 * pfwread.h - a DFTracer trace on disk -> its lines, and what is wrong
 */
#pragma once

#include "analyze/import/pfw/pfwblock.h"
#include "analyze/import/pfw/pfwlex.h"

struct pfw_account {
    struct gzin_account in;
    uint64_t lines;          /* that are not blank or a bracket */
    uint64_t events;         /* lines with "ph" X */
    uint64_t meta;           /* names and facts */
    uint64_t counters;       /* samples of the system, not analyzed */
    uint64_t others;         /* moments, flows, states: not analyzed */
    uint64_t pairs;          /* begins and ends that come too late in a file
                                to be seen as pairs: not read */
    uint64_t merged;         /* events in aggregated lines, at least: these
                                have no times of their own, only sums */
    uint64_t bad, bad_bytes; /* malformed: pieces of lines */
    uint64_t bad_times;      /* events whose time cannot be: left out */
    uint64_t no_duration;    /* events without one, or with one below 0: they
                                count, and take no time */
    uint64_t huge;           /* events with sizes that cannot be, taken as 0 */
    uint64_t unsized;        /* reads and writes that do not say how much */
    uint64_t back;           /* times that a thread's lines go back to where
                                they were: maybe written twice */
    uint64_t copies;         /* lines that are there twice; counted once */
    uint64_t crossed;        /* calls that begin in another one of their thread
                                and end behind it */
    uint64_t other_units;    /* times that the unit of time changes */
    uint32_t unit;           /* ns of 1 in the file's times */
    int unit_guessed;        /* by how large they are */
    uint64_t unnamed;        /* hashes of files that nothing explains */
    int cut;                 /* the last line is incomplete */
    int empty;               /* nothing at all was recorded */
};

/* Gets each line; 0 to go on, -1 to stop. */
typedef int pfw_take (void *cookie, const struct pfw_line *line);

/* Read the lines of one block, until take stops, and add to *account. */
void pfw_block_read (const struct pfw_block *b,
                     struct pfw_account *account,
                     pfw_take *take,
                     void *cookie);

/* Add what other blocks say; at last, what their file says. */
void pfw_account_add (struct pfw_account *a, const struct pfw_account *more);
void pfw_account_end (struct pfw_account *a, const struct pfw_blocks *f);

/* Read all of fd, which stays the caller's. 0, or -1: not readable. */
int pfw_read (int fd,
              struct pfw_account *account,
              pfw_take *take,
              void *cookie);

/* Events that were lost, at least. */
uint64_t pfw_lost (const struct pfw_account *a);

/* --- times -> nanoseconds ---------------------------------------------------
 *
 * Times are microseconds unless a line of metadata (CM, time_metric) says NS,
 * MS or SEC. If a file does not say its unit and its times cannot be
 * microseconds of these days, the unit is guessed from them.
 */

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

/* --- lines that are there twice ---------------------------------------------
 *
 * A process that forks with events in its buffer leaves them to its child, and
 * both write them: the same numbers, times and arguments. A thread's lines go
 * back in time then, which is how that is noticed; the copies are found in a
 * second reading.
 */

/* Times (ns) and number + 1 (0: none) of a line of a thread. */
struct pfw_mark {
    uint64_t start, end, id;
};

/* Does a thread whose last line was `before` go back with `after`? Nested
 * events do not, be they sorted by their begin or their end. */
int pfw_goes_back (const struct pfw_mark *before, const struct pfw_mark *after);

struct pfw_seen;

struct pfw_seen *pfw_seen_create (void);
void pfw_seen_destroy (struct pfw_seen *seen); /* NULL is fine, keeps errno */

/* 0: the line is new, or has no number; 1: it is there already. */
int pfw_seen_add (struct pfw_seen *seen, const struct pfw_line *l);
