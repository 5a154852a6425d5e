# SPDX-License-Identifier: MIT
"""The program itself, which no import reaches: its functions, too.

In:  trace points of a module that is the main script by its file's name, of
     that of `python -m`, or of `__main__`, which is either
Out: the same program, with a call of ours behind each statement that gives
     one of these names something; in children of spawn, too
Caveat: a script is run as a directory with a __main__.py would be; anything
that is not as expected, and every program that no trace point is about, runs
as ever.
"""

import os
import sys

from . import _apply, _points

_lines = []                     # that are about this program
_CALL = "__import__('dftrace._main', fromlist=('_',)).%s(globals(), %r)"


# -- the program's text ------------------------------------------------------

def _lines_of(name):
    from . import _hook

    found = []
    for line in _hook.lines_of(name) + _hook.lines_of("__main__"):
        try:
            found.append((line, _points.parse(line.text)))
        except _points.Bad as error:
            _apply.bad_line(line.where, error)
    return found


def _given(node):
    """Names that a statement gives something."""
    import ast

    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [a.asname or a.name for a in node.names]
    return []


def _call(function, argument, node):
    import ast

    call = ast.parse(_CALL % (function, argument)).body[0]
    for part in ast.walk(call):
        ast.copy_location(part, node)
    return call


def _with_calls(body, roots, found):
    """Statements of a module, and of the blocks in it."""
    out = []
    for node in body:
        for part in "body", "orelse", "finalbody":
            inner = getattr(node, part, None)
            if isinstance(inner, list) and not hasattr(node, "name"):
                setattr(node, part, _with_calls(inner, roots, found))
        for handler in getattr(node, "handlers", ()):
            handler.body = _with_calls(handler.body, roots, found)
        out.append(node)
        for name in _given(node):
            if name in roots:
                found.add(name)
                out.append(_call("given", name, node))
    return out


def _first(body):
    """Index behind the docstring and what must come before all else."""
    import ast

    at = 0
    for node in body:
        if not (isinstance(node, ast.ImportFrom) and
                node.module == "__future__") and \
                not (at == 0 and isinstance(node, ast.Expr)):
            break
        at += 1
    return at


def _compiled(path, lines, settle):
    """The code of a program with our calls, or None: it has none of the
    names."""
    import ast

    with open(path, "rb") as f:
        tree = ast.parse(f.read(), path)
    found = set()
    roots = {point.qualname.split(".")[0] for _, point in lines}
    tree.body = _with_calls(tree.body, roots, found)
    for line, point in lines:
        if point.qualname.split(".")[0] not in found and not point.optional:
            _apply.unresolved(line, "%s: %s: there is no such name" % (
                path, point.qualname))
    if not found:
        return None
    if settle and tree.body:
        at = _first(tree.body)
        near = tree.body[min(at, len(tree.body) - 1)]
        tree.body.insert(at, _call("settle", path, near))
    _lines[:] = lines
    return compile(tree, path, "exec", dont_inherit=True)


# -- what the program calls ----------------------------------------------------

class _Names:
    """Globals as attributes."""

    def __init__(self, names):
        self.__dict__ = names


def given(names, name):
    for line, point in _lines:
        if point.qualname.split(".")[0] == name:
            try:
                _apply.apply(line, _Names(names))
            except Exception:       # a name that comes later
                pass


def settle(names, path):
    """As for a script that is run: of its directory, without a spec."""
    from importlib.machinery import SourceFileLoader

    names.update(__spec__=None, __package__=None, __cached__=None,
                 __loader__=SourceFileLoader(names["__name__"], path))
    sys.path_importer_cache.pop(path, None)
    if sys.path and sys.path[0] == path:
        if names["__name__"] != "__main__" or \
                getattr(sys.flags, "safe_path", False):
            del sys.path[0]
        else:
            sys.path[0] = os.path.dirname(os.path.realpath(path))


# -- python SCRIPT, and spawn -----------------------------------------------

class _Script:
    """Finds and loads the __main__ of a script."""

    def __init__(self, path, code):
        self._path = path
        self._code = code

    def find_spec(self, name, target=None):
        from importlib.machinery import ModuleSpec

        if name != "__main__":
            return None
        return ModuleSpec(name, self, origin=self._path)

    def get_code(self, name):
        return self._code


def _is_the_program():
    """Is who asks the interpreter itself, or a child of spawn?"""
    try:
        frame = sys._getframe(2)
    except ValueError:              # no Python has called us
        return True
    frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "run_path" and \
        frame.f_locals.get("run_name") == "__mp_main__"


def _script(path):
    """A path hook: ImportError for all but the main script."""
    from . import _hook

    name = os.path.splitext(os.path.basename(path))[0]
    if not (_hook.lines_of(name) or _hook.lines_of("__main__")) or \
            not _is_the_program() or not os.path.isfile(path):
        raise ImportError("not a script", path=path)
    try:
        code = _compiled(path, _lines_of(name), True)
    except Exception:               # what it is, Python will say
        code = None
    if code is None:
        raise ImportError("nothing to trace", path=path)
    return _Script(path, code)


def watch():
    if hasattr(sys, "_getframe"):
        sys.path_hooks.insert(0, _script)


# -- python -m ---------------------------------------------------------------

def _asked_by_runpy(name):
    """Is name what `python -m`, or a child of spawn for it, is to run?"""
    frame, asked = sys._getframe(3), False
    while frame is not None:
        word, names = frame.f_code.co_name, frame.f_locals
        if word == "_get_module_details" and not asked:
            if names.get("mod_name") != name:
                return False
            asked = True
        if word == "_run_module_as_main":
            return asked
        if word == "run_module" and names.get("run_name") == "__mp_main__":
            return asked
        frame = frame.f_back
    return False


def spec_of_main(name, path, target):
    """The spec of what `python -m` is about to run, if it is traced."""
    from . import _hook

    if name == "__main__" or "runpy" not in sys.modules or \
            not (_hook.lines_of(name) or _hook.lines_of("__main__")) or \
            not _asked_by_runpy(name):
        return None
    spec = _hook.ask_others(name, path, target)
    try:
        if spec.submodule_search_locations is None:
            code = _compiled(spec.origin, _lines_of(name), False)
            if code is not None:
                spec.loader.get_code = lambda name: code
    except Exception:               # it runs as ever
        pass
    return spec
