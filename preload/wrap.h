/* SPDX-License-Identifier: MIT
 *
 * wrap.h - prototypes of all wrappers, as wraps.def has them
 */
#ifndef DFT_PRELOAD_WRAP_H
#define DFT_PRELOAD_WRAP_H

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define WRAP_EXPORT __attribute__ ((visibility ("default")))

#define WRAP(R, F, CALL, PARAMS, ARGS, OPEN, CLOSE) WRAP_EXPORT R F PARAMS;
#define HAND(R, F, PARAMS)                          WRAP_EXPORT R F PARAMS;
#include "preload/wraps.def"
#undef WRAP
#undef HAND

#endif
