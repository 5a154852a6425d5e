# SPDX-License-Identifier: MIT
"""Imports of a traced process -> functions of trace points wrapped; opens ->
the lines of the program that they come from.

In:  lines of the trace-point files, by module; audit events
Out: their functions wrapped, between the end of a module's own code and
     whoever imports it; a fact for each new place, not for each open
Caveat: a module that is not named costs one look into a dict. Whatever goes
wrong here is a fact in the trace, never an exception in the program.
"""

import atexit
import os
import sys

from . import _apply, _backend, _dynamo, _main, _points, _pydftracer

_watched = {}                   # module -> [Line, …]
_actions = {}                   # module -> what else to do with it
_busy = set()                   # modules whose spec is being looked for


def _load(path, early):
    """early: say what is wrong with a line now, imported or not."""
    try:
        for line in _points.read(path):
            try:
                if early:
                    _points.parse(line.text)
            except _points.Bad as error:
                _apply.bad_line(line.where, error)
                continue
            _watched.setdefault(_points.module_of(line.text), []).append(line)
    except (OSError, UnicodeDecodeError) as error:
        _apply.bad_line(path, getattr(error, "strerror", None) or error)


# -- imports -------------------------------------------------------------

def lines_of(name):
    return _watched.get(name, [])


def when_imported(name, action):
    """Have action (module) called when a module has been imported."""
    _actions[name] = action
    _watched.setdefault(name, [])


def install():
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _imported(name, module):
    action = _actions.pop(name, None)
    if action is not None:
        try:
            action(module)
        except Exception:       # it stays as it is
            pass
    for line in _watched.pop(name, ()):
        _apply.apply(line, module)


def _arm(name, loader):
    """Have loader.exec_module () call us when it is done, once."""
    original = loader.exec_module

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        original(module)
        _imported(name, module)

    loader.exec_module = exec_module


class _StandIn:
    """For a loader that is a class, of what is built into the interpreter."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)


class _Finder:
    """First on sys.meta_path: asks the others, and arms what they find."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _busy:
            return None
        if name not in _watched:
            return _main.spec_of_main(name, path, target)
        _busy.add(name)
        try:
            spec = _main.spec_of_main(name, path, target) or \
                ask_others(name, path, target)
        finally:
            _busy.discard(name)
        loader = getattr(spec, "loader", None)
        if loader is not None and hasattr(loader, "exec_module"):
            try:
                if isinstance(loader, type):
                    loader = spec.loader = _StandIn(loader)
                _arm(name, loader)
            except Exception as error:
                for line in _watched.pop(name, ()):
                    _apply.unresolved(line, "%s: %s" % (name, error))
        return spec


def ask_others(name, path, target):
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        if finder is _Finder or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec
    return None


# -- places in the program ------------------------------------------------

PLACES_MAX = 64
_libraries = (os.path.dirname(os.__file__) + os.sep,
              os.path.dirname(os.path.abspath(__file__)) + os.sep)
_no_digits = dict.fromkeys(range(ord("0"), ord("9") + 1))
_places = set()


def _is_library(file):
    return (file.startswith(_libraries) or file.startswith("<frozen ") or
            "/site-packages/" in file or "/dist-packages/" in file)


def _program_frame():
    """The innermost frame of the program itself; None in an import."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return None
        if not _is_library(file):
            return frame
        frame = frame.f_back
    return None


def _note_place(kind, args):
    """FILE:LINE: FUNCTION, kind, file: a fact, if it is new. Of an open for
    reading or writing alone that is the kind."""
    path = ""
    if kind == "file":
        path = args[0]
        if not isinstance(path, (str, bytes)):
            return
        if len(args) > 2 and isinstance(args[2], int):
            kind = ("read", "write", "file",
                    "file")[args[2] & (os.O_WRONLY | os.O_RDWR)]
        path = os.path.abspath(os.fsdecode(path))
        if path.startswith(("/dev/", "/proc/", "/sys/")):
            return
    frame = _program_frame()
    if frame is None:
        return
    code = frame.f_code
    folder, _, name = path.rpartition("/")
    place = (kind, folder, name.translate(_no_digits), code.co_filename,
             frame.f_lineno)
    if place in _places or len(_places) >= PLACES_MAX:
        return
    _places.add(place)
    file = code.co_filename
    if not file.startswith("<"):
        file = os.path.abspath(file)
    name = getattr(code, "co_qualname", code.co_name)
    _backend.metadata("source", os.fsencode(
        "%s:%d: %s\x1f%s\x1f%s" % (file, frame.f_lineno, name, kind, path)))


def _watch_places():
    places = getattr(_backend.extension, "places", None)
    layers = os.environ.get("DFTRACE_LAYERS") or "posix"
    if places is not None and "posix" in layers.split(","):
        places(_note_place)
        atexit.register(places, None)


def _missing_modules():
    """At the end: modules that are not there, of packages that are in use."""
    from importlib.machinery import PathFinder

    for name, lines in list(_watched.items()):
        package = sys.modules.get(name.rpartition(".")[0])
        if name in sys.modules or not hasattr(package, "__path__"):
            continue
        lines = [line for line in lines if not line.text.startswith("?")]
        if lines and PathFinder.find_spec(name, package.__path__) is None:
            for line in lines:
                _apply.unresolved(line, "%s: there is no such module" % name)


def _torch_loader(module):
    from . import _torch

    _torch.ACTIONS[module.__name__](module)


def _frameworks():
    """Those that are in use: the screen says so where no step of them was seen."""
    for name in ("torch", "tensorflow", "jax"):
        if name in sys.modules:
            _backend.metadata("frameworks", name)


def _at_end():
    try:
        _frameworks()
        _missing_modules()
    except Exception:
        pass


def start():
    """In each Python process, before the program. Twice does nothing."""
    if not _backend.active or _Finder in sys.meta_path:
        return
    _backend.metadata("dftrace.hooked", "")     # not recorded: we are here
    for path in _points.shipped():
        _load(path, early=False)
    for path in _points.files(os.environ.get("DFTRACE_POINTS")):
        _load(path, early=True)
    for name in [n for n in _watched if n in sys.modules and n != "__main__"]:
        _imported(name, sys.modules[name])
    install()
    atexit.register(_at_end)
    _main.watch()
    _dynamo.watch()
    for name in ("dataloader", "_utils.fetch"):
        when_imported("torch.utils.data." + name, _torch_loader)
    _pydftracer.choose(when_imported)
    _watch_places()
