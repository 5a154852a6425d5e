#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2356-partitionlayers.t - DFAnalyzer's tables of a job analyzed in partitions: the
# bytes of one analysis

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

unset "${!SLURM@}"
ours=$tmp/ours
"$top_builddir/tests/tools/mkshard" "$ours" direct 300
truncate -s -3000 "$(printf '%s\n' "$ours"/shards/*.dft | tail -1)"

# Files of DFTracer: the one that began first is not the first by name; two
# have the same thread; the path of a hash is explained by another file, or by
# none; one is cut.
theirs=$tmp/theirs
mkdir -p "$theirs/shards"
cat >"$theirs/shards/a.pfw" <<'END'
[
{"id":0,"name":"HH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"n1","value":"h1"}}
{"id":1,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000002500000,"dur":300000,"ph":"X","args":{"ret":100,"fhash":"f1","hhash":"h1"}}
{"id":2,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1790000003100000,"dur":33333,"ph":"X","args":{"ret":7,"fhash":"f9","hhash":"h1"}}
{"id":3,"name":"read","cat":"POSIX","pid":7,"tid":8,"ts":1790000003100000,"dur":11111,"ph":"X","args":{"ret":7,"fhash":"fx","hhash":"h1"}}
{"id":4,"name":"Model.step","cat":"compute","pid":7,"tid":7,"ts":1790000002600000,"dur":400001,"ph":"X","args":{"hhash":"h1"}}
END
cat >"$theirs/shards/b.pfw" <<'END'
[
{"id":0,"name":"FH","cat":"dftracer","pid":9,"tid":9,"ph":"M","args":{"name":"/data/x.bin","value":"f1"}}
{"id":1,"name":"FH","cat":"dftracer","pid":9,"tid":9,"ph":"M","args":{"name":"/usr/lib/x.so","value":"fx"}}
{"id":2,"name":"write","cat":"POSIX","pid":7,"tid":7,"ts":1790000000300007,"dur":250000,"ph":"X","args":{"ret":4000,"fhash":"f2","hhash":"h1"}}
{"id":3,"name":"FH","cat":"dftracer","pid":9,"tid":9,"ph":"M","args":{"name":"/lustre/checkpoint/y","value":"f2"}}
{"id":4,"name":"read","cat":"POSIX","pid":9,"tid":9,"ts":1790000000900000,"dur":900000,"ph":"X","args":{"ret":555,"fhash":"f1","hhash":"h1"}}
{"id":5,"name":"Model.step","cat":"compute","pid":9,"tid":9,"ts":1790000001000000,"dur":123457,"ph":"X","args":{"hhash":"h1"}}
END
cat >"$theirs/shards/c.pfw" <<'END'
[
{"id":1,"name":"item","cat":"data","pid":9,"tid":9,"ts":1790000001500000,"dur":777777,"ph":"X","args":{"hhash":"h1"}}
{"id":2,"name":"fetch.iter","cat":"dataloader","pid":7,"tid":7,"ts":1790000000100000,"dur":199999,"ph":"X","args":{"hhash":"h1"}}
{"id":3,"name":"item","cat":"data","pid":9,"tid":9,"ts":17900000
END
cp -r "$theirs" "$tmp/mixed"
cp "$ours"/shards/*.dft "$tmp/mixed/shards"
mkdir -p "$tmp/merged" "$tmp/dlio/shards"
cp "$top_srcdir/tests/data/pfw/compat.pfw" "$tmp/dlio/shards"
cp "$theirs/shards/b.pfw" "$tmp/dlio/shards"

cat >"$tmp/layers.yaml" <<'END'
layers:
  - {name: compute, cat: compute}
  - {name: input, cat: [data, 'posix*'], not_func: close, size: yes}
  - {name: all, cat: '*'}
END

# round JOB N WORDS…: all partitions of N
round ()
{
    local job=$1 n=$2 i
    shift 2
    for ((i = n; i >= 1; i--)); do
        "$dftrace" analyze --partial --partition $i/$n "$@" "$job" 2>/dev/null ||
            [ $? = 5 ] || echo "partition $i: $?"
    done
}
# same NAME ROUNDS JOB N WORDS…: as many rounds give what one process gives
same ()
{
    local name=$1 rounds=$2 job=$3 n=$4 want
    shift 4
    "$dftrace" analyze "$@" "$job" >"$tmp/one" 2>"$tmp/one.err"
    want=$?
    rm -rf "$job/partials"
    if [ "$rounds" = 2 ]; then
        is "$(round "$job" "$n" "$@")" "" "$name: a first round"
        exits 1 "$name: which is not enough" "$dftrace" analyze --reduce "$@" \
            "$job"
        like "$(cat "$tmp/err")" "first of two rounds" "$name: and that is said"
    fi
    is "$(round "$job" "$n" "$@")" "" "$name: all partitions"
    exits $want "$name: put together" "$dftrace" analyze --reduce "$@" "$job"
    ok "$name: the same bytes" cmp "$tmp/one" "$tmp/out"
    ok "$name: the same words about it" cmp "$tmp/one.err" "$tmp/err"
    cmp_num "$(wc -l <"$tmp/one")" -gt 5 "$name: and some"
    nok "$name: nothing stays behind" test -e "$job/partials"
}

same "ours, ai" 1 "$ours" 3 --layers ai
same "ours, what fits" 1 "$ours" 12 --compat dfanalyzer --format csv
same "ours, own layers" 1 "$ours" 2 --layers "$tmp/layers.yaml" --format json
same "ours, 0.0.9" 1 "$ours" 3 --compat dfanalyzer@0.0.9
same "DFTracer's" 2 "$theirs" 3 --layers ai
same "DFTracer's, own layers" 2 "$theirs" 2 --layers "$tmp/layers.yaml"
same "mixed" 2 "$tmp/mixed" 4 --compat dfanalyzer --format csv
same "mixed, 0.0.9" 2 "$tmp/mixed" 3 --compat dfanalyzer@0.0.9
same "DLIO's" 2 "$tmp/dlio" 2 --compat dfanalyzer
like "$(cat "$tmp/one")" "Reader POSIX \(Lustre\)" "DLIO's layers are found"
"$dftrace" merge --quiet "$ours" 2>/dev/null
mv "$ours/trace.dft" "$tmp/merged"
same "merged" 1 "$tmp/merged" 3 --layers ai
same "merged, 0.0.9" 1 "$tmp/merged" 2 --compat dfanalyzer@0.0.9

# --- what is explained elsewhere ----------------------------------------------

"$dftrace" analyze --layers "$tmp/layers.yaml" --format csv "$theirs" \
    2>/dev/null >"$tmp/one"
like "$(cat "$tmp/one")" "
all,8,[^,]*,2\.[0-9]*," \
    "a path that another file explains, and that is ignored, is ignored"
cp -r "$theirs" "$tmp/turned"
mv "$tmp/turned/shards/a.pfw" "$tmp/turned/shards/z.pfw"
"$dftrace" analyze --layers "$tmp/layers.yaml" --format csv "$tmp/turned" \
    2>/dev/null >"$tmp/two"
ok "in whatever order the files come" cmp "$tmp/one" "$tmp/two"

# --- what does not belong together -----------------------------------------------

rm -rf "$ours/partials"
is "$(round "$ours" 2 --layers ai)" "" "partitions of a preset"
exits 1 "other layers" "$dftrace" analyze --reduce --layers dlio "$ours"
like "$(cat "$tmp/err")" "2 of 2 partitions are missing" "have other partitions"
exits 1 "other tables" "$dftrace" analyze --reduce "$ours"
is "$(round "$ours" 2 --layers "$tmp/layers.yaml")" "" "partitions of own layers"
sed -i 's/not_func: close/not_func: open/' "$tmp/layers.yaml"
exits 1 "a layer was changed" "$dftrace" analyze --reduce --layers \
    "$tmp/layers.yaml" "$ours"
is "$(round "$ours" 2 --layers "$tmp/layers.yaml")" "" "made again"
before=$(stat -c %Y.%i "$ours/partials/1-of-2.sums")
round "$ours" 2 --layers "$tmp/layers.yaml"
is "$(stat -c %Y.%i "$ours/partials/1-of-2.sums")" "$before" \
    "a partition that is there is not made again"
size=$(stat -c %s "$ours/partials/2-of-2.sums")
printf X | dd of="$ours/partials/2-of-2.sums" bs=1 seek=$((size / 2)) \
    conv=notrunc 2>/dev/null
exits 1 "a damaged partition" "$dftrace" analyze --reduce --layers \
    "$tmp/layers.yaml" "$ours"
like "$(cat "$tmp/err")" "2-of-2.sums: damaged" "and it is said which"
truncate -s -20 "$ours/partials/1-of-2.sums"
exits 1 "half a partition" "$dftrace" analyze --reduce --layers \
    "$tmp/layers.yaml" "$ours"
rm -r "$ours/partials"
round "$ours" 2 --layers ai
cp "$ours"/shards/n1-1001-1.dft "$ours/shards/later.dft"
exits 1 "a trace that came later" "$dftrace" analyze --reduce --layers ai \
    "$ours"
like "$(cat "$tmp/err")" "later.dft: in no partition" "and it is said which"
rm -r "$ours/partials"
round "$ours" 9 --layers ai
exits 1 "a process twice" "$dftrace" analyze --reduce --layers ai "$ours"
like "$(cat "$tmp/err")" "process that another partition has, too" "and it is said"
rm -r "$ours/shards/later.dft" "$ours/partials"
exits 1 "no partitions" "$dftrace" analyze --reduce --layers ai "$ours"
exits 1 "no such layers" "$dftrace" analyze --partial --partition 1/2 --layers \
    "$tmp/none.yaml" "$ours"

# --- srun does the rounds -----------------------------------------------------------

mkdir "$tmp/bin"
cat >"$tmp/bin/srun" <<'END'
#!/bin/bash
tasks=$2
while [ $# -gt 0 ] && [ "${1##*/}" != dftrace ]; do shift; done
echo "$*" >>"$SRUN_LOG"
for ((i = 0; i < tasks; i++)); do
    # a task of each round dies the first time
    [ $i = 1 ] && [ $(($(wc -l <"$SRUN_LOG") % 2)) = 1 ] && continue
    SLURM_PROCID=$i SLURM_NTASKS=$tasks "$@" 2>/dev/null || [ $? = 5 ] || exit 1
done
END
chmod 755 "$tmp/bin/srun"
export SRUN_LOG=$tmp/srun.log
"$dftrace" analyze --layers "$tmp/layers.yaml" "$tmp/mixed" >"$tmp/one" \
    2>/dev/null
exits 5 "--slurm does both rounds" env PATH="$tmp/bin:$PATH" "$dftrace" \
    analyze --slurm 3 --layers "$tmp/layers.yaml" "$tmp/mixed"
ok "--slurm: the same bytes" cmp "$tmp/one" "$tmp/out"
is "$(wc -l <"$SRUN_LOG")" 4 "and is tried again in both"
nok "nothing stays behind" test -e "$tmp/mixed/partials"

done_testing
