# SPDX-License-Identifier: MIT
"""python3 -m dftrace points [--source DIR] [FILE…]

Check trace-point files (without FILE: those that come with dftrace): each
line's form, and with --source whether the functions are in the Python files
below DIR, which are read, not run. Exit status 1 when something is wrong.
"""

import ast
import os
import sys

from . import _points


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


def _missing(tree, point):
    """What is wrong with a point against a module's source, or None."""
    from . import _capture

    node, names = None, _names(tree.body)
    for part in point.qualname.split("."):
        node = names.get(part)
        if node is None:
            return "there is no such name"
        names = _names(getattr(node, "body", []))
    if isinstance(node, ast.ClassDef):
        return "a class, not a function"
    known, any_keyword = _parameters(node)
    wanted = [point.parameter] if point.parameter else [
        _capture.parse(value)[0] for _, value in point.captures]
    for root in wanted:
        if root and root != "result" and not root.startswith("$") and \
                root not in known and not any_keyword:
            return "%s: not a parameter; there are %s" % (
                root, ", ".join(known))
    return None


def _check_line(line, root, out):
    """1 when something is wrong with it."""
    try:
        point = _points.parse(line.text)
    except _points.Bad as error:
        out("%s: %s" % (line.where, error))
        return 1
    if not root:
        return 0
    path = _module_file(root, point.module)
    if path is None and not _module_file(root, point.module.split(".")[0]) \
            and not os.path.isdir(os.path.join(root,
                                               point.module.split(".")[0])):
        return 0                # of another package
    if path is None:
        why = "there is no such module"
    else:
        with open(path, encoding="utf-8") as f:
            why = _missing(ast.parse(f.read()), point)
    what = "%s:%s" % (point.module, point.qualname)
    if why is None:
        out("%s: %s: there" % (line.where, what))
        return 0
    if point.optional:
        out("%s: %s: %s (optional)" % (line.where, what, why))
        return 0
    out("%s: %s: %s" % (line.where, what, why))
    return 1


def _points_command(args):
    root, files, bad = None, [], 0
    while args:
        arg = args.pop(0)
        if arg == "--source" and args:
            root = args.pop(0)
        elif arg.startswith("-"):
            sys.exit(__doc__)
        else:
            files.append(arg)
    for path in files or _points.shipped():
        try:
            for line in _points.read(path):
                bad += _check_line(line, root, print)
        except (OSError, UnicodeDecodeError) as error:
            print("%s: %s" % (path, error))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] != "points":
        sys.exit(__doc__)
    sys.exit(_points_command(sys.argv[2:]))
