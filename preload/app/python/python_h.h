/* SPDX-License-Identifier: MIT
 *
 * python_h.h - Python.h, and what the module's files share
 */
#pragma once

/* Stable ABI of CPython 3.10: one build serves all later versions. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A function of the way METH_FASTCALL, in a PyMethodDef. */
#define FAST(FUNCTION) (PyCFunction) (void (*) (void)) FUNCTION

/* --- _gather.c: what a use of a node was given -> one dict --- */

/* gather (epoch, step, image_idx, image_size, args) -> dict or None; a new
 * reference, or NULL with an exception. */
PyObject *gather (PyObject *module, PyObject *const *args, Py_ssize_t nargs);

/* --- _inert.c: calls of a process that is not traced ---
 *
 * New references, or NULL with an exception.
 */

/* A function that gives result, whatever it is called with. */
PyObject *inert_always (PyObject *module, PyObject *result);

/* A class; see _inert.c. */
PyObject *inert_node (PyObject *module, PyObject *unused);
