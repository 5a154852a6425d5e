/* SPDX-License-Identifier: MIT
 *
 * _inert.c - calls of a process that is not traced: no dict for keywords
 *
 * In:  what Python code calls in its place
 * Out: functions and nodes that give what they gave before
 *
 * always (value): a function. node (): a class for the nodes of `ai`, whose
 * call is
 *
 *     node (function)              function
 *     node (), node (args=…, …)    what _inert_call[0] of the class is
 *     anything else                what _inert_call[1] (node, …) says
 *
 * where the keywords may be those of _inert_call[2:], which are interned.
 */
#include "python_h.h"

#include <structmember.h>

/* Both are part of the stable ABI as of 3.12, and were the same before. */
#define HAVE_VECTORCALL  (1UL << 11)
#define ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof (size_t) - 1))

typedef PyObject *
call_t (PyObject *self, PyObject *const *args, size_t n, PyObject *keywords);

struct node {
    PyObject ob_base;
    call_t *call;
    PyObject *dict;
    PyObject *weak;
    PyObject *how; /* _inert_call: a tuple */
};

enum { HOW_RESULT, HOW_OTHERWISE, HOW_KEYWORDS };

/* -- functions ----------------------------------------------------------- */

static PyObject *inert (PyObject *self,
                        PyObject *const *args,
                        Py_ssize_t nargs,
                        PyObject *keywords)
{
    Py_INCREF (self);
    return self;
}

PyObject *inert_always (PyObject *module, PyObject *result)
{
    static PyMethodDef method = {"inert", FAST (inert),
                                 METH_FASTCALL | METH_KEYWORDS,
                                 "Nothing is traced."};

    return PyCFunction_NewEx (&method, result, NULL);
}

/* -- calls of nodes ------------------------------------------------------ */

static int inert_known (PyObject *how, PyObject *keyword)
{
    for (Py_ssize_t i = PyTuple_Size (how); --i >= HOW_KEYWORDS;)
        if (PyTuple_GetItem (how, i) == keyword)
            return 1;
    return 0;
}

static int all_known (PyObject *how, PyObject *keywords)
{
    for (Py_ssize_t i = keywords ? PyTuple_Size (keywords) : 0; --i >= 0;)
        if (!inert_known (how, PyTuple_GetItem (keywords, i)))
            return 0;
    return 1;
}

/* inert_otherwise (self, *args, **dict) */
static PyObject *
inert_otherwise (struct node *self, PyObject *args, PyObject *dict)
{
    PyObject *result = NULL;
    Py_ssize_t n = PyTuple_Size (args);
    PyObject *more = PyTuple_New (n + 1);

    if (!more)
        return NULL;
    Py_INCREF (self);
    PyTuple_SetItem (more, 0, (PyObject *)self);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *arg = PyTuple_GetItem (args, i);
        Py_INCREF (arg);
        PyTuple_SetItem (more, i + 1, arg);
    }
    result =
        PyObject_Call (PyTuple_GetItem (self->how, HOW_OTHERWISE), more, dict);
    Py_DECREF (more);
    return result;
}

static PyObject *tuple_of (PyObject *const *from, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New (n);

    for (Py_ssize_t i = 0; tuple && i < n; i++) {
        Py_INCREF (from[i]);
        PyTuple_SetItem (tuple, i, from[i]);
    }
    return tuple;
}

static PyObject *dict_of (PyObject *keywords, PyObject *const *values)
{
    PyObject *dict = PyDict_New ();

    for (Py_ssize_t i = 0, n = PyTuple_Size (keywords); dict && i < n; i++)
        if (PyDict_SetItem (dict, PyTuple_GetItem (keywords, i), values[i]) <
            0) {
            Py_DECREF (dict);
            dict = NULL;
        }
    return dict;
}

