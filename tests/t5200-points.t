#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5200-points.t - trace points: functions of a program that knows nothing

. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/python.sh"

cat >"$tmp/good.points" <<'END'
# names, methods, captures
mod:Data.get = data.item idx=idx scale=scale n=len(result) last=result[-1] size=self.size w='x'
mod:Data.fail = data.fail
mod:Data.static = data.static a=$1
mod:Data.make = data.make n=n
mod:Data.__next__ = data.next
mod:Loader.__init__(source).item = data.brought index=$1
mod:cached = data.cached
mod:items = data.items item=result
mod:later = data.later x=x       # the end of a line
?mod:Missing.optional = data.none
json:dumps = text.json
END

traced_points() {
    DFTRACE_POINTS=$1 traced "${@:2}"
}

job=$tmp/good
traced_points "$tmp/good.points" "$job" "$scripts/usesmod.py" fork spawn forkserver
is "$(cat "$tmp/out" "$tmp/err")" "" "good: says nothing"
is "$(args "$job" data item | sed 1,3!d | tr '\n' ';')" \
    "w=x idx=2 scale=2 size=3 n=4 last=3;w=x idx=1 scale=1 size=3 n=1 last=0;\
w=x idx=1 scale=2 size=3 n=2 last=1;" "captures; super () is part of its caller"
is "$(count "$job" data item)" 9 "items of this process and six children"
is "$(awk -F'\t' '$6 == "item" { print $3 }' "$job.txt" | sort -u | wc -l)" 4 \
    "of four processes: fork, spawn, forkserver"
is "$(args "$job" data fail)" "errno=71 error=ValueError" "an exception"
is "$(args "$job" data static | xargs)" "a=1 a=1" "a static method"
is "$(args "$job" data make | xargs)" "n=4 n=4" "a class method"
is "$(count "$job" data next)" 3 "an iterator: items, not its end"
is "$(args "$job" data brought | xargs)" "index=0 index=1 index=2" \
    "a class that the program brings"
is "$(count "$job" data cached)" 1 "a callable that is no function"
is "$(args "$job" data items | xargs)" "item=0 item=1 item=2" "a generator"
is "$(args "$job" data later)" "x=7" "a coroutine"
is "$(count "$job" dftrace metadata '_points=')" 0 "an optional one is not reported"

