/* SPDX-License-Identifier: MIT
 *
 * hdfwrap.h - parameters of functions of so many machine words
 */
#ifndef DFT_HDF_HDFWRAP_H
#define DFT_HDF_HDFWRAP_H

#include "preload/hdf/hdfreal.h"

#define HDFWRAP __attribute__ ((visibility ("default")))

/* As parameters, as types, as arguments; and as a list that is never empty. */
#define HDFWRAP_PARAMS_0 void
#define HDFWRAP_TYPES_0  void
#define HDFWRAP_ARGS_0
#define HDFWRAP_LIST_0   0
#define HDFWRAP_PARAMS_1 hdfword a
#define HDFWRAP_TYPES_1  hdfword
#define HDFWRAP_ARGS_1   a
#define HDFWRAP_LIST_1   a
#define HDFWRAP_PARAMS_2 hdfword a, hdfword b
#define HDFWRAP_TYPES_2  hdfword, hdfword
#define HDFWRAP_ARGS_2   a, b
#define HDFWRAP_LIST_2   a, b
#define HDFWRAP_PARAMS_3 hdfword a, hdfword b, hdfword c
#define HDFWRAP_TYPES_3  hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_3   a, b, c
#define HDFWRAP_LIST_3   a, b, c
#define HDFWRAP_PARAMS_4 hdfword a, hdfword b, hdfword c, hdfword d
#define HDFWRAP_TYPES_4  hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_4   a, b, c, d
#define HDFWRAP_LIST_4   a, b, c, d
#define HDFWRAP_PARAMS_5 hdfword a, hdfword b, hdfword c, hdfword d, hdfword e
#define HDFWRAP_TYPES_5  hdfword, hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_5   a, b, c, d, e
#define HDFWRAP_LIST_5   a, b, c, d, e
#define HDFWRAP_PARAMS_6 \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f
#define HDFWRAP_TYPES_6 hdfword, hdfword, hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_6  a, b, c, d, e, f
#define HDFWRAP_LIST_6  a, b, c, d, e, f
#define HDFWRAP_PARAMS_7 \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, hdfword g
#define HDFWRAP_TYPES_7 \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_7 a, b, c, d, e, f, g
#define HDFWRAP_LIST_7 a, b, c, d, e, f, g
#define HDFWRAP_PARAMS_8                                              \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, \
        hdfword g, hdfword h
#define HDFWRAP_TYPES_8 \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_8 a, b, c, d, e, f, g, h
#define HDFWRAP_LIST_8 a, b, c, d, e, f, g, h
#define HDFWRAP_PARAMS_9                                              \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, \
        hdfword g, hdfword h, hdfword i
#define HDFWRAP_TYPES_9                                                     \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, \
        hdfword
#define HDFWRAP_ARGS_9 a, b, c, d, e, f, g, h, i
#define HDFWRAP_LIST_9 a, b, c, d, e, f, g, h, i
#define HDFWRAP_PARAMS_10                                             \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, \
        hdfword g, hdfword h, hdfword i, hdfword j
#define HDFWRAP_TYPES_10                                                    \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, \
        hdfword, hdfword
#define HDFWRAP_ARGS_10 a, b, c, d, e, f, g, h, i, j
#define HDFWRAP_LIST_10 a, b, c, d, e, f, g, h, i, j
#define HDFWRAP_PARAMS_11                                             \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, \
        hdfword g, hdfword h, hdfword i, hdfword j, hdfword k
#define HDFWRAP_TYPES_11                                                    \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, \
        hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_11 a, b, c, d, e, f, g, h, i, j, k
#define HDFWRAP_LIST_11 a, b, c, d, e, f, g, h, i, j, k
#define HDFWRAP_PARAMS_12                                             \
    hdfword a, hdfword b, hdfword c, hdfword d, hdfword e, hdfword f, \
        hdfword g, hdfword h, hdfword i, hdfword j, hdfword k, hdfword l
#define HDFWRAP_TYPES_12                                                    \
    hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, hdfword, \
        hdfword, hdfword, hdfword, hdfword
#define HDFWRAP_ARGS_12 a, b, c, d, e, f, g, h, i, j, k, l
#define HDFWRAP_LIST_12 a, b, c, d, e, f, g, h, i, j, k, l

#endif
