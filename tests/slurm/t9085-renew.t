#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9085-renew.t - plugin, library and command are replaced while jobs run
#
# In:  $OLD_BUILD: a build tree of an earlier version (`make check-upgrade
#      OLD=DIR`); without it this build stands for both, the newer one stripped,
#      so that no byte of code is where it was
#
# Then old and new parts of an installation that is half upgraded, in all ways.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

old_build=${OLD_BUILD:-$top_builddir}
cluster_start --nodes 2
logs=$home/dftrace
inst=$cluster/inst
head -c 100000 /dev/zero >"$cluster/data"

# install_into DIR BUILD OPTION…: as make install does, with install(1): what is
# running keeps the file that it has.
install_into() {
    mkdir -p "$1" && install "${@:3}" -m 755 -t "$1" "$2/dftrace" \
        "$2/spank/.libs/dftrace.so" "$2/preload/.libs/libdftrace_preload.so"
}
# use PLUGIN LIBRARY COMMAND: directories of what plugstack.conf and the epilog name.
use() {
    echo "optional $1/dftrace.so preload=$2/libdftrace_preload.so command=$3/dftrace" \
        "conf=$cluster/dftrace.conf state_dir=$cluster/marker" >"$cluster/plugstack.conf"
    sed -i "s,^DFTRACE_BIN=.*,DFTRACE_BIN=$3/dftrace," "$cluster/epilog.conf"
}
install_into "$cluster/old" "$old_build"
install_into "$cluster/new" "$top_builddir" -s
install_into "$inst" "$old_build"
use "$inst" "$inst" "$inst"
diag "from $("$cluster/old/dftrace" --version | head -n 1) to $("$cluster/new/dftrace" --version | head -n 1)"

# bytes NAME: what cat read, and whether nothing is lost
bytes() {
    jq -r '"\([.processes[] | select (.exe | endswith ("cat")).read_bytes] | add) \(.health.complete)"' \
        "$logs/$1"-*/metrics.json 2>/dev/null
}

# -- all of it at once, with jobs running --------------------------------

# Read before the upgrade, across it (one process, one file that it has open),
# and after it.
cat >"$home/read" <<END
#!/usr/bin/env python3
import os, sys, time
f = open ("$cluster/data", "rb", buffering = 0)
f.read (40000)
open ("began." + sys.argv[1] + "." + os.environ.get ("SLURM_NODEID", "0"), "w").close ()
while not os.path.exists ("go"):
    time.sleep (0.05)
print (len (f.read (60000)), flush = True)
os.execvp ("cat", ["cat", "$cluster/data"])
END
cat >"$home/steps" <<END
#!/bin/bash
srun -N2 ./read \$SLURM_JOB_NAME | wc -c
srun -N2 cat $cluster/data | wc -c
cat $cluster/data | wc -c
END
chmod 755 "$home/read" "$home/steps"
began() {
    test -e "$home/began.$1.0" && test -e "$home/began.$1.1"
}
mkdir -m 1777 "$cluster/stage-dftester"
for name in plain staged; do
    stage= # batch: earlier versions trace the script only then
    [ $name = plain ] || stage=",stage=$cluster/stage-%u"
    as_user sbatch --parsable -o "$home/out.$name" -J $name -N2 --overcommit --oversubscribe \
        --dftrace="posix,batch$stage" ./steps >"$tmp/$name.id"
    ok "$name: a job runs" wait_for began $name
done
before=$(sha256sum "$inst"/* | sort)
ok "everything is replaced" install_into "$inst" "$top_builddir" -s
isnt "$(sha256sum "$inst"/* | sort)" "$before" "by other files"
: >"$home/go"
for name in plain staged; do
    ok "$name: it ends" wait_for job_gone "$(cat "$tmp/$name.id")"
    own_words "$home/out.$name"
    # each of two tasks prints 6 bytes and reads 100,000; then two, and one
    is "$(xargs <"$home/out.$name")" "200012 200000 100000" "$name: with the output of an untraced job"
    is "$(grep -h " Name=$name " "$cluster/jobcomp.txt" | grep -o 'JobState=[A-Z]*' | sort -u)" \
        JobState=COMPLETED "$name: completed"
    ok "$name: analyzed" wait_for eval 'test -s "$logs"/'"$name"'-*/metrics.json'
    is "$(bytes $name)" "500000 true" "$name: every byte that cat read, before and after"
    is "$("$cluster/new/dftrace" export -f jsonl "$logs/$name"-* |
        jq -s '[.[] | select (.name == "read" and (.file | endswith ("/data")) and .ret > 0).ret] | add')" \
        700000 "$name: and what the process read that ran across it"
done
nodes_idle "nodes are idle"
is "$(find "$cluster/marker" -type f | wc -l)" 0 "no marker is left"
is "$(find "$logs" -name 'epilog.*.log' | wc -l)" 0 "no epilog had anything to say"

# -- half an upgrade ------------------------------------------------------

# Each part old or new. What an older command does not know it leaves as it is,
# and says so; the newer one makes the rest.
for way in "old old new" "new new old" "old new new" "new old old" "old new old" "new old new"; do
    # shellcheck disable=SC2086 # three words
    set -- $way
    name=mixed-$1-$2-$3
    use "$cluster/$1" "$cluster/$2" "$cluster/$3"
    submit -J "$name" -N2 --dftrace=posix --wrap "srun -N2 cat $cluster/data | wc -c"
    is "$(cat "$home/out")" 200000 "plugin $1, library $2, command $3: the job runs"
    [ -s "$(echo "$logs/$name"-*/metrics.json)" ] && [ "$(bytes "$name")" = "200000 true" ] ||
        rm -f "$logs/$name"-*/metrics.json
    ok "and can be analyzed" as_user "$cluster/new/dftrace" analyze --quiet "$(echo "$logs/$name"-*)"
    is "$(bytes "$name")" "200000 true" "with every byte"
done
nodes_idle "mixed: nodes are idle"
is "$(sinfo -h -R -o %E)$(grep -ciE 'drain' "$cluster/log/slurmctld.log")" 0 "none ever drained"

done_testing
