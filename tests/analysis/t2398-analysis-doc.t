#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2398-analysis-doc.t - the commands of doc/analysis.md, findings.md and ask.md
#                        work as they stand; findings.md has each rule and no
#                        other, analysis.md each key

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

unset "${!SLURM@}"
doc=$top_srcdir/doc/analysis.md
findings=$top_srcdir/doc/findings.md
mkdir "$tmp/bin" "$tmp/work"
ln -s "$dftrace" "$tmp/bin/dftrace"
export PATH=$tmp/bin:$PATH
"$top_builddir/tests/tools/mkshard" "$tmp/work/job" direct 60
"$top_builddir/tests/tools/mkshard" "$tmp/work/mock" mmap 60
cd "$tmp/work" || exit 99
for run in 1 2 3; do # of comparisons: runs of a side
    "$top_builddir/tests/tools/mkshard" "job$run" direct 60
    "$top_builddir/tests/tools/mkshard" "mock$run" mmap 60
done

while IFS= read -r command; do
    case $command in
    *--sqlite*)
        if "$dftrace" analyze --no-write --quiet --sqlite x.db job 2>&1 |
            grep -q "without SQLite"; then
            skip "built without SQLite" "$command"
            continue
        fi
        ;;
    esac
    (eval "$command") >"$tmp/out" 2>"$tmp/err" </dev/null
    is $? 0 "$command"
done < <(sed -n 's/^    \$ //p' "$doc" "$findings" "$top_srcdir/doc/ask.md")

is "$(sed -n 's/^| \([a-z0-9_]*\) | .*/\1/p' "$findings" | grep -vx -e rule -e job | sort)" \
    "$("$dftrace" help rules | sed -n 's/^\([a-z0-9_]*\): .*/\1/p' | sort)" \
    "findings.md has a row for each rule, and no other"
keys=$(tr '\n' ' ' <"$doc")
for key in $("$dftrace" help views | sed '1,/^Keys/d' |
    sed '/^ *arg.NAME/q' | awk '{ print $1 }'); do
    like "$keys" "events are grouped:[^.]*\b$key\b" "the page has key $key"
done

done_testing
