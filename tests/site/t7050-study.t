#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7050-study.t - the commands of doc/study.md work as they stand

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

for tool in mkcorpus minigpt; do
    [ -x "$top_builddir/etc/examples/minigpt/$tool" ] || skip_all "no $tool built"
done
command -v zgrep >/dev/null || skip_all "no zgrep here"

sed -n 's/^    \$ //p' "$top_srcdir/doc/study.md" >"$tmp/commands"
cmp_num "$(wc -l <"$tmp/commands")" -ge 10 "the page has commands"
mkdir "$tmp/bin" "$tmp/work"
ln -s "$dftrace" "$top_builddir"/etc/examples/minigpt/{mkcorpus,minigpt} "$tmp/bin/"
export PATH=$tmp/bin:$PATH SPECS=$top_srcdir/etc/examples
DFTRACE_PRELOAD=$top_builddir/preload/.libs/libdftrace_preload.so
export DFTRACE_PRELOAD
unset SLURM_PROCID SLURM_NTASKS SLURM_JOB_ID LD_PRELOAD
cd "$tmp/work" || exit 99

while IFS= read -r line; do
    eval "$line" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    is $status 0 "$line"
    [ $status -eq 0 ] || diag "$(tail -n 5 "$tmp/err" "$tmp/out")"
done <"$tmp/commands"

costs=$(dftrace sweep results mock-data)
for access in mmap direct; do
    like "$costs" "wall_time: what access=$access costs against access=mock, paired" \
        "what $access costs"
done
# The loader of the baseline reads nothing; what trains is the same.
value() { # metric, point
    awk -F, -v name="$1_mean" -v label="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["label"] == label { print $at[name] }' mock-data/results/points.csv
}
is "$(value posix_events_storage mock)" 0 "mock: no call on files"
cmp_num "$(value posix_events_storage direct)" -ge 1000 "direct: some for each part"
is "$(awk -F, '$1 == "access" && $4 == "wall_time" { print $2, $3, $NF }' \
    mock-data/results/compare.csv | xargs)" "mock mmap 3 mock direct 3" \
    "in compare.csv: three pairs of each"

results=$(dftrace sweep results megatron-io)
like "$results" "512 +128 +mmap .*done" "a row of the table: mapped"
like "$results" "512 +128 +direct .*done" "and read"
is "$(find megatron-io -name report.html | wc -l)" 1 "a page of figures"

# Every metric that the page names is one.
missing=
for metric in $(grep -o '^|.*| `.*' "$top_srcdir/doc/study.md" |
    grep -o '`[a-z_]*`' | tr -d '`'); do
    "$dftrace" help metrics | grep -q "^$metric\b" ||
        missing+=" $metric"
done
is "$missing" "" "every metric that the page names is one"

done_testing
