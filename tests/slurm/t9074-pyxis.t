#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9074-pyxis.t - on Slurm, beside the plugin of pyxis: its containers run, traced where
# they have the library, and otherwise said to be untraced
#
# In:  PYXIS: the file spank_pyxis.so; enroot; CONTAINER_ROOT: a directory with a root
#      file system of Debian

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

[ -e "${PYXIS-}" ] || skip_all "PYXIS is not set: the plugin of pyxis"
command -v enroot >/dev/null || skip_all "no enroot here"
[ -e "${CONTAINER_ROOT-}/etc/debian_version" ] || skip_all "CONTAINER_ROOT is not set: a root file system"

cluster_start --nodes 1 --cpus 4
line=$(cat "$cluster/plugstack.conf")
mkdir "$tmp/pyxis"
printf '%s\n' "required $PYXIS runtime_path=$tmp/pyxis/run" "$line" >"$cluster/plugstack.conf"
"$cluster_sh" kill "$cluster" n1 >/dev/null 2>&1 # pyxis makes its directory when slurmd starts
"$cluster_sh" revive "$cluster" n1
as_user mkdir -p "$home/.local/share/enroot"
cp -a "$CONTAINER_ROOT" "$home/.local/share/enroot/pyxis_img"
chown -R dftester "$home/.local/share/enroot/pyxis_img"
echo "ten bytes" >"$cluster/data"
own=$top_builddir/preload/.libs

# inside NAME MOUNTS OPTION…: a step in the container, its words in $home/out
inside() {
    as_user srun -J "$1" --container-name=img --no-container-mount-home --container-mounts="$cluster/data:/data$2" \
        "${@:3}" cat /etc/debian_version /data >"$home/out" 2>&1
    own_words "$home/out"
    epilogs_ended
}
events() { as_user "$top_builddir/dftrace" stat --events "$home/dftrace/$1"* 2>/dev/null | grep -c ' */data'; }

wait_for all_idle
inside plain ""
plain=$(cat "$home/out")
is "$plain" "$(cat "$CONTAINER_ROOT/etc/debian_version" "$cluster/data")" "untraced, a step in a container"
inside without "" --dftrace=posix
is "$(sed '/^dftrace: /d' "$home/out")" "$plain" "traced, without the library in it: the same"
is "$(grep -c '^dftrace: .*preload library.*: running untraced' "$home/out")" 1 "and it is said to be untraced"
inside with ",$own:$own,$home:$home" --dftrace=posix
is "$(cat "$home/out")" "$plain" "with the library in it: the same"
cmp_num "$(events with)" -ge 3 "and it is traced: the file in the container is open, read, closed"

nodes_idle "nodes are idle"
done_testing