cat >"$tmp/bad.points" <<'END'
mod:Data.get data.item
mod = data.item
mod:Data.get =
mod:Data.get = item
mod:Data.get = data.item idx
mod:Data.get = data.item idx=idx+1
mod:Data.get = data.item idx=__import__('os').system('x')
mod:Data.(get = data.item
mod:Data.(get).x() = data.item
mod:Data.get = data.right
mod:Data.gone = data.gone
mod:CONSTANT = data.constant
mod:Data.prop = data.prop
mod:Data.static = data.static n=nobody
END
job=$tmp/bad
traced_points "$tmp/bad.points:$tmp/none.points" "$job" "$scripts/usesmod.py" spawn
is "$(grep -c . "$tmp/err")" 1 "bad: one line for all processes"
like "$(cat "$tmp/err")" "^dftrace: $tmp/bad.points:1: .*: this line is left out" \
    "bad: file, line, what"
args "$job" dftrace metadata >"$tmp/facts"
for line in 1 2 3 4 5 6 7 8 9; do
    ok "bad: line $line" grep -q "^bad_points=$tmp/bad.points:$line: ." "$tmp/facts"
done
nok "bad: line 10 is not" grep -q "bad.points:10:" "$tmp/facts"
ok "bad: a missing file" grep -q "^bad_points=$tmp/none.points: No such file" \
    "$tmp/facts"
like "$(grep ':11:' "$tmp/facts")" \
    "^unresolved_points=$tmp/bad.points:11: mod:Data.gone: there is no such name" \
    "bad: a name that is gone"
like "$(grep ':12:' "$tmp/facts")" "mod:CONSTANT: cannot be traced" "bad: a constant"
like "$(grep ':13:' "$tmp/facts")" "mod:Data.prop: cannot be traced" "bad: a property"
like "$(grep ':14:' "$tmp/facts")" "nobody: not a parameter; there are a" \
    "bad: a capture of nobody"
is "$(count "$job" data right)" 5 "bad: the others work"

job=$tmp/gone
echo 'mod:Data.gone = data.gone' >"$tmp/gone.points"
traced_points "$tmp/gone.points" "$job" "$scripts/usesmod.py" fork spawn
is "$(cat "$tmp/err")" \
    "dftrace: $tmp/gone.points:1: mod:Data.gone: there is no such name: not traced" \
    "a name that is gone is said once"
SLURM_PROCID=1 traced_points "$tmp/gone.points" "$tmp/rank1" "$scripts/usesmod.py"
is "$(cat "$tmp/err")" "" "by the first task only"

exits 1 "check: bad" env PYTHONPATH="$top_builddir/python" "$python" -m dftrace \
    points --source "$scripts" "$tmp/bad.points"
is "$(grep -c "bad.points:[0-9]*: " "$tmp/out")" 14 "check: every line has its say"
like "$(grep ':11:' "$tmp/out")" "there is no such name" "check: reads the source"
exits 0 "check: good" env PYTHONPATH="$top_builddir/python" "$python" -m dftrace \
    points --source "$scripts" "$tmp/good.points"
exits 0 "check: those that come with dftrace" env \
    PYTHONPATH="$top_builddir/python" "$python" -m dftrace points

# -- in nobody's way -----------------------------------------------------

mkdir "$tmp/theirs"
echo 'import sys; sys.theirs = __name__' >"$tmp/theirs/sitecustomize.py"
export DFTRACE_POINTS=$tmp/good.points PYTHONPATH=$tmp/theirs
job=$tmp/chain
traced "$job" -c "import sys, sitecustomize, json; json.dumps (1)
print (sys.theirs, sitecustomize.__file__)"
is "$(cat "$tmp/out")" "sitecustomize $tmp/theirs/sitecustomize.py" \
    "another sitecustomize has its turn, and its name"
is "$(count "$job" text json)" 1 "and ours, too"
echo 'import not_there' >"$tmp/theirs/sitecustomize.py"
traced "$tmp/broken" -c "print (1)"
like "$(cat "$tmp/err")" "not_there" "what it raises is said as ever"
unset PYTHONPATH

for flag in -I -E -S; do
    traced "$tmp/flag$flag" $flag -c "import json; print (json.dumps ([1]))"
    is "$(cat "$tmp/out" "$tmp/err")" "[1]" "python $flag: runs as ever"
done
if "$python" -m venv --without-pip "$tmp/venv" >/dev/null 2>&1; then
    job=$tmp/venvjob
    exits 0 "venv: runs" "$dftrace" run -q -o "$job" --layers app -- \
        "$tmp/venv/bin/python" -c "import json; json.dumps (1)"
    "$dftrace" stat --events "$job" >"$job.txt"
    is "$(count "$job" text json)" 1 "venv: traced"
else
    skip "no venv" "venv"
fi
mkdir "$tmp/real" "$tmp/real/dftracer"
echo 'whose = "real"' >"$tmp/real/dftracer/__init__.py"
export PYTHONPATH=$tmp/real
traced "$tmp/left" -c "import dftracer, os
print (dftracer.whose, os.environ['DFTRACER_DISABLE_POSIX'])"
is "$(cat "$tmp/out")" "real 1" "an installed dftracer is left in charge"
DFTRACE_APP=native traced "$tmp/native" -c "import dftracer.python
print (dftracer.python.dftracer.__module__)"
is "$(cat "$tmp/out")" "dftrace._dftracer" "DFTRACE_APP=native: ours"
unset PYTHONPATH
exits 0 "posix alone" "$dftrace" run -q -o "$tmp/posix" --layers posix -- \
    "$python" -c "import os; print (os.environ.get ('PYTHONPATH'))"
is "$(cat "$tmp/out")" "None" "layer posix alone leaves Python alone"

done_testing
