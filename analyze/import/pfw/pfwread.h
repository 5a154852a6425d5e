/* SPDX-License-Identifier: MIT
 *
 * pfwread.h - a DFTracer trace on disk -> its lines, and what is wrong
 */
#ifndef DFT_ANALYZE_PFWREAD_H
#define DFT_ANALYZE_PFWREAD_H

#include <stdint.h>

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

/* Read the lines of one block and add to *account. 0, or take's -1. */
int pfw_block_read (const struct pfw_block *b,
                    struct pfw_account *account,
                    pfw_take *take,
                    void *cookie);

/* Add what other blocks say; at last, what their file says. */
void pfw_account_add (struct pfw_account *a, const struct pfw_account *more);
void pfw_account_end (struct pfw_account *a, const struct pfw_blocks *f);

/* Read all of fd, which stays the caller's. 0, or -1: not readable, ENOMEM,
 * or take's. */
int pfw_read (int fd,
              struct pfw_account *account,
              pfw_take *take,
              void *cookie);

/* Events that were lost, at least. */
uint64_t pfw_lost (const struct pfw_account *a);

#endif
