#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2422-once.t - how often the events of a job are read for one question

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

job=$tmp/direct
"$top_builddir/tests/tools/mkshard" "$job" direct 40

# readings NUMBER NAME WORD…: the question reads all events so often
readings ()
{
    local n=$1 name=$2
    shift 2
    exits 0 "$name" "$dftrace" analyze --debug "$@"
    is "$(grep -c 'debug: .* events read$' "$tmp/err")" "$n" \
        "$name: readings"
}

readings 1 "all tables" --no-write "$job"
readings 1 "groups" --no-write --by name --show 'count,p99(dur)' "$job"
readings 1 "two keys" --no-write --view rank,class "$job"
readings 1 "a condition" --where 'dur > 1us and file ~ "*"' --by file "$job"
readings 1 "kinds of files" --no-write --by kind "$job"
readings 1 "intervals of a job that ended" --no-write --view interval "$job"
readings 2 "steps are found first" --no-write --by step "$job"

# A job in which one process was killed ends when its last event does.
mkdir "$tmp/far"
cp "$top_srcdir/tests/data/pfw/compat.pfw" "$tmp/far"
readings 2 "intervals of a job without an end" --no-write \
    --view interval "$tmp/far"
readings 1 "what does not depend on it" --no-write --by rank "$tmp/far"

# A question leaves no tables behind, and all tables are the same after it.
"$dftrace" analyze --by rank "$job" >/dev/null
ok "a question writes no tables" \
    test ! -e "$job/metrics.json" -a ! -e "$job/tables"

done_testing
