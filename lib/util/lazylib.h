/* SPDX-License-Identifier: MIT
 *
 * lazylib.h - a shared library that is loaded when it is first needed
 *
 * Loading SQLite, OTF2 and bzip2 took a quarter of the start of a command, and
 * slurmd starts one for each job that ends. The functions that are called are a
 * list of names, X_FUNCTIONS (F): members of a struct, and names to look for.
 */
#pragma once

#include "lib/base/text.h"

/* Load file and put the functions names (up to NULL) into the pointers at
 * functions. More than once is harmless. 0, or -1 with err. Thread safe. */
int lazylib_load (const char *file,
                  const char *const *names,
                  void *functions,
                  struct errtext *err);
