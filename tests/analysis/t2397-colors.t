#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2397-colors.t - colours on a terminal, and nowhere else

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

python3 -c 'import pty' 2>/dev/null || skip_all "no Python with pty"
"$top_builddir/tests/tools/mkshard" "$tmp/job" direct 100
escape=$(printf '\033')

on_terminal () # COMMAND…: what it says to one
{
    python3 -c 'import pty, sys
pty.spawn (sys.argv[1:])' "$@" </dev/null
}

export TERM=xterm
unset NO_COLOR
"$dftrace" analyze --no-write --view metric "$tmp/job" >"$tmp/plain"
nok "none in a file" grep -q "$escape" "$tmp/plain"
on_terminal "$dftrace" analyze --no-write --draw never --view metric \
    "$tmp/job" >"$tmp/colored"
ok "some on a terminal" grep -q "$escape" "$tmp/colored"
is "$(sed "s/$escape\[[0-9;]*m//g" "$tmp/colored" | tr -d '\r')" \
    "$(cat "$tmp/plain")" "the same words at the same places"
like "$(cat "$tmp/colored")" "$escape\[2mn/a$escape\[0m" "n/a is faint"
on_terminal "$dftrace" analyze --no-write --view insight "$tmp/job" \
    >"$tmp/colored"
like "$(cat "$tmp/colored")" "$escape\[(1;31mcritical|33mwarning)$escape\[0m" \
    "severities stand out"
NO_COLOR=1 on_terminal "$dftrace" analyze --no-write --view metric "$tmp/job" \
    >"$tmp/none"
nok "NO_COLOR" grep -q "$escape" "$tmp/none"
TERM=dumb on_terminal "$dftrace" analyze --no-write --view metric "$tmp/job" \
    >"$tmp/none"
nok "a terminal without colours" grep -q "$escape" "$tmp/none"
on_terminal "$dftrace" analyze --no-write --format csv --view metric \
    "$tmp/job" >"$tmp/csv"
nok "none in CSV" grep -q "$escape" "$tmp/csv"

# A table that is wider than the terminal goes on below, cell by cell.
on_terminal sh -c 'stty cols 70 && NO_COLOR=1 exec "$@"' sh "$dftrace" \
    analyze --no-write --view process "$tmp/job" | tr -d '\r' >"$tmp/narrow"
is "$(awk 'length > 70' "$tmp/narrow")" "" "no line is wider than the terminal"
is "$(xargs <"$tmp/narrow" | tr -d -- -)" \
    "$("$dftrace" analyze --no-write --view process "$tmp/job" | xargs |
        tr -d -- -)" "and no cell is missing or broken"

done_testing
