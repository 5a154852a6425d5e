#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1095-libcs.t - programs of musl, below other glibcs, and in valgrind: they start, their
# messages are those of the untraced program, and they are traced
#
# The other glibcs are those in the root file systems that `make check-libc` keeps.

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

# by_strace LOG…: bytes read from and written to the two files.
by_strace() {
    awk -v of="<$tmp/(data|text)>" '$0 ~ of && $NF > 0 {
        n[substr ($0, 1, index ($0, "(") - 1) ~ /^p?read/] += $NF
    } END { print n[1] + 0, n[0] + 0 }' "$@"
}

# by_trace JOB: the same.
by_trace() {
    "$dftrace" analyze -q "$1" >/dev/null
    jq -r '.metrics | "\(.io_read_bytes.value + .stdio_read_bytes_libc.value)"
        + " \(.io_write_bytes.value + .stdio_write_bytes_libc.value)"' "$1/metrics.json"
}

# not_traced JOB: the processes that its trace names as such.
not_traced() {
    cat "$1"/shards/processes.* 2>/dev/null | sed -n 's/^untraced [0-9]* //p'
}

if command -v musl-gcc >/dev/null && musl-gcc -o musl reader.c 2>/dev/null &&
    musl-gcc -w -o calls "$top_srcdir/tests/libcs/calls.c"; then
    for preload in "$library" "$all"; do
        LD_PRELOAD=$preload ./musl >out 2>err
        is "$? $(cat out err)" "0 16" "musl with $(tr : '\n' <<<"$preload" | wc -l) libraries of ours: it starts"
        rm -rf job
        DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$preload ./musl >out 2>err
        is "$? $(cat out err)" "0 16" "and in a traced job"
        is "$(events job | grep -c ' read .*file=[^ ]*/file ')" 1 "where its calls are recorded"
    done
    if strace -o strace.try true 2>/dev/null && command -v jq >/dev/null; then
        rm -rf job data text
        DFTRACE_LAYERS=posix,stdio DFTRACE_JOB_DIR=$tmp/job strace -ff -y -o strace.log \
            -e trace=read,readv,pread64,write,writev,pwrite64 -E "LD_PRELOAD=$library" ./calls
        is "$? $(by_trace job)" "7 $(by_strace strace.log.*)" "bytes read and written are those of strace"
    else
        skip "no strace or jq" "bytes read and written are those of strace"
    fi
    alike cats ./calls "$(command -v cat)" file
    is "$(processes cats) $(not_traced cats)" "6 " "it and its five children, of GNU's libc, are in the trace"
    alike both bash -c "./calls $tmp/musl; : after"
    is "$(processes both) $(not_traced both)" "6 " "started by bash, with children of musl: the same"
    alike empty env -i ./calls environ
    alike read env -i ./musl file
    is "$(processes read) $(events read | grep -c ' read ') $(not_traced read)" "1 1 " \
        "an empty environment stays so, and it is traced"
else
    skip "no musl-gcc" "musl: it starts, and is traced"
fi

roots=0
for archive in "${LIBCS_DIR:-/var/tmp/dftrace-libcs}"/*.tar; do
    [ -O "$archive" ] || continue
    name=$(basename "$archive" .tar)
    mkdir "root.$name"
    tar -C "root.$name" -xf "$archive" --wildcards --no-anchored '*-linux-gnu/ld-*' '*-linux-gnu/libc[.-]*' \
        '*-linux-gnu/libpthread[.-]*' '*-linux-gnu/libdl[.-]*' '*bin/dd' 2>/dev/null || :
    ld=$(find "root.$name" -type f -path '*-linux-gnu/*' -name 'ld-[2l]*')
    dd=$(find "root.$name" -type f -name dd)
    "${ld:-false}" --library-path "${ld%/*}" "$dd" if=file of=copy status=none 2>/dev/null || continue
    roots=$((roots + 1))
    rm -rf job copy
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$all \
        "$ld" --library-path "${ld%/*}" "$dd" if=file of=copy bs=4 status=none >out 2>&1
    is "$? $(cat out) $(cmp file copy)" "0  " "dd below the glibc of $name: as untraced"
    is "$(events job | grep -c ' read .*file=[^ ]*/file .* ret=4')" 4 "and each read is recorded"
done
[ $roots -gt 0 ] || skip "no root file system of another glibc: make check-libc makes some" "other glibcs"

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
