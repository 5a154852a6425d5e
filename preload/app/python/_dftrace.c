/* SPDX-License-Identifier: MIT
 *
 * _dftrace.c - Python's way to dftrace.h: names, ticks, dicts -> events
 *
 * In:  calls of the package dftrace
 * Out: events, through the functions of the preload library; without it
 *      active () is false and nobody calls the rest
 * Caveat: nothing here raises for a value that cannot be recorded, and no
 *         exception of the program that is on its way is touched.
 */
#include "python_h.h"

#include "dftrace/dftrace.h"

/* UTF-8 of a str; NULL (and no exception) when it has none. */
static const char *utf8 (PyObject *text)
{
    const char *s =
        PyUnicode_Check (text) ? PyUnicode_AsUTF8AndSize (text, NULL) : NULL;

    if (!s)
        PyErr_Clear ();
    return s;
}

static void add_text (dftrace_region_t *r, const char *key, PyObject *value)
{
    PyObject *text = PyObject_Str (value);
    const char *s = text ? utf8 (text) : NULL;
    PyObject *bytes = NULL;

    if (!s && text) { /* lone surrogates */
        bytes = PyUnicode_AsEncodedString (text, "utf-8", "backslashreplace");
        s = bytes ? PyBytes_AsString (bytes) : NULL;
    }
    if (s)
        dftrace_region_text (r, key, s);
    PyErr_Clear ();
    Py_XDECREF (bytes);
    Py_XDECREF (text);
}

/* -- keys ---------------------------------------------------------------- */

/* Ids of keys, by the object: a program uses the same few again and again. */
enum { KEYS = 64, TYPE_INT = 1, TYPE_DOUBLE = 2 };

static struct key {
    PyObject *name; /* ours: nobody else gets its address */
    uint32_t id;
} keys[KEYS];

static struct key *dftrace_key_of (PyObject *name)
{
    return &keys[((uintptr_t)name >> 4) % KEYS];
}

/* The next argument, with its key; NULL: ask the recorder. */
static dftrace_arg_t *
dftrace_next_arg (dftrace_region_t *r, PyObject *name, uint32_t type)
{
    const struct key *k = dftrace_key_of (name);
    dftrace_arg_t *a;

    if (k->name != name || !r->start || r->nargs >= DFTRACE_ARGS_MAX)
        return NULL;
    a = &r->args[r->nargs++];
    a->key = k->id;
    a->type = type;
    return a;
}

/* Remember the id that the recorder has just given to name. */
static void
dftrace_learn (const dftrace_region_t *r, uint32_t before, PyObject *name)
{
    struct key *k = dftrace_key_of (name);
    PyObject *old = k->name;

    if (r->nargs == before || !r->args[before].key ||
        !PyUnicode_CheckExact (name))
        return;
    Py_INCREF (name);
    k->name = name;
    k->id = r->args[before].key;
    Py_XDECREF (old);
}

/* -- arguments ----------------------------------------------------------- */

static int add_int (dftrace_region_t *r, PyObject *name, PyObject *value)
{
    uint32_t before = r->nargs;
    dftrace_arg_t *a;
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow (value, &overflow);

    if (overflow || (n == -1 && PyErr_Occurred ())) {
        PyErr_Clear ();
        return -1;
    }
    if ((a = dftrace_next_arg (r, name, TYPE_INT))) {
        a->value.i = n;
        return 0;
    }
    dftrace_region_int (r, utf8 (name), n);
    dftrace_learn (r, before, name);
    return 0;
}

static int add_double (dftrace_region_t *r, PyObject *name, PyObject *value)
{
    uint32_t before = r->nargs;
    dftrace_arg_t *a;
    double d = PyFloat_AsDouble (value);

    if (d == -1.0 && PyErr_Occurred ()) {
        PyErr_Clear ();
        return -1;
    }
    if ((a = dftrace_next_arg (r, name, TYPE_DOUBLE))) {
        a->value.d = d;
        return 0;
    }
    dftrace_region_double (r, utf8 (name), d);
    dftrace_learn (r, before, name);
    return 0;
}

/* numpy's and torch's scalars have __index__ or __float__; None is left out. */
static void dftrace_add (dftrace_region_t *r, PyObject *name, PyObject *value)
{
    if (value == Py_None ||
        (dftrace_key_of (name)->name != name && !utf8 (name)))
        return;
    if (PyLong_Check (value) || PyIndex_Check (value)) {
        if (add_int (r, name, value) == 0)
            return;
    }
    if (!PyUnicode_Check (value) && add_double (r, name, value) == 0)
        return;
    add_text (r, utf8 (name), value);
}

