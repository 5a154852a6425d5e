#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1050-filter.t - what is recorded, and what leaves no trace at all

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
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

# A script that only starts programs, and helpers that only print.
printf '%s\n' 'for i in 1 2; do x=$(date); done' '[ -e data/x ] && sleep 0.01' \
    'echo hi' 'true | cat' >script.sh
DFTRACE_OUTPUT=$tmp/script.out traced script bash -eu script.sh >script.out 2>&1
is "$(shards script) $(cat script.out)" "0 hi" "a shell and its helpers leave no file"
printf '%s\n' 'read -r x <data/x' 'echo "$x" >other/z' >script.sh
traced script2 bash ./script.sh
is "$(files script2)" "$tmp/data/x $tmp/other/z" "but for what a shell reads and writes"
rm -f other/z

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
DFTRACE_INCLUDE=all traced all $read_all 2>/dev/null | cat >/dev/null
is "$(files all | xargs -n1 | grep -c "/etc/passwd\|/data/lib.so$\|/data/z.pyc\|/other/y")" 4 \
    "all: no default exclude list"
DFTRACE_INCLUDE=all DFTRACE_EXCLUDE=/etc traced all2 $read_all 2>/dev/null | cat >/dev/null
is "$(files all2 | xargs -n1 | grep -c "/etc/passwd\|/other/y")" 1 "but for one that was given"
DFTRACE_INCLUDE=pipe traced pipes cat data/x 2>/dev/null | cat >/dev/null
like "$(files pipes)" '^(pipe:\[[0-9]+\] ?)+$' "pipes are recorded where asked for"
like "$(events pipes)" 'class=pipe' "as pipes"
unset DFTRACE_INCLUDE
DFTRACE_EXCLUDE=$tmp/other:'*.1' traced exclude $read_all 2>/dev/null | cat >/dev/null
is "$(files exclude)" "/etc/passwd $tmp/data/lib.so $tmp/data/x $tmp/data/z.pyc" \
    "an exclude list of directories and patterns"

# Calls, sizes, programs.
ours () { events "$1" | grep " file=$tmp/\(data\|other\)/"; }
counted () { ours "$1" | rows | xargs; }
ours_files () { ours "$1" | sed -n 's/.* file=\([^ ]*\) .*/\1/p' | sort -u | xargs; }
DFTRACE_EXCLUDE_CALLS=meta:map traced calls cat data/x other/y >/dev/null
is "$(counted calls)" "4 read" "calls of a class are left out"
DFTRACE_EXCLUDE_CALLS=read:fstat:fadvise:mmap:munmap:close traced calls2 cat data/x other/y >/dev/null
like "$(counted calls2)" '^2 open(at)?$' "calls by name, too"
head -c 5000 /dev/zero >data/big
DFTRACE_MIN_SIZE=1000 traced sizes dd if=data/big of=/dev/null bs=2000 2>/dev/null
is "$(events sizes | grep -c ' read ')" 4 "reads of a size are recorded"
DFTRACE_MIN_SIZE=3000 traced sizes2 dd if=data/big of=/dev/null bs=2000 2>/dev/null
is "$(events sizes2 | grep -c ' read ') $(health sizes2 lost)" "0 0" "smaller ones are not, and not lost"
DFTRACE_EXCLUDE_EXE='*cat' traced exe sh -c 'cat data/x; head -c 1 other/y' >/dev/null
is "$(ours_files exe)" "$tmp/other/y" "a program is left out"
DFTRACE_INCLUDE_EXE="*cat:/no/such" traced exe2 sh -c 'cat data/x; head -c 1 other/y' >/dev/null
is "$(ours_files exe2)" "$tmp/data/x" "only some programs are traced"
DFTRACE_MAX_EVENTS=1000 traced limit dd if=/dev/zero of=data/out bs=1 count=20000 2>/dev/null
n=$(events limit | grep -c ' write ')
ok "a number of events is a limit ($n)" test "$n" -ge 1000 -a "$n" -lt 15000
is "$(health limit lost) $("$dftrace" analyze --no-write --view call --format csv limit | awk -F, '$2 == "write" { print $3 }')" \
    "0 20000" "and what follows is counted in a profile"
DFTRACE_EXCLUDE_CALLS=raed exits 2 "no such call" "$dftrace" run -q -o "$tmp/bad" -- true
like "$(cat err)" 'raed: no such call' "is said"
rm -f data/big data/out

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
    is "$? $(cat out) $(find job -name '*.dft' | wc -l)" "0 1 0" "$setting: untraced"
    is "$(wc -l <err)" 1 "$setting: DFTRACE_DEBUG=1 gives one line"
    like "$(cat err)" '^dftrace: .*: not traced' "$setting: which says so"
done
env DFTRACE_LAYERS=nonsense LD_PRELOAD="$library" cat data/x >out 2>err
is "$(cat out)$(cat err)" 1 "silent without DFTRACE_DEBUG"

# A malformed setting: who reads the trace is told; strict, who watches, too.
rm -rf job && mkdir -p job/shards
env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" DFTRACE_CHUNK=junk LD_PRELOAD="$library" \
    cat data/x >out 2>err
is "$? $(cat out err)" "0 1" "a malformed setting: unchanged and silent"
exits 1 "nothing to analyze" "$dftrace" analyze job
like "$(cat err)" '/cat ran untraced: DFTRACE_CHUNK: not a size .*junk' "because of that"
env DFTRACE_LAYERS=posix,strict DFTRACE_JOB_DIR="$tmp/job" DFTRACE_CHUNK=junk LD_PRELOAD="$library" \
    cat data/x >out 2>err
is "$? $(cat out)" "0 1" "strict: unchanged"
like "$(cat err)" '^dftrace: preload: DFTRACE_CHUNK: .*: not traced$' "and one line says so"
rm -rf job

# Where nothing can be written, the program does not notice.
env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=/proc/no/such LD_PRELOAD="$library" \
    cat data/x >out 2>err
is "$? $(cat out)$(cat err)" "0 1" "an unwritable job directory: unchanged and silent"

done_testing
