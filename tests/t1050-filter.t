#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1050-filter.t - what is recorded, and what leaves no trace at all

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/preload.sh"

shards () { find "$tmp/$1/shards" -name '*.dft' | wc -l; }
files () { events "$1" | sed -n 's/.* file=\([^ ]*\) .*/\1/p' | sort -u | xargs; }

cd "$tmp" || exit 99
mkdir data other
echo 1 >data/x
echo 2 >other/y
echo 3 >data/lib.so
echo 4 >data/lib.so.1
echo 5 >data/z.pyc
echo 6 >data/.socket
read_all="cat data/* other/y /etc/passwd"

traced none /bin/true
is "$(shards none)" 0 "a program without I/O of its own leaves no file"

traced default $read_all 2>/dev/null | cat >/dev/null
is "$(files default)" "$tmp/data/x $tmp/other/y" \
    "by default: no system directories, shared libraries, compiled Python, pipes"
export DFTRACE_INCLUDE=$tmp/data
traced include $read_all 2>/dev/null | cat >/dev/null
is "$(files include)" "$tmp/data/x" "include names what is recorded"
DFTRACE_INCLUDE=/etc:$tmp/other traced include2 $read_all 2>/dev/null | cat >/dev/null
is "$(files include2)" "/etc/passwd $tmp/other/y" \
    "include wins over the default exclude list"
DFTRACE_INCLUDE=$tmp/other:/etc DFTRACE_EXCLUDE=/etc traced include3 $read_all 2>/dev/null | cat >/dev/null
is "$(files include3)" "$tmp/other/y" "a given exclude list counts"
DFTRACE_INCLUDE=$tmp/dat traced include4 $read_all 2>/dev/null | cat >/dev/null
is "$(files include4)" "" "prefixes are whole components"
DFTRACE_INCLUDE=pipe traced pipes cat data/x 2>/dev/null | cat >/dev/null
like "$(files pipes)" '^(pipe:\[[0-9]+\] ?)+$' "pipes are recorded where asked for"
like "$(events pipes)" 'class=pipe' "as pipes"
unset DFTRACE_INCLUDE
DFTRACE_EXCLUDE=$tmp/other:'*.1' traced exclude $read_all 2>/dev/null | cat >/dev/null
is "$(files exclude)" "/etc/passwd $tmp/data/lib.so $tmp/data/x $tmp/data/z.pyc" \
    "an exclude list of directories and patterns"

# A traced tool that reads a trace is not traced reading itself.
traced own sh -c "cat '$tmp/own/job.json' data/x '$tmp/own'/shards/* /dev/null" >/dev/null 2>&1
unlike "$(files own)" shards "our own files are never recorded"
like "$(files own)" "data/x" "other files of the same program are"

# Untraced: everything passes through.
for setting in DFTRACE_LAYERS= DFTRACE_LAYERS=off DFTRACE_LAYERS=nonsense DFTRACE_JOB_DIR= \
    DFTRACE_JOB_DIR=not/absolute; do
    mkdir -p job
    env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" "$setting" DFTRACE_DEBUG=1 \
        LD_PRELOAD="$library" cat data/x >out 2>err
    is "$? $(cat out) $(find job not -type f 2>/dev/null | wc -l)" "0 1 0" "$setting: untraced"
    is "$(wc -l <err)" 1 "$setting: DFTRACE_DEBUG=1 gives one line"
    like "$(cat err)" '^dftrace: .*: not traced' "$setting: which says so"
done
env DFTRACE_LAYERS=nonsense LD_PRELOAD="$library" cat data/x >out 2>err
is "$(cat out)$(cat err)" 1 "silent without DFTRACE_DEBUG"

# Where nothing can be written, the program does not notice.
env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=/proc/no/such LD_PRELOAD="$library" \
    cat data/x >out 2>err
is "$? $(cat out)$(cat err)" "0 1" "an unwritable job directory: unchanged and silent"

done_testing
