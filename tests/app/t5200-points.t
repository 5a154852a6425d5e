#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5200-points.t - trace points: functions of a program that knows nothing

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
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
is "$(cat "$tmp/out" "$tmp/err")" "" "bad: the program says what it says"
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

cat >"$tmp/built.points" <<'END'
math:sqrt = c.sqrt x=$1
itertools:count.nothing = c.none
xml.nowhere:f = a.f
?xml.perhaps:f = a.f
xml.sax.saxutils:escape = a.escape
nobody.at.all:f = a.f
END
job=$tmp/built
traced_points "$tmp/built.points" "$job" -c "import math, pickle, xml, itertools
import importlib.util as u
assert math.sqrt (9) == 3 and pickle.loads (pickle.dumps (math.sqrt)) is math.sqrt
print (math.__spec__.loader is math.__loader__, '_StandIn' in repr (math.__loader__))"
is "$(cat "$tmp/out")" "True False" "a built-in module is what it is"
is "$(args "$job" c sqrt | head -n 1)" "x=9" "a function in C"
is "$(args "$job" dftrace metadata | sed -n 's/.*built.points:\([0-9]*\).*/\1/p' |
    sort | xargs)" "2 3" "a module that is not there, of a package that is in use"

cat >"$tmp/within.points" <<'END'
json:dumps = text.outer
json.encoder:JSONEncoder.encode = text.inner not-in=text
json.decoder:JSONDecoder.decode = other.inner not-in=text
json:loads = more.outer
json:dump = text.bad not-in=
END
job=$tmp/within
traced_points "$tmp/within.points" "$job" -c "import json
assert json.dumps ([1]) == json.JSONEncoder ().encode ([1]) == '[1]'
assert json.loads ('[1]') == [1]"
is "$(count "$job" text outer) $(count "$job" text inner)" "1 1" \
    "not-in: part of a call of that category, else an event"
is "$(count "$job" more outer) $(count "$job" other inner)" "1 1" \
    "not-in: of no other category"
like "$(args "$job" dftrace metadata)" "within.points:5: not-in=: not KEY=VALUE" \
    "not-in: of nothing"

# The trace says it, once for all processes.
job=$tmp/bad
exits 0 "stat" "$dftrace" stat "$job"
cp "$tmp/out" "$tmp/stat"
like "$(cat "$tmp/stat")" "trace points: 10 bad: .*trace points: 4 unresolved: " \
    "stat: how many"
for line in $(seq 1 14); do
    n=$(grep -c "^  $tmp/bad.points:$line: ." "$tmp/stat")
    is "$n" "$((line == 10 ? 0 : 1))" "stat: line $line"
done
exits 0 "analyze" "$dftrace" analyze --view all "$job"
like "$(cat "$tmp/err")" "bad: 14 trace points do not work: see" "analyze: warns"
like "$(cat "$tmp/out")" "Trace points that do not work" "analyze: and shows"
exits 0 "the view alone" "$dftrace" analyze --view trace_point --format csv "$job"
is "$(sed -n 1p "$tmp/out")" "problem,where,what,processes" "view: columns"
is "$(grep ":11," "$tmp/out" | sed 's/,[0-9]*$//')" \
    "unresolved,$tmp/bad.points:11,mod:Data.gone: there is no such name" \
    "view: file:line, what"
like "$(cat "$tmp/out")" "bad,$tmp/none.points,No such file" "view: a missing file"
if command -v jq >/dev/null 2>&1; then
    is "$(jq -c '[.health.bad_points, .health.unresolved_points,
        (.trace_points | length)]' "$job/metrics.json")" "[10,4,14]" "metrics.json"
    is "$(jq -r '.trace_points[] | select (.where | endswith (":4")) |
        .problem + " " + .what' "$job/metrics.json")" \
        "bad item: not CATEGORY.NAME" "metrics.json: which"
else
    skip "no jq" "metrics.json" "metrics.json: which"
fi
"$dftrace" merge --quiet "$job"
"$dftrace" stat "$job/trace.dft" | grep -A20 '^trace points' >"$tmp/merged"
ok "the merged trace says the same" cmp "$tmp/merged" \
    <(grep -A20 '^trace points' "$tmp/stat")
