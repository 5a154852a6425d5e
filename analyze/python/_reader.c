/* SPDX-License-Identifier: MIT
 *
 * _reader.c - the analysis as an extension of Python; use the package dftrace
 *
 * In:  questions of dftrace/_read.py
 * Out: tables and streams of Arrow; exceptions with our texts
 * Caveat: the lock of Python is given back while a job is read.
 */
#define CONFIG_ALONE
#include "config.h"

/* Stable ABI of CPython 3.10: one build serves all later versions. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "analyze/python/arrow.h"
#include "analyze/python/evstream.h"
#include "analyze/python/readjob.h"
#include "lib/chart/html.h"
#include "lib/base/text.h"
#include "lib/util/spool.h"
#include "lib/util/textable.h"

/* A function with keywords, in a PyMethodDef; one of a slot. */
#define READER_KEYWORDS(FUNCTION) \
    (PyCFunction) (void (*) (void)) FUNCTION, METH_VARARGS | METH_KEYWORDS
#define READER_SLOT(FUNCTION) (void *)(uintptr_t)FUNCTION

/* Texts that Python takes without const. */
#define READER_NAMES(NAMES) ((char **)(uintptr_t)(NAMES))
#define READER_DOC(TEXT)    ((void *)(uintptr_t)(TEXT))

/* Exceptions and types of the module. */
static PyObject *reader_error, *reader_ask_error;
static PyTypeObject *reader_table_type, *reader_events_type;

/* --- shared -----------------------------------------------------------------
 */

/* Make a str of text, which may have any bytes: those that are no UTF-8 become
 * U+00XX. */
static PyObject *reader_text (const char *text)
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

/* Raise the exception of err; errno EINVAL: the question is wrong. Return NULL.
 */
static PyObject *reader_raise (const struct errtext *err, int error)
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

/* Make a capsule that releases the stream, which is copied. */
static PyObject *reader_capsule (struct ArrowArrayStream *stream)
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

/* Make a NULL-terminated list of a list or tuple of str, to be freed by
 * PyMem_Free; its texts belong to the objects. None: *list is NULL. Return 0,
 * or -1. */
static int reader_words (PyObject *o, const char *what, const char ***list)
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

/* Add a type to the module. Return NULL if that fails. */
static PyObject *reader_make_type (PyObject *module, PyType_Spec *spec)
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

/* --- classes Table and Events of the extension _reader ----------------------
 */

/* --- tables
 * --------------------------------------------------------------------- */

struct reader_table {
    PyObject_HEAD struct textable *table; /* owned */
};

static struct textable *reader_table_of (PyObject *self)
{
    return ((struct reader_table *)self)->table;
}

/* Make a Table, which then owns t. */
static PyObject *reader_table (struct textable *t)
{
    PyObject *self = ((allocfunc)PyType_GetSlot (
        reader_table_type, Py_tp_alloc)) (reader_table_type, 0);

    if (!self)
        textable_destroy (t);
    else
        ((struct reader_table *)self)->table = t;
    return self;
}

static void reader_table_dealloc (PyObject *self)
{
    PyTypeObject *type = Py_TYPE (self);

    textable_destroy (reader_table_of (self));
    ((freefunc)PyType_GetSlot (type, Py_tp_free)) (self);
    Py_DECREF (type);
}

/* Digits after the point: the column's, else those of its first number. */
static int reader_table_digits (const struct textable *t, size_t column)
{
    for (size_t r = 0; t->column[column].digits < 0 && r < t->rows; r++)
        if (t->cell[r * t->columns + column].type == CELL_DOUBLE)
            return t->cell[r * t->columns + column].digits;
    return t->column[column].digits;
}

/* (name, title, unit, digits, is a number) of each column. */
static PyObject *reader_table_columns (PyObject *self, PyObject *none)
{
    const struct textable *t = reader_table_of (self);
    PyObject *list = PyList_New (0), *one;

    for (size_t c = 0; list && c < t->columns; c++) {
        const struct table_column *k = &t->column[c];

        one = Py_BuildValue ("(NNNii)", reader_text (k->name),
                             reader_text (k->title), reader_text (k->unit),
                             reader_table_digits (t, c), k->right);
        if (!one || PyList_Append (list, one) < 0)
            Py_CLEAR (list);
        Py_XDECREF (one);
    }
    return list;
}

