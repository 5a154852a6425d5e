#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5100-python.t - the package dftrace and DFTracer's names for it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"
export DFTRACE_APP=native # whatever is installed

PYTHONPATH=$top_builddir/python exits 0 "untraced: all of it does nothing" \
    "$python" "$scripts/api.py"
like "$(cat "$tmp/out")" "way none" "untraced: no recorder"
PYTHONPATH=$top_builddir/python exits 0 "untraced: what it gives and refuses" \
    "$python" "$scripts/inert.py"

for way in extension ctypes; do
    if [ $way = extension ] &&
        ! PYTHONPATH=$top_builddir/python "$python" -c 'import sys
assert sys.version_info >= (3, 10)
import dftrace._dftrace' 2>/dev/null; then
        skip "built without Python.h, or for a later Python" "extension"
        continue
    fi
    export DFTRACE_APP_BACKEND=$way
    PYTHONPATH=$top_builddir/python exits 0 "$way: the same, not traced" \
        "$python" "$scripts/inert.py"
    like "$(cat "$tmp/out")" "^$([ $way = extension ] && echo method_descriptor ||
        echo function)$" "$way: nodes that are not traced"
    job=$tmp/$way
    traced "$job" "$scripts/api.py"
    like "$(cat "$tmp/out")" "way $way" "$way: is in use"
    is "$(args "$job" t region)" \
        "a=1 b=2.5 c=x\\udc80é e=1 f=1.2089258196146292e+24 g=7" \
        "$way: arguments of all types"
    is "$(args "$job" t keys | sed -E 's/^k([0-9]+)=\1 x[0-6]=[0-9]+$/right/' |
        sort | uniq -c | xargs)" "600 right" "$way: each key with its value"
    like "$(args "$job" t raised)" "error=KeyError" "$way: an exception"
    like "$(args "$job" t raised)" "errno=71" "$way: a failure"
    is "$(args "$job" t instant) $(args "$job" t counter)" "n=1 value=2.5" \
        "$way: instant, counter"
    is "$(args "$job" dftrace metadata | grep fact)" "fact=value" "$way: fact"
    is "$(args "$job" t traced)" "idx=4 third=r at=9 size=3" "$way: captures"
    is "$(count "$job" main Thing.method)$(count "$job" t static)$(count \
        "$job" t class)" 121 "$way: methods, static and class ones"
    is "$(args "$job" t generator | xargs)" "item=0 item=1 item=2 item=0" \
        "$way: one event for each item of a generator"
    is "$(args "$job" t coroutine | sort | xargs)" "n=0 n=1 n=2 n=3 n=4" \
        "$way: coroutines that interleave"
    is "$(args "$job" comm send | sort | xargs)" "n=0 n=1 n=2 n=3 n=4" \
        "$way: blocks of tasks that interleave"
    is "$(count "$job" t agen)" 4 "$way: async generators"
    is "$(args "$job" compute forward | xargs)" "n=0 n=1 n=2 n=3" \
        "$way: recursion, arguments noted for one call"
    is "$(args "$job" pipeline test | xargs)" "inner=1 k=mine late=1" \
        "$way: arguments of one use stay with it"
    is "$(count "$job" device transfer)" 2 "$way: an ExitStack"
    is "$(count "$job" device device)" 2 "$way: a suspended generator"
    is "$(count "$job" comm barrier)" 1000 "$way: four threads"
    is "$(count "$job" comm gather)" 5000 "$way: thousands of tasks at once"
    is "$(args "$job" data item | tr '\n' ';')" "step=5 image_size=10.5;;" \
        "$way: update () sticks until reset ()"
    is "$(args "$job" data preprocess.collate)" "step=5 image_size=10.5" \
        "$way: a derived node has what its parent has"
    is "$(count "$job" checkpoint capture)" 1 "$way: disable, enable, start, stop"
    is "$(args "$job" dftrace metadata | grep -c '^capture.start=')" 1 \
        "$way: start as metadata"
    is "$(count "$job" checkpoint checkpoint.init)$(count "$job" dataloader \
        dataloader.init)" 11 "$way: init"
    is "$(args "$job" pipeline epoch.iter | xargs)" "count=1 count=2 count=3" \
        "$way: iter"
    is "$(count "$job" pipeline epoch.block)" 3 "$way: the body of iter"
    like "$(args "$job" compute backward)" "error=SystemExit" "$way: SystemExit"
    is "$(args "$job" t in_step)" "step=8" "$way: context"
done
unset DFTRACE_APP_BACKEND

job=$tmp/study
traced "$job" "$scripts/study.py"
is "$(count "$job" data item)" 10 "study: items, those of workers"
is "$(awk -F'\t' '$6 == "item" { print $3 }' "$job.txt" | sort -u | wc -l)" 2 \
    "study: of two processes"
is "$(count "$job" data preprocess.read_indexed image_size=64)" 10 "study: reads"
is "$(count "$job" data preprocess.mmap_read)$(count "$job" data \
    preprocess.file_read)" 55 "study: of both readers"
