/* SPDX-License-Identifier: MIT
 *
 * bill.h - what the time of a main thread went into: the rows of bill.def
 *
 * All of it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_BILL_H
#define DFT_MODEL_BILL_H

#include "lib/format/calls.h"
#include "lib/model/kind.h"
#include "lib/model/role.h"

enum bill {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, NEED, HELP) BILL_##NAME,
#include "lib/model/bill.def"
#undef BILL
    BILL_COUNT,
    BILL_NONE = BILL_COUNT /* belongs to no row */
};

struct bill_info {
    const char *name, *title, *help;
    unsigned calls, kinds, roles; /* bits: 1 << enum … */
};

/* Indexed by enum bill. */
extern const struct bill_info bill_table[BILL_COUNT];

/* In the order of billorder.def; BILL_other is not in it. */
extern const enum bill bill_order[];
extern const int bill_ordered;

/* Bits 1 << enum bill: rows that ask the helpers of a rank, rows of helpers. */
extern const unsigned bill_asks, bill_helps;

/* The row of a call on a file of this kind, KIND_NONE: not on storage. */
enum bill bill_of_call (enum call call, enum file_kind kind);

/* The row of a region's own time. */
enum bill bill_of_role (enum role role);

#endif