static PyObject *reader_table_value (const struct arrowcol *c,
                                     const struct textable *t,
                                     size_t row,
                                     size_t column)
{
    char buf[TEXTABLE_NUMBER_MAX];

    if (c->nulls && !(c->valid[row / 8] & 1 << row % 8))
        Py_RETURN_NONE;
    if (c->type == ARROWCOL_INT64)
        return PyLong_FromLongLong (((int64_t *)c->data)[row]);
    if (c->type == ARROWCOL_DOUBLE &&
        t->cell[row * t->columns + column].type == CELL_UINT)
        return PyLong_FromUnsignedLongLong (
            t->cell[row * t->columns + column].u);
    if (c->type == ARROWCOL_DOUBLE)
        return PyFloat_FromDouble (((double *)c->data)[row]);
    return reader_text (textable_cell (t, row, (int)column, buf));
}

/* The values of a column, all of one type; None: n/a. */
static PyObject *reader_table_column (PyObject *self, PyObject *args)
{
    const struct textable *t = reader_table_of (self);
    struct arrowcol c = {.type = ARROWCOL_NONE};
    PyObject *list = NULL, *one;
    Py_ssize_t column;
    int rc;

    if (!PyArg_ParseTuple (args, "n", &column))
        return NULL;
    if (column < 0 || (size_t)column >= t->columns) {
        PyErr_SetString (PyExc_IndexError, "no such column");
        return NULL;
    }
    rc = arrowcol_init (&c, tablearrow_type (t, (size_t)column), t->rows);
    for (size_t r = 0; rc == 0 && r < t->rows; r++)
        rc = tablearrow_put (&c, t, r, (size_t)column);
    if (rc == 0)
        list = PyList_New (0);
    else
        PyErr_NoMemory ();
    for (size_t r = 0; list && r < t->rows; r++) {
        one = reader_table_value (&c, t, r, (size_t)column);
        if (!one || PyList_Append (list, one) < 0)
            Py_CLEAR (list);
        Py_XDECREF (one);
    }
    arrowcol_clear (&c);
    return list;
}

static PyObject *reader_table_length (PyObject *self, PyObject *none)
{
    return PyLong_FromSize_t (reader_table_of (self)->rows);
}

static PyObject *reader_table_stream (PyObject *self, PyObject *args)
{
    struct ArrowArrayStream s;

    if (tablearrow_stream (&s, reader_table_of (self)) < 0)
        return PyErr_NoMemory ();
    return reader_capsule (&s);
}

