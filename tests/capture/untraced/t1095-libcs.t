#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1095-libcs.t - programs of another libc, and in valgrind: they start, and their
# messages are those of the untraced program

. "${top_srcdir:-$(dirname "$0")/../../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cat >reader.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main (int argc, char **argv)
{
    char *text = malloc (100); /* a name that is no page's begin */
    char bytes[100];
    ssize_t n;
    int fd;

    strcpy (text, argc > 1 ? argv[1] : "file");
    fd = open (text, O_RDONLY);
    n = read (fd, bytes, sizeof (bytes));
    printf ("%d\n", (int)n);
    (void)access ("/no such file", R_OK);
    free (text);
    return close (fd);
}
END
echo sixteen bytes.. >file

dir=${library%/*}
all=$library
for layer in mpi hdf5 netcdf pnetcdf; do
    [ -e "$dir/libdftrace_$layer.so" ] && all=$all:$dir/libdftrace_$layer.so
done

if command -v musl-gcc >/dev/null && musl-gcc -o musl reader.c 2>/dev/null; then
    for preload in "$library" "$all"; do
        LD_PRELOAD=$preload ./musl >out 2>err
        is "$? $(cat out err)" "0 16" "musl with $(tr : '\n' <<<"$preload" | wc -l) libraries of ours: it starts"
        rm -rf job
        DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$preload ./musl >out 2>err
        is "$? $(cat out err)" "0 16" "and in a traced job"
    done
    rm -rf job && mkdir job
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$all \
        bash -c './musl; : after' >out 2>err
    is "$? $(cat out err)" "0 16" "started by a traced program"
    is "$(grep -h ^untraced job/shards/processes.* | sed 's/^untraced [0-9]* //; s/ @[0-9]*$//')" "$tmp/musl another%20libc" \
        "it is named, with the reason"
else
    skip "no musl-gcc" "musl: it starts, and is named"
fi

cc=$(command -v gcc || command -v cc || command -v clang)
if command -v valgrind >/dev/null && [ -n "$cc" ] && "$cc" -o reader reader.c 2>/dev/null; then
    valgrind ./reader >out 2>untraced
    is "$(cat out)" 16 "valgrind, untraced"
    rm -rf job && mkdir job
    DFTRACE_LAYERS=posix,stdio,mmap DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$library \
        valgrind ./reader >out 2>err
    is "$(cat out)" 16 "valgrind, traced"
    is "$(grep '^--[0-9]*--' err)" "$(grep '^--[0-9]*--' untraced)" \
        "it says nothing of unknown system calls or arguments"
    is "$(grep -o 'ERROR SUMMARY: .*' err)" "$(grep -o 'ERROR SUMMARY: .*' untraced)" \
        "nor of errors"
    is "$(events job | grep -c ' read .*file=[^ ]*/file ')" 1 "and the program is traced"
else
    skip "no valgrind or compiler" "valgrind: messages as untraced"
fi

done_testing
