#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2470-otf2.t - events as an archive of OTF2, as otf2-print shows it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

job=$tmp/job
"$top_builddir/tests/tools/mkshard" "$job" direct 40
exits 2 "not to standard output" "$dftrace" export -f otf2 "$job"
like "$(cat "$tmp/err")" 'otf2: an archive is a directory .*--output DIR' \
    "and why"
exits 2 "nor by its name" "$dftrace" export -f otf2 -o - "$job"

if ! grep -q '^#define HAVE_OTF2' "$top_builddir/config.h"; then
    exits 1 "without the library" "$dftrace" export -f otf2 -o "$tmp/a" "$job"
    like "$(cat "$tmp/err")" \
        '^dftrace: otf2: .*without the library OTF2: install ' "it says so"
    ok "nothing is left" test ! -e "$tmp/a"
    skip "configure found no OTF2" "the rest"
    done_testing
    exit
fi
if ! command -v otf2-print >/dev/null; then
    skip "no otf2-print" "the rest"
    done_testing
    exit
fi

# same JOB NAME: the archive of JOB has all of its events
same ()
{
    "$dftrace" export -f jsonl "$1" >"$tmp/events" 2>/dev/null
    "$python" "$top_srcdir/tests/tools/checkotf2.py" "$top_srcdir" \
        "$tmp/events" "$2" >"$tmp/check" 2>&1
    is "$(sed '$d' "$tmp/check")" "" "$3: what export -f jsonl has"
    tail -n 1 "$tmp/check" | sed 's/^/# /'
}

exits 0 "export -f otf2" "$dftrace" export -f otf2 -o "$tmp/otf2/" "$job"
is "$(cat "$tmp/out" "$tmp/err")" "" "says nothing"
same "$job" "$tmp/otf2" "a job"
is "$(ls "$tmp/otf2" | xargs) $(stat -c %a "$tmp/otf2")" \
    "traces traces.def traces.otf2 700" "an archive, for its user"
is "$(find "$tmp/otf2" -type f -perm /077)" "" "and nobody else"
is "$(find "$tmp" -name '*.tmp')" "" "no temporary directory is left"
defs=$(otf2-print -G "$tmp/otf2/traces.otf2")
like "$defs" 'SYSTEM_TREE_NODE +2  Name: "n2" .*Class: "node"' "nodes"
like "$defs" 'LOCATION_GROUP +0  Name: "rank 0: train \(pid 1000\)".*node::n1' \
    "processes on them"
is "$(grep -c '^LOCATION ' <<<"$defs")" \
    "$("$dftrace" export "$job" | sed 1d | cut -d, -f3-5 | sort -u | wc -l)" \
    "a location for each thread"
like "$defs" 'GROUP .*Name: "POSIX" .*"read"' "regions by layer"

# What is there stays.
exits 1 "into a directory with files" "$dftrace" export -f otf2 -o "$tmp/otf2" \
    "$job"
like "$(cat "$tmp/err")" 'it is there already' "is refused"
same "$job" "$tmp/otf2" "afterwards"
mkdir "$tmp/empty"
exits 0 "into an empty one" "$dftrace" export -f otf2 -o "$tmp/empty" "$job"
ok "is an archive" test -s "$tmp/empty/traces.otf2"
exits 1 "into none" "$dftrace" export -f otf2 -o "$tmp/no/such/x" "$job"
exits 1 "a disk that takes no more" bash -c \
    'trap "" XFSZ; ulimit -f 1; exec "$@"' bash "$dftrace" export -f otf2 \
    -o "$tmp/full" "$job"
like "$(cat "$tmp/err")" '/full: cannot write: .*: File .*too large' "it says so"
is "$(find "$tmp" -maxdepth 1 -name 'full*')" "" "and leaves nothing"
exits 0 "a condition" "$dftrace" export -f otf2 -w 'class = read' -o "$tmp/r" \
    "$job"
is "$(otf2-print "$tmp/r/traces.otf2" | grep -c '^ENTER')" \
    "$("$dftrace" export -w 'class = read' "$job" | sed 1d | wc -l)" \
    "those that it lets through"
exits 1 "a word of no event" "$dftrace" export -f otf2 -w 'name = raed' \
    -o "$tmp/none" "$job"
ok "leaves nothing" test ! -e "$tmp/none"

