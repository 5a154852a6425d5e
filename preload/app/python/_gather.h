/* SPDX-License-Identifier: MIT
 *
 * _gather.h - what a use of a node was given -> one dict
 */
#ifndef DFT_PYTHON_GATHER_H
#define DFT_PYTHON_GATHER_H

#include "python_h.h"

/* gather (epoch, step, image_idx, image_size, args) -> dict or None; a new
 * reference, or NULL with an exception. */
PyObject *gather (PyObject *module, PyObject *const *args, Py_ssize_t nargs);

#endif
