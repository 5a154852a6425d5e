#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# aarch64.sh - the preload library, built for aarch64, in qemu-user
#
# In:  gcc for aarch64, qemu-aarch64, strace, jq; CMOCKA: a directory with usr/ of
#      Debian's libcmocka0 and libcmocka-dev for arm64, or none
# Out: TAP: it builds without warnings, a traced program ends as untraced, bytes are
#      those of strace; with CMOCKA, the unit tests of formats
# Caveat: qemu-user has neither seccomp nor the processes of the other unit tests.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

lib=/usr/aarch64-linux-gnu/lib
formats="calls decoder dense event shard tracefile"
for tool in aarch64-linux-gnu-gcc qemu-aarch64 strace jq; do
    command -v $tool >/dev/null ||
        skip_all "no $tool: next step: apt-get install gcc-aarch64-linux-gnu qemu-user strace jq"
done
mkdir "$tmp/build" && cd "$tmp/build" || exit 99
ok "configure --host=aarch64-linux-gnu" "$top_srcdir/configure" --quiet \
    --host=aarch64-linux-gnu --enable-werror
ok "the library is built without warnings" make -s -j "$(nproc)" preload/libdftrace_preload.la

# Without the prefix of libraries: below it, qemu would look for each file first.
flags="-Wl,--dynamic-linker=$lib/ld-linux-aarch64.so.1 -Wl,-rpath,$lib"
# shellcheck disable=SC2086 # words
aarch64-linux-gnu-gcc -w -o calls $flags "$top_srcdir/tests/libcs/calls.c" || exit 99

# emulated VARIABLE=VALUE… PROGRAM
emulated() {
    env -u LD_PRELOAD "${@:1:$#-1}" strace -ff -y -o log -e trace=read,pread64,write,writev,pwrite64 \
        qemu-aarch64 -L /nothing ${preload:+-E LD_PRELOAD=$preload} "${@: -1}"
    echo $?
}
by_strace() {
    awk -v of="<$PWD/(data|text)>" '$0 ~ of && $NF > 0 {
        n[substr ($0, 1, index ($0, "(") - 1) ~ /^p?read/] += $NF
    } END { print n[1] + 0, n[0] + 0 }' log.*
}

is "$(preload='' emulated ./calls) $(by_strace)" "7 74578 53513" "a program in qemu, untraced"
rm -f log.*
is "$(preload=$PWD/preload/.libs/libdftrace_preload.so emulated \
    DFTRACE_LAYERS=posix,stdio DFTRACE_JOB_DIR="$PWD/job" ./calls)" 7 "traced it ends as untraced"
"$dftrace" analyze -q job >/dev/null
is "$(jq -r '.metrics | "\(.io_read_bytes.value + .stdio_read_bytes_libc.value)"
    + " \(.io_write_bytes.value + .stdio_write_bytes_libc.value)"' job/metrics.json)" "$(by_strace)" \
    "bytes read and written are those of strace"

for unit in $formats; do
    if [ -z "${CMOCKA-}" ]; then
        skip "CMOCKA is not set" "unit test $unit"
        continue
    fi
    at=$CMOCKA/usr/lib/aarch64-linux-gnu
    make -s "tests/unit/core/$unit.t" YAML_LIBS= ZLIB_LIBS= CFLAGS="-g -O1 -Wno-error -I$CMOCKA/usr/include" \
        LDFLAGS="-L$at $flags:$at" >make.log 2>&1
    ok "unit test $unit" qemu-aarch64 -L /nothing "tests/unit/core/$unit.t"
done
done_testing
