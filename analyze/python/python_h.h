/* SPDX-License-Identifier: MIT
 *
 * python_h.h - Python.h
 *
 * Stable ABI of CPython 3.10: one build serves all later versions.
 */
#ifndef DFT_READER_PYTHON_H
#define DFT_READER_PYTHON_H

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A function with keywords, in a PyMethodDef; one of a slot. */
#define READER_KEYWORDS(FUNCTION) \
    (PyCFunction) (void (*) (void)) FUNCTION, METH_VARARGS | METH_KEYWORDS
#define READER_SLOT(FUNCTION) (void *)(uintptr_t)FUNCTION

/* Texts that Python takes without const. */
#define READER_NAMES(NAMES) ((char **)(uintptr_t)(NAMES))
#define READER_DOC(TEXT)    ((void *)(uintptr_t)(TEXT))

#endif
