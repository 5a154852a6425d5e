#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2440-wheel.t - a wheel of the tree: what is in it, that it traces and reads traces

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

[ -e "$top_builddir/python/dftrace/_reader.abi3.so" ] ||
    skip_all "no extension of Python was built"

DFTRACE_BUILD_DIR=$top_builddir
export DFTRACE_BUILD_DIR
mkdir "$tmp/dist" "$tmp/site"
PYTHONPATH=$top_srcdir/etc/packaging/wheel exits 0 "a wheel is built" "$python" -c "
import dftrace_wheel
assert dftrace_wheel.get_requires_for_build_wheel () == []
print (dftrace_wheel.build_wheel ('$tmp/dist'))"
wheel=$tmp/dist/$(tail -n 1 "$tmp/out")
like "$wheel" 'dftrace-[0-9.]+-cp310-abi3-linux_[a-z0-9_]+\.whl$' "its name"
is "$(ls "$tmp/dist")" "${wheel##*/}" "and nothing beside it"

exits 0 "it holds what its list says" "$python" -c "
import base64, csv, hashlib, io, sys, zipfile
z = zipfile.ZipFile ('$wheel')
assert z.testzip () is None
names = z.namelist ()
record = [n for n in names if n.endswith ('.dist-info/RECORD')][0]
rows = list (csv.reader (io.StringIO (z.read (record).decode ())))
assert sorted (r[0] for r in rows) == sorted (names), names
for name, digest, size in rows:
    if digest:
        d = base64.urlsafe_b64encode (hashlib.sha256 (z.read (name)).digest ())
        assert digest == 'sha256=' + d.rstrip (b'=').decode (), name
        assert int (size) == len (z.read (name))
for one in ('__init__.py', '_read.py', '_read.pyi', 'py.typed', '_reader.abi3.so',
            'points/pytorch.points', 'compat/dftracer/python/ai.py'):
    assert 'dftrace/' + one in names, one
assert not any (n.startswith ('sitecustomize') or '__pycache__' in n for n in names)
z.extractall ('$tmp/site')"
cat "$tmp/err"

"$python" -c "import sys; sys.path.insert (0, '$scripts')
import askjob; askjob.write_trace ('$tmp/a.pfw', 200, 1)"
cat >"$tmp/use.py" <<'END'
import sys
import dftrace
assert dftrace.__file__.startswith(sys.argv[1]), dftrace.__file__
with dftrace.region("a", "b"):          # nothing is recorded, nothing fails
    pass
t = dftrace.read(sys.argv[2])
print(sum(t.query(by="name", show="count")["count"]), dftrace.active)
END
is "$(cd "$tmp" && env -u DFTRACE_BUILD_DIR PYTHONPATH="$tmp/site" "$python" \
    use.py "$tmp/site" "$tmp/a.pfw")" "200 False" "it reads a trace"

if "$python" -m pip --version >/dev/null 2>&1; then
    exits 0 "pip install ." "$python" -m pip install -q --no-index \
        --no-build-isolation --no-cache-dir --disable-pip-version-check \
        --no-warn-script-location --ignore-installed --prefix "$tmp/pip" "$top_srcdir"
    bin=$(find "$tmp/pip" -name dftrace -path '*/bin/*') # Debian has local/ before it
    package=$(find "$tmp/pip" -name dftrace -path '*-packages/*')
    is "$(cd "$tmp" && PYTHONPATH="${package%/*}" "$python" use.py "$tmp/pip" \
        "$tmp/a.pfw")" "200 False" "and what it installed reads a trace"
    echo 14 bytes here >"$tmp/data"
    (cd "$tmp" && env -u DFTRACE_BUILD_DIR DFTRACE_PRELOAD= "$bin" run -q -o job dd if=data 2>/dev/null) >"$tmp/out"
    is "$(cat "$tmp/out")" "14 bytes here" "its command runs a program"
    is "$("$top_builddir/dftrace" stat --events "$tmp/job" | grep -c "	read	.*	ret=14	.*/data$")" 1 \
        "which its library traces"
else
    skip "no pip for $python" "pip install ., and its command"
fi

done_testing
