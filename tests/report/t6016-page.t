#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6016-page.t - colours, size and words of a page; wheel, drag and keys in a
#                browser

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/browser.sh"
. "$top_srcdir/tests/python.sh"
here=$top_srcdir/tests/report

"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 400
exits 0 "the page of a job" "$dftrace" report -o "$tmp/job.html" "$tmp/job"
"$python" "$here/contrast.py" "$tmp/job.html" >"$tmp/contrast"
is "$(awk '$NF < 3' "$tmp/contrast")" "" "each colour has a contrast of 3:1"
ok "of both themes, 30 colours, two backgrounds and 4 of text" \
    test "$(wc -l <"$tmp/contrast")" -eq 128

# colours FIGURE: "NAME CLASS" of the legend
colours ()
{
    sed -n "/<figure id=\"$1\"/,/<\/figure>/p" "$tmp/job.html" |
        grep -A1 'width="11" height="11"' | grep -oE 'class="c c[0-9]+"|>[^<]+<' |
        paste - - | sed 's/class="c \(c[0-9]*\)"\t>\(.*\)</\2 \1/'
}
for class in read write metadata sync compute checkpoint loader 'not explained'; do
    is "$(for figure in fig-wall fig-bill fig-timeline fig-cost fig-rates fig-sizes; do
        colours $figure
    done | grep -E "(^|[ :])${class/read/read(ing)?}( |:|[a-z]*:? )" | grep -v 'other threads' |
        awk '{ print $NF }' | sort -u | wc -l)" 1 "$class has one colour in all figures"
done
for figure in fig-wall fig-bill fig-timeline fig-cost fig-durations; do
    is "$(colours $figure | awk '{ print $NF }' | sort | uniq -d)" "" \
        "$figure: no two classes have one colour"
done

# 1,000 processes, each at work all the time
mkdir "$tmp/crowd"
"$python" - "$tmp/crowd/a.pfw" <<'END'
import random, sys
dice, calls = random.Random (7), ("read", "write", "open", "fsync", "close")
with open (sys.argv[1], "w") as f:
    f.write ("[\n")
    for i in range (40000):
        f.write ('{"id":%d,"name":"%s","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":%d,'
                 '"ph":"X","args":{"ret":4096,"fname":"/data/shard-%d.bin"}}\n'
                 % (i, calls[i % 5], 1000 + i % 1000, 1000 + i % 1000,
                    1700000000000000 + dice.randrange (10000000),
                    dice.randrange (20000), i % 400))
END
exits 0 "the page of 1,000 processes" "$dftrace" report -o "$tmp/crowd.html" \
    "$tmp/crowd"
ok "it is less than 400 KB: $(wc -c <"$tmp/crowd.html")" \
    test "$(wc -c <"$tmp/crowd.html")" -lt 400000
is "$(grep -o '<h[123]>[^<]*' "$tmp/crowd.html" |
    grep -i 'rank')" "" "no heading speaks of ranks, of which there are none"

# Helpers that live for less than 1 % of the job are one row of each figure over processes.
mkdir "$tmp/helped"
for ((i = 0; i < 400; i++)); do
    pid=$((i < 350 ? 1 : i - 340)) ts=$((i < 350 ? i * 10000 : i * 1000))
    printf '{"id":%d,"name":"read","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":500,"ph":"X","args":{"ret":4096,"fname":"/data/a.bin"}}\n' \
        "$i" $pid $pid $((1700000000000000 + ts))
done >"$tmp/helped/a.pfw"
"$dftrace" report -o "$tmp/helped.html" "$tmp/helped" >/dev/null
for figure in fig-timeline fig-cost fig-bytes; do
    is "$(sed -n "/<figure id=\"$figure\"/,/<\/figure>/p" "$tmp/helped.html" |
        grep -oE '>[^<]*(short ones|:[0-9]+)<' | tr -d '<>' | LC_ALL=C sort -u | paste -sd' ')" \
        "50 short ones :1" "$figure: one row for 50 short processes"
done

(cd "$tmp" && "$dftrace" run -q -o named -- "$python" -c 'open ("x", "w").write ("y")')
"$dftrace" report -o "$tmp/named.html" "$tmp/named" >"$tmp/out"
like "$(grep -m1 '<title>' "$tmp/named.html")" \
    "<title>python3[0-9.]* -c .*open \\(" "the title is the command, not its program alone"

if ! browser_found; then
    skip "no chromium on this machine" "wheel, drag and keys"
else
    "$dftrace" report -o "$tmp/compared.html" "$tmp/job" "$tmp/crowd" >/dev/null
    timeout 120 "$python" "$here/pagekeys.py" "$browser" "$tmp/job.html" \
        "$tmp/keys" "$tmp/crowd.html" "$tmp/compared.html" >"$tmp/tap" 2>"$tmp/err"
    while read -r line; do
        ok "${line#*ok - }" test "${line%% *}" = ok
    done < <(grep -E '^(not )?ok - ' "$tmp/tap")
    is "$(grep -c '^ok' "$tmp/tap") $(grep -c '^command' "$tmp/tap")" "26 3" \
        "all of that was tried"
    # the command that the page shows lists what counting one by one finds
    sed -n '2s/^command dftrace //p' <(grep '^command' "$tmp/tap") >"$tmp/words"
    sed 's/.*process = "\([^"]*\)" and time >= \([0-9.]*\)s and time < \([0-9.]*\)s.*/\1 \2 \3/' \
        "$tmp/words" >"$tmp/cell"
    eval "\"\$dftrace\" $(sed 's/--view event/--no-write -f csv --top 0 --view event/' "$tmp/words")" \
        >"$tmp/listed"
    "$dftrace" analyze --no-write -f csv --top 0 --view event "$tmp/job" >"$tmp/all"
    is "$(sed 1d "$tmp/listed" | wc -l)" "$(awk -F, -v cell="$(cat "$tmp/cell")" '
        BEGIN { split (cell, c, " ") }
        NR > 1 && $3 ":" $5 == c[1] && $1 >= c[2] && $1 < c[3] { n++ }
        END { print n + 0 }' "$tmp/all")" "the command of a cell lists its events"
    ok "of which there are some" test "$(wc -l <"$tmp/listed")" -gt 1
fi

done_testing
