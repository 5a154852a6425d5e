/* SPDX-License-Identifier: MIT
 *
 * _readerjob.c - class Job of the extension _reader
 *
 * In:  a path; questions
 * Out: objects of classes Table and Events
 */
#include "config.h"

#include "analyze/python/_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/python/readpage.h"
#include "analyze/python/readtables.h"

struct reader_job {
    PyObject_HEAD struct readjob *job; /* held */
};

static struct readjob *reader_job_of (PyObject *self)
{
    return ((struct reader_job *)self)->job;
}

static PyObject *
reader_job_new (PyTypeObject *type, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"path",  "data",    "checkpoint",
                                        "index", "threads", NULL};
    const char *pattern[KIND_COUNT] = {NULL};
    PyObject *path = NULL, *self;
    struct readjob *job;
    struct errtext err = {""};
    int threads = 0, error;

    if (!PyArg_ParseTupleAndKeywords (
            args, words, "O&|zzzi", READER_NAMES (names), PyUnicode_FSConverter,
            &path, &pattern[KIND_DATA], &pattern[KIND_CHECKPOINT],
            &pattern[KIND_INDEX], &threads))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    job = readjob_open (PyBytes_AsString (path), pattern, threads, &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    Py_DECREF (path);
    if (!job)
        return reader_raise (&err, error == EINVAL ? ENOENT : error);
    if (!(self = ((allocfunc)PyType_GetSlot (type, Py_tp_alloc)) (type, 0))) {
        readjob_drop (job);
        return NULL;
    }
    ((struct reader_job *)self)->job = job;
    return self;
}

static void reader_job_dealloc (PyObject *self)
{
    PyTypeObject *type = Py_TYPE (self);
    struct readjob *job = reader_job_of (self);

    Py_BEGIN_ALLOW_THREADS;
    readjob_drop (job);
    Py_END_ALLOW_THREADS;
    ((freefunc)PyType_GetSlot (type, Py_tp_free)) (self);
    Py_DECREF (type);
}

/* --- questions
 * ---------------------------------------------------------------- */

/* A table, or what went wrong. */
static PyObject *
reader_job_table (struct textable *t, const struct errtext *err, int error)
{
    return t ? reader_table (t) : reader_raise (err, error);
}

static PyObject *
reader_job_query (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by",  "show",     "where", "sort",
                                        "top", "interval", NULL};
    struct readtables_asked asked = {.by = NULL};
    PyObject *where = NULL;
    unsigned long long interval = 0;
    const char **condition;
    struct textable *t;
    struct errtext err = {""};
    Py_ssize_t top = 0;
    int error;

    if (!PyArg_ParseTupleAndKeywords (
            args, words, "|zzOznK", READER_NAMES (names), &asked.by,
            &asked.show, &where, &asked.sort, &top, &interval) ||
        reader_words (where, "where", &condition) < 0)
        return NULL;
    asked.where = condition;
    asked.top = top > 0 ? (size_t)top : 0;
    asked.interval = interval;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    t = readtables_query (reader_job_of (self), &asked, &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    PyMem_Free (condition);
    return reader_job_table (t, &err, error);
}

