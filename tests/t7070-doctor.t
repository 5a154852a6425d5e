#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7070-doctor.t - doctor without a Slurm: commands that say what they are told
#
# t9037 has it look at a real one.

. "${top_srcdir:-.}/tests/lib.sh"

cd "$tmp" || exit 99
umask 022
mkdir bin lib epilog.d state
: >lib/dftrace.so
cp "$top_builddir/preload/.libs/libdftrace_preload.so" lib/
chmod 755 lib/libdftrace_preload.so
printf '#!/bin/sh\n' >epilog.d/50-dftrace
chmod 755 epilog.d/50-dftrace
cat >bin/scontrol <<END
#!/bin/sh
cat $tmp/config
exit \$(cat $tmp/scontrol.status)
END
printf '#!/bin/sh\ncat %s/sbatch.help\n' "$tmp" >bin/sbatch
# as many traces as there are nodes, less those that are "lost"
cat >bin/srun <<END
#!/bin/bash
echo "\$*" >$tmp/srun.words
[ ! -e $tmp/srun.error ] || { cat $tmp/srun.error; exit 1; }
for word; do
    case \$word in
    --nodes=*) nodes=\${word#*=} ;;
    --dftrace=*) dir=\${word##*dir=} ;;
    esac
done
mkdir -p "\$dir/shards"
for ((i = \$(cat $tmp/lost); i < nodes; i++)); do
    : >"\$dir/shards/n\$i-1-1.dft"
done
END
chmod 755 bin/*
export PATH=$tmp/bin:$PATH

# healthy: a site in which all is well.
healthy() {
    echo 0 >scontrol.status
    echo 0 >lost
    rm -f srun.error
    cat >config <<END
Configuration data as of today
Epilog                  = $tmp/epilog.d/*
PluginDir               = $tmp/lib:/elsewhere
PlugStackConfig         = $tmp/plugstack.conf
SLURM_VERSION           = 22.05.8
END
    echo "  --dftrace=LAYER" >sbatch.help
    : >dftrace.conf
    line="optional dftrace.so conf=$tmp/dftrace.conf \
preload=$tmp/lib/libdftrace_preload.so state_dir=$tmp/none command=$dftrace"
    echo "$line" >plugstack.conf
}
doctor() {
    "$dftrace" doctor "$@" >out 2>&1
}
# sick STATUS REGEX WHAT [OPTION…]: then the site is healthy again.
sick() {
    doctor "${@:4}"
    is $? "$1" "$3"
    like "$(cat out)" "$2" "$3: says so"
    healthy
}

healthy
ok "all is well" doctor --nodes 3 -p gpu
is "$(grep -cv '^ok ' out)" 0 "and nothing else is said"
like "$(cat out)" "test job: 3 nodes traced it" "with the job"
like "$(cat srun.words)" "--partition=gpu --nodes=3 .*--dftrace=posix.* /bin/cat" \
    "srun got the words"
nok "--no-job: no job" eval 'rm srun.words && doctor --no-job && test -e srun.words'

mv bin/scontrol bin/none
if ! command -v scontrol >/dev/null; then
    doctor
    is $? 1 "no scontrol"
    like "$(cat out)" "BAD +scontrol: not found" "no scontrol: says so"
else
    skip "there is a Slurm here" "no scontrol"
fi
mv bin/none bin/scontrol
echo 1 >scontrol.status
echo "slurm_load_ctl_conf error: Unable to contact slurm controller" >config
sick 1 "BAD .*Unable to contact.*does slurmctld answer" "no slurmctld"
echo "nonsense" >config
sick 1 "BAD .*does slurmctld answer" "no version in what it says"
sed -i '/PlugStackConfig/s/=.*/= (null)/' config
sick 1 "BAD +/etc/slurm/plugstack.conf: " "no PlugStackConfig: the usual one" --no-job
rm plugstack.conf
sick 1 "plugstack.conf: cannot be read: make it" "no plugstack.conf"
echo "required ${line#* }" >plugstack.conf
sick 0 "note +the plugin is .required" "required: a note"
echo "optional /nothing/dftrace.so" >plugstack.conf
sick 1 "BAD +/nothing/dftrace.so: No such file.*remove the line" "a plugin that is not there"
: >sbatch.help
sick 1 "BAD +sbatch --help has no --dftrace" "a plugin of another Slurm"
sed -i '/^Epilog/d' config
sick 0 "note +no Epilog in slurm.conf" "no epilog: a note"
sed -i '/^Epilog/s/^Epilog   /Epilog[0]/' config
sick 0 "ok +Epilog .*runs dftrace" "the epilog as newer releases write it"
chmod 644 epilog.d/50-dftrace
sick 0 "note +Epilog .*no executable .dftrace" "an epilog that cannot run"
chmod 755 epilog.d/50-dftrace
echo "text" >lib/text.so
echo "${line/libdftrace_preload.so/text.so}" >plugstack.conf
sick 1 "BAD .*text.so: no preload library" "a preload library that is none"
chmod 700 lib/libdftrace_preload.so
sick 1 "BAD .*not readable by users: chmod a\+r" "a preload library for root only"
chmod 755 lib/libdftrace_preload.so
ln -s "$tmp/state" statelink
echo "${line/state_dir=$tmp\/none/state_dir=$tmp/statelink}" >plugstack.conf
sick 1 "BAD .*statelink: must be root's" "a state directory that is a link"
echo "sampel = 3" >dftrace.conf
sick 1 "BAD .*dftrace.conf.*sample" "an unknown key"
echo "srun: error: Unable to allocate resources: nonsense" >srun.error
sick 1 "BAD +test job: .*Unable to allocate" "the test job does not run"
echo 1 >lost
sick 1 "BAD +test job: 2 of 3 nodes.*is this directory shared" "a node without a trace" --nodes 3
exits 2 "no such option" "$dftrace" doctor --nodez 3
exits 2 "no number" "$dftrace" doctor --nodes many

done_testing
