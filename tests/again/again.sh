#!/bin/bash
# SPDX-License-Identifier: MIT
#
# again.sh - the whole suite several times in a row, quiet or beside a load
#
# In:  the repository (clones are made of what is committed); ROUNDS (10); CLONES that run
#      the suite at once, each is the others' load (1); LOAD: busy processes beside them (0);
#      STAGES of run-tests (all); AGAIN_DIR, kept if it is given
# Out: a line for each suite with its time, the load and the sum; what failed is repeated;
#      exit status 1 if a suite failed. Outputs: AGAIN_DIR/round-N.log, with several clones
#      round-N-C.log
#
# `make check-again`: hunts for tests that fail now and then. Never part of `make check`.
# Interrupted, it ends all that it started.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
rounds=${ROUNDS:-10} clones=${CLONES:-1} load=${LOAD:-0} stages=${STAGES-}
for number in "$rounds" "$clones" "$load"; do
    [[ $number =~ ^[0-9]{1,4}$ ]] || {
        echo "again.sh: '$number': not a number: ROUNDS, CLONES and LOAD are counts" >&2
        exit 2
    }
done
if [ "$rounds" -eq 0 ] || [ "$clones" -eq 0 ]; then
    echo "again.sh: nothing to run: ROUNDS and CLONES are 1 or more" >&2
    exit 2
fi
if [ "$clones" -gt 1 ] && [ -z "$stages" ]; then
    stages="gcc slurm" # the other stages install packages, or lay overlays on the machine
fi
dir=${AGAIN_DIR:-$(mktemp -d)} || exit 1
busy=() running=()
suites=0 failed=0

# Ends whole sessions: a test is a child of a child, in a process group of its own. Who
# is asked to end takes its cluster with it.
finish() {
    local session
    while read -r session; do
        pkill -TERM -s "$session"
    done < <(cat "$dir/sessions" 2>/dev/null)
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}"
    rm -f "$dir/sessions"
    [ -n "${AGAIN_DIR-}" ] || [ "$failed" -gt 0 ] || rm -rf "$dir"
}

# suite ROUND CLONE: one suite, and a line that says how it went.
suite() {
    local log=$dir/round-$1.log began=$SECONDS status now
    [ "$clones" -eq 1 ] || log=$dir/round-$1-$2.log
    # shellcheck disable=SC2086 # words
    (cd "$dir/clone-$2" && exec setsid ./run-tests $stages) >"$log" 2>&1 </dev/null &
    echo $! >>"$dir/sessions"
    wait $!
    status=$?
    read -r now _ </proc/loadavg
    echo "${log##*/}: $((SECONDS - began)) s, load $now: $(tail -n 1 "$log")"
    [ $status -eq 0 ] || sed -n '/^What failed:/,$p' "$log" | sed '$d; s/^/    /'
    return $status
}

mkdir -p "$dir" && chmod 755 "$dir" || exit 1 # tests run as other users, too
: >"$dir/sessions"                            # an older run's may be others by now
trap finish EXIT
trap 'exit 130' INT TERM
for ((c = 1; c <= clones; c++)); do
    git clone -q "$top" "$dir/clone-$c" || exit 1
    [ -z "$stages" ] || (cd "$dir/clone-$c" && ./bootstrap) >"$dir/bootstrap.log" 2>&1 || {
        echo "again.sh: $dir/clone-$c: bootstrap failed: next step: see $dir/bootstrap.log" >&2
        exit 1
    }
done
echo "$(git -C "$top" log -1 --format=%h), $(nproc) processors, $clones at once," \
    "load of $load, logs in $dir"
for ((i = 0; i < load; i++)); do
    while :; do :; done &
    busy+=($!)
done
for ((round = 1; round <= rounds; round++)); do
    running=()
    : >"$dir/sessions" # without the suites of the round before
    for ((c = 1; c <= clones; c++)); do
        suite "$round" "$c" &
        running+=($!)
    done
    for pid in "${running[@]}"; do
        wait "$pid" || failed=$((failed + 1))
        suites=$((suites + 1))
    done
done
: >"$dir/sessions" # all have ended
echo "$suites suites, $failed with failures"
[ "$failed" -eq 0 ]
