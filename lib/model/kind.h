/* SPDX-License-Identifier: MIT
 *
 * kind.h - path of a file on storage -> what it is for
 */
#pragma once

#include "lib/format/calls.h"

/* -- path of a file on storage -> what it is for -- */

enum file_kind {
#define KIND(NAME, WORD, PATTERNS, HELP) KIND_##NAME,
#include "lib/model/kinds.def"
#undef KIND
    KIND_COUNT,
    KIND_NONE = KIND_COUNT /* not on storage */
};

/* Patterns of each kind as in kinds.def; NULL is the default. Patterns for
 * KIND_DATA are looked at first, and then nothing else is data. */
struct kind_rules {
    const char *patterns[KIND_COUNT];
};

enum file_kind kind_of (const struct kind_rules *rules, const char *path);

/* "data", …; "-" for KIND_NONE. */
const char *kind_name (enum file_kind kind);

/* Description of the files of the kind. */
const char *kind_help (enum file_kind kind);

/* The default patterns, for help texts. */
const char *kind_patterns (enum file_kind kind);

/* -- category and name of a region -> its role in the metrics -- */

enum role {
    ROLE_NONE = 0,
    ROLE_LOADER,
    ROLE_STALL,
    ROLE_CHECKPOINT,
    ROLE_COMPUTE,
    ROLE_BARRIER,
    ROLE_EPOCH,
    ROLE_COLLECTIVE,
    ROLE_BODY,
    ROLE_WORKERS,
    ROLE_COUNT
};

/* Relation of a region to a sample of the data set. */
enum role_sample {
    ROLE_SAMPLE_NONE = 0,
    ROLE_SAMPLE_ITEM,  /* it handles one, be its size said or not, or `count` */
    ROLE_SAMPLE_READ,  /* it takes bytes of one from the file: what it says wins
                          over what regions around it say */
    ROLE_SAMPLE_BATCH, /* it hands `count` to the program */
    ROLE_SAMPLE_WAIT,  /* it waits for a checkpoint that began before */
    ROLE_SAMPLE_END, /* the program asked for a batch and there was none left */
    ROLE_SAMPLE_COUNT
};

/* Regions of the loader without a row: image_size says whether they are a
 * sample. */
enum role_sample role_sample_of (const char *category, const char *name);

enum role role_of (const char *category, const char *name);

/* "loader", …; "-" for ROLE_NONE. */
const char *role_word (enum role role);

/* -- calls of MPI-IO by what they are: the rows of mpikinds.def -- */

enum mpikind {
#define MPIKIND(NAME, TITLE, HELP) MPIKIND_##NAME,
#include "lib/model/mpikinds.def"
#undef MPIKIND
    MPIKIND_COUNT,
    MPIKIND_NONE = MPIKIND_COUNT
};

/* Facts of an event that decide its kind. */
enum mpikind_says {
    MPIKIND_TIME = 1,  /* its duration is time in a call */
    MPIKIND_ASKED = 2, /* its size is what was asked for */
    MPIKIND_MOVED = 4, /* it is one, and its result what was moved */
    MPIKIND_CALL = 8   /* it is one that moves nothing */
};

/* *says is a sum of enum mpikind_says. MPIKIND_NONE: not of MPI-IO. */
enum mpikind mpikind_of_call (enum call call, unsigned *says);

/* -- "*.idx,*.npy" against a word -- */

/* Does one of the shell patterns, separated by commas, match the whole word,
 * case ignored? A '*' matches '/', too. Patterns over 255 bytes never match.
 */
int pattern_match (const char *patterns, const char *word);

/* Match a path: patterns without a '/' have to match one of its components,
 * directories included. */
int pattern_match_path (const char *patterns, const char *path);
