# SPDX-License-Identifier: MIT
"""Build backend of pyproject.toml: package dftrace with its reader -> a wheel.

In:  a checkout or an unpacked tarball; a compiler, make, autotools in a
     checkout, headers of Python, zlib and libyaml; Slurm is not needed
Out: dftrace-VERSION-cp310-abi3-PLATFORM.whl, for CPython 3.10 and later

DFTRACE_BUILD_DIR names a directory where configure and make have run already.
Only the standard library is used, so nothing is ever downloaded.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
EXTENSION = "analyze/python/.libs/_reader.abi3.so"
PACKAGES = ("preload/app/python/dftrace", "analyze/python/dftrace")
KINDS = (".py", ".pyi", ".points", "py.typed")


def _say(text):
    print("dftrace: " + text, file=sys.stderr, flush=True)


def _run(words, where):
    try:
        subprocess.run(words, cwd=where, check=True, stdin=subprocess.DEVNULL,
                       stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as why:
        raise SystemExit("dftrace: wheel: %s: %s: README.md says what has to "
                         "be installed" % (" ".join(words), why)) from None


def version():
    with open(os.path.join(TOP, "configure.ac"), encoding="utf-8") as f:
        return re.search(r"AC_INIT\(\[dftrace\], \[([^]]+)\]", f.read())[1]


def _make(where):
    _say("wheel: make in " + where)
    _run(["make", "-s", "-j%d" % min(os.cpu_count() or 1, 8),
          "analyze/python/_reader.la"], where)
    return os.path.join(where, EXTENSION)


def _built(scratch):
    """The extension, made where need be."""
    given = os.environ.get("DFTRACE_BUILD_DIR")
    if given:
        return _make(given)
    if os.path.exists(os.path.join(TOP, "config.status")):
        return _make(TOP)       # configure refuses a second directory
    if not os.path.exists(os.path.join(TOP, "configure")):
        _run(["./bootstrap"], TOP)
    _say("wheel: configure")
    _run([os.path.join(TOP, "configure"), "-q", "--without-slurm",
          "--with-python=" + sys.executable], scratch)
    return _make(scratch)


def _files():
    """(name in the wheel, file) of all modules."""
    for package in PACKAGES:
        top = os.path.join(TOP, package)
        for where, below, names in os.walk(top):
            below[:] = sorted(d for d in below if d != "__pycache__")
            for name in sorted(names):
                if name.endswith(KINDS):
                    path = os.path.join(where, name)
                    yield "dftrace/" + os.path.relpath(path, top), path


def _metadata():
    return ("Metadata-Version: 2.1\nName: dftrace\nVersion: %s\n"
            "Summary: Traces of the I/O of jobs: read them as data frames\n"
            "License: MIT\nRequires-Python: >=3.10\n" % version()).encode()


def _tag():
    platform = re.sub("[^a-z0-9_]", "_", sysconfig.get_platform().lower())
    return "cp310-abi3-" + platform


def _head():
    return ("Wheel-Version: 1.0\nGenerator: dftrace_wheel\n"
            "Root-Is-Purelib: false\nTag: %s\n" % _tag()).encode()


def _write(path, content):
    """content: (name, bytes), in order. The list of them is the last one."""
    record = []
    info = "dftrace-%s.dist-info/RECORD" % version()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in content:
            one = zipfile.ZipInfo(name)         # no time: same input, same file
            one.external_attr = (0o755 if name.endswith(".so")
                                 else 0o644) << 16
            one.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(one, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append("%s,sha256=%s,%d" % (
                name, digest.rstrip(b"=").decode(), len(data)))
        record.append(info + ",,")
        out.writestr(zipfile.ZipInfo(info), "\n".join(record) + "\n")


def _read(path):
    with open(path, "rb") as f:
        return f.read()


# --- what pip calls (PEP 517) ----------------------------------------------------

def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory,
                                     config_settings=None):
    name = "dftrace-%s.dist-info" % version()
    os.mkdir(os.path.join(metadata_directory, name))
    for file, data in (("METADATA", _metadata()), ("WHEEL", _head())):
        with open(os.path.join(metadata_directory, name, file), "wb") as f:
            f.write(data)
    return name


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    if sys.version_info < (3, 10):
        raise SystemExit("dftrace: wheel: needs Python 3.10 or later")
    info = "dftrace-%s.dist-info/" % version()
    name = "dftrace-%s-%s.whl" % (version(), _tag())
    with tempfile.TemporaryDirectory(prefix="dftrace-wheel.") as scratch:
        content = [(to, _read(path)) for to, path in _files()]
        content.append(("dftrace/_reader.abi3.so", _read(_built(scratch))))
    content += [(info + "METADATA", _metadata()), (info + "WHEEL", _head()),
                (info + "licenses/COPYING",
                 _read(os.path.join(TOP, "COPYING")))]
    part = os.path.join(wheel_directory, name + ".part")
    _write(part, content)
    os.replace(part, os.path.join(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("dftrace: sdist: the tarball of a release is made by "
                     "make dist")