static void dftrace_add_all (dftrace_region_t *r, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    if (!PyDict_Check (dict))
        return;
    while (PyDict_Next (dict, &at, &key, &value)) {
        Py_INCREF (key); /* str () of a value may run anything */
        Py_INCREF (value);
        dftrace_add (r, key, value);
        Py_DECREF (value);
        Py_DECREF (key);
    }
}

static PyObject *wrong (const char *usage)
{
    PyErr_SetString (PyExc_TypeError, usage);
    return NULL;
}

static PyObject *active (PyObject *self, PyObject *unused)
{
    return PyBool_FromLong (dftrace_active && dftrace_region_mark &&
                            dftrace_active ());
}

static PyObject *now (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    uint64_t tick = 0;

    if (nargs == 1 && dftrace_region_enter)
        tick = dftrace_region_enter ((uint32_t)PyLong_AsUnsignedLong (args[0]));
    else if (dftrace_clock)
        tick = dftrace_clock ();
    return PyErr_Occurred () ? NULL : PyLong_FromUnsignedLongLong (tick);
}

static PyObject *leave (PyObject *self, PyObject *start)
{
    if (dftrace_region_leave)
        dftrace_region_leave (PyLong_AsUnsignedLongLong (start));
    if (PyErr_Occurred ())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
event_id (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    uint32_t id = 0;

    if (nargs != 2)
        return wrong ("event_id (category, name)");
    if (dftrace_event_id)
        id = dftrace_event_id (utf8 (args[0]), utf8 (args[1]));
    return PyLong_FromUnsignedLong (id);
}

static int dftrace_take (dftrace_region_t *r,
                         PyObject *id,
                         PyObject *start,
                         PyObject *dict)
{
    r->name = (uint32_t)PyLong_AsUnsignedLong (id);
    r->start = start ? PyLong_AsUnsignedLongLong (start) : 1;
    r->nargs = 0;
    if (PyErr_Occurred ())
        return -1;
    if (dict != Py_None)
        dftrace_add_all (r, dict);
    return 0;
}

static PyObject *end (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    dftrace_region_t r;

    if (nargs != 4)
        return wrong ("end (id, start, failed, args)");
    if (dftrace_region_end) {
        if (dftrace_take (&r, args[0], args[1], args[3]) < 0)
            return NULL;
        if (r.start)
            dftrace_region_end (&r, args[2] != Py_False);
    }
    Py_RETURN_NONE;
}

static PyObject *mark (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    dftrace_region_t r;

    if (nargs != 2)
        return wrong ("mark (id, args)");
    if (dftrace_region_mark) {
        if (dftrace_take (&r, args[0], NULL, args[1]) < 0)
            return NULL;
        dftrace_region_mark (&r);
    }
    Py_RETURN_NONE;
}

static PyObject *
metadata (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2)
        return wrong ("metadata (key, value)");
    dftrace_metadata (utf8 (args[0]), PyBytes_Check (args[1])
                                          ? PyBytes_AsString (args[1])
                                          : utf8 (args[1]));
    Py_RETURN_NONE;
}

static PyObject *
context (PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    const char *key = nargs == 2 ? utf8 (args[0]) : NULL;
    long long value;

    if (!key)
        return wrong ("context (key, int or None)");
    if (args[1] == Py_None) {
        dftrace_context_end (key);
        Py_RETURN_NONE;
    }
    value = PyLong_AsLongLong (args[1]);
    if (value == -1 && PyErr_Occurred ())
        return NULL;
    dftrace_context (key, value);
    Py_RETURN_NONE;
}

/* -- places in the program: events of PySys_Audit -> the hook's function ----
 */

/* Not in the stable ABI's headers, but in each CPython since 3.8. */
PyAPI_FUNC (int) PySys_AddAuditHook (int (*hook) (const char *event,
                                                  PyObject *args,
                                                  void *cookie),
                                     void *cookie);

enum {
    PLACE_SLOTS = 256,
    PLACE_LOOKS = 1000 /* times that the stack of a process is looked at */
};

static const struct place_event {
    const char *event, *kind;
} place_events[] = {{"open", "file"},
                    {"os.listdir", "file"},
                    {"os.scandir", "file"},
                    {"sqlite3.connect", "file"},
                    {"subprocess.Popen", "start"},
                    {"os.posix_spawn", "start"},
                    {"os.system", "start"},
                    {"socket.connect", "connect"}};

static PyObject *place_note; /* ours; NULL: nobody asks */
static PyInterpreterState *place_home;
static unsigned places_noted;
static unsigned long place_inside; /* the thread that asks; no storage of
                                      threads: it would need the loader */

