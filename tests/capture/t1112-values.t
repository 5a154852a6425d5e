#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1112-values.t - the most used sizes and strides of accesses: those of a trace are
# what single events say, those of a profile are the same where it has them

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99

# run JOB LAYERS COMMAND…: in a fresh directory work
run ()
{
    local job=$1 layers=$2
    shift 2
    rm -rf "$job" work && mkdir work
    "$dftrace" run -q -o "$tmp/$job" --layers "$layers" -- "$@"
}

sizes () { "$dftrace" analyze --no-write --view accesssize --format csv --top 0 "$1"; }
strides () { "$dftrace" analyze --no-write --view accessstride --format csv --top 0 "$1"; }

# alike_values NAME VIEW: where a profile has all values of a file, they are those of
# the trace; where it has not, accesses add up and no value has more.
alike_values ()
{
    is "$(awk -F, 'FNR == 1 { file++; next }
        { key = $2 "," $8; if (file == 1) { all[key] += $4; exact[key] = $6 == 0; row[key, $3] = $4; values[key, $3] = $7 }
          else { full[key] += $4; if (exact[key] && (row[key, $3] != $4 || values[key, $3] != $7)) print "not the same: " $0
                 if ($3 != "" && row[key, $3] > $4) print "more than there were: " $0 } }
        END { for (key in all) if (all[key] != full[key]) print key ": " all[key] ", not " full[key] }' \
        <("$2" sums) <("$2" full) | head -6)" "" "$1: $2 of accesses"
    cmp_num "$("$2" full | wc -l)" -gt 4 "$1: there are some"
}

# counted_again NAME: both views of both jobs, by a program that has only the events
counted_again ()
{
    local job view
    "$dftrace" export -f jsonl full >events.jsonl 2>err
    for job in full sums; do
        for view in sizes strides; do
            "$view" $job >view.csv
            like "$("$python" "$top_srcdir/tests/tools/accessvalues.py" view.csv <events.jsonl 2>&1)" \
                '^compared [0-9]{2,} rows, [0-9]{2,} of them exactly$' "$1: $view of $job, counted once more"
        done
    done
}

merged () { "$dftrace" merge "$1" >/dev/null 2>&1 && stat -c %s "$1/trace.dft"; } # without what was promised ahead
python=$(command -v /usr/bin/python3 || command -v python3)

# --- random programs ----------------------------------------------------------
for seed in 1 2 3; do
    words=("$victims/random/mixture" "$seed" "$((seed * 500))" "$((seed * 15))" "$((1 + seed % 2))" "$((seed - 1))" work)
    run full posix,app "${words[@]}" >/dev/null
    run sums profile "${words[@]}" >/dev/null
    alike_values "seed $seed" sizes
    alike_values "seed $seed" strides
    counted_again "seed $seed"
done

# --- known programs -----------------------------------------------------------
cat >places.py <<'END2'
import os
fd = os.open("work/places", os.O_RDWR | os.O_CREAT)
for at, n in ((0, 100), (100, 100), (200, 4096), (4396, 100), (4596, 100), (4796, 100), (0, 50)):
    os.pwrite(fd, b"x" * n, at)
os.pread(fd, 10, 50), os.pread(fd, 10, 4096), os.pwrite(fd, b"y", 0)
END2
for layers in posix posix,profile; do
    DFTRACE_INCLUDE="$tmp/work" run "places-$layers" "$layers" "$python" -S places.py
    is "$(sizes "places-$layers" | awk -F, '/work.places$/ { print $2, $3, $4, $5, $6 }')" \
        "read 10 2 100 0
write 100 5 62.5 0
write 1 1 12.5 0
write 50 1 12.5 0
write 4096 1 12.5 0" "$layers: the sizes of its accesses"
    is "$(strides "places-$layers" | awk -F, '/work.places$/ { print $2, $3, $4, $5, $6, $7 }')" \
        "read 0 1 50 0 1
read 4036 1 50 0 1
write 0 5 62.5 0 1
write 100 3 37.5 0 1" "$layers: the strides of its reads, of its writes"
done

# Strides: more than there is room for, far ones, of another thread, of calls that fail.
cat >strides.py <<'END2'
import os, threading
fd = os.open("work/many", os.O_RDWR | os.O_CREAT)
at = 0
for i in range(1, 26):
    for n in range(i):
        os.pwrite(fd, b"12345678", at)
        at += 8 + i * 16
    os.pwrite(fd, b"12345678", at)
    at += 8