is "$(count "$job" data data.read_indexed)" 10 "study: masks"
is "$(count "$job" data preprocess)" 10 "study: preprocess"
is "$(count "$job" dataloader fetch)" 10 "study: fetches"
is "$(count "$job" compute forward)" 10 "study: forward"
is "$(count "$job" compute step)" 10 "study: steps"
is "$(count "$job" pipeline train)" 1 "study: the loop"
is "$(count "$job" checkpoint capture)" 1 "study: checkpoint"

job=$tmp/dftfn
traced "$job" "$scripts/dftfn.py"
is "$(cat "$tmp/out")" "enabled True" "dft_fn: enabled"
is "$(args "$job" cat Reader.read)" "step=9 image_idx=9" \
    "dft_fn: facts of the call before those of self"
is "$(count "$job" cat Reader.__init__)" 1 "dft_fn: log_init"
is "$(count "$job" cat Reader.static)" 1 "dft_fn: log_static"
like "$(args "$job" cat Reader.fails)" "error=OSError" \
    "dft_fn: an exception does not lose the event"
is "$(args "$job" cat named)" "epoch=2 k=v" "dft_fn: named by its function"
is "$(count "$job" cat flushed)" 1 "dft_fn: flush"
is "$(count "$job" cat alone) $(args "$job" cat alone | xargs)" \
    "6 step=0 step=1 step=2 step=3 step=4 step=5" "dft_fn: flush without a block"
is "$(args "$job" cat loop.iter | xargs) $(count "$job" cat loop.yield)" \
    "step=1 step=2 2" "dft_fn: iter"
is "$(args "$job" cat logged)" "i=3 f=0.5 s=t" "log_event"
is "$(args "$job" dftrace metadata | grep -E '^(mk|lk|layers)=' | xargs)" \
    "mk=mv lk=lv layers=12" "metadata"
is "$(count "$job" data data.io.read)$(count "$job" other other.log)" 11 \
    "dft_fn: nodes of 2026"
like "$(args "$job" cat related)" "used=[0-9]+ generated=[0-9]+" \
    "dft_fn: what an event uses and makes"
is "$(args "$job" dftrace metadata | grep -c '^entity')" 5 "dft_fn: declared once"
is "$(count "$job" own node)" 1 "a node of one's own"
is "$(count "$job" dftracer start)$(count "$job" dftracer end)" 11 "start, end"

# --- where we are not installed ------------------------------------------------

# A copy of the stub beside the program: harmless alone, out of the way where
# the program is traced.
mkdir "$tmp/alone"
cp "$top_srcdir/preload/app/python/stub/dftrace.py" "$tmp/alone/"
cat >"$tmp/alone/program.py" <<'END'
import dftrace
from dftrace import ai, context, counter, epoch, instant, metadata, region, \
    step, trace


@trace
def plain():
    return 1


@trace("stub", "named", n="result")
def named():
    return 2


@ai.data.item
def item():
    return 3


with region("stub", "block", a=1) as r:
    r.update(b=2)
region("stub", "held").start().stop()
with ai.compute.step(step=3, args={"lr": 0.1}) as use:
    use.update(args={"loss": 1})
ai.update(step=3)
ai.data.io.read.derive("x").start()
instant("stub", "i"), counter("stub", "c", 1), metadata("k", "v")
context(step=1), step(2), epoch(1)
assert plain() + named() + item() == 6
assert list(ai.dataloader.fetch.iter([1, 2])) == [1, 2]
assert not hasattr(ai, "__no_such__")
print(dftrace.active)
END
is "$(cd "$tmp/alone" && env -i "$python" -S program.py 2>&1)" False "the stub: harmless alone"
traced "$tmp/stub" "$tmp/alone/program.py"
is "$(cat "$tmp/out") $(count "$tmp/stub" stub block)" "True 1" "the stub: out of the way where we are"
is "$(count "$tmp/stub" dataloader fetch.iter) $(count "$tmp/stub" dataloader fetch.iter.end)" \
    "2 1" "iter: the end of a loader is an event of its own"

# The header needs nothing of ours to be there when the program runs.
if cc=$(command -v gcc || command -v cc); then
    printf '%s\n' '#include <dftrace/dftrace.h>' 'int main (void)' '{' \
        'dftrace_region_t r = dftrace_begin ("a", "b");' \
        'dftrace_arg_int (&r, "c", 1);' 'dftrace_end (&r);' 'return 0;' '}' >"$tmp/item.c"
    mkdir -p "$tmp/include/dftrace"
    find "$top_srcdir/preload/app" -name 'dftrace*.h' -exec cp {} "$tmp/include/dftrace/" \;
    ok "the header: compiles" "$cc" -std=c99 -I "$tmp/include" -o "$tmp/item" "$tmp/item.c"
    ok "the header: a program runs without us" env -i "$tmp/item"
    is "$(ldd "$tmp/item" | grep -c dftrace)" 0 "the header: nothing to link"
fi

done_testing
