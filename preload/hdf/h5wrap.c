/* SPDX-License-Identifier: MIT
 *
 * h5wrap.c - the functions of h5calls.def: a wrapper for each
 *
 * Arguments are machine words that are handed on as they came, and so is the
 * result: an id or an int.
 */
#include "config.h"

#include "preload/hdf/h5call.h"
#include "preload/hdf/hdfwrap.h"

#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL)                           \
    HDFWRAP hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS);                       \
    HDFWRAP hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS)                        \
    {                                                                          \
        const hdfword all[] = {HDFWRAP_LIST_##ARGUMENTS};                      \
        struct h5call call;                                                    \
        hdfword (*real) (HDFWRAP_TYPES_##ARGUMENTS) = h5call_begin (           \
            &call, H5ROW_##SYMBOL, __builtin_return_address (0));              \
        hdfword result = real ? real (HDFWRAP_ARGS_##ARGUMENTS) : (hdfword)-1; \
                                                                               \
        h5call_end (&call, all, result);                                       \
        return result;                                                         \
    }
#include "preload/hdf/h5calls.def"
