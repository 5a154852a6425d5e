#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5400-pydftracer.t - a real pydftracer: in charge, in the job directory, on
# the same clock, nothing twice

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

"$python" -c 'import dftracer.dftracer, dftracer.python' 2>/dev/null ||
    skip_all "no pydftracer with its recorder for $python: pip install dftracer"

cat >"$tmp/program.py" <<'END'
import os
import sys

import dftracer.python as m
from dftracer.python import ai, dft_fn

log = m.dftracer.initialize_log(sys.argv[1] + "/own", "/", os.getpid())
path = sys.argv[1] + "/data.bin"
with open(path, "wb") as f:
    f.write(bytes(4096))


class Data:
    @ai.data.item
    def get(self, i):
        with open(path, "rb", buffering=0) as f:
            return f.read(4096)


for step in range(5):
    with ai.compute.step:
        Data().get(step)
with dft_fn("mine", name="block"):
    pass
log.finalize()
print(m.__file__)
END

job=$tmp/job
mkdir "$tmp/d"
exits 0 "runs" "$dftrace" run -q -o "$job" --layers posix,app -- \
    "$python" "$tmp/program.py" "$tmp/d"
like "$(cat "$tmp/out")" "site-packages/dftracer/python" "the real one is in charge"
is "$(find "$tmp/d" -name 'own*')" "" "its file is not where the program says"
ok "but in the job directory" test -n "$(find "$job/shards" -name '*.pfw*')"
is "$(find "$job/shards" -name '*.pfw*' -exec zcat -f {} + |
    grep -cE '"cat": ?"(POSIX|STDIO)"')" 0 "without I/O calls"

exits 0 "analyze" "$dftrace" analyze --view operation --format csv "$job"
is "$(sed -n 's/^data,item,\([0-9]*\),.*/\1/p' "$tmp/out")" 5 "items"
is "$(sed -n 's/^compute,step,\([0-9]*\),.*/\1/p' "$tmp/out")" 5 "steps"
is "$(sed -n 's/^mine,block,\([0-9]*\),.*/\1/p' "$tmp/out")" 1 "a block of its own"
exits 0 "ranks" "$dftrace" analyze --view rank --format csv "$job"
is "$(tail -n +2 "$tmp/out" | wc -l)" 1 "two files, one rank"

# Times in µs since 1970, ours and theirs; theirs are cut to a whole µs.
exits 0 "export" "$dftrace" merge --quiet --pfw "$job"
zcat "$job/combined.pfw.gz" >"$tmp/pfw"
is "$(awk -v file="$tmp/d/data.bin" '
    function field(name) {
        match($0, "\"" name "\":[0-9]*")
        return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
    }
    /"name":"item"/ { from[++n] = field("ts"); to[n] = from[n] + field("dur") }
    /"name":"read"/ && /"ret":4096/ { at[++k] = field("ts") }
    END {
        for (i = 1; i <= k; i++)
            for (j = 1; j <= n; j++)
                inside += at[i] >= from[j] - 1 && at[i] <= to[j] + 1
        print k + 0, inside + 0
    }' "$tmp/pfw")" "5 5" "each read is inside its item: the clock is the same"
is "$(grep -c '"name":"item"' "$tmp/pfw")" 5 "no item is there twice"

native=$tmp/native
DFTRACE_APP=native exits 0 "native: runs" "$dftrace" run -q -o "$native" \
    --layers posix,app -- "$python" "$tmp/program.py" "$tmp/d"
like "$(cat "$tmp/out")" "dftrace/compat/dftracer/python" "native: ours"
is "$(find "$native/shards" -name '*.pfw*')" "" "native: only our shard"
"$dftrace" stat --events "$native" >"$native.txt"
is "$(count "$native" data item)" 5 "native: items"

exits 0 "the study's listings" "$dftrace" run -q -o "$tmp/study" --layers app \
    -- "$python" "$scripts/study.py"
exits 0 "study: analyze" "$dftrace" analyze --view operation --format csv "$tmp/study"
is "$(sed -n 's/^data,item,\([0-9]*\),.*/\1/p' "$tmp/out")" 10 \
    "study: items, those of workers"

done_testing
