#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3012-sweep-untraced.t - a run of which a process was not traced is no whole
# run: check: complete

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
echo 'int main (void) { return 0; }' >main.c
"$cc" -static -o fixed main.c 2>/dev/null || skip_all "no static libc"
sweep ()
{
    printf '%s\n' "sweep: $1" 'axes: {n: [1, 2]}' "env: {N: \"\${n}\"}" \
        "run: |" "  dd if=/dev/zero of=data bs=1K count=1 status=none" \
        "  bash -c '[ \"\$N\" = 1 ] || $tmp/fixed; :'" "$2" >"$1.yaml"
    "$dftrace" sweep run "$1.yaml" --local
}

exits 4 "one of two runs starts a static program" sweep whole 'trace: posix'
like "$(cat "$tmp/out")" "1/2 done" "it is not done"
exits 4 "status" "$dftrace" sweep status whole
like "$(cat "$tmp/out")" "bad-trace +1 .*not traced: 1 process: 1 × fixed \(static\)" "says why"
exits 0 "check: none" sweep any 'trace: {layers: posix, check: none}'
like "$(cat "$tmp/out")" "2/2 done" "accepts it"
DFTRACE_EXCLUDE_EXE='*fixed' exits 0 "a program that the user leaves out" sweep left \
    'trace: {layers: posix, exclude_exe: "*fixed"}'
like "$(cat "$tmp/out")" "2/2 done" "is no loss"

done_testing
