#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3011-sweep-metrics.t - a sweep file takes every metric of `help metrics`,
#     and its tables show it as the row of metrics.def says

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99

# name, unit, digits, title (\n between its lines), a tab between them
"$dftrace" help metric-rows >rows
names=$("$dftrace" help metrics | sed -n 's/^\([a-z_]\{1,\}\)\(, .*\)\{0,1\}$/\1/p')
is "$(cut -f 1 rows | xargs)" "$(xargs <<<"$names")" "a row for each metric of help metrics"
ok "there are many" test "$(wc -l <rows)" -ge 69

# What an analysis would leave behind: 1234567.123456789 of everything.
{
    echo '{"format": "dftrace-metrics", "version": 2, "metrics": {'
    awk -F '\t' '{ printf "%s\"%s\": {\"value\": 1234567.123456789, \"unit\": \"%s\"}", \
        sep, $1, $2; sep = ",\n" }' rows
    echo '}}'
} >metrics.json
cat >s.yaml <<END
sweep: every
axes: {a: [1, 2]}
env: {A: "\${a}"}
run: |
  mkdir -p "\$DFTRACE_JOB_DIR/shards"
  : >"\$DFTRACE_JOB_DIR/shards/x.dft"
  cp "$tmp/metrics.json" "\$DFTRACE_JOB_DIR"
results:
  metrics: [$(paste -sd, <<<"$names"), wall_time]
  plots: [$(paste -sd, <<<"$names"), {metric: wall_time, x: a}]
END
exits 0 "results: metrics and plots: take every metric" "$dftrace" sweep plan s.yaml
exits 0 "run" "$dftrace" sweep run s.yaml --local
"$dftrace" sweep results every --format markdown >tables.md

# The cells of a table's head and of its first row, by name of metric.
awk -F ' *[|] *' -v rows=rows '
    BEGIN {
        while ((getline line <rows) > 0) {
            split (line, f, "\t")
            title = f[4]
            gsub (/\\n/, " ", title)
            want[f[1]] = title (f[2] == "" ? "" : " (" f[2] ")") " = " \
                sprintf ("%." f[3] "f", 1234567.123456789)
            left[f[1]] = 1
        }
    }
    /^\|/ && !head { head = 1; n = NF; for (i = 2; i < NF; i++) title_of[i] = $i; next }
    /^\|[-: |]*$/ { next }
    /^\|/ && head == 1 { head = 2
        for (i = 2; i < n; i++) seen[title_of[i] " = " $i]++ }
    !/^\|/ { head = 0 }
    END { for (m in want) if (!seen[want[m]]) print m ": " want[m] }' tables.md | sort >differ
is "$(cat differ)" "" "title, unit and digits are those of the row"

done_testing
