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

is "$(sed '/^## Before and after/,$d' "$findings" | sed -n 's/^| \([a-z0-9_]*\) | .*/\1/p' | grep -vx -e rule -e job | sort)" \
    "$("$dftrace" help rules | sed -n 's/^\([a-z0-9_]*\): .*/\1/p' | sort)" \
    "findings.md has a row for each rule, and no other"
# Before and after: the page, the help and the program.
while IFS='|' read -r _ cause rule before told after change _; do
    cause=${cause// /} rule=${rule// /}
    like "$("$dftrace" help "$rule" job | tr -s ' \n' ' ')" \
        "fixes.py $cause\): ${before// /} s before, at most ${told// /} s told, ${after// /} s after:${change% }" \
        "help $rule has the figures of the page"
done < <(grep -E '^\| [a-z]+ \| [a-z0-9_]+ \| [0-9.]+ \|' "$findings")
is "$(sed -nE 's/^\| ([a-z]+) \| [a-z0-9_]+ \| [0-9.]+ \|.*/\1/p' "$findings" | xargs)" \
    "$(python3 "$top_srcdir/etc/examples/fixes/fixes.py" 2>&1 | sed 's/.*causes: //')" \
    "the page has each cause of fixes.py"
mkdir fixes
for side in before after; do
    (cd fixes && rm -rf records* && exits 0 "fixes.py: files $side" python3 \
        "$top_srcdir/etc/examples/fixes/fixes.py" files $side) >/dev/null 2>&1
    is "$(find fixes -name '*.bin' | wc -l)" "$([ $side = before ] && echo 20001 || echo 1)" \
        "fixes.py files $side: so many files"
done

keys=$(tr '\n' ' ' <"$doc")
for key in $("$dftrace" help views | sed '1,/^Keys/d' |
    sed '/^ *arg.NAME/q' | awk '{ print $1 }'); do
    like "$keys" "events are grouped:[^.]*\b$key\b" "the page has key $key"
done

done_testing
