# SPDX-License-Identifier: MIT
"""Trace-point files before a run: is each line right, and what it names there?

In:  files; Python files below a directory, which are read, not run, or the
     packages of this interpreter, which are imported
Out: a line for each that is wrong, or for all; counts
"""

import ast
import importlib
import os
import sys

from . import _capture, _points

# What is found out about a line; of these, wrong is what makes it fail.
WORDS = ("bad", "missing", "there", "optional", "elsewhere", "unchecked")
WRONG = ("bad", "missing")


# -- in source files -------------------------------------------------------

def _module_file(root, module):
    base = os.path.join(root, *module.split("."))
    for path in (base + ".py", os.path.join(base, "__init__.py")):
        if os.path.isfile(path):
            return path
    return None


def _names(body):
    """name -> node, of what a module or class body defines."""
    out = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef,
                             ast.ClassDef)):
            out[node.name] = node
        elif isinstance(node, (ast.If, ast.Try)):
            for part in ("body", "orelse", "finalbody"):
                out.update(_names(getattr(node, part, [])))
    return out


def _parameters(node):
    a = node.args
    names = [p.arg for p in getattr(a, "posonlyargs", []) + a.args]
    return names + [p.arg for p in a.kwonlyargs], a.kwarg is not None


def _roots(point):
    """Names of parameters that a point needs."""
    if point.parameter:
        return [point.parameter]
    roots = [_capture.parse(value)[0] for _, value in point.captures]
    return [r for r in roots
            if r and r != "result" and not r.startswith(("$", "@"))]


def _missing_in(tree, point):
    """What is wrong with a point against a module's source, or None."""
    node, names = None, _names(tree.body)
    for part in point.qualname.split("."):
        node = names.get(part)
        if node is None:
            return "there is no such name"
        names = _names(getattr(node, "body", []))
    if isinstance(node, ast.ClassDef):
        return "a class, not a function"
    if any(isinstance(d, ast.Name) and d.id == "property"
           for d in node.decorator_list):
        return "a property, not a function"
    known, any_keyword = _parameters(node)
    for root in _roots(point):
        if root not in known and not any_keyword:
            return "%s: not a parameter; there are %s" % (
                root, ", ".join(known))
    return None


def source(root):
    """A look that finds names in the Python files below root."""
    def look(point):
        package = point.module.split(".")[0]
        path = _module_file(root, point.module)
        if path is None:
            if _module_file(root, package) is None and \
                    not os.path.isdir(os.path.join(root, package)):
                return "elsewhere", "no such package there"
            return "missing", "there is no such module"
        with open(path, encoding="utf-8") as f:
            why = _missing_in(ast.parse(f.read()), point)
        return ("missing", why) if why else ("there", "")

    return look


# -- in what is installed ----------------------------------------------------

def _import(name):
    """(module, None) or (None, (word, why))"""
    try:
        return importlib.import_module(name), None
    except BaseException as error:      # whatever a module does when imported
        if isinstance(error, KeyboardInterrupt):
            raise
        package = name.split(".")[0]
        lacks = getattr(error, "name", None) or ""
        if isinstance(error, ModuleNotFoundError) and lacks == package:
            return None, ("elsewhere", "%s is not installed" % package)
        if isinstance(error, ModuleNotFoundError) and \
                (name + ".").startswith(lacks + "."):
            return None, ("missing", "there is no such module")
        return None, ("elsewhere", "cannot be imported: %s: %s" % (
            type(error).__name__, str(error).split("\n")[0]))


def installed(point):
    """A look into the packages of this interpreter, as the import hook
    does it."""
    from . import _apply

    module, problem = _import(point.module)
    if problem:
        return problem
    try:
        holder, name = _apply.holder_of(module, point.qualname)
        if point.parameter:
            _capture.argument(point.parameter,
                              _apply.function_at(holder, name)[0])
        else:
            _apply.prepare(holder, name, point.captures)
    except Exception as error:
        return "missing", _apply.why(error)
    return "there", ""


def with_ours():
    """Programs that import dftracer find ours, as in a traced run."""
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                 "compat"))


# -- files -----------------------------------------------------------------

def _line(line, look):
    """(word, why)"""
    try:
        point = _points.parse(line.text)
    except _points.Bad as error:
        return "bad", str(error)
    if look is None:
        return "unchecked", ""
    if point.module == "__main__":
        word, why = "elsewhere", "whichever script is run"
    else:
        word, why = look(point)
    if word == "missing" and point.optional:
        word = "optional"
    what = "%s:%s" % (point.module, point.qualname)
    return word, "%s: %s" % (what, why) if why else what


def files(paths, look, everything, out):
    """Check files, or those that come with dftrace. Counts by word."""
    counts = dict.fromkeys(WORDS, 0)
    for path in paths or _points.shipped():
        try:
            for line in _points.read(path):
                word, why = _line(line, look)
                counts[word] += 1
                if everything or word in WRONG:
                    out("%s: %s%s" % (line.where, word,
                                      ": " + why if why else ""))
        except (OSError, UnicodeDecodeError) as error:
            counts["bad"] += 1
            out("%s: %s" % (path, getattr(error, "strerror", 0) or error))
    return counts