static PyMethodDef reader_table_methods[] = {
    {"columns", reader_table_columns, METH_NOARGS, "What columns there are."},
    {"column", reader_table_column, METH_VARARGS, "Values of one."},
    {"rows", reader_table_length, METH_NOARGS, "How many rows."},
    {"stream", reader_table_stream, METH_VARARGS, "A stream of Arrow."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_table_slots[] = {
    {Py_tp_dealloc, READER_SLOT (reader_table_dealloc)},
    {Py_tp_methods, reader_table_methods},
    {Py_tp_doc, READER_DOC ("A table.")},
    {0, NULL},
};

static PyType_Spec reader_table_spec = {
    .name = "dftrace._reader.Table",
    .basicsize = sizeof (struct reader_table),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = reader_table_slots};

/* --- events
 * --------------------------------------------------------------------- */

/* A question; each stream asks it anew. */
struct reader_events {
    PyObject_HEAD struct readjob *job; /* held */
    PyObject *where, *columns;         /* lists or None */
    size_t rows;
    int strict;
};

/* The question in C; the lists are to be freed. 0, or -1. */
static int reader_events_asked (const struct reader_events *e,
                                struct evstream_asked *asked,
                                const char ***where,
                                const char ***columns)
{
    if (reader_words (e->where, "where", where) < 0)
        return -1;
    if (reader_words (e->columns, "columns", columns) < 0) {
        PyMem_Free (*where);
        return -1;
    }
    *asked = (struct evstream_asked){*where, *columns, e->rows, e->strict};
    return 0;
}

static int reader_events_check (const struct reader_events *e)
{
    struct evstream_asked asked;
    const char **where, **columns;
    struct errtext err = {""};
    int rc;

    if (reader_events_asked (e, &asked, &where, &columns) < 0)
        return -1;
    errno = 0;
    rc = evstream_check (&asked, &err);
    if (rc < 0)
        reader_raise (&err, errno);
    PyMem_Free (where);
    PyMem_Free (columns);
    return rc;
}

/* Make the Events of a question. */
static PyObject *reader_events (struct readjob *j,
                                PyObject *where,
                                PyObject *columns,
                                Py_ssize_t rows,
                                int strict)
{
    struct reader_events *e = (void *)((allocfunc)PyType_GetSlot (
        reader_events_type, Py_tp_alloc)) (reader_events_type, 0);

    if (!e)
        return NULL;
    e->job = readjob_hold (j);
    e->rows = rows > 0 ? (size_t)rows : 0;
    e->strict = strict;
    e->where = where ? where : Py_None;
    e->columns = columns ? columns : Py_None;
    Py_INCREF (e->where);
    Py_INCREF (e->columns);
    if (reader_events_check (e) == 0)
        return (PyObject *)e;
    Py_DECREF ((PyObject *)e);
    return NULL;
}

static void reader_events_dealloc (PyObject *self)
{
    struct reader_events *e = (struct reader_events *)self;
    PyTypeObject *type = Py_TYPE (self);
    struct readjob *job = e->job;

    Py_XDECREF (e->where);
    Py_XDECREF (e->columns);
    Py_BEGIN_ALLOW_THREADS;
    readjob_drop (job);
    Py_END_ALLOW_THREADS;
    ((freefunc)PyType_GetSlot (type, Py_tp_free)) (self);
    Py_DECREF (type);
}

static PyObject *reader_events_stream (PyObject *self, PyObject *args)
{
    struct reader_events *e = (struct reader_events *)self;
    struct ArrowArrayStream stream;
    struct evstream_asked asked;
    const char **where, **columns;
    struct errtext err = {""};
    int rc, error;

    if (reader_events_asked (e, &asked, &where, &columns) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    rc = evstream_open (&stream, e->job, &asked, &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    PyMem_Free (where);
    PyMem_Free (columns);
    return rc < 0 ? reader_raise (&err, error) : reader_capsule (&stream);
}

static PyMethodDef reader_events_methods[] = {
    {"stream", reader_events_stream, METH_VARARGS, "A stream of Arrow."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_events_slots[] = {
    {Py_tp_dealloc, READER_SLOT (reader_events_dealloc)},
    {Py_tp_methods, reader_events_methods},
    {Py_tp_doc, READER_DOC ("Events that a condition lets through.")},
    {0, NULL},
};

static PyType_Spec reader_events_spec = {
    .name = "dftrace._reader.Events",
    .basicsize = sizeof (struct reader_events),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = reader_events_slots};

/* --- class Job of the extension _reader -------------------------------------
 */

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

typedef struct textable *reader_ask (struct readjob *job,
                                     const struct readtables_asked *asked,
                                     struct errtext *err);

/* The table that answers, without the lock of the interpreter. */
static PyObject *reader_job_ask (PyObject *self,
                                 reader_ask *ask,
                                 struct readtables_asked *asked,
                                 PyObject *where,
                                 Py_ssize_t top)
{
    const char **condition;
    struct textable *t;
    struct errtext err = {""};
    int error;

    if (reader_words (where, "where", &condition) < 0)
        return NULL;
    asked->where = condition;
    asked->top = top > 0 ? (size_t)top : 0;
    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    t = ask (reader_job_of (self), asked, &err);
    error = errno;
    Py_END_ALLOW_THREADS;
    PyMem_Free (condition);
    return reader_job_table (t, &err, error);
}

static PyObject *
reader_job_query (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by",  "show",     "where", "sort",
                                        "top", "interval", NULL};
    struct readtables_asked asked = {.by = NULL};
    PyObject *where = NULL;
    unsigned long long interval = 0;
    Py_ssize_t top = 0;

    if (!PyArg_ParseTupleAndKeywords (
            args, words, "|zzOznK", READER_NAMES (names), &asked.by,
            &asked.show, &where, &asked.sort, &top, &interval))
        return NULL;
    asked.interval = interval;
    return reader_job_ask (self, readtables_query, &asked, where, top);
}

static PyObject *
reader_job_tree (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by", "where", "top", NULL};
    struct readtables_asked asked = {.by = NULL};
    PyObject *where = NULL;
    Py_ssize_t top = 0;

    if (!PyArg_ParseTupleAndKeywords (args, words, "|zOn", READER_NAMES (names),
                                      &asked.by, &where, &top))
        return NULL;
    return reader_job_ask (self, readtables_tree, &asked, where, top);
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

static PyType_Spec reader_job_spec = {.name = "dftrace._reader.Job",
                                      .basicsize = sizeof (struct reader_job),
                                      .flags = Py_TPFLAGS_DEFAULT,
                                      .slots = reader_job_slots};

/* --- the module
 * --------------------------------------------------------------- */

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
