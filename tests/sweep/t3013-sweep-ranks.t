#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3013-sweep-ranks.t - ranks that a launcher started in a run are counted

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
echo data >file

# as mpirun of MPICH starts them; of the second point one leaves no trace
cat >launch <<'END'
#!/bin/sh
cat file >/dev/null
for r in 0 1 2 3; do
    [ "$SPARE$r" != yes3 ] || export DFTRACE_ENABLE=0
    PMI_RANK=$r PMI_SIZE=4 cat file
done
END
chmod 755 launch
cat >s.yaml <<'END'
sweep: ranked
axes:
  spare: [no, yes, alone]
env: {SPARE: "${spare}"}
run: if [ $SPARE = alone ]; then cat file; else ./launch; fi
trace: posix
results: {metrics: [ranks, ranks_started, read_bytes]}
check:
  ranks: {min: 4}
END
exits 7 "a check asks for the number of ranks" "$dftrace" sweep run s.yaml --local
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        c { print $c }' ranked/results/points.csv | xargs
}
is "$(column ranks_mean)" "4 3 0" "ranks that left a trace, of each point"
is "$(column ranks_started_mean)" "4 4" "of those that were started; n/a without a launcher"
like "$("$dftrace" sweep results ranked)" "ranks .*started" "the table has both, as the file asks"
is "$(grep -c ',ranks,.*fail' ranked/results/checks.csv)" 2 "the check fails where one is missing"
like "$("$dftrace" sweep status ranked)" \
    "ranks: fewer left a trace than were started in 1 run: yes r0 \(3 of 4\)" "status says so"
is "$("$dftrace" sweep status --format json ranked | jq -r '.run[] | "\(.label) \(.ranks) \(.ranks_started)"' | sort | xargs)" \
    "alone 0 0 no 4 4 yes 3 4" "status --format json, of each run"
like "$("$dftrace" sweep show ranked yes)" "3 of 4 ranks left a trace" "show"
unlike "$("$dftrace" sweep show ranked alone)" "ranks" "show: nothing where nothing was started"

done_testing
