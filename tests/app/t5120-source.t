#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5120-source.t - a finding about files, started programs or connections has the lines of the
#                  Python program that they come from, whatever libraries are between

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

if [ ! -e "$top_builddir/python/dftrace/_dftrace.abi3.so" ] ||
    ! "$python" -c 'import sys; sys.exit (sys.version_info < (3, 10))'; then
    skip_all "needs the extension"
fi
cd "$tmp" || exit 99
mkdir -p lib/site-packages data
echo 'def load (path): return open (path, "rb", buffering=0)  # not the program' >lib/site-packages/library.py
cat >data.py <<'END'
import library, pathlib

class Items:
    def __getitem__ (self, i):
        with library.load ("data/item-%d.bin" % i) as f:        # items are read
            while f.read (64):
                pass
END
cat >train.py <<'END'
import os, pathlib, subprocess, sys
sys.path.insert (0, "lib/site-packages")
import data

def make (n):
    for i in range (n):
        pathlib.Path ("data/item-%d.bin" % i).write_bytes (b"x" * 20000)    # items are made

def log (n):
    for i in range (n):
        fd = os.open ("data/log-%d" % i, os.O_CREAT | os.O_WRONLY)      # logs are made
        os.write (fd, b"y" * 100)
        os.fsync (fd)
        os.close (fd)

if sys.argv[1:]:
    log (400)       # and nothing else: a finding about files is about these
    sys.exit ()
items = data.Items ()
for i in range (3):
    open ("data/item-%d.bin" % i, "wb").close ()        # three are made here
make (600)
for i in range (200):
    items[i]
for i in range (30):
    subprocess.run (["true"])       # programs are started
open ("/dev/null").close ()
END

# line FILE WORDS: the number of the line with these words
line() { grep -n "$2" "$1" | cut -d: -f1; }
# sources JOB SUBJECT: the lines named by findings about it
sources() {
    "$python" - "$1/metrics.json" "$2" <<'END'
import json, os, sys
found = [f for f in json.load (open (sys.argv[1]))["insights"]
         if f["subject"].endswith (sys.argv[2]) or f["rule"] == sys.argv[2]]
print (*sorted ({s.replace (os.getcwd () + "/", "") for f in found if f["source"]
                 for s in f["source"].split (", ")}) or ["none"], sep=", ")
END
}
opened="data.py:$(line data.py 'items are read') in Items.__getitem__"
logged="train.py:$(line train.py 'logs are made') in log"
started="train.py:$(line train.py 'are started') in <module>"

ok "a program runs" "$dftrace" run -q -o job -- "$python" train.py
ok "and makes logs" "$dftrace" run -q -o logs -- "$python" train.py logs
for job in job logs; do
    "$dftrace" analyze "$job" >/dev/null 2>&1
done
"$dftrace" stat --events job | grep 'dftrace.metadata.source=' >facts
"$dftrace" stat --events job >events
is "$(grep -c "site-packages\|/dev/null\|pathlib.py\|subprocess.py" facts)" 0 \
    "no library and no device is a place"
is "$(wc -l <facts)" 4 "each place is said once, of 833 opens and starts"
is "$(sources job item-N.bin | grep -cF "$opened")" 1 "what reads items: $opened"
is "$(sources logs log-N | tr -d '\n')" "$logged" "what makes logs: $logged"
is "$(sources job process_start)" "$started" "what starts programs: $started"
"$dftrace" analyze --view insight --format csv logs >table
is "$(grep -cF "$PWD/$logged" table)" "$(grep -c ',"\?train.py, log-N' table)" "tables have them"
"$dftrace" report -o page.html job >/dev/null 2>&1
is "$(grep -cF "from $PWD/${started%% in*}" page.html)" 1 "the page has them"
is "$(COLUMNS=200 "$dftrace" analyze --no-write job 2>/dev/null | grep -c 'not measured:.*decoding')" 0 \
    "such a fact is no region of a training"
is "$("$dftrace" help process_start job | grep -cF "Lines of the program: $PWD/$started.")" 1 "help has them"

# The same of a merged trace, of a first and a second reading, and of several partitions.
cp -r logs merged && rm -rf merged/metrics.json merged/tables
"$dftrace" merge merged >/dev/null 2>&1
for reading in first second; do
    "$dftrace" analyze merged >/dev/null 2>&1
    is "$(sources merged log-N)" "$logged" "a merged trace says the same, $reading reading"
done
for part in 1/2 2/2; do
    "$dftrace" analyze --partial "$part" logs >/dev/null 2>&1
done
"$dftrace" analyze --reduce logs >/dev/null 2>&1
is "$(sources logs log-N)" "$logged" "and two partitions put together"

# No more events where there are no files.
traced app train.py 2>/dev/null
is "$(count app dftrace metadata source)" 0 "without layer posix there are no places"

# A child of fork says what its parent has not said; a file name may be any bytes.
cat >fork.py <<'END'
import os
os.mkdir ("forked")
for i in range (3):
    if os.fork () == 0:
        for k in range (20):
            open (b"forked/\xff-%d" % k, "wb").close ()     # in a child
        os._exit (0)
    os.wait ()
END
ok "a program that forks runs" "$dftrace" run -q -o forks -- "$python" fork.py
is "$("$dftrace" stat --events forks | grep -c "source=$PWD/fork.py:$(line fork.py 'in a child'): <module>")" 3 \
    "each child says it"

# A connection.
cat >connect.py <<'END'
import socket
there = socket.create_server (("127.0.0.1", 0))
socket.create_connection (there.getsockname ())     # connects
open ("connected", "w").close ()
END
ok "a program that connects runs" "$dftrace" run -q -o connects -- "$python" connect.py
is "$("$dftrace" stat --events connects | grep -c "source=$PWD/connect.py:$(line connect.py '# connects'): <module>.connect")" 1 \
    "the line that connects"
done_testing
