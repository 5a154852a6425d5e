#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2410-golden.t - the tables of ten made-up traces, number for number
#
# tests/data/golden/NAME.txt has what is printed of each. A change that means to
# change a number writes them anew: GOLDEN=write tests/analysis/t2410-golden.t in the
# build directory, with the difference in its commit.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

golden=$top_srcdir/tests/data/golden

# tables DIR: all that analyze says of a trace
tables ()
{
    local job=$1 file view

    "$dftrace" analyze --quiet "$job" 2>&1
    for file in "$job"/tables/*.csv; do
        printf '== %s\n' "${file##*/}"
        cat "$file"
    done
    rm -r "$job/tables" "$job/metrics.json"
    printf '== metrics.json\n'
    "$dftrace" analyze --no-write --format json "$job" 2>&1 |
        sed '/^  "metrics": {/,/^  }/d; s/^ *//' # those: metrics.csv
    for view in layer,function class,size,access interval role,arg.step \
        directory,kind rank,step; do
        printf '== %s\n' "$view"
        "$dftrace" analyze --no-write --format csv --view "$view" "$job" 2>&1
    done
    printf '== where\n'
    "$dftrace" analyze --no-write --format csv --view kind \
        --where cat=POSIX "$job" 2>&1
}

# golden NAME DIR
golden ()
{
    tables "$2" | sed "s#$tmp#TMP#g" >"$tmp/said"
    if [ "${GOLDEN-}" = write ]; then
        cp "$tmp/said" "$golden/$1.txt"
    fi
    is "$(diff "$golden/$1.txt" "$tmp/said" | head -20)" "" \
        "the tables of $1 are what they were"
}

made ()
{
    "$top_builddir/tests/tools/mkshard" "$tmp/$1" "$2" "$3" >/dev/null
    golden "$1" "$tmp/$1"
}

pfw ()
{
    mkdir "$tmp/$1"
    cp "$top_srcdir/tests/data/pfw/$1.pfw" "$tmp/$1"
    golden "$1" "$tmp/$1"
}

made direct direct 4
made direct-long direct 40
made mmap mmap 4
made mmap-long mmap 40

mkdir "$tmp/merged"
"$dftrace" merge --quiet -o "$tmp/merged/trace.dft" "$tmp/direct"
golden merged "$tmp/merged"

pfw d0
pfw d1
pfw d2
pfw d3
pfw compat

done_testing