fd = os.open("work/far", os.O_RDWR | os.O_CREAT)
for i in range(4): os.pwrite(fd, b"x" * 4096, i * (5 << 30))
os.pwrite(fd, b"x", 1), os.pwrite(fd, b"x", 1 << 40), os.pwrite(fd, b"x", (1 << 40) + (1 << 33) + 2)
fd = os.open("work/turns", os.O_RDWR | os.O_CREAT)
def turn():
    for i in range(3): os.pwrite(fd, b"0123", 1000 + i * 14)
for i in range(3):
    t = threading.Thread(target=turn)
    t.start(), t.join()
fd2 = os.open("work/turns", os.O_RDONLY)
for at in 0, 100: os.pread(fd2, 10, at)
for at in 5000, 9000:
    try: os.pwrite(fd2, b"no", at)
    except OSError: pass
    try: os.preadv(-1, [bytearray(4)], at)
    except OSError: pass
os.pread(fd2, 10, 120)
END2
for layers in posix posix,profile; do
    DFTRACE_INCLUDE="$tmp/work" run "strides-$layers" "$layers" "$python" strides.py
    is "$(strides "strides-$layers" | awk -F, '/work.turns$/ { print $2, $3, $4, $6 }')" \
        "read 0 1 0
read 10 1 0
read 90 1 0
write 10 6 0
write 0 3 0" "$layers: strides of threads that come after each other, of calls that fail"
done
is "$(strides strides-posix | awk -F, '/work.many$/ { print $3, $4, $6, $7 }')" \
    "0 25 0 1
400 25 0 1
384 24 0 1
368 23 0 1
 253 0 22" "a trace has all strides of 26"
is "$(strides strides-posix,profile | awk -F, '/work.many$/ { print $3, $4, $6, $7 }')" \
    "0 25 115 1
320 20 115 1
304 19 115 1
288 18 115 1
 268 115 " "a profile 0 and the first 20, and says of how many accesses it does not know the stride"
is "$(strides strides-posix | awk -F, '/work.far$/ { print $3, $4, $6, $7 }')" \
    "5368705024 3 0 1
0 2 0 1
8589934593 1 0 1
1099511627774 1 0 1" "far strides in a trace"
is "$(strides strides-posix,profile | awk -F, '/work.far$/ { print $3, $4, $6, $7 }')" \
    "5368705024 3 2 1
0 2 2 1
 2 2 " "in a profile those with 26 significant bits, else they are not known"

# More than 500 different ones of a file, of three processes: round ones stay, whoever counts.
cat >most.py <<'END2'
import os
with open("work/most", "wb") as f: f.truncate(1 << 40)
for child in range(3):
    if os.fork() == 0:
        fd = os.open("work/most", os.O_RDONLY)
        for i in range(400):
            os.pread(fd, 1 + 2 * (i * 37 % 400 + 200 * child), (i + 400 * child) ** 2 * 7001 * 4096 % (1 << 39))
            os.pread(fd, 65536, i << 16)
        os._exit(0)
    os.wait()