static struct place_slot {
    uint32_t hash, times;
} place_slots[PLACE_SLOTS];

static int place_is_module (const char *path, size_t n)
{
    return (n > 3 && strcmp (path + n - 3, ".py") == 0) ||
           (n > 4 && strcmp (path + n - 4, ".pyc") == 0);
}

/* A number for the line that is running. */
static uint32_t place_line (void)
{
    PyFrameObject *frame = PyEval_GetFrame ();
    PyCodeObject *code = frame ? PyFrame_GetCode (frame) : NULL;
    uint32_t hash = (uint32_t)((uintptr_t)code >> 4);

    if (frame)
        hash = (hash ^ (uint32_t)PyFrame_GetLineNumber (frame)) * 16777619u;
    Py_XDECREF ((PyObject *)code);
    return hash;
}

/* Files whose names differ in their digits are one series. Of those that a line
 * opens the first one and then the 2nd, 4th, 8th … are due: the line may be one
 * of a library, and its callers differ. */
static int place_is_due (const char *kind, PyObject *name)
{
    const char *path = utf8 (name);
    size_t n = path ? strlen (path) : 0;
    uint32_t hash;
    struct place_slot *s;

    if (places_noted >= PLACE_LOOKS || place_is_module (path, n))
        return 0;
    hash = place_line () ^ (uint32_t)(unsigned char)*kind;
    for (size_t i = 0; i < n; i++)
        if (path[i] < '0' || path[i] > '9')
            hash = (hash ^ (unsigned char)path[i]) * 16777619u;
    s = &place_slots[hash % PLACE_SLOTS];
    if (s->hash != hash)
        *s = (struct place_slot){.hash = hash};
    s->times++;
    if (s->times & (s->times - 1))
        return 0;
    places_noted++;
    return 1;
}

static int place_hook (const char *event, PyObject *args, void *cookie)
{
    const struct place_event *e = place_events,
                             *end = e + sizeof (place_events) / sizeof (*e);
    PyObject *result;

    if (!place_note || place_inside == PyThread_get_thread_ident ())
        return 0;
    while (e < end && strcmp (event, e->event) != 0)
        e++;
    if (e == end || PyInterpreterState_Get () != place_home ||
        !PyTuple_Check (args) || PyTuple_Size (args) < 1 ||
        !place_is_due (e->kind, PyTuple_GetItem (args, 0)))
        return 0;
    place_inside = PyThread_get_thread_ident ();
    result = PyObject_CallFunction (place_note, "sO", e->kind, args);
    if (!result)
        PyErr_Clear ();
    Py_XDECREF (result);
    place_inside = 0;
    return 0;
}

/* A hook stays until the interpreter ends. */
static PyObject *places (PyObject *self, PyObject *function)
{
    PyObject *old = place_note;

    if (function != Py_None && !place_home) {
        place_home = PyInterpreterState_Get ();
        if (PySys_AddAuditHook (place_hook, NULL) < 0)
            PyErr_Clear (); /* a hook of the program refuses others */
    }
    place_note = function != Py_None ? function : NULL;
    Py_XINCREF (place_note);
    Py_XDECREF (old);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"active", active, METH_NOARGS, "True when events are recorded."},
    {"now", FAST (now), METH_FASTCALL,
     "Ticks; 0: not recorded. Of an id: this thread is in that region."},
    {"leave", leave, METH_O, "The region that began then is not recorded."},
    {"event_id", FAST (event_id), METH_FASTCALL,
     "Id of (category, name) in this process."},
    {"end", FAST (end), METH_FASTCALL, "Record a region from start to now."},
    {"mark", FAST (mark), METH_FASTCALL, "Record an instant."},
    {"metadata", FAST (metadata), METH_FASTCALL,
     "Record a fact about this process."},
    {"context", FAST (context), METH_FASTCALL,
     "Give later events an argument."},
    {"gather", FAST (gather), METH_FASTCALL,
     "What a use of a node was given, as a dict."},
    {"places", places, METH_O,
     "Call function (kind, arguments) for some of the opens, starts of "
     "programs "
     "and connections; None ends it."},
    {"always", inert_always, METH_O, "A function that gives this, always."},
    {"node", inert_node, METH_NOARGS, "A class of nodes that record nothing."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_dftrace",
    .m_doc = "dftrace.h for Python; use the package dftrace.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__dftrace (void);

PyMODINIT_FUNC PyInit__dftrace (void)
{
    return PyModuleDef_Init (&module);
}