# What overlaps in a thread, requests, names of all kinds.
id=0
event ()
{
    echo '{"id":'$((++id))',"name":"'"$1"'","cat":"'"$2"'","pid":7,"tid":7,"ts":'"$3"',"dur":'"$4"',"ph":"X","args":{'"${5-}"'}}'
}
read_of='"fname":"/x","ret":100,"count":100'
{
    echo '['
    event A app 1000 100 && event B app 1050 100 && event C app 1060 90
    event D app 1000 10 && event E app 1010 0 && event E app 1100 0
    event E app 1150 50 && event F app 900 1000 '"step":3,"x":"a\nb"'
    event aio_read POSIX 1005 500 "$read_of"
    event aio_read POSIX 1006 1500 "$read_of"
    event aio_write POSIX 1007 20 "$read_of"
    event read POSIX 1062 2 '"fname":"/a\nb\u001b[31m\"c\" <3>","ret":10,"count":100'
    event 'bad \"name\" <1>' app 3000 1
} >"$tmp/over.pfw"
exits 0 "events that overlap" "$dftrace" export -f otf2 -o "$tmp/over" \
    "$tmp/over.pfw"
same "$tmp/over.pfw" "$tmp/over" "overlapping"
defs=$(otf2-print -G "$tmp/over/traces.otf2")
is "$(grep '^LOCATION ' <<<"$defs" | sed 's/.*Name: "\([^"]*\)".*/\1/')" \
    "thread 7
thread 7, overlapping 1" "have locations of their own"
like "$defs" 'IO_REGULAR_FILE .*"/a\\nb\\x1b\[31m"c" <3>"' \
    "names are made harmless"
otf2-print "$tmp/over/traces.otf2" >"$tmp/print"
is "$(grep -c 'IO_OPERATION_BEGIN.*NON_BLOCKING' "$tmp/print")" \
    "$(grep -c IO_OPERATION_ISSUED "$tmp/print")" "requests are issued"
like "$(cat "$tmp/print")" '"step" <[0-9]*>; INT64; 3' "arguments are attributes"

# More at a time than there may be locations.
{ cat "$tmp/over.pfw"; for i in $(seq 100); do event O app $((5000 + i)) 200; done; } \
    >"$tmp/many.pfw"
exits 5 "too many that overlap" "$dftrace" export -f otf2 -o "$tmp/many" \
    "$tmp/many.pfw"
like "$(cat "$tmp/err")" '36 events are not in it' "are counted"
is "$(otf2-print "$tmp/many/traces.otf2" | grep -c '^ENTER.*"O"')" 64 \
    "the others are there"

# A real program: handles, a copy in the kernel, threads, a name that is no text.
"$dftrace" run -q -o "$tmp/real" --layers posix,stdio,app -- "$python" - "$tmp" <<'END'
import os, sys, threading
os.chdir (sys.argv[1])
name = b"no\xfftext\n"
with open (name, "wb") as f:
    f.write (b"x" * 1000)
    f.flush ()
    os.fsync (f.fileno ())
a = os.open (name, os.O_RDONLY)
b = os.dup (a)
os.close (a)
os.read (b, 10)
os.lseek (b, 100, os.SEEK_SET)
c = os.open ("copy", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
os.sendfile (c, b, 0, 500)
os.unlink ("copy")
def work ():
    for i in range (20):
        with open (name, "rb") as f:
            f.read ()
threads = [threading.Thread (target=work) for i in range (3)]
[t.start () for t in threads]
[t.join () for t in threads]
END
exits 0 "a program" "$dftrace" export -f otf2 -o "$tmp/program" "$tmp/real"
same "$tmp/real" "$tmp/program" "a program"
otf2-print "$tmp/program/traces.otf2" >"$tmp/print"
for record in 'IO_CREATE_HANDLE .*/copy" .*WRITE_ONLY, .*{CREATE, EXCLUSIVE}' \
    'IO_DUPLICATE_HANDLE .*no\\xfftext\\n"' 'IO_SEEK .*Offset Result: 100$' \
    'IO_DELETE_FILE .*/copy"' 'IO_DESTROY_HANDLE .*no\\xfftext\\n"' \
    'IO_OPERATION_BEGIN .*Mode: FLUSH'; do
    ok "${record%% *}" grep -q "^$record" "$tmp/print"
done
done_testing
