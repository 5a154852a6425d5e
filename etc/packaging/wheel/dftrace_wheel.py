# SPDX-License-Identifier: MIT
"""Build backend of pyproject.toml: command, libraries, package -> a wheel.

In:  a checkout or an unpacked tarball; a compiler, make, autotools in a
     checkout, headers of Python, zlib and libyaml; Slurm is not needed
Out: dftrace-VERSION-cp310-abi3-PLATFORM.whl, for CPython 3.10 and later; where
     libyaml.a is, it needs only libz and glibc 2.17 (manylinux2014)

DFTRACE_BUILD_DIR names a directory where configure and make have run already.
Only the standard library is used, so nothing is ever downloaded.
"""

import base64
import glob
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
READER = "analyze/python/.libs/_reader.abi3.so"
PACKAGES = ("preload/app/python/dftrace", "analyze/python/dftrace")
KINDS = (".py", ".pyi", ".points", "py.typed")
# What the command needs of other systems: libz alone.
PORTABLE = ("--without-slurm", "--without-isal", "--without-libdeflate",
            "--without-sqlite", "--without-otf2", "--disable-kernel",
            "ac_cv_header_bzlib_h=no", "CFLAGS=-O2")


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
    _run(["make", "-s", "-j%d" % min(os.cpu_count() or 1, 8), "wheel-files"],
         where)
    return where


def _built(scratch):
    """The build directory, made where need be."""
    given = os.environ.get("DFTRACE_BUILD_DIR")
    if given:
        return _make(given)
    if os.path.exists(os.path.join(TOP, "config.status")):
        return _make(TOP)       # configure refuses a second directory
    if not os.path.exists(os.path.join(TOP, "configure")):
        _run(["./bootstrap"], TOP)
    _say("wheel: configure")
    _run([os.path.join(TOP, "configure"), "-q", *PORTABLE, "--with-python="
          + sys.executable, *_static_yaml()], scratch)
    return _make(scratch)


def _static_yaml():
    """libyaml as a part of the command, where its archive is."""
    cc = os.environ.get("CC", "cc").split()
    try:
        path = subprocess.run([*cc, "-print-file-name=libyaml.a"], check=True,
                              capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ()
    return ("YAML_LIBS=-l:libyaml.a", "YAML_CFLAGS= ") if "/" in path else ()


def _programs(built):
    """(name in the wheel, file): bin/dftrace, and lib/dftrace beside it."""
    data = "dftrace-%s.data/" % version()
    yield data + "scripts/dftrace", os.path.join(built, "dftrace")
    for path in sorted(glob.glob(os.path.join(built, "preload/.libs/*.so"))):
        yield data + "data/lib/dftrace/" + os.path.basename(path), path
    top = os.path.join(built, "python")
    for where, below, names in os.walk(top):
        below[:] = sorted(d for d in below if d != "__pycache__")
        for name in sorted(names):
            if name.endswith(KINDS + (".so",)):
                path = os.path.join(where, name)
                yield (data + "data/lib/dftrace/python/" +
                       os.path.relpath(path, top), path)


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
            "Summary: Trace the I/O of programs, read traces as data frames\n"
            "License: MIT\nRequires-Python: >=3.10\n" % version()).encode()


def _tag(built):
    """Of the platform; manylinux where nothing else than libz is needed."""
    platform = re.sub("[^a-z0-9_]", "_", sysconfig.get_platform().lower())
    try:
        needs = subprocess.run(["readelf", "-dVW", os.path.join(built, "dftrace")],
                               check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        needs = ""
    libraries = set(re.findall(r"NEEDED.*\[(\w+)[-.]", needs))
    versions = re.findall(r"Name: GLIBC_2\.(\d+)", needs)
    if libraries and libraries <= {"libc", "libdl", "libm", "libpthread", "libz"} and \
            versions and max(map(int, versions)) <= 17:
        platform = platform.replace("linux_", "manylinux_2_17_")
    return "cp310-abi3-" + platform


def _head(tag):
    return ("Wheel-Version: 1.0\nGenerator: dftrace_wheel\n"
            "Root-Is-Purelib: false\nTag: %s\n" % tag).encode()


def _write(path, content):
    """content: (name, bytes), in order. The list of them is the last one."""
    record = []
    info = "dftrace-%s.dist-info/RECORD" % version()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in content:
            one = zipfile.ZipInfo(name)         # no time: same input, same file
            one.external_attr = (0o100755 if name.endswith((".so", "/dftrace"))
                                 else 0o100644) << 16
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


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    if sys.version_info < (3, 10):
        raise SystemExit("dftrace: wheel: needs Python 3.10 or later")
    info = "dftrace-%s.dist-info/" % version()
    with tempfile.TemporaryDirectory(prefix="dftrace-wheel.") as scratch:
        built = _built(scratch)
        tag = _tag(built)
        content = [(to, _read(path)) for to, path in [
            *_files(), ("dftrace/_reader.abi3.so", os.path.join(built, READER)),
            *_programs(built), (info + "licenses/COPYING",
                                os.path.join(TOP, "COPYING"))]]
    content += [(info + "METADATA", _metadata()), (info + "WHEEL", _head(tag))]
    name = "dftrace-%s-%s.whl" % (version(), tag)
    part = os.path.join(wheel_directory, name + ".part")
    _write(part, content)
    os.replace(part, os.path.join(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("dftrace: sdist: the tarball of a release is made by "
                     "make dist")