traced "$tmp/same" -c "import os, subprocess, sys
print (sorted (k for k in os.environ if 'POINTS' in k))"
is "$(cat "$tmp/out")" "[]" "nothing is put into the environment"

cat >"$tmp/named.points" <<'END'
mod:Named.outer = data.item where='outer'
mod:Named.inner = data.item where='inner'
END
job=$tmp/named
traced_points "$tmp/named.points" "$job" "$scripts/named.py"
is "$(args "$job" data item | tr '\n' ';')" \
    ";n=4;;step=1;where=outer;errno=71 error=ValueError;;step=2;;where=inner;" \
    "what the program names itself is there once"

exits 1 "check: bad" "$dftrace" points --python "$python" --source "$scripts" \
    "$tmp/bad.points" "$tmp/none.points"
is "$(grep -c "bad.points:[0-9]*: " "$tmp/out")" 13 \
    "check: every wrong line has its say"
like "$(cat "$tmp/out")" "$tmp/none.points: No such file" "check: a missing file"
is "$(tail -n 1 "$tmp/out")" \
    "10 lines make no sense; 4 names are not there; 1 names are there" "check: counts"
like "$(grep ':11:' "$tmp/out")" "there is no such name" "check: reads the source"
exits 0 "check: good" "$dftrace" points --python "$python" --source "$scripts" "$tmp/good.points"
PYTHONPATH=$scripts exits 1 "import: bad" "$dftrace" points --python "$python" --import \
    "$tmp/bad.points"
is "$(sed 's/.*bad.points:\([0-9]*\): \([a-z]*\).*/\1 \2/' "$tmp/out" | tail -n 5 |
    tr '\n' ';')" \
    "11 missing;12 missing;13 missing;14 missing;9 lines make no sense; 4 names are \
not there; 1 names are there;" "import: the same"
PYTHONPATH=$scripts exits 0 "import: good, and what is not installed" "$dftrace" \
    points --python "$python" --import --all "$tmp/good.points" \
    <(echo 'not_installed.at.all:name = a.b')
like "$(cat "$tmp/out")" "optional: mod:Missing.optional: there is no such name" \
    "import: says what is optional"
like "$(cat "$tmp/out")" "elsewhere: .*not_installed is not installed" \
    "import: and what is not installed"
exits 0 "check: the form of those that come with dftrace" "$dftrace" points \
    --python "$python"
exits 2 "check: one way to look" "$dftrace" points --import --source . "$tmp/x"
exits 127 "check: no such Python" "$dftrace" points --python "$tmp/none/python"

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
traced "$tmp/half" -c "import dftracer.python
print (dftracer.python.dftracer.__module__)"
is "$(cat "$tmp/out")" "dftrace._dftracer" \
    "half a dftracer, which cannot record, gives way to ours"
touch "$tmp/real/dftracer/dftracer.cpython.so"
traced "$tmp/left" -c "import dftracer, os
print (dftracer.whose, os.environ['DFTRACER_DISABLE_POSIX'])"
is "$(cat "$tmp/out")" "real 1" "an installed dftracer is left in charge"
echo 'raise ImportError ("1.0")' >"$tmp/real/dftracer/logger.py"
job=$tmp/first
exits 0 "a dftracer of version 1.0: runs" "$dftrace" run -q -o "$job" --layers app -- \
    "$python" -c "import os; from dftracer.logger import dftracer, dft_fn
log = dftracer.initialize_log ('$tmp/own', None, 0)
with dft_fn ('COMPUTE', name='step'):
    pass
log.finalize ()"
"$dftrace" stat --events "$job" >"$job.txt"
is "$(count "$job" COMPUTE step)" 1 "it gives way to ours"
nok "and no file is where the program says" test -e "$tmp/own"
rm "$tmp/real/dftracer/logger.py"
DFTRACE_APP=native traced "$tmp/native" -c "import dftracer.python
print (dftracer.python.dftracer.__module__)"
is "$(cat "$tmp/out")" "dftrace._dftracer" "DFTRACE_APP=native: ours"
unset PYTHONPATH
exits 0 "posix alone" "$dftrace" run -q -o "$tmp/posix" --layers posix -- \
    "$python" -c "import os; print (os.environ.get ('PYTHONPATH'))"
is "$(cat "$tmp/out")" "None" "layer posix alone leaves Python alone"

done_testing
