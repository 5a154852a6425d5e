#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0031-names.t - names that are no text: nothing breaks, no line is forged

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
# next line (C1), a bidirectional mark, a noncharacter, a raw byte, a colour
bad=$'n\xc2\x85m\xe2\x80\xaex\xef\xbf\xbey\xffz\e[31m\nq'
printf 12345 >"$bad" 2>/dev/null || skip_all "no such names on this file system"
SLURM_JOB_NAME=$bad "$dftrace" run -q -o trace -- cat "$bad" >/dev/null
ok "metrics.json is made" "$dftrace" analyze -q trace
nok "no control in it" grep -qP '\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]|\xe2\x80\xae|[\x00-\x08\x0b-\x1f]' \
    trace/metrics.json trace/job.json
if command -v jq >/dev/null; then
    ok "jq reads it" jq -e . trace/metrics.json trace/job.json
else
    skip "no jq here" "jq reads it"
fi
ok "the report reads it" "$dftrace" report -o page.html trace
nok "and has none, either" grep -qP '\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]|\xe2\x80\xae' page.html
ok "CSV is UTF-8" iconv -f UTF-8 -t UTF-8 trace/tables/files.csv
like "$(cat trace/tables/files.csv)" '\\xffz' "a raw byte is seen"
"$dftrace" analyze --no-write trace --view file >text
nok "tables for people: no control, no mark" \
    grep -qP '\xc2[\x80-\x9f]|\xe2\x80\xae|\xff|\x1b' text
exits 1 "an error that names it" "$dftrace" analyze $'no\e[31m\xc2\x9bsuch\xff'
is "$(grep -cP '\x1b|\xc2\x9b|\xff' "$tmp/err")" 0 "is escaped"
like "$(cat "$tmp/err")" 'no\\x1b\[31m\\u\{9b\}such\\xff' "and can be read"

# what an epilog says goes to slurmd's log
if [ "$(id -u)" = 0 ]; then
    SLURM_JOB_ID=1 SLURMD_NODENAME=n1 DFTRACE_STATE_DIR=$'/none\ndftrace: root says' \
        DFTRACE_CONF=/dev/null "$dftrace" epilog 2>err
    : >'root
forged'
    SLURM_JOB_ID=x SLURMD_NODENAME=n1 DFTRACE_CONF=$'a\nforged' "$dftrace" epilog 2>err
    is "$(grep -c '^forged' err)" 0 "no line of an epilog is forged"
    is "$(grep -vc '^dftrace: ' err)" 0 "each begins with dftrace:"
else
    skip "needs root" "no line of an epilog is forged"
fi

done_testing
