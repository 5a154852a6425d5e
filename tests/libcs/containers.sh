#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# containers.sh - a program in containers of Apptainer, Charliecloud, Podman, bubblewrap
#
# In:  a build; CONTAINER_ROOT: a directory with a root file system that has dd; those of
#      the four that are installed
# Out: TAP: with the library and the job directory in the container, the program is traced;
#      without them it ends as untraced, and is counted

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

image=${CONTAINER_ROOT-}
[ -x "$image/bin/dd" ] || skip_all "CONTAINER_ROOT is no root file system with dd"
own=${library%/*}
mkdir "$tmp/data" && cd "$tmp" || exit 99
head -c 100000 /dev/urandom >data/in

# container NAME BINDS DIRECTORY…: "${in[@]}" runs a command there
container ()
{
    local binds=() dir
    for dir in "${@:2}"; do
        case $1 in
        apptainer) binds+=(--bind "$dir") ;;
        ch-run) binds+=(-b "$dir") ;;
        podman) binds+=(-v "$dir:$dir") ;;
        bwrap) binds+=(--bind "$dir" "$dir") ;;
        esac
    done
    case $1 in
    apptainer) in=(apptainer -s exec --userns "${binds[@]}" "$image") ;;
    ch-run) in=(ch-run -W "${binds[@]}" "$image" --) ;;
    podman) in=(podman --root "$tmp/pod" --runroot "$tmp/podrun" --cgroup-manager=cgroupfs --storage-driver vfs
        --events-backend=none run --rm --cgroups=disabled --network host --env 'DFTRACE_*' --env LD_PRELOAD
        "${binds[@]}" --rootfs "$image") ;;
    bwrap) in=(bwrap --bind "$image" / --dev /dev --proc /proc "${binds[@]}") ;;
    esac
}
copy=(dd if="$tmp/data/in" of="$tmp/data/out" bs=1000 status=none)
reads () { "$dftrace" stat --events "$1" 2>/dev/null | awk -F '\t' '$6 == "read" && /data\/in$/' | wc -l; }

for tool in apptainer ch-run podman bwrap; do
    command -v $tool >/dev/null || { skip "not installed" "$tool"; continue; }
    container $tool "$tmp/data"
    rm -f data/out
    "${in[@]}" "${copy[@]}" >out 2>&1 || { skip "no container here: $(tail -n 1 out)" "$tool"; continue; }
    "$dftrace" run -q -o "$tool.apart" -- "${in[@]}" "${copy[@]}" >out 2>&1
    is "$? $(cmp data/in data/out)" "0 " "$tool, without the library: it ends as untraced"
    like "$("$dftrace" analyze --no-write "$tool.apart" 2>&1)" 'not traced: [1-9]' "$tool: it is said that one was not traced"
    container $tool "$tmp" "$own"
    rm -f data/out
    "$dftrace" run -q -o "$tool.in" -- "${in[@]}" "${copy[@]}" >out 2>&1
    is "$? $(cmp data/in data/out)" "0 " "$tool, with the library: it ends as untraced"
    is "$(reads "$tool.in")" 101 "$tool: each of its reads is in the trace"
done
done_testing