static PyObject *
reader_job_tree (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by", "where", "top", NULL};
    struct readtables_asked asked = {.by = NULL};
    PyObject *where = NULL;
    const char **condition;
    struct textable *t;
    struct errtext err = {""};
    Py_ssize_t top = 0;
    int error;

    if (!PyArg_ParseTupleAndKeywords (args, words, "|zOn", READER_NAMES (names),
                                      &asked.by, &where, &top) ||
        reader_words (where, "where", &condition) < 0)
        return NULL;
    asked.where = condition;
    asked.top = top > 0 ? (size_t)top : 0;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    t = readtables_tree (reader_job_of (self), &asked, &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    PyMem_Free (condition);
    return reader_job_table (t, &err, error);
}

static PyObject *
reader_job_view (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"view", "top", NULL};
    const char *view;
    struct textable *t;
    struct errtext err = {""};
    Py_ssize_t top = 0;
    int error;

    if (!PyArg_ParseTupleAndKeywords (args, words, "s|n", READER_NAMES (names),
                                      &view, &top))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    t = readtables_view (reader_job_of (self), view, top > 0 ? (size_t)top : 0,
                         &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    return reader_job_table (t, &err, error);
}

static PyObject *reader_job_metrics (PyObject *self, PyObject *none)
{
    struct textable *t;
    struct errtext err = {""};
    int error;

    (void)none;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    t = readtables_metrics (reader_job_of (self), &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    return reader_job_table (t, &err, error);
}

static PyObject *
reader_job_events (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"where", "columns", "rows", "strict",
                                        NULL};
    PyObject *where = NULL, *columns = NULL;
    Py_ssize_t rows = 0;
    int strict = 0;

    if (!PyArg_ParseTupleAndKeywords (args, words, "|OOnp",
                                      READER_NAMES (names), &where, &columns,
                                      &rows, &strict))
        return NULL;
    return reader_events (reader_job_of (self), where, columns, rows, strict);
}

/* --- pages
 * -------------------------------------------------------------------- */

static PyObject *reader_job_report (PyObject *self, PyObject *args)
{
    PyObject *path;
    struct errtext err = {""};
    int rc, error;

    if (!PyArg_ParseTuple (args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    rc = readpage_write (reader_job_of (self), PyBytes_AsString (path), &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    Py_DECREF (path);
    if (rc < 0)
        return reader_raise (&err, error == EINVAL ? EIO : error);
    Py_RETURN_NONE;
}

static PyObject *reader_job_figures (PyObject *self, PyObject *none)
{
    struct errtext err = {""};
    size_t length;
    char *text;
    PyObject *o;

    (void)none;
    Py_BEGIN_ALLOW_THREADS;
    text = readpage_figures (reader_job_of (self), &length, &err);
    Py_END_ALLOW_THREADS;
    if (!text)
        return reader_raise (&err, EIO);
    o = PyUnicode_DecodeUTF8 (text, (Py_ssize_t)length, "replace");
    free (text);
    return o;
}

static PyObject *reader_job_problems (PyObject *self, PyObject *none)
{
    struct readjob *j = reader_job_of (self);
    PyObject *list = PyList_New (0), *text;
    struct errtext say;

    (void)none;
    for (size_t i = 0; list && i < readjob_job (j)->sources; i++) {
        if (!readjob_problem (j, i, &say))
            continue;
        text = reader_text (say.text);
        if (!text || PyList_Append (list, text) < 0)
            Py_CLEAR (list);
        Py_XDECREF (text);
    }
    return list;
}

static PyObject *reader_job_label (PyObject *self, void *none)
{
    (void)none;
    return reader_text (readjob_job (reader_job_of (self))->label);
}

static PyMethodDef reader_job_methods[] = {
    {"events", READER_KEYWORDS (reader_job_events), "Events of a condition."},
    {"query", READER_KEYWORDS (reader_job_query), "Groups of events."},
    {"tree", READER_KEYWORDS (reader_job_tree), "The call tree."},
    {"view", READER_KEYWORDS (reader_job_view), "A table of the analysis."},
    {"metrics", reader_job_metrics, METH_NOARGS, "All metrics."},
    {"report", reader_job_report, METH_VARARGS, "Write the page."},
    {"figures", reader_job_figures, METH_NOARGS, "Figures of the page."},
    {"problems", reader_job_problems, METH_NOARGS, "What is wrong with it."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef reader_job_getset[] = {
    {"label", reader_job_label, NULL, "what the job is called", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot reader_job_slots[] = {
    {Py_tp_new, READER_SLOT (reader_job_new)},
    {Py_tp_dealloc, READER_SLOT (reader_job_dealloc)},
    {Py_tp_methods, reader_job_methods},
    {Py_tp_getset, reader_job_getset},
    {Py_tp_doc, READER_DOC ("A job that is open.")},
    {0, NULL},
};

PyType_Spec reader_job_spec = {.name = "dftrace._reader.Job",
                               .basicsize = sizeof (struct reader_job),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = reader_job_slots};
