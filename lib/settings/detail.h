/* SPDX-License-Identifier: MIT
 *
 * detail.h - "rank:0+step:1/100" -> what is traced in full
 *
 * The rest goes into a profile. Words: doc/profile.md. No allocation, no
 * state; safe inside a traced process.
 */
#pragma once

#include <stdint.h>

#include "lib/format/calls.h"
#include "lib/base/text.h"

enum detail_term {
    DETAIL_RANK = 1,
    DETAIL_STEP = 2,
    DETAIL_FIRST = 4,
    DETAIL_P99 = 8
};

/* Numbers first to last, or (every > 0) first of each `every`. */
struct detail_numbers {
    uint64_t first, last, every;
};

/* All of its terms must hold. */
struct detail {
    unsigned terms; /* set of enum detail_term; 0: all is traced in full */
    struct detail_numbers rank, step;
    uint64_t first_ns;  /* since the start of the job, or of the process */
    uint64_t p99_ns;    /* the bound */
    unsigned p99_class; /* enum call_class */
};

/* "all", or TERM[+TERM...]: rank:N, rank:N-M, rank:K/N, the same of step;
 * first:DURATION; p99:read:DURATION, p99:write:DURATION. Blanks and > stand
 * for the colon, too. -1: err names the term, *d is unchanged. */
int detail_parse (const char *text, struct detail *d, struct errtext *err);

/* Check the text as detail_parse does, without a result. */
int detail_check (const char *text, struct errtext *err);

/* Whether a number is one of them. Of those that are counted (K/N), which ones
 * is drawn by seed: another job has others, all processes of a job the same.
 * among: how many numbers there are, 0 not known; one of them at least is. */
int detail_holds (const struct detail_numbers *n,
                  uint64_t number,
                  uint64_t seed,
                  uint64_t among);

/* How many numbers each one that holds stands for, among so many (0 not
 * known); 1 where they are named. */
double detail_weight (const struct detail_numbers *n, uint64_t among);
