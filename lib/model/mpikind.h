/* SPDX-License-Identifier: MIT
 *
 * mpikind.h - calls of MPI-IO by what they are: the rows of mpikinds.def
 *
 * All of it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_MPIKIND_H
#define DFT_MODEL_MPIKIND_H

#include "lib/format/calls.h"

enum mpikind {
#define MPIKIND(NAME, TITLE, HELP) MPIKIND_##NAME,
#include "lib/model/mpikinds.def"
#undef MPIKIND
    MPIKIND_COUNT,
    MPIKIND_NONE = MPIKIND_COUNT
};

/* What an event says of a kind. */
enum mpikind_says {
    MPIKIND_TIME = 1,  /* its duration is time in a call */
    MPIKIND_ASKED = 2, /* its size is what was asked for */
    MPIKIND_MOVED = 4, /* it is one, and its result what was moved */
    MPIKIND_CALL = 8   /* it is one that moves nothing */
};

/* *says is a sum of enum mpikind_says. MPIKIND_NONE: not of MPI-IO. */
enum mpikind mpikind_of_call (enum call call, unsigned *says);

#endif
