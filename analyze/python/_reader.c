/* SPDX-License-Identifier: MIT
 *
 * _reader.c - the analysis as an extension of Python; use the package dftrace
 *
 * In:  questions of dftrace/_read.py
 * Out: tables and streams of Arrow; exceptions with our texts
 * Caveat: the lock of Python is given back while a job is read.
 */
#include "config.h"

#include "analyze/python/_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chart/style.h"
#include "lib/base/escape.h"
#include "lib/util/spool.h"
#include "analyze/python/readpage.h"

PyObject *reader_error, *reader_ask_error;
PyTypeObject *reader_table_type, *reader_events_type;

/* --- shared -----------------------------------------------------------------
 */

PyObject *reader_text (const char *text)
{
    size_t length = strlen (text), n = 0, taken;
    char *clean = PyMem_Malloc (ESCAPE_BYTES_MAX * length + 1);
    PyObject *o;

    if (!clean)
        return PyErr_NoMemory ();
    for (; length > 0; text += taken, length -= taken)
        n += escape_bytes (clean + n, text, length, &taken);
    o = PyUnicode_DecodeUTF8 (clean, (Py_ssize_t)n, "replace");
    PyMem_Free (clean);
    return o;
}

PyObject *reader_raise (const struct errtext *err, int error)
{
    PyObject *text =
        reader_text (err->text[0] ? readjob_say (err->text) : strerror (error));

    if (text) {
        PyErr_SetObject (error == EINVAL ? reader_ask_error : reader_error,
                         text);
        Py_DECREF (text);
    }
    return NULL;
}

static const char reader_capsule_name[] = "arrow_array_stream";

static void reader_capsule_free (PyObject *capsule)
{
    struct ArrowArrayStream *s =
        PyCapsule_GetPointer (capsule, reader_capsule_name);

    if (!s)
        return;
    if (s->release) { /* nobody took it */
        Py_BEGIN_ALLOW_THREADS;
        s->release (s);
        Py_END_ALLOW_THREADS;
    }
    free (s);
}

PyObject *reader_capsule (struct ArrowArrayStream *stream)
{
    struct ArrowArrayStream *s = malloc (sizeof (*s));
    PyObject *capsule;

    if (!s) {
        stream->release (stream);
        return PyErr_NoMemory ();
    }
    *s = *stream;
    capsule = PyCapsule_New (s, reader_capsule_name, reader_capsule_free);
    if (!capsule) {
        s->release (s);
        free (s);
    }
    return capsule;
}

/* Its UTF-8, which lives as long as the object. */
static const char *reader_word (PyObject *o, const char *what)
{
    Py_ssize_t length;
    const char *text =
        PyUnicode_Check (o) ? PyUnicode_AsUTF8AndSize (o, &length) : NULL;

    if (!text) {
        if (!PyErr_Occurred ())
            PyErr_Format (PyExc_TypeError, "%s: a list of str is needed", what);
        return NULL;
    }
    if ((size_t)length == strlen (text))
        return text;
    PyErr_Format (PyExc_ValueError, "%s: a NUL character in it", what);
    return NULL;
}

int reader_words (PyObject *o, const char *what, const char ***list)
{
    Py_ssize_t n;

    *list = NULL;
    if (!o || o == Py_None)
        return 0;
    if (!PyList_Check (o)) {
        PyErr_Format (PyExc_TypeError, "%s: a list of str is needed", what);
        return -1;
    }
    n = PyList_Size (o);
    if (!(*list = PyMem_Malloc (((size_t)n + 1) * sizeof (**list)))) {
        PyErr_NoMemory ();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!((*list)[i] = reader_word (PyList_GetItem (o, i), what))) {
            PyMem_Free (*list);
            *list = NULL;
            return -1;
        }
    (*list)[n] = NULL;
    return 0;
}

/* --- the module
 * --------------------------------------------------------------- */

PyObject *reader_make_type (PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec (spec);

    if (!type)
        return NULL;
    Py_INCREF (type);
    if (PyModule_AddObject (module, strrchr (spec->name, '.') + 1, type) < 0) {
        Py_DECREF (type);
        Py_DECREF (type);
        return NULL;
    }
    return type;
}

/* An exception under a name. NULL: failed. */
static PyObject *
reader_make_error (PyObject *module, const char *name, PyObject *bases)
{
    PyObject *type = PyErr_NewException (name, bases, NULL);

    if (!type)
        return NULL;
    Py_INCREF (type);
    if (PyModule_AddObject (module, strrchr (name, '.') + 1, type) < 0) {
        Py_DECREF (type);
        Py_DECREF (type);
        return NULL;
    }
    return type;
}

static int reader_make_errors (PyObject *module)
{
    PyObject *bases;

    reader_error = reader_make_error (module, "dftrace.Error", NULL);
    if (!reader_error)
        return -1;
    if (!(bases = PyTuple_Pack (2, reader_error, PyExc_ValueError)))
        return -1;
    reader_ask_error = reader_make_error (module, "dftrace.AskError", bases);
    Py_DECREF (bases);
    return reader_ask_error ? 0 : -1;
}

static int reader_exec (PyObject *module)
{
    PyObject *job;

    if (readjob_begin () < 0) {
        PyErr_NoMemory ();
        return -1;
    }
    spool_limit (SPOOL_LIMIT);
    if (reader_make_errors (module) < 0)
        return -1;
    reader_table_type =
        (PyTypeObject *)reader_make_type (module, &reader_table_spec);
    reader_events_type =
        (PyTypeObject *)reader_make_type (module, &reader_events_spec);
    job = reader_make_type (module, &reader_job_spec);
    Py_XDECREF (job);
    if (!reader_table_type || !reader_events_type || !job)
        return -1;
    return PyModule_AddStringConstant (module, "svg_style", style_svg) < 0 ||
                   PyModule_AddStringConstant (module, "version",
                                               PACKAGE_VERSION) < 0
               ? -1
               : 0;
}

/* The page of a sweep. */
static PyObject *reader_study (PyObject *self, PyObject *args)
{
    PyObject *path, *page;
    struct errtext err = {""};
    size_t length;
    char *text;

    (void)self;
    if (!PyArg_ParseTuple (args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    text = readpage_study (PyBytes_AsString (path), &length, &err);
    Py_END_ALLOW_THREADS;
    Py_DECREF (path);
    if (!text)
        return reader_raise (&err, EIO);
    page = PyUnicode_DecodeUTF8 (text, (Py_ssize_t)length, "replace");
    free (text);
    return page;
}

static PyMethodDef reader_methods[] = {
    {"study", reader_study, METH_VARARGS, "The page of a sweep."},
    {NULL, NULL, 0, NULL},
};

/* Types and exceptions are the process's. */
static struct PyModuleDef reader_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_reader",
    .m_doc = "The analysis of dftrace; use dftrace.read ().",
    .m_size = -1,
    .m_methods = reader_methods,
};

PyMODINIT_FUNC PyInit__reader (void);

PyMODINIT_FUNC PyInit__reader (void)
{
    PyObject *module = PyModule_Create (&reader_module);

    if (module && reader_exec (module) < 0) {
        Py_DECREF (module);
        return NULL;
    }
    return module;
}
