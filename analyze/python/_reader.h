/* SPDX-License-Identifier: MIT
 *
 * _reader.h - what the files of the extension _reader share
 *
 * Functions give NULL or -1 with an exception of Python's.
 */
#ifndef DFT_READER__READER_H
#define DFT_READER__READER_H

#include "analyze/python/python_h.h"

#include "lib/util/textable.h"
#include "analyze/python/arrow.h"
#include "analyze/python/readjob.h"

/* Exceptions of the module. */
extern PyObject *reader_error, *reader_ask_error;

/* Raise what err says; errno EINVAL: the question is wrong. Always NULL. */
PyObject *reader_raise (const struct errtext *err, int error);

/* A type of the module. NULL: failed. */
PyObject *reader_make_type (PyObject *module, PyType_Spec *spec);

/* A capsule that releases the stream, which is copied. */
PyObject *reader_capsule (struct ArrowArrayStream *stream);

/* A list or tuple of str as a NULL-terminated list, to be freed by PyMem_Free;
 * its texts belong to the objects. None: *list is NULL. 0, or -1. */
int reader_words (PyObject *o, const char *what, const char ***list);

/* Text of ours, which may have any bytes: those that are no UTF-8 become
 * U+00XX. */
PyObject *reader_text (const char *text);

/* Objects: a table, which is then theirs; the events of a question. */
extern PyType_Spec reader_table_spec, reader_events_spec, reader_job_spec;
PyObject *reader_table (struct textable *t);
PyObject *reader_events (struct readjob *j,
                         PyObject *where,
                         PyObject *columns,
                         Py_ssize_t rows,
                         int strict);
extern PyTypeObject *reader_table_type, *reader_events_type;

#endif
