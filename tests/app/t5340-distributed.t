#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5340-distributed.t - collectives and distributed checkpoints of PyTorch

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" -c 'import torch.distributed as d; assert d.is_gloo_available ()' \
    2>/dev/null || "$python" -c 'import torch.distributed as d
assert d.is_available () and not hasattr (d, "is_gloo_available")' 2>/dev/null ||
    skip_all "no torch with gloo for $python: apt-get install python3-torch"

# both NAME: calls of each rank, the numbers sorted
both() {
    awk -F'\t' -v n="$2" -v c="$1" '$5 == c && $6 == n { k[$3]++ }
        END { for (p in k) print k[p] }' "$job.txt" | sort -n | xargs
}

job=$tmp/job
mkdir "$tmp/d"
exits 0 "runs" "$dftrace" run -q -o "$job" --layers posix,app -- \
    "$python" "$scripts/distributed.py" "$tmp/d"
cp "$tmp/out" "$tmp/words"
"$dftrace" stat --events "$job" >"$job.txt"
is "$(count "$job" dftrace metadata '_points=')" 0 "every point is there"
is "$(both comm all_reduce)" "3 3" "all_reduce: of both ranks"
is "$(count "$job" comm all_reduce error=)" 2 "one of each failed, as it did"
for name in reduce barrier; do
    like "$(both comm $name)" "^[1-9][0-9]* [1-9][0-9]*$" "$name: of both ranks"
done
for name in all_gather bcast gather scatter; do # checkpoints use these, too
    like "$(both comm $name)" "^[1-9][0-9]* [1-9][0-9]*$" "$name: of both ranks"
done
is "$(both comm isend) $(both comm irecv)" "1 1" "isend and irecv: their start"
# Behind the calls that waited themselves; checkpoints may wait for more.
like "$(both comm wait)" "^[2-9][0-9]* [2-9][0-9]*$" \
    "wait: what began with async_op, isend and irecv"
is "$(awk -F'\t' '
    $5 != "comm" { next }
    $6 == "wait" { at[$3, $4] = at[$3, $4] " " $1; next }
    { from[++n] = $1; till[n] = $1 + $2; who[n] = $3 SUBSEP $4 }
    END {
        for (i = 1; i <= n; i++) {
            k = split (at[who[i]], t, " ")
            for (j = 1; j <= k; j++)
                within += from[i] <= t[j] && t[j] < till[i]
        }
        print within + 0
    }' "$job.txt")" 0 "wait: not inside calls that wait themselves"
is "$(both comm send) $(both comm receive)" "1 1" "send of one, receive of the other"

async=0
! grep -q async "$tmp/words" || async=1
if grep -q checkpoint "$tmp/words"; then
    is "$(both checkpoint capture)" "$((1 + async)) $((1 + async))" \
        "checkpoints: of both ranks"
    is "$(both checkpoint restart)" "1 1" "and read again"
else
    skip "a torch without distributed checkpoints" "checkpoints"
fi
if [ $async = 1 ]; then
    is "$(both checkpoint capture.start)" "1 1" "async: started"
    is "$(awk -F'\t' '$6 == "capture" && $3 != $4' "$job.txt" | wc -l)" 2 \
        "async: saved by other threads"
else
    skip "a torch without async_save" "async"
fi
exits 0 "analyze" "$dftrace" analyze --view operation --format csv "$job"
like "$(cat "$tmp/out")" "comm,all_reduce,6," "analyze: collectives"

done_testing
