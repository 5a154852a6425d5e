/* SPDX-License-Identifier: MIT
 *
 * _gather.c - epoch=…, step=…, args={…} of a use of a node -> one dict
 *
 * In:  what is None is not there; keys of any type, values that may be
 *      DFTracer's wrappers
 * Out: str -> value; the same as gather () of _use.py
 */
#include "python_h.h"

enum { FACTS = 4, ARGS = FACTS, ARGUMENTS };

/* The names of the first four, interned once. */
static PyObject *const *fact_names (void)
{
    static const char *const text[FACTS] = {"epoch", "step", "image_idx",
                                            "image_size"};
    static PyObject *name[FACTS];

    for (int i = 0; i < FACTS; i++)
        if (!name[i] && !(name[i] = PyUnicode_InternFromString (text[i])))
            return NULL;
    return name;
}

static int gather_plain (PyObject *value)
{
    return value == Py_None || PyLong_CheckExact (value) ||
           PyFloat_CheckExact (value) || PyUnicode_CheckExact (value) ||
           PyBool_Check (value);
}

/* Return the object inside a wrapper, else the value itself. */
static PyObject *content (PyObject *value)
{
    PyObject *inner =
        gather_plain (value) ? NULL : PyObject_GetAttrString (value, "_value");

    if (inner)
        return inner;
    if (PyErr_Occurred ()) {
        if (!PyErr_ExceptionMatches (PyExc_AttributeError))
            return NULL;
        PyErr_Clear ();
    }
    Py_INCREF (value);
    return value;
}

static int gather_put (PyObject *dict, PyObject *key, PyObject *value)
{
    PyObject *name = PyUnicode_CheckExact (key) ? key : PyObject_Str (key);
    PyObject *inner = name ? content (value) : NULL;
    int rc = inner ? PyDict_SetItem (dict, name, inner) : -1;

    Py_XDECREF (inner);
    if (name != key)
        Py_XDECREF (name);
    return rc;
}

static int gather_put_all (PyObject *dict, PyObject *args)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int rc = 0;

    while (rc == 0 && PyDict_Next (args, &at, &key, &value)) {
        Py_INCREF (key); /* str () of a key may run anything */
        Py_INCREF (value);
        rc = gather_put (dict, key, value);
        Py_DECREF (value);
        Py_DECREF (key);
    }
    return rc;
}

/* args is any mapping. */
static int put_mapping (PyObject *dict, PyObject *args)
{
    PyObject *copy;
    int rc = PyObject_IsTrue (args);

    if (rc <= 0)
        return rc;
    if (PyDict_Check (args))
        return gather_put_all (dict, args);
    if (!(copy = PyDict_New ()))
        return -1;
    rc = PyDict_Update (copy, args);
    if (rc == 0)
        rc = gather_put_all (dict, copy);
    Py_DECREF (copy);
    return rc;
}

PyObject *gather (PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *const *name = fact_names ();
    PyObject *dict;
    int rc = 0;

    if (nargs != ARGUMENTS)
        PyErr_SetString (PyExc_TypeError, "gather (epoch, step, image_idx, "
                                          "image_size, args)");
    if (nargs != ARGUMENTS || !name || !(dict = PyDict_New ()))
        return NULL;
    for (int i = 0; rc == 0 && i < FACTS; i++)
        if (args[i] != Py_None)
            rc = PyDict_SetItem (dict, name[i], args[i]);
    if (rc == 0 && args[ARGS] != Py_None)
        rc = put_mapping (dict, args[ARGS]);
    if (rc == 0 && PyDict_Size (dict) > 0)
        return dict;
    Py_DECREF (dict);
    if (rc < 0)
        return NULL;
    Py_RETURN_NONE;
}
