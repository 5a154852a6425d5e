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
#include "lib/util/xalloc.h"

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

/* A call of the analysis: what its work needs, and what came of it. */
struct reader_call {
    struct readjob *job;
    PyObject *path; /* bytes */
    const char *const *pattern;
    int threads, is_question;
    readtables_ask *ask;
    struct readtables_asked asked;
    const struct evstream_asked *events;
    const struct textable *table;
    size_t column;
    struct ArrowArrayStream *stream;
    struct arrowcol *values;
    void *found; /* NULL: it failed, with err and errno */
    size_t length;
    struct errtext err;
};

/* Raise the exception of a call that failed. EINVAL of a question: the question
 * is wrong. */
static void reader_raise (const struct reader_call *c, int error)
{
    PyObject *text = reader_text (c->err.text[0] ? readjob_say (c->err.text)
                                                 : strerror (error));

    if (!text)
        return;
    PyErr_SetObject (error == ENOMEM                     ? PyExc_MemoryError
                     : error == EINVAL && c->is_question ? reader_ask_error
                                                         : reader_error,
                     text);
    Py_DECREF (text);
}

/* Call work (c) without the lock of the interpreter. All of the analysis is
 * called here, or in reader_stream_guard (): where there is no memory, Python
 * goes on. Return what was found, or NULL with an exception. */
static void *reader_run (struct reader_call *c, void (*work) (void *c))
{
    int error;

    Py_BEGIN_ALLOW_THREADS;
    errno = 0;
    if (xalloc_guard (work, c) < 0)
        c->found = NULL;
    error = errno;
    Py_END_ALLOW_THREADS;
    if (!c->found)
        reader_raise (c, error);
    return c->found;
}

/* --- streams: guarded for whoever takes their batches, on any thread --------
 */

struct reader_stream {
    struct ArrowArrayStream in; /* owned */
    int failed;                 /* errno */
};

struct reader_stream_call {
    struct reader_stream *stream;
    struct ArrowSchema *schema;
    struct ArrowArray *array;
    int rc;
};

static void reader_stream_work (void *cookie)
{
    struct reader_stream_call *c = cookie;
    struct ArrowArrayStream *in = &c->stream->in;

    c->rc = c->schema ? in->get_schema (in, c->schema)
                      : in->get_next (in, c->array);
}

static int reader_stream_guard (struct reader_stream_call c)
{
    c.stream->failed = xalloc_guard (reader_stream_work, &c) < 0 ? errno : 0;
    return c.stream->failed ? c.stream->failed : c.rc;
}

static int reader_stream_schema (struct ArrowArrayStream *s,
                                 struct ArrowSchema *out)
{
    return reader_stream_guard (
        (struct reader_stream_call){s->private_data, .schema = out});
}

static int reader_stream_next (struct ArrowArrayStream *s,
                               struct ArrowArray *out)
{
    return reader_stream_guard (
        (struct reader_stream_call){s->private_data, .array = out});
}

static const char *reader_stream_error (struct ArrowArrayStream *s)
{
    struct reader_stream *r = s->private_data;

    return r->failed ? strerror (r->failed) : r->in.get_last_error (&r->in);
}

static void reader_stream_release (struct ArrowArrayStream *s)
{
    struct reader_stream *r = s->private_data;

    r->in.release (&r->in);
    free (r);
    s->release = NULL;
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
    struct reader_stream *r = TRY_ZEROED (r, 1);
    PyObject *capsule;

    if (!s || !r) {
        stream->release (stream);
        free (s);
        free (r);
        return PyErr_NoMemory ();
    }
    r->in = *stream;
    *s = (struct ArrowArrayStream){.get_schema = reader_stream_schema,
                                   .get_next = reader_stream_next,
                                   .get_last_error = reader_stream_error,
                                   .release = reader_stream_release,
                                   .private_data = r};
    capsule = PyCapsule_New (s, reader_capsule_name, reader_capsule_free);
    if (!capsule) {
        s->release (s);
        free (s);
    }
    return capsule;
}

/* --- arguments ------------------------------------------------------------ */

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

static void reader_table_values (void *cookie)
{
    struct reader_call *c = cookie;

    tablearrow_column (c->values, c->table, c->column);
    c->found = c->values;
}

