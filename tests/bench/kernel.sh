#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# kernel.sh - what layer kernel costs: others, and who is recorded (root)
#
# In:  $1: the build directory
# Out: ns of getuid, pread of 4 KiB and open with close, and processor time of a
#      page fault whose page is in memory, or on storage: alone, beside a recorder,
#      recorded by it. The pages are those of a file in TMPDIR.

set -eu
build=$(cd "${1:-.}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
head -c 65536 /dev/zero >"$tmp/file"
head -c 4M /dev/urandom >"$tmp/pages" && sync "$tmp/pages"
run ()
{
    (exec_run "$@")
}
# In a subshell: it is dftrace then, which a signal reaches.
exec_run ()
{
    exec "$build/dftrace" run -q -o "$tmp/$1" --layers posix,kernel,strict -- "${@:2}"
}
# both COMMAND …: of both programs, the command before each
both ()
{
    echo "$("$@" "$build/tests/bench/syscalls" "$tmp/file") $("$@" "$build/tests/bench/pagefaults" "$tmp/pages")"
}
alone ()
{
    "$@"
}
recorded ()
{
    run "traced$round.${1##*/}" "$@"
}
printf '%-28s %s\n' "" "getuid read open minor-fault major-fault (ns)"
for round in 1 2 3; do
    printf '%-28s %s\n' "alone" "$(both alone)"
    mkfifo "$tmp/up$round"
    (exec_run "beside$round" sh -c 'echo up >"$1"; exec sleep 1000' sh "$tmp/up$round") &
    read -r _ <"$tmp/up$round"
    printf '%-28s %s\n' "beside a recorder" "$(both alone)"
    kill $!
    wait $! 2>/dev/null || :
    printf '%-28s %s\n' "recorded" "$(both recorded)"
done