static PyObject *call_otherwise (struct node *self,
                                 PyObject *const *args,
                                 Py_ssize_t nargs,
                                 PyObject *keywords)
{
    PyObject *result = NULL;
    PyObject *tuple = tuple_of (args, nargs);
    PyObject *dict = keywords ? dict_of (keywords, args + nargs) : NULL;

    if (tuple && (dict || !keywords))
        result = inert_otherwise (self, tuple, dict);
    Py_XDECREF (tuple);
    Py_XDECREF (dict);
    return result;
}

static PyObject *node_call (PyObject *object,
                            PyObject *const *args,
                            size_t n,
                            PyObject *keywords)
{
    struct node *self = (struct node *)object;
    Py_ssize_t nargs = (Py_ssize_t)(n & ~ARGUMENTS_OFFSET);
    PyObject *result = NULL;

    if (nargs == 0 && all_known (self->how, keywords))
        result = PyTuple_GetItem (self->how, HOW_RESULT);
    else if (nargs == 1 && !keywords && args[0] != Py_None)
        result = args[0];
    if (!result)
        return call_otherwise (self, args, nargs, keywords);
    Py_INCREF (result);
    return result;
}

/* By who has a tuple and a dict already. */
static PyObject *node_tp_call (PyObject *self, PyObject *args, PyObject *dict)
{
    return inert_otherwise ((struct node *)self, args, dict);
}

/* -- the class ----------------------------------------------------------- */

static PyObject *
node_tp_new (PyTypeObject *type, PyObject *args, PyObject *dict)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot (type, Py_tp_alloc);
    PyObject *how = PyObject_GetAttrString ((PyObject *)type, "_inert_call");
    struct node *self = NULL;

    if (how && PyTuple_Check (how) && PyTuple_Size (how) >= HOW_KEYWORDS)
        self = (struct node *)alloc (type, 0);
    else if (how)
        PyErr_SetString (PyExc_TypeError, "_inert_call: not (result, "
                                          "otherwise, keyword, …)");
    if (!self) {
        Py_XDECREF (how);
        return NULL;
    }
    self->call = node_call;
    self->how = how;
    return (PyObject *)self;
}

static int node_traverse (PyObject *object, visitproc visit, void *arg)
{
    struct node *self = (struct node *)object;

    Py_VISIT (self->dict);
    Py_VISIT (self->how);
    Py_VISIT (Py_TYPE (object));
    return 0;
}

/* how stays: what is called while it is collected has it. */
static int node_clear (PyObject *object)
{
    Py_CLEAR (((struct node *)object)->dict);
    return 0;
}

static void node_dealloc (PyObject *object)
{
    PyTypeObject *type = Py_TYPE (object);
    freefunc release = (freefunc)PyType_GetSlot (type, Py_tp_free);

    PyObject_GC_UnTrack (object);
    PyObject_ClearWeakRefs (object);
    Py_CLEAR (((struct node *)object)->dict);
    Py_CLEAR (((struct node *)object)->how);
    release (object);
    Py_DECREF (type);
}

static PyObject *node_enter (PyObject *self, PyObject *unused)
{
    Py_INCREF (self);
    return self;
}

PyObject *inert_node (PyObject *module, PyObject *unused)
{
    static PyMethodDef methods[] = {
        {"__enter__", node_enter, METH_NOARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof (struct node, call),
         READONLY, NULL},
        {"__weaklistoffset__", T_PYSSIZET, offsetof (struct node, weak),
         READONLY, NULL},
        {"__dictoffset__", T_PYSSIZET, offsetof (struct node, dict), READONLY,
         NULL},
        {NULL, 0, 0, 0, NULL},
    };
    static PyGetSetDef getset[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL,
         NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, node_tp_new},
        {Py_tp_call, node_tp_call},
        {Py_tp_traverse, node_traverse},
        {Py_tp_clear, node_clear},
        {Py_tp_dealloc, node_dealloc},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {Py_tp_getset, getset},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "dftrace._node.Node",
        .basicsize = sizeof (struct node),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                 HAVE_VECTORCALL,
        .slots = slots,
    };

    return PyType_FromSpec (&spec);
}