/* The values of a column, all of one type; None: n/a. */
static PyObject *reader_table_column (PyObject *self, PyObject *args)
{
    const struct textable *t = reader_table_of (self);
    struct arrowcol values = {.type = ARROWCOL_NONE};
    struct reader_call c = {.table = t, .values = &values};
    PyObject *list = NULL, *one;
    Py_ssize_t column;

    if (!PyArg_ParseTuple (args, "n", &column))
        return NULL;
    if (column < 0 || (size_t)column >= t->columns) {
        PyErr_SetString (PyExc_IndexError, "no such column");
        return NULL;
    }
    c.column = (size_t)column;
    if (reader_run (&c, reader_table_values))
        list = PyList_New (0);
    for (size_t r = 0; list && r < t->rows; r++) {
        one = reader_table_value (&values, t, r, (size_t)column);
        if (!one || PyList_Append (list, one) < 0)
            Py_CLEAR (list);
        Py_XDECREF (one);
    }
    arrowcol_clear (&values);
    return list;
}

static PyObject *reader_table_length (PyObject *self, PyObject *none)
{
    return PyLong_FromSize_t (reader_table_of (self)->rows);
}

static void reader_table_open (void *cookie)
{
    struct reader_call *c = cookie;

    tablearrow_stream (c->stream, c->table);
    c->found = c->stream;
}

