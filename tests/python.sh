# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# python.sh - for the tests of Python: an interpreter, and what it recorded
#
# In:  $PYTHON3, else /usr/bin/python3, else python3; tests/lib.sh
# Out: $python; functions below; skips everything where there is none

python=${PYTHON3:-/usr/bin/python3}
[ -x "$python" ] || python=$(command -v python3) || skip_all "no python3"
scripts=$top_srcdir/tests/python
export PYTHONDONTWRITEBYTECODE=1

# traced JOB ARGUMENT…: run Python, application layer only
traced() {
    local job=$1
    shift
    exits 0 "${job##*/}: runs" "$dftrace" run -q -o "$job" --layers app -- \
        "$python" "$@"
    "$dftrace" stat --events "$job" >"$job.txt"
}

# count JOB CATEGORY NAME [REGEX]: events with this name, args like REGEX
count() {
    awk -F'\t' -v c="$2" -v n="$3" -v a="${4-}" \
        '$5 == c && $6 == n && $7 " " $8 ~ a { k++ } END { print k + 0 }' \
        "$1.txt"
}

# args JOB CATEGORY NAME: arguments of these events, one line each
args() {
    awk -F'\t' -v c="$2" -v n="$3" \
        '$5 == c && $6 == n { print $7 (NF > 7 ? " " $8 : "") }' "$1.txt"
}
