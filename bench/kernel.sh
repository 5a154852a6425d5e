#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# kernel.sh - what layer kernel costs: others, and who is recorded (root)
#
# In:  $1: the build directory
# Out: ns of getuid, pread of 4 KiB and open with close: alone, beside a recorder,
#      recorded by it

set -eu
build=$(cd "${1:-.}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
head -c 65536 /dev/zero >"$tmp/file"
run ()
{
    "$build/dftrace" run -q -o "$tmp/$1" --layers posix,kernel,strict -- "${@:2}"
}
printf '%-28s %s\n' "" "getuid read open (ns)"
for round in 1 2 3; do
    printf '%-28s %s\n' "alone" "$("$build/bench/syscalls" "$tmp/file")"
    mkfifo "$tmp/up$round"
    run "beside$round" sh -c 'echo up >"$1"; exec sleep 1000' sh "$tmp/up$round" &
    read -r _ <"$tmp/up$round"
    printf '%-28s %s\n' "beside a recorder" "$("$build/bench/syscalls" "$tmp/file")"
    kill $!
    wait $! 2>/dev/null || :
    printf '%-28s %s\n' "recorded" "$(run "traced$round" "$build/bench/syscalls" "$tmp/file")"
done
