#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6100-top.t - what a running job does now

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v jq >/dev/null || skip_all "no jq here"

job=$tmp/job
mkdir -p "$job/shards"

# Sum of a member of the total over all looks so far.
summed() {
    jq -s "map(.total.$1) | add // 0" "$tmp/looks"
}
# Wait until the command succeeds, not for ever.
until_true() {
    for _ in $(seq 1200); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}
has_seen() {
    [ "$(summed write_bytes)" -ge "$1" ]
}

has_all() {
    [ "$(summed call_count)" = "$1" ]
}
have_ended() {
    tail -n 1 "$tmp/looks" | jq -e '[.processes[].ended] | all' >/dev/null
}

# dd writes what comes through the pipe, as long as the pipe is open.
mkfifo "$tmp/pipe"
"$dftrace" top --format jsonl --delay 100ms "$job" >"$tmp/looks" 2>"$tmp/looks.err" &
top=$!
at_exit "kill $top"
ok "looks at a job without processes" until_true test -s "$tmp/looks"
"$dftrace" run --quiet --output "$job" -- \
    dd if="$tmp/pipe" of="$tmp/written" bs=4096 iflag=fullblock 2>/dev/null &
run=$!
at_exit "kill $run"
exec 9>"$tmp/pipe"
head -c 40960 /dev/zero >&9
ok "writes are seen while the program runs" until_true has_seen 40960
head -c 81920 /dev/zero >&9
ok "and those that follow" until_true has_seen 122880
last=$(grep '}$' "$tmp/looks" | tail -n 1) # the last whole line
is "$(jq -r '.processes[] | select(.command | startswith("dd ")) | .ended' \
    <<<"$last")" false "the process is live"
is "$(jq -r '.processes[] | select(.command | startswith("dd ")) | .name' \
    <<<"$last")" write "what it did last"
is "$(jq -r '.processes[] | select(.command | startswith("dd ")) | .file' \
    <<<"$last")" "$tmp/written" "and on which file"

# a page, by the way, as it comes into a file or a pipe
exits 0 "a page" "$dftrace" top --count 2 --delay 100ms "$job"
like "$(cat "$tmp/out")" "PID +HOST +RANK +CALLS/S +READ/S +WRITE/S" "titles"
is "$(grep -c 'sorted by io' "$tmp/out")" 2 "one page for each look"

exec 9>&-
wait "$run"
calls=$("$dftrace" stat --events "$job" | awk -F'\t' '$5 != "APP" && $5 != "WAIT"' | wc -l)
until_true has_all "$calls"
until_true have_ended
kill -INT "$top" 2>/dev/null
wait "$top"
is "$?" 0 "ends in order when it is interrupted"
is "$(summed write_bytes)" "$(stat -c %s "$tmp/written")" \
    "every byte was seen once"
is "$(tail -n 1 "$tmp/looks" | jq -r '[.processes[].ended] | all')" true \
    "in the end the process has ended"
is "$(summed call_count)" "$calls" "every call was seen once"

is "$(tail -n 1 "$tmp/looks" | jq -r '., .processes[0] | keys_unsorted[]' |
    grep -vxE 'format|version|total|processes' | sort -u)" \
    "$("$dftrace" help columns | sed -n '/^top --format jsonl/,/^$/p' | sed '1d;/^$/d' |
        awk '{ sub (",$", "", $1); print $1 }' | sort)" \
    "dftrace help columns has each member"

"$dftrace" merge --quiet "$job"
exits 0 "after the merge it ends by itself" "$dftrace" top "$job"
like "$(cat "$tmp/err")" "the job has ended: dftrace analyze" "and says so"

# A profile: the same, from its counters.
job=$tmp/sums
mkdir -p "$job/shards"
"$dftrace" top --format jsonl --delay 100ms "$job" >"$tmp/looks" 2>"$tmp/looks.err" &
top=$!
at_exit "kill $top"
until_true test -s "$tmp/looks"
"$dftrace" run --quiet --output "$job" --layers posix,profile -- \
    dd if="$tmp/pipe" of="$tmp/written" bs=4096 iflag=fullblock 2>/dev/null &
run=$!
at_exit "kill $run"
exec 9>"$tmp/pipe"
head -c 40960 /dev/zero >&9
ok "profile: writes are seen while the program runs" until_true has_seen 40960
is "$("$dftrace" top --format jsonl --count 1 "$job" | jq -r '[.total.write_bytes, .total.call_count] | join (" ")')" "0 0" \
    "profile: a first look counts nothing"
head -c 81920 /dev/zero >&9
ok "profile: and those that follow" until_true has_seen 122880
is "$(grep '}$' "$tmp/looks" | tail -n 1 | jq -r '.processes[] | select(.command | startswith("dd ")) |
    [.ended, .name, .file] | join (" ")')" "false write $tmp/written" "profile: what it did last"
exec 9>&-
wait "$run"
calls=$("$dftrace" analyze --no-write --view call --format csv "$job" | awk -F, 'NR > 1 { n += $3 } END { print n }')
until_true has_all "$calls"
until_true have_ended
kill -INT "$top" 2>/dev/null
wait "$top"
is "$(summed write_bytes) $(summed call_count)" "122880 $calls" "profile: every byte and call was seen once"
is "$(jq -r 'select (.total.events > 0) | .total.max_us' "$tmp/looks" | sort -u)" null "profile: the slowest call is n/a"

# names that would move the cursor
evil=$tmp/evil
mkdir -p "$evil/shards"
"$dftrace" top --count 3 --delay 300ms "$evil" >"$tmp/page" &
top=$!
sleep 0.2
"$dftrace" run --quiet --output "$evil" -- \
    sh -c 'echo x >"$1"' - "$tmp/a"$'\033[2J\n'"b"
wait "$top"
nok "control characters are not shown" grep -q $'\033' "$tmp/page"

"$dftrace" run --quiet -o "$tmp/done" -- cat "$top_srcdir/README.md" >/dev/null
exits 0 "all processes have ended: one look" timeout 300 "$dftrace" top "$tmp/done"
is "$(grep -c 'sorted by' "$tmp/out")" 1 "and no second one"

exits 2 "no directory" "$dftrace" top
exits 2 "two directories" "$dftrace" top "$job" "$evil"
exits 2 "a column that is not there" "$dftrace" top --sort size "$job"
like "$(cat "$tmp/err")" "use one of io read write" "says which there are"
exits 2 "no time between looks" "$dftrace" top --delay 0 "$job"
exits 1 "nothing there" "$dftrace" top "$tmp/none"
mkdir "$tmp/empty"
exits 1 "not a job" "$dftrace" top "$tmp/empty"
like "$(cat "$tmp/err")" "dftrace: .*empty" "says which directory"

done_testing
