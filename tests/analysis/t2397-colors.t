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

# narrow COLUMNS ARGUMENT…: what analyze says to a terminal of so many columns
narrow ()
{
    local columns=$1
    shift
    on_terminal sh -c "stty cols $columns rows 24"' && NO_COLOR=1 exec "$@"' sh "$dftrace" \
        analyze --no-write --draw never "$@" "$tmp/job" | tr -d '\r'
}

# A table that is wider than the terminal has the columns that matter most.
narrow 70 --view process >"$tmp/narrow"
is "$(awk 'length > 70' "$tmp/narrow")" "" "no line is wider than the terminal"
like "$(tail -n 1 "$tmp/narrow")" '^[0-9]+ more columns: --wide$' "it is said that there are more"
narrow 70 --view process --wide >"$tmp/wide"
is "$(cat "$tmp/wide")" "$("$dftrace" analyze --no-write --view process "$tmp/job")" \
    "--wide has all of them, as a pipe has"
narrow 70 --view file --top 2 >"$tmp/narrow"
like "$(tail -n 1 "$tmp/narrow")" '^the first 2 rows by time; all: --top 0; [0-9]+ more columns: --wide$' \
    "rows that are left out, and by what the others are sorted"
for columns in 40 60 80 200; do
    narrow "$columns" >"$tmp/narrow"
    is "$(awk -v n="$columns" 'length > n' "$tmp/narrow")$(sed -n '25,$p' "$tmp/narrow")" "" \
        "the first screen fits $columns columns and 24 lines"
done
is "$(COLUMNS=50 "$dftrace" analyze --no-write "$tmp/job" | awk 'length > 50')" "" \
    "COLUMNS counts in a pipe, too"

# A pager shows what goes to a terminal, and nothing else.
cat >"$tmp/pager" <<'END'
#!/bin/sh
echo "the pager"
exec cat
END
chmod +x "$tmp/pager"
export DFTRACE_PAGER=$tmp/pager
is "$(narrow 70 --view io | grep -c 'the pager')" 1 "a pager"
is "$("$dftrace" analyze --no-write --view io "$tmp/job" | grep -c 'the pager')" 0 "none in a pipe"
like "$(DFTRACE_PAGER='nonesuch -x' narrow 70 --view io)" "metadata" "a pager that is not there"
is "$(DFTRACE_PAGER='' narrow 70 --view io | grep -c 'the pager')" 0 "no pager is asked for"

done_testing
