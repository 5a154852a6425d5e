#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2403-first-screens.t - the first screens of seven small jobs: lines that they have
#                         however busy the machine is, and the place that they take

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

python3=$(python3 -c 'import sys; print (sys.executable)') || skip_all "no Python"
unset "${!SLURM@}"
mkdir "$tmp/work"
cd "$tmp/work" || exit 99

# job NAME STATUS COMMAND…
job ()
{
    local name=$1 status=$2
    shift 2
    exits "$status" "$name: ends as it does" "$dftrace" run -q -o "$name" -- "$@"
}

# screen NAME: its first screen, with # for numbers and s for ms, has lines as those of standard input
screen ()
{
    local line columns
    for columns in 60 80; do
        COLUMNS=$columns "$dftrace" analyze --no-write "$1" >"$tmp/screen" 2>/dev/null
        is "$(awk -v n="$columns" 'length > n || NR > 24' "$tmp/screen")" "" \
            "$1: 24 lines of $columns columns"
    done
    sed -E 's/[0-9][0-9. ]*[mu]?s\b/#s/g; s/[0-9][0-9. ]*/#/g' "$tmp/screen" >"$tmp/masked"
    while IFS= read -r line; do
        ok "$1: $line" grep -qE "$line" "$tmp/masked"
    done
}

job files 0 "$python3" -c '
import os
os.mkdir ("small")
for i in range (2000):
    open (f"small/item-{i}.bin", "wb").write (b"x" * 1000)
for i in range (2000):
    open (f"small/item-{i}.bin", "rb").read ()'
screen files <<'END'
^files: .*#s, #events$
most in item-N\.bin$
writing #[mu]?s \(#MiB\)
^by the kernel's count: .* recorded
END

job syncs 0 "$python3" -c '
import os
fd = os.open ("log.db", os.O_CREAT | os.O_WRONLY)
for i in range (50):
    os.write (fd, b"y" * 4096)
    os.fsync (fd)'
screen syncs <<'END'
^time of the job
writing #[mu]?s \(#KiB\), sync #[mu]?s
END

cat >straggler.py <<'END'
import multiprocessing, time
def work (i):
    with open (f"part-{i}.out", "wb") as f:
        f.write (b"z" * 65536)
    time.sleep (1 if i == 3 else 0.1)
if __name__ == "__main__":
    ps = [multiprocessing.Process (target=work, args=(i,)) for i in range (4)]
    [p.start () for p in ps]
    [p.join () for p in ps]
END
job last 0 "$python3" straggler.py
screen last <<'END'
^last: 5 processes|^last: #processes
(critical|warning) .*straggler
END

job pipeline 0 sh -c 'head -c 2000000 /dev/zero | tr "\0" a | wc -c >count'
screen pipeline <<'END'
^  sh -c 'head
^by the kernel's count: #MiB read
END

job status 3 "$python3" -c 'import sys; open ("result", "w").write ("part"); sys.exit (3)'
screen status <<'END'
: exit status #
END
is "$(grep -c 'exit status' "$tmp/masked")" 1 "status: one line says it"

job asleep 0 sh -c 'echo start >state; sleep 1; echo end >state'
screen asleep <<'END'
^  sleeping +#s
^critical +#s +#% +sleeping: sleep \[sleep_wait\]$
END

job mapped 0 "$python3" -c '
import mmap
open ("big.bin", "wb").write (bytes (1 << 26))
f = open ("big.bin", "rb")
m = mmap.mmap (f.fileno (), 0, prot=mmap.PROT_READ)
sum (m[i] for i in range (0, len (m), 4096))'
screen mapped <<'END'
^  not measured: waits for #MiB of mapped files \(--layers mmap\)
END

like "$("$dftrace" analyze --no-write 2>&1 >/dev/null)" "the newest trace here: mapped" \
    "without a path the newest trace"
touch files/job.json # as an analysis may change it
like "$("$dftrace" analyze --no-write 2>&1 >/dev/null)" "the newest trace here: mapped" \
    "the newest is the one that began last, not the one whose job.json changed last"

done_testing
