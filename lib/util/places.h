/* SPDX-License-Identifier: MIT
 *
 * places.h - where the preload library and the Python package are
 */
#ifndef DFT_UTIL_PLACES_H
#define DFT_UTIL_PLACES_H

#include "lib/settings/settings.h"

extern const char places_library_name[];

/* Paths to be freed. The library: NULL when memory is short; it may not be
 * there. The directory for PYTHONPATH: NULL where there is none. */
char *places_library (const struct settings *s);
char *places_python (const struct settings *s);

/* The recorder of layer kernel, which may not be there. */
char *places_kernel (void);

#endif
