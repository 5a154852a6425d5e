#!/bin/bash
# SPDX-License-Identifier: MIT
#
# again.sh - the whole suite several times in a row, quiet or beside a load
#
# In:  the repository (a clone is made of what is committed); ROUNDS (10); LOAD: busy
#      processes beside it (0); STAGES of run-tests (all); AGAIN_DIR, kept if it is given
# Out: a line for each round with its time, the load and the sum; what failed is repeated;
#      exit status 1 if a round failed. Outputs: AGAIN_DIR/round-N.log
#
# `make check-again`: hunts for tests that fail now and then. Never part of `make check`.

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
rounds=${ROUNDS:-10} load=${LOAD:-0} stages=${STAGES-}
for number in "$rounds" "$load"; do
    [[ $number =~ ^[0-9]{1,4}$ ]] || {
        echo "again.sh: '$number': not a number: ROUNDS and LOAD are counts" >&2
        exit 2
    }
done
dir=${AGAIN_DIR:-$(mktemp -d)} || exit 1
busy=()
finish() {
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null
    [ -n "${AGAIN_DIR-}" ] || [ "$failed" -gt 0 ] || rm -rf "$dir"
}
failed=0
trap finish EXIT
trap 'exit 130' INT TERM

mkdir -p "$dir" && chmod 755 "$dir" && # tests run as other users, too
    git clone -q "$top" "$dir/clone" || exit 1
[ -z "$stages" ] || (cd "$dir/clone" && ./bootstrap) >"$dir/bootstrap.log" 2>&1 || {
    echo "again.sh: $dir/clone: bootstrap failed: next step: see $dir/bootstrap.log" >&2
    exit 1
}
echo "$(git -C "$top" log -1 --format=%h), $(nproc) processors, load of $load, logs in $dir"
for ((i = 0; i < load; i++)); do
    while :; do :; done &
    busy+=($!)
done
for ((round = 1; round <= rounds; round++)); do
    began=$SECONDS
    # shellcheck disable=SC2086 # words
    (cd "$dir/clone" && ./run-tests $stages) >"$dir/round-$round.log" 2>&1 </dev/null
    status=$?
    read -r now _ </proc/loadavg
    echo "round $round: $((SECONDS - began)) s, load $now: $(tail -n 1 "$dir/round-$round.log")"
    [ $status -eq 0 ] || {
        failed=$((failed + 1))
        sed -n '/^What failed:/,$p' "$dir/round-$round.log" | sed '$d; s/^/    /'
    }
done
echo "$rounds rounds, $failed with failures"
[ "$failed" -eq 0 ]
