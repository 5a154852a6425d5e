#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5220-script.t - trace points of the program itself: script, -m, __main__

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

cp "$scripts/script.py" "$tmp/script.py"
mkdir "$tmp/pkg" "$tmp/d"
: >"$tmp/pkg/__init__.py"
cp "$tmp/script.py" "$tmp/pkg/train.py"
ln -s ../script.py "$tmp/d/linked.py"
cat >"$tmp/points" <<'END'
script:get_batch = dataloader.fetch n=n
script:Data.item = data.item image_idx=idx
script:Data.make = data.make n=n
script:tried = a.tried
script:conditional = a.conditional
script:alias = a.alias
script:dumps = a.dumps
script:gone = a.gone
script:Data.gone = a.gone
?script:optional = a.gone
pkg.train:get_batch = dataloader.fetch n=n
linked:get_batch = dataloader.fetch n=n
broken:f = a.f
raises:f = a.f
END
cd "$tmp" || exit 1

# same JOB ARGUMENT…: traced, the program says and returns what it does without
same() {
    local job=$tmp/$1 rc
    shift
    "$python" "$@" >"$tmp/want" 2>&1
    rc=$?
    exits $rc "${job##*/}: runs" env DFTRACE_POINTS="${points-$tmp/points}" \
        "$dftrace" run -q -o "$job" --layers app -- "$python" "$@"
    ok "${job##*/}: says what it says without us" cmp "$tmp/want" \
        <(cat "$tmp/out" "$tmp/err")
    "$dftrace" stat --events "$job" >"$job.txt" 2>/dev/null
}

job=$tmp/script
same script script.py fork spawn forkserver
is "$(args "$job" dataloader fetch | sort | uniq -c | xargs)" \
    "3 n=1 3 n=2 1 n=3 1 n=4" "calls of the script and of three kinds of children"
is "$(args "$job" data item) $(args "$job" data make)" "image_idx=4 n=1" "methods"
is "$(awk -F'\t' '$5 == "a" { print $6 }' "$job.txt" | sort | xargs)" \
    "alias conditional dumps tried" "names given in other ways"
is "$(args "$job" dftrace metadata | sed -n 's/^unresolved_points=//p' |
    sed "s|$tmp/||g" | sort -u)" "points:8: script.py: gone: there is no such name
points:9: script:Data.gone: there is no such name" "names that are not there"

same module -m pkg.train fork spawn
is "$(args "$tmp/module" dataloader fetch | sort | uniq -c | xargs)" \
    "2 n=1 2 n=2 1 n=3 1 n=4" "-m: calls of it and of its children"
same linked d/linked.py
is "$(count "$tmp/linked" dataloader fetch)" 2 "through a link: by its name"

echo '__main__:child = a.child' >"$tmp/main.points"
points=$tmp/main.points same main script.py fork
is "$(count "$tmp/main" a child)" 2 "__main__ is any script"
points=$tmp/main.points same mainmodule -m pkg.train fork
is "$(count "$tmp/mainmodule" a child)" 2 "and any module"

echo 'def f(:' >"$tmp/broken.py"
same broken broken.py
printf 'def f():\n    raise SystemExit("bye")\nf()\n' >"$tmp/raises.py"
same raises raises.py
is "$(args "$tmp/raises" a f)" "errno=71 error=SystemExit" "an exit from within"
printf 'import sys\nprint(1, sys.argv)\n' >"$tmp/other.py"
same other other.py
DFTRACE_POINTS=$tmp/points exits 0 "text on standard input" \
    "$dftrace" run -q -o "$tmp/stdin" --layers app -- "$python" - <other.py
if "$python" -c 'import sys; sys.flags.safe_path' 2>/dev/null; then
    job=$tmp/safe
    DFTRACE_POINTS=$tmp/points exits 3 "-P: runs" "$dftrace" run -q -o "$job" \
        --layers app -- "$python" -P script.py
    nok "-P: the script's directory is not searched" grep -F " $tmp 0.5" "$tmp/out"
    "$dftrace" stat --events "$job" >"$job.txt"
    is "$(count "$job" dataloader fetch)" 2 "-P: traced"
else
    skip "a Python without -P" "-P"
fi

done_testing
