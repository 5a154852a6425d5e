# SPDX-License-Identifier: MIT
#
# strangers.sh - the reader (tests/victims/reader.c) in its many builds; after
# preload.sh, in $tmp, with $cc
#
#   preloaded LIBRARIES COMMAND…   traced into job directory job, with these
#                                  libraries, where PRELOAD stands for ours
#   reads                          how many reads of the file are in its trace
#   program NAME READS LIBRARIES COMMAND…   two tests: as untraced, and silent;
#                                  so many reads are in the trace

preloaded ()
{
    local libs=${1//PRELOAD/$library}
    shift
    rm -rf job
    mkdir job
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$libs "$@"
}

reads () { events job | grep -c " f\?\(read\|getc\|gets\) .*file=$tmp/file "; }

cp "$top_srcdir/tests/victims/reader.c" .
"$cc" -w -o reader reader.c || skip_all "the compiler does not work"
echo data >file
want="7 d 5 5 768"

program ()
{
    local name=$1 n=$2 out status=0
    shift 2
    out=$(preloaded "$@" file 2>err) || status=$?
    is "$status $out$(cat err)" "$want" "$name: the same, and silent"
    is "$(reads)" "$n" "$name: $n reads are in the trace"
}
