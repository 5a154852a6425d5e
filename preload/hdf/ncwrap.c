/* SPDX-License-Identifier: MIT
 *
 * ncwrap.c - the functions of nccalls.def or pnccalls.def: a wrapper for each
 */
#include "config.h"

#include "preload/hdf/hdfwrap.h"
#include "preload/hdf/nccall.h"

enum { NC_EINVAL = -36 };

#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE)               \
    HDFWRAP hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS);                 \
    HDFWRAP hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS)                  \
    {                                                                    \
        const hdfword all[] = {HDFWRAP_LIST_##ARGUMENTS};                \
        struct nccall call;                                              \
        hdfword (*real) (HDFWRAP_TYPES_##ARGUMENTS) = nccall_begin (     \
            &call, NCROW_##SYMBOL, all, __builtin_return_address (0));   \
        hdfword result =                                                 \
            real ? real (HDFWRAP_ARGS_##ARGUMENTS) : (hdfword)NC_EINVAL; \
                                                                         \
        nccall_end (&call, result);                                      \
        return result;                                                   \
    }
#include NC_CALLS
