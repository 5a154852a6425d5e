#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5210-pythons.t - every Python of this machine: venv, conda, of any version
#
# In: python3.N in PATH; DFTRACE_TEST_PYTHONS, colon-separated

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

cat >"$tmp/points" <<'END'
json:dumps = text.json n=$1
END
cat >"$tmp/program.py" <<'END'
import json
import multiprocessing
import sys


def child(n):
    return json.dumps(n)


if __name__ == "__main__":
    for method in "fork", "spawn", "forkserver":
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(child, [1, 2]) == ["1", "2"]
            pool.close()
            pool.join()
    print(json.dumps([sys.version_info[:2], sys.prefix, getattr(
        sys, "theirs", None)]))
END
export DFTRACE_POINTS=$tmp/points

# works NAME PYTHON [OPTION…]: the program runs, and its calls are traced
works() {
    local job=$tmp/$1
    exits 0 "$1: runs" "$dftrace" run -q -o "$job" --layers app -- \
        "${@:2}" "$tmp/program.py"
    "${@:2}" "$tmp/program.py" >"$tmp/out.without" 2>"$tmp/err.without"
    # Children may say the same at once.
    is "$(cat "$tmp/out"; sort -u "$tmp/err")" \
        "$(cat "$tmp/out.without"; sort -u "$tmp/err.without")" \
        "$1: says what it says without us"
    "$dftrace" stat --events "$job" >"$job.txt" 2>/dev/null
    is "$(count "$job" text json)" 7 \
        "$1: calls of the program and of three kinds of children"
}

# An environment with a sitecustomize of its own, as conda's may have. (On
# Debian the system's is found before it, with us and without.)
if "$python" -m venv --without-pip "$tmp/env" >/dev/null 2>&1; then
    own=$("$tmp/env/bin/python" -c \
        'import sysconfig; print (sysconfig.get_path ("purelib"))')
    echo 'import sys; sys.theirs = "theirs"' >"$own/sitecustomize.py"
    works venv "$tmp/env/bin/python"
    exits 0 "copied venv" "$python" -m venv --without-pip --copies "$tmp/copies"
    works copies "$tmp/copies/bin/python"
else
    skip "no venv" "venv"
fi

# One with a prefix of its own, as conda's have: a copy of the interpreter, a
# library below it, packages with a sitecustomize, no user's directory.
conda=$tmp/conda
real=$("$python" -c 'import os, sys; print (os.path.realpath (
    getattr (sys, "_base_executable", sys.executable)))')
lib=$("$python" -c 'import os; print (os.path.dirname (os.__file__))')
mkdir -p "$conda/bin" "$conda/lib/${lib##*/}/site-packages"
cp "$real" "$conda/bin/python3"
for path in "$lib"/*; do
    case ${path##*/} in
    site-packages | dist-packages | sitecustomize.py | __pycache__) ;;
    *) ln -s "$path" "$conda/lib/${lib##*/}/" ;;
    esac
done
echo 'import sys; sys.theirs = "theirs " + sys.prefix' >"$tmp/theirs.py"
if own=$("$conda/bin/python3" -s -c 'import site, sys
assert sys.prefix == sys.base_prefix == sys.argv[1]
print (site.getsitepackages ()[-1])' "$conda" 2>"$tmp/err"); then
    mkdir -p "$own"
    cp "$tmp/theirs.py" "$own/sitecustomize.py"
    export CONDA_PREFIX=$conda CONDA_DEFAULT_ENV=base CONDA_SHLVL=1
    works conda "$conda/bin/python3" -s
    like "$(cat "$tmp/out")" "theirs $conda" "conda: its sitecustomize is run"
    PATH=$conda/bin:$PATH PYTHONNOUSERSITE=1 works activated python3
    like "$(cat "$tmp/out")" "theirs $conda" "activated: its sitecustomize is run"
    mkdir "$tmp/more"
    echo 'import sys; sys.theirs = "mine"' >"$tmp/more/sitecustomize.py"
    PYTHONPATH=$tmp/more works chained "$conda/bin/python3" -s
    like "$(cat "$tmp/out")" '"mine"' "chained: that of PYTHONPATH is first"
    rm "$tmp/more/sitecustomize.py"
    echo 'raise ImportError ("theirs is broken")' >"$own/sitecustomize.py"
    works broken "$conda/bin/python3" -s
    like "$(cat "$tmp/out" "$tmp/err")" "theirs is broken" "broken: and said so"
    unset CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_SHLVL
else
    skip "$(tail -n 1 "$tmp/err")" "conda"
fi

declare -A seen
IFS=: read -ra more <<<"${DFTRACE_TEST_PYTHONS-}"
for path in $(compgen -c python3. | grep -xE 'python3\.[0-9]+' | sort -u) \
    "${more[@]}"; do
    version=$("$path" -c 'import sys; print("%d.%d" % sys.version_info[:2])' \
        2>/dev/null) || continue
    [ -z "${seen[$version]-}" ] || continue
    seen[$version]=1
    case $version in
    2.* | 3.[0-6]) # as ever, without steps
        exits 0 "$version: runs untraced" "$dftrace" run -q -o "$tmp/$version" \
            --layers app -- "$path" -c 'print (1)'
        is "$(cat "$tmp/out" "$tmp/err")" 1 "$version: as ever"
        ;;
    *) works "$version" "$path" ;;
    esac
done

done_testing
