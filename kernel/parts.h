/* SPDX-License-Identifier: MIT
 *
 * parts.h - a path as the programs in the kernel send it -> absolute text
 */
#ifndef DFT_KERNEL_PARTS_H
#define DFT_KERNEL_PARTS_H

#include <stddef.h>

enum { PARTS_MAX = 16384 }; /* bytes of a path, with the NUL */

/* Names of components, the last one first, each with its NUL, n bytes in all,
 * and behind them what path has, which counts from there unless it is absolute
 * (NULL: nothing). Lexical. Length of out; it ends with a NUL. */
size_t
parts_path (const char *parts, size_t n, const char *path, char out[PARTS_MAX]);

#endif