END2
DFTRACE_INCLUDE="$tmp/work" run most posix "$python" most.py
for view in sizes strides; do
    "$view" most | grep 'most$' >view.csv
    python_says=$("$python" -c '
import collections, json, sys
sizes, strides = collections.Counter (), collections.Counter ()
ends = {}
for line in sys.stdin:
    e = json.loads (line)
    if e["name"] != "pread" or not e.get ("file", "").endswith ("/most"): continue
    end, at = ends.get (e["pid"]), e["offset"]
    ends[e["pid"]] = at + e["ret"]
    sizes[e["ret"]] += 1
    strides[at - end if end is not None and at > end else 0] += 1
count = {"sizes": sizes, "strides": strides}[sys.argv[1]]
bits = lambda v: (v // (v & -v)).bit_length () if v else 1
below = lambda b: [v for v in count if bits (v) < b]
assert len (count) > 500
most = max (b for b in range (1, 65) if len (below (b)) <= 500)
known = sum (count[v] for v in below (most))
for v in sorted (below (most), key=lambda v: (-count[v], v))[:4]:
    print ("%d %d %d" % (v, count[v], sum (count.values ()) - known))
' "$view" < <("$dftrace" export -f jsonl most 2>/dev/null))
    is "$(awk -F, '$3 != "" { print $3, $4, $6 }' view.csv)" "$python_says" "more than 500 $view: those with small odd factors"
    is "$(awk -F, '{ n += $4 } END { print n }' view.csv) $(tail -n 1 view.csv | cut -d, -f3,7)" "2400 ," "and all others"
done
is "$(strides most; sizes most)" "$(for view in accessstride accesssize; do
    "$dftrace" analyze --no-write --view $view --format csv --top 0 -j 1 most; done)" "one thread: the same"
for i in 1 2 3; do "$dftrace" analyze --partial --partition $i/3 --quiet most 2>err; done
"$dftrace" analyze --no-write --reduce --view accessstride --format csv --top 0 most >partitions.csv 2>err
is "$(cat partitions.csv)" "$(strides most)" "three partitions: the same"

# Sizes: one that stays, with failed calls; more than there is room for.
cat >sizes.py <<'END2'
import os
fd = os.open("work/same", os.O_RDWR | os.O_CREAT)
for i in range(30): os.pwrite(fd, b"x" * 1000, i * 1000)
fd2 = os.open("work/same", os.O_RDONLY)
for i in range(5):
    try: os.write(fd2, b"no")
    except OSError: pass
for i in range(30): os.pread(fd, 1000, i * 1000)
os.pread(fd, 1000, 10 ** 6), os.pread(fd, 1000, 29500)
fd = os.open("work/many", os.O_RDWR | os.O_CREAT)
for i in range(25):
    for n in range(i + 1): os.pwrite(fd, b"x" * (i + 1), 0)
for i in range(7): os.pread(fd, 2, 0)
END2
for layers in posix posix,profile; do
    DFTRACE_INCLUDE="$tmp/work" run "sizes-$layers" "$layers" "$python" -S sizes.py
    is "$(sizes "sizes-$layers" | awk -F, '/work.same$/ { print $2, $3, $4, $5, $6 }')" \
        "read 1000 30 93.75 0
read 0 1 3.125 0
read 500 1 3.125 0
write 1000 30 100 0" "$layers: one size, the end of the file, calls that fail"
    is "$(sizes "sizes-$layers" | awk -F, '/work.many$/ && $2 == "read" { print $3, $4, $6 }')" "2 7 0" \
        "$layers: reads beside them"
done
is "$(sizes sizes-posix | awk -F, '/work.many$/ && $2 == "write" { print $3, $4, $6 }')" \
    "25 25 0
24 24 0
23 23 0
22 22 0
 231 0" "a trace has all sizes of 25"
is "$(sizes sizes-posix,profile | awk -F, '/work.many$/ && $2 == "write" { print $3, $4, $6 }')" \
    "20 20 115
19 19 115
18 18 115
17 17 115
 251 115" "a profile the first 20, and says of how many accesses it does not know the size"

# --- space --------------------------------------------------------------------
# Sizes and strides that all differ.
cat >lot.py <<'END'
import os, random, sys
files, rounds = int(sys.argv[1]), int(sys.argv[2])
for d in range(7): os.mkdir("work/dir%d" % d)
for i in range(files):
    fd = os.open("work/dir%d/shard-%d-of-many.bin" % (i % 7, i), os.O_RDWR | os.O_CREAT)
    os.write(fd, bytes(4096))
    for k in range(rounds):
        os.pread(fd, random.randrange(1, 2000), random.randrange(4000))
    if files < 9:
        for k in range(rounds):
            os.pwrite(fd, bytes(random.randrange(1, 2000)), random.randrange(1 << 20))
            os.lseek(fd, random.randrange(4000), os.SEEK_SET)
            os.read(fd, random.randrange(1, 2000)), os.fstat(fd)
    os.close(fd)
END
run lot profile "$python" -S lot.py 5 1000
cmp_num "$(merged lot)" -le 65536 "five files at random: $(stat -c %s lot/trace.dft) bytes"
is "$(strides lot | awk -F, '/many.bin/ { n[$8] += $4 } END { for (f in n) print n[f] }' | sort -u)" 3001 \
    "five files at random: all accesses are there"
is "$(strides lot | awk -F, '/many.bin/ && $3 == "" && $6 > 0 && $4 - $6 >= 17' | wc -l)" 10 \
    "five files at random: 0 and 20 others are known of each, for reads and writes"
run lots profile "$python" -S lot.py 1000 30
cmp_num "$(merged lots)" -le $((1 << 20)) "a thousand files at random: $(stat -c %s lots/trace.dft) bytes"
is "$(strides lots | awk -F, '/many.bin/ { n[$8, $2] += $4 } END { for (f in n) print n[f] }' | sort | uniq -c | xargs)" \
    "1000 1 1000 30" "a thousand files at random: all accesses are there"
done_testing
