/* SPDX-License-Identifier: MIT
 *
 * python.h - whether layer app got into this Python
 */
#ifndef DFT_PRELOAD_PYTHON_H
#define DFT_PRELOAD_PYTHON_H

#include "lib/settings/settings.h"

/* Once, before threads: is this program Python, and what should its children
 * have in PYTHONPATH? s must stay. */
void python_start (const struct settings *s);

/* Before the process ends: a fact of its trace, where it has one, if it is
 * Python and the hook of layer app never ran. */
void python_finish (void);

#endif
