#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5300-torch.t - an unmodified PyTorch training script, with workers of all
# kinds: steps, fetches, items, and the reads inside them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" -c 'import torch, numpy' 2>/dev/null ||
    skip_all "no torch for $python: apt-get install python3-torch"

# reads JOB: reads of data files; how many of them are inside a data/item of
# their thread whose image_idx is the number in the file's name
reads() {
    awk -F'\t' '
        $5 == "data" && $6 == "item" {
            split($7, a, "[= ]"); n = ++items[$4]
            from[$4, n] = $1; to[$4, n] = $1 + $2; idx[$4, n] = a[2]
        }
        $5 == "POSIX" && $6 == "read" && $NF ~ /\/[0-9]+\.bin$/ && $0 ~ /ret=4096/ {
            k++; tid[k] = $4; at[k] = $1; file[k] = $NF
            sub(/.*\//, "", file[k]); sub(/\.bin/, "", file[k])
        }
        END {
            for (i = 1; i <= k; i++)
                for (j = 1; j <= items[tid[i]]; j++)
                    if (at[i] >= from[tid[i], j] && at[i] <= to[tid[i], j] &&
                        idx[tid[i], j] == file[i])
                        inside++
            print k + 0, inside + 0
        }' "$1.txt"
}

for kind in "0 none" "2 fork" "2 spawn"; do
    read -r workers method <<<"$kind"
    job=$tmp/$workers$method
    mkdir "$job.d"
    exits 0 "$kind: runs" "$dftrace" run -q -o "$job" --layers posix,app -- \
        "$python" "$scripts/torchtrain.py" "$job.d" "$workers" "$method"
    is "$(cat "$tmp/out" "$tmp/err")" "" "$kind: says nothing"
    "$dftrace" stat --events "$job" >"$job.txt"
    is "$(count "$job" compute step)" 12 "$kind: steps"
    is "$(count "$job" compute backward)" 12 "$kind: backward"
    is "$(count "$job" dataloader fetch)" 12 "$kind: fetches"
    is "$(count "$job" data item)" 48 "$kind: items"
    is "$(count "$job" checkpoint capture)$(count "$job" checkpoint restart)" \
        21 "$kind: checkpoints"
    is "$(count "$job" dftrace metadata '_points=')" 0 "$kind: every point is there"
    # 24 items in batches of 4: each of two workers has 3 batches an epoch
    is "$(awk -F'\t' '$5 == "data" && $6 == "item" { n[$3]++ }
        END { for (p in n) print n[p] }' "$job.txt" | xargs)" \
        "$(((workers == 0)) && echo 48 || echo 12 12 12 12)" \
        "$kind: items of each process"
    is "$(awk -F'\t' '$5 == "data" && $6 == "item" { print $7 }' "$job.txt" |
        sort | uniq -c | awk '{ print $1 }' | sort -u)" 2 \
        "$kind: every item twice"
    is "$(reads "$job")" "48 48" \
        "$kind: each read of a data file is inside its item"
    exits 0 "$kind: analyze" "$dftrace" analyze --format csv "$job"
done

# A part of a data set, whatever way this torch fetches its batches.
cat >"$tmp/part.py" <<'END'
import torch


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, idx):
        return idx * idx


if __name__ == "__main__":
    part = torch.utils.data.Subset(Squares(), [1, 3, 5, 7])
    got = [b.tolist() for b in torch.utils.data.DataLoader(part, batch_size=2)]
    assert got == [[1, 9], [25, 49]], got
END
traced "$tmp/part" "$tmp/part.py"
is "$(count "$tmp/part" data item)" 4 "a part of a data set: its items"
is "$(count "$tmp/part" dftrace metadata '_points=')" 0 "a part: every point is there"

done_testing
