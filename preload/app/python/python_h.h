/* SPDX-License-Identifier: MIT
 *
 * python_h.h - Python.h
 *
 * Stable ABI of CPython 3.10: one build serves all later versions.
 */
#ifndef DFT_PYTHON_H
#define DFT_PYTHON_H

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A function of the way METH_FASTCALL, in a PyMethodDef. */
#define FAST(FUNCTION) (PyCFunction) (void (*) (void)) FUNCTION

#endif
