/* SPDX-License-Identifier: MIT
 *
 * _readertable.c - classes Table and Events of the extension _reader
 *
 * In:  a table; a question about events
 * Out: values of Python; streams of Arrow in capsules
 */
#include "config.h"

#include "analyze/python/_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/textable.h"
#include "analyze/python/evstream.h"
#include "analyze/python/tablearrow.h"

/* --- tables
 * --------------------------------------------------------------------- */

struct reader_table {
    PyObject_HEAD struct textable *table; /* owned */
};

static struct textable *reader_table_of (PyObject *self)
{
    return ((struct reader_table *)self)->table;
}

PyObject *reader_table (struct textable *t)
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

    (void)none;
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
    (void)none;
    return PyLong_FromSize_t (reader_table_of (self)->rows);
}

static PyObject *reader_table_stream (PyObject *self, PyObject *args)
{
    struct ArrowArrayStream s;

    (void)args; /* what schema is wanted: ours is what there is */
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

PyType_Spec reader_table_spec = {.name = "dftrace._reader.Table",
                                 .basicsize = sizeof (struct reader_table),
                                 .flags = Py_TPFLAGS_DEFAULT |
                                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
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
        (void)reader_raise (&err, errno);
    PyMem_Free (where);
    PyMem_Free (columns);
    return rc;
}

PyObject *reader_events (struct readjob *j,
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

    (void)args; /* what schema is wanted: ours is what there is */
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

PyType_Spec reader_events_spec = {.name = "dftrace._reader.Events",
                                  .basicsize = sizeof (struct reader_events),
                                  .flags = Py_TPFLAGS_DEFAULT |
                                           Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = reader_events_slots};