static PyObject *reader_table_stream (PyObject *self, PyObject *args)
{
    struct ArrowArrayStream s;
    struct reader_call c = {.table = reader_table_of (self), .stream = &s};

    return reader_run (&c, reader_table_open) ? reader_capsule (&s) : NULL;
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

/* Ask the question of e, by work: what it found, or NULL. */
static void *reader_events_ask (const struct reader_events *e,
                                struct ArrowArrayStream *stream,
                                void (*work) (void *c))
{
    const char **where, **columns = NULL;
    struct evstream_asked asked = {.rows = e->rows, .strict = e->strict};
    struct reader_call c = {
        .job = e->job, .events = &asked, .stream = stream, .is_question = 1};

    if (reader_words (e->where, "where", &where) == 0 &&
        reader_words (e->columns, "columns", &columns) == 0) {
        asked.where = where;
        asked.columns = columns;
        reader_run (&c, work);
    }
    PyMem_Free (where);
    PyMem_Free (columns);
    return c.found;
}

static void reader_events_check (void *cookie)
{
    struct reader_call *c = cookie;

    if (evstream_check (c->events, &c->err) == 0)
        c->found = c;
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
    if (reader_events_ask (e, NULL, reader_events_check))
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

static void reader_events_open (void *cookie)
{
    struct reader_call *c = cookie;

    if (evstream_open (c->stream, c->job, c->events, &c->err) == 0)
        c->found = c->stream;
}

static PyObject *reader_events_stream (PyObject *self, PyObject *args)
{
    struct ArrowArrayStream s;

    return reader_events_ask ((struct reader_events *)self, &s,
                              reader_events_open)
               ? reader_capsule (&s)
               : NULL;
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

static void reader_job_open (void *cookie)
{
    struct reader_call *c = cookie;

    c->found = readjob_open (PyBytes_AsString (c->path), c->pattern, c->threads,
                             &c->err);
}

static PyObject *
reader_job_new (PyTypeObject *type, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"path",  "data",    "checkpoint",
                                        "index", "threads", NULL};
    const char *pattern[KIND_COUNT] = {NULL};
    struct reader_call c = {.pattern = pattern};
    struct readjob *job;
    PyObject *self;

    if (!PyArg_ParseTupleAndKeywords (
            args, words, "O&|zzzi", READER_NAMES (names), PyUnicode_FSConverter,
            &c.path, &pattern[KIND_DATA], &pattern[KIND_CHECKPOINT],
            &pattern[KIND_INDEX], &c.threads))
        return NULL;
    job = reader_run (&c, reader_job_open);
    Py_DECREF (c.path);
    if (!job)
        return NULL;
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

static void reader_work_ask (void *cookie)
{
    struct reader_call *c = cookie;

    c->found = c->ask (c->job, &c->asked, &c->err);
}

/* The table that answers. */
static PyObject *reader_job_ask (PyObject *self,
                                 struct reader_call *c,
                                 PyObject *where,
                                 Py_ssize_t top,
                                 readtables_ask *ask)
{
    const char **condition;
    struct textable *t;

    if (reader_words (where, "where", &condition) < 0)
        return NULL;
    c->job = reader_job_of (self);
    c->is_question = 1;
    c->asked.where = condition;
    c->asked.top = top > 0 ? (size_t)top : 0;
    c->ask = ask;
    t = reader_run (c, reader_work_ask);
    PyMem_Free (condition);
    return t ? reader_table (t) : NULL;
}

static PyObject *
reader_job_query (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by",  "show",     "where", "sort",
                                        "top", "interval", NULL};
    struct reader_call c = {.asked = {.by = NULL}};
    PyObject *where = NULL;
    unsigned long long interval = 0;
    Py_ssize_t top = 0;

    if (!PyArg_ParseTupleAndKeywords (
            args, words, "|zzOznK", READER_NAMES (names), &c.asked.by,
            &c.asked.show, &where, &c.asked.sort, &top, &interval))
        return NULL;
    c.asked.interval = interval;
    return reader_job_ask (self, &c, where, top, readtables_query);
}

static PyObject *
reader_job_tree (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"by", "where", "top", NULL};
    struct reader_call c = {.asked = {.by = NULL}};
    PyObject *where = NULL;
    Py_ssize_t top = 0;

    if (!PyArg_ParseTupleAndKeywords (args, words, "|zOn", READER_NAMES (names),
                                      &c.asked.by, &where, &top))
        return NULL;
    return reader_job_ask (self, &c, where, top, readtables_tree);
}

static PyObject *
reader_job_view (PyObject *self, PyObject *args, PyObject *words)
{
    static const char *const names[] = {"view", "top", NULL};
    struct reader_call c = {.asked = {.by = NULL}};
    Py_ssize_t top = 0;

    if (!PyArg_ParseTupleAndKeywords (args, words, "s|n", READER_NAMES (names),
                                      &c.asked.view, &top))
        return NULL;
    return reader_job_ask (self, &c, NULL, top, readtables_view);
}

static PyObject *reader_job_metrics (PyObject *self, PyObject *none)
{
    struct reader_call c = {.asked = {.by = NULL}};

    return reader_job_ask (self, &c, NULL, 0, readtables_metrics);
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

/* The text that work finds, which is freed, as a str. */
static PyObject *reader_page (struct reader_call *c, void (*work) (void *c))
{
    char *text = reader_run (c, work);
    PyObject *page;

    if (!text)
        return NULL;
    page = PyUnicode_DecodeUTF8 (text, (Py_ssize_t)c->length, "replace");
    free (text);
    return page;
}

static void reader_work_report (void *cookie)
{
    struct reader_call *c = cookie;

    if (readpage_write (c->job, PyBytes_AsString (c->path), &c->err) == 0)
        c->found = c;
}

static PyObject *reader_job_report (PyObject *self, PyObject *args)
{
    struct reader_call c = {.job = reader_job_of (self)};

    if (!PyArg_ParseTuple (args, "O&", PyUnicode_FSConverter, &c.path))
        return NULL;
    reader_run (&c, reader_work_report);
    Py_DECREF (c.path);
    if (!c.found)
        return NULL;
    Py_RETURN_NONE;
}

static void reader_work_figures (void *cookie)
{
    struct reader_call *c = cookie;

    c->found = readpage_figures (c->job, &c->length, &c->err);
}

static PyObject *reader_job_figures (PyObject *self, PyObject *none)
{
    struct reader_call c = {.job = reader_job_of (self)};

    return reader_page (&c, reader_work_figures);
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

static void reader_work_study (void *cookie)
{
    struct reader_call *c = cookie;

    c->found = readpage_study (PyBytes_AsString (c->path), &c->length, &c->err);
}

/* The page of a sweep. */
static PyObject *reader_study (PyObject *self, PyObject *args)
{
    struct reader_call c = {.job = NULL};
    PyObject *page;

    if (!PyArg_ParseTuple (args, "O&", PyUnicode_FSConverter, &c.path))
        return NULL;
    page = reader_page (&c, reader_work_study);
    Py_DECREF (c.path);
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
