/* SPDX-License-Identifier: MIT
 *
 * _inert.h - calls of a process that is not traced
 *
 * New references, or NULL with an exception.
 */
#ifndef DFT_PYTHON_INERT_H
#define DFT_PYTHON_INERT_H

#include "python_h.h"

/* A function that gives result, whatever it is called with. */
PyObject *inert_always (PyObject *module, PyObject *result);

/* A class; see _inert.c. */
PyObject *inert_node (PyObject *module, PyObject *unused);

#endif
