#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7070-doctor.t - doctor without a Slurm: commands that say what they are told
#
# t9037 has it look at a real one.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
umask 022
mkdir bin lib epilog.d state
state=/ # on a node there must be one, root's
: >lib/dftrace.so
cp "$top_builddir/preload/.libs/libdftrace_preload.so" lib/
chmod 755 lib/libdftrace_preload.so
cat >bin/scontrol <<END
#!/bin/sh
cat $tmp/config
exit \$(cat $tmp/scontrol.status)
END
printf '#!/bin/sh\ncat %s/sbatch.help\n' "$tmp" >bin/sbatch
cat >bin/sinfo <<END
#!/bin/sh
echo "\$*" >$tmp/sinfo.words
cat $tmp/nodes
END
# Run the words on each node of the list, with the node's own library where it
# has one; a trace and an account of each but those that are "lost".
cat >bin/srun <<END
#!/bin/bash
echo "\$*" >$tmp/srun.words
[ ! -e $tmp/srun.error ] || { cat $tmp/srun.error; exit 1; }
while [ "\${1#-}" != "\$1" ]; do
    case \$1 in
    --nodelist=*) list=\${1#*=} ;;
    esac
    shift
done
dir=$tmp/jobs/dftrace-doctor-1
mkdir -p "\$dir/shards"
rm -f "\$dir"/node.*.json
for node in \${list//,/ }; do
    export SLURMD_NODENAME=\$node
    if [ -e $tmp/odd.\$node ]; then . $tmp/odd.\$node; else unset ODD; fi
    "\$@" </dev/null
    if ! grep -qx \$node $tmp/lost; then
        printf 'dftrace-doctor\t%s\ttrace\t%s\n' \$node \$dir/shards/\$node.dft
    fi
    grep -qx \$node $tmp/dead || : >"\$dir/node.\$node.json"
done
exit 0
END
chmod 755 bin/*
export PATH=$tmp/bin:$PATH

# healthy: a site in which all is well.
healthy() {
    echo 0 >scontrol.status
    : >lost
    : >dead
    rm -f srun.error odd.*
    printf 'n%s idle\n' 1 2 3 >nodes
    printf '#!/bin/sh\nDFTRACE_EPILOG_CONF=%s/epilog.conf exec %s\n' "$tmp" \
        "dftrace epilog" >epilog.d/50-dftrace
    chmod 755 epilog.d/50-dftrace lib/libdftrace_preload.so
    printf 'DFTRACE_BIN=%s\nDFTRACE_STATE_DIR="%s"\n' "$dftrace" \
        "$state" >epilog.conf
    chmod 644 epilog.conf
    cat >config <<END
Configuration data as of today
Epilog                  = $tmp/epilog.d/*
PluginDir               = $tmp/lib:/elsewhere
PlugStackConfig         = $tmp/plugstack.conf
SLURM_VERSION           = 22.05.8
SlurmUser               = me($(id -u))
END
    echo "  --dftrace=LAYER" >sbatch.help
    : >dftrace.conf
    chmod 644 dftrace.conf
    line="optional dftrace.so conf=$tmp/dftrace.conf \
preload=$tmp/lib/libdftrace_preload.so state_dir=$state command=$dftrace"
    echo "$line" >plugstack.conf
}
: >all # that doctor said
doctor() {
    local rc=0
    "$dftrace" doctor "$@" >out 2>&1 || rc=$?
    cat out >>all
    return $rc
}
# sick STATUS REGEX WHAT [OPTION…]: then the site is healthy again.
sick() {
    doctor "${@:4}"
    is $? "$1" "$3"
    like "$(cat out)" "$2" "$3: says so"
    healthy
}

odd() { # NODE SHELL-TEXT: done before that node looks, undone after it
    echo "$2" >"odd.$1"
}
healthy
ok "all is well" doctor --partition gpu
is "$(grep -cv '^ok ' out)" 0 "and nothing else is said"
like "$(cat out)" "test job: 3 nodes traced it" "with the job, on all nodes that are free"
like "$(cat out)" "each of 3 nodes left its account" "and their epilogs"
like "$(cat srun.words)" "--partition=gpu --nodes=3 --nodelist=n1,n2,n3 .*--dftrace=posix" \
    "srun got the words"
unlike "$(cat srun.words)" "--dftrace=[^ ]*dir=" "the job writes where jobs write"
like "$(cat sinfo.words)" "-p gpu" "sinfo, too"
doctor --nodes 2
like "$(cat out)" "note +2 of 3 free nodes are looked at" "a sample is said"
is "$(grep -o 'nodelist=[^ ]*' srun.words)" "nodelist=n2,n3" "and is two nodes"
printf 'n1 idle\nn2 alloc\nn3 down*\n' >nodes
doctor
like "$(cat out)" "note +not looked at, as they are busy or down: n2,n3" "so are nodes that are not free"
printf 'n1 alloc\n' >nodes
sick 1 "BAD +no node is free" "no node is free"
nok "--no-job: no job" eval 'rm srun.words && doctor --no-job && test -e srun.words'

# without Slurm the local installation is tried
mkdir local
for p in mktemp rm; do ln -s "$(command -v $p)" local/; done
no_slurm() {
    env PATH="$tmp/local" DFTRACE_PRELOAD="$1" "$dftrace" doctor >out 2>&1
}
ok "no scontrol: no fault" no_slurm "$tmp/lib/libdftrace_preload.so"
like "$(xargs <out)" "^note no scontrol in PATH: .*ok a program of this host is traced, its trace is read$" \
    "no scontrol: the local installation is tried"
exits 1 "no scontrol, no library: a fault" no_slurm "$tmp/lib/nothing.so"
like "$(cat out)" "BAD +dftrace run: .*nothing.so: No such file" "no scontrol, no library: the cause"
cat out >>all
echo 1 >scontrol.status
echo "slurm_load_ctl_conf error: Unable to contact slurm controller" >config
sick 1 "BAD .*Unable to contact.*does slurmctld answer" "no slurmctld"
# slurm.conf says the rest, of this host: all is well here but for one more fault
no_ctld() {
    sed -n 's/  *= */=/p' config >slurm.conf
    echo 1 >scontrol.status
    echo "slurm_load_ctl_conf error: Unable to contact slurm controller" >config
    SLURM_CONF=$tmp/slurm.conf DFTRACE_PRELOAD=$tmp/lib/libdftrace_preload.so doctor
}
no_ctld
is "$? $(grep -c ^BAD out)" "1 1" "no slurmctld: one line"
like "$(tr "\n" " " <out)" "does slurmctld answer.*only this host is looked at, by $tmp/slurm.conf .*Epilog .*runs dftrace .*a program of this host is traced" \
    "no slurmctld: this host is looked at by slurm.conf"
healthy
rm epilog.d/50-dftrace
no_ctld
like "$(grep ^BAD out | tr "\n" " ")" "does slurmctld answer.* BAD +Epilog .* finds no file: a node drains" "no slurmctld: a second fault is named, too"
healthy
echo "nonsense" >config
sick 1 "BAD .*does slurmctld answer" "no version in what it says"
sed -i '/PlugStackConfig/s/=.*/= (null)/' config
sick 1 "BAD +/etc/slurm/plugstack.conf: " "no PlugStackConfig: the usual one" --no-job
rm plugstack.conf
sick 1 "plugstack.conf: cannot be read: make it" "no plugstack.conf"
echo "optional /nothing/other.so" >plugstack.conf
sick 1 "BAD .*plugstack.conf: no line names dftrace.so: link" "a plugstack.conf without our line"
echo "$line" >>plugstack.conf
sick 1 "BAD +2 lines name dftrace.so: keep one" "two of our lines"
echo "${line/command=*/command=/nothing}" >plugstack.conf
sick 1 "BAD +/nothing: No such file.*would be lost: set command=" "a command that is not there"
echo "required ${line#* }" >plugstack.conf
sick 1 "BAD .*the plugin is .required.*drains" "required"
echo "optional /nothing/dftrace.so" >plugstack.conf
sick 1 "BAD +/nothing/dftrace.so: No such file.*remove the line" "a plugin that is not there"
: >sbatch.help
sick 1 "BAD +sbatch --help has no --dftrace" "a plugin of another Slurm"

# -- the epilog
sed -i '/^Epilog/d' config
sick 1 "BAD .*no Epilog in slurm.conf" "no epilog"
sed -i '/^Epilog/d' config
sick 0 "ok +test job" "no epilog, by choice" --no-epilog
sed -i '/^Epilog/s/^Epilog   /Epilog[0]/' config
sick 0 "ok +epilog: each" "the epilog as newer releases write it"
sed -i '/^Epilog/s/^Epilog   /Epilog[0]/' config
sick 0 "ok +Epilog .*runs dftrace" "and on this host" --no-job
chmod 644 epilog.d/50-dftrace
sick 1 "BAD .*50-dftrace: cannot be run: .*chmod a.x, then scontrol update" "an epilog that cannot run"
mv epilog.d/50-dftrace epilog.d/10-other
sick 1 "BAD .*no .dftrace.: copy 50-dftrace" "an epilog that is not there, beside one"
rm epilog.d/10-other
# Each of these is one line, on all nodes that say it.
one_line() {
    doctor "${@:3}"
    is "$? $(grep -c ^BAD out)" "1 1" "$2: one line"
    like "$(grep ^BAD out)" "$1" "$2: its cause and cure"
    healthy
}
rm epilog.d/50-dftrace
one_line "nodes n1, n2, n3: Epilog .* finds no file: a node drains .* copy of 50-dftrace there, then scontrol update" \
    "a pattern without a file"
ln -s /nothing epilog.d/20-site
one_line "n1, n2, n3: .*20-site: is a link to nothing: a node drains .* copy .*scontrol update" "a dangling link beside ours"
rm epilog.d/20-site
# n1 was resumed: Slurm 24.11 keeps its reason
printf '%s\n' 'n1 idle Epilog error' 'n2 drained Epilog error' 'n3 drained* Epilog error' >nodes
one_line "Slurm drained n2,n3 for an error of Epilog: mend it, then scontrol update nodename=n2,n3 state=resume" \
    "nodes that an epilog drained before"
# sinfo is asked again when the test job has ended
cp bin/sinfo bin/sinfo.first
printf '#!/bin/sh\necho slurm_load_node: nonsense\nexit 1\n' >bin/sinfo
sick 1 "BAD +sinfo: slurm_load_node: nonsense" "no answer of sinfo"
printf '%s\n' '#!/bin/sh' "[ -e $tmp/ended ] && reason='drng Epilog error' || reason='idle none'" \
    "sed \"s/idle.*/\$reason/\" $tmp/nodes" >bin/sinfo
printf 'n1 idle none\n' >nodes
echo n1 >dead
odd n1 ": >$tmp/ended"
one_line "end of the test job, .*drained n1, .*: mend it, then scontrol update nodename=n1 state=resume" \
    "nodes that the test job's end drains"
cp bin/sinfo.first bin/sinfo
printf 'DFTRACE_CONF=%s\nDFTRACE_BIN=%s\n' "$tmp/dftrace.conf" "$dftrace" >epilog.conf
echo "state_dir = $state" >dftrace.conf
ok "epilog.conf with DFTRACE_CONF alone: the file that it names has the state directory" doctor
healthy
mkdir noexec
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o noexec,size=32m none noexec 2>/dev/null; then
    at_exit "umount '$tmp/noexec'"
    cp lib/libdftrace_preload.so noexec/
    chmod 755 noexec
    echo "${line//$tmp\/lib\/lib/$tmp/noexec/lib}" >plugstack.conf
    one_line "noexec/libdftrace_preload.so: its file system is mounted with noexec, .*set preload=" "a library on noexec" --no-job
    dd if=/dev/zero of=noexec/fill bs=64k 2>/dev/null || :
    truncate -s -4096 noexec/fill # less than a trace needs
    echo "$line log_root=$tmp/noexec" >plugstack.conf
    one_line "log_root .*noexec.* (is full|nothing can be written there: No space)" "a full log root" --no-job
    mount -o remount,ro noexec
    echo "$line log_root=$tmp/noexec/jobs" >plugstack.conf
    sick 1 "BAD +log_root .*noexec: Read-only file system for .*: make it, mode 1777" "a log root that is read-only" --no-job
    mount -t tmpfs -o nr_inodes=2 none noexec && at_exit "umount '$tmp/noexec'"
    : >noexec/last
    echo "$line log_root=$tmp/noexec" >plugstack.conf
    sick 1 "BAD +log_root .*noexec has no inode left: remove" "a log root without inodes" --no-job
    if unshare -m sh -c 'mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc' 2>/dev/null; then
        ok "a /proc with hidepid is no fault" unshare -m sh -c \
            'mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc && exec "$@"' sh "$dftrace" doctor
    else
        skip "no /proc can be mounted here" "a /proc with hidepid is no fault"
    fi
else
    for name in noexec "a full log root"; do
        skip "no file system can be mounted" "$name: one line"
        skip "no file system can be mounted" "$name: its cause and cure"
    done
    for name in "a log root that is read-only" "a log root without inodes"; do
        skip "no file system can be mounted" "$name"
        skip "no file system can be mounted" "$name: says so"
    done
    skip "no file system can be mounted" "a /proc with hidepid is no fault"
    unmounted=yes
fi
# Free blocks say nothing of a quota.
mkdir quota.disk
truncate -s 200M quota.image
if [ "$(id -u)" = 0 ] && PATH=$PATH:/sbin:/usr/sbin mkfs.btrfs -q quota.image >/dev/null 2>&1 &&
    mount -o loop quota.image quota.disk 2>/dev/null && at_exit "umount '$tmp/quota.disk'" &&
    btrfs quota enable quota.disk 2>/dev/null && btrfs subvolume create quota.disk/used >/dev/null &&
    btrfs qgroup limit 512K quota.disk/used; then
    head -c 8M /dev/zero >quota.disk/used/file 2>/dev/null || :
    echo "$line log_root=$tmp/quota.disk/used" >plugstack.conf
    one_line "log_root .*used: nothing can be written there: Disk quota exceeded: .* make space or choose another" \
        "a quota that is used up" --no-job
else
    skip "no btrfs with quotas here" "a quota that is used up: one line"
    skip "no btrfs with quotas here" "a quota that is used up: its cause and cure"
fi
printf '#!/bin/sh\nexit 0\n' >epilog.d/50-dftrace
sick 1 "BAD +nodes n1, n2, n3: .*does not run .dftrace epilog" "an epilog that was replaced"
echo "DFTRACE_BIN=$tmp/nothing" >epilog.conf
sick 1 "BAD .*epilog: $tmp/nothing: " "an epilog.conf with a program that is not there"
printf 'DFTRACE_BIN=/bin/false\nDFTRACE_STATE_DIR=%s\n' "$state" >epilog.conf
sick 1 "BAD .*epilog: /bin/false: is not dftrace" "an epilog.conf with another program"
# where the script itself looks, and nowhere else
real_script() {
    sed "s|^places=.*|places='$tmp/bin/no-command $tmp/bin/other'|" \
        "$top_srcdir/etc/epilog.d/50-dftrace" >epilog.d/50-dftrace
}
real_script
ok "the script says where the command may be" grep -q "^places='$tmp" epilog.d/50-dftrace
export DFTRACE_EPILOG_CONF=$tmp/epilog.conf
printf 'DFTRACE_STATE_DIR=%s\n' "$state" >epilog.conf
sick 1 "BAD .*epilog: $tmp/bin/other: No such file.*DFTRACE_BIN" "a command that is in no place of the script"
real_script
printf 'DFTRACE_BIN=%s\nDFTRACE_STATE_DIR=%s\n' "$tmp/nothing" "$state" >epilog.conf
ln -s "$dftrace" bin/other
sick 1 "BAD .*epilog: $tmp/nothing: cannot be run, $tmp/bin/other is taken" \
    "the script takes another command"
rm bin/other
unset DFTRACE_EPILOG_CONF
printf 'DFTRACE_BIN=%s\n' "$dftrace" >epilog.conf
sick 1 "BAD .*DFTRACE_STATE_DIR is /run/dftrace, the plugin's state_dir is $state" \
    "an epilog.conf with another state directory"
echo n2 >dead
sick 1 "BAD +epilog: 2 of 3 nodes left an account" "an epilog that died" --wait 1

# -- who can change what
for f in dftrace.conf epilog.conf plugstack.conf lib/dftrace.so \
    lib/libdftrace_preload.so epilog.d/50-dftrace; do
    chmod o+w $f
    sick 1 "BAD .*$f: (everybody can write to it: chmod o-w|not read)" "$f, open to all"
    chmod o-w $f
done
chmod 777 lib
sick 1 "BAD +$tmp/lib: everybody can write" "a directory open to all"
chmod 755 lib
sed -i '/SlurmUser/s/(.*/(4711)/' config
if [ "$(id -u)" = 0 ]; then
    chown 4712 epilog.conf
    sick 1 "BAD .*epilog.conf: belongs to a user: chown root" "a file of a user"
    chown 0 epilog.conf
else
    sick 1 "BAD .*belongs to a user: chown root" "a file of a user"
fi

# -- nodes that differ
odd n2 "printf 'sample = 3\n' >$tmp/dftrace.conf"
odd n3 ": >$tmp/dftrace.conf"
sick 1 "BAD +n2: dftrace.conf differs: .*dftrace.conf 11 bytes" "another conf on a node"
odd n2 "echo more >>$tmp/lib/libdftrace_preload.so"
odd n3 "truncate -s -5 $tmp/lib/libdftrace_preload.so"
sick 1 "BAD +n2: preload library differs" "another library on a node"
cat >fake <<END
#!/bin/sh
printf 'dftrace-doctor\t%s\tversion\tdftrace 0.0.9\n' "\$SLURMD_NODENAME"
END
chmod 755 fake
odd n3 "set -- $tmp/fake"
sick 1 "BAD +n3: version differs: dftrace 0.0.9; elsewhere dftrace " "another version on a node"
odd n2 "set -- \"\${@:1:3}\" $tmp/nothing"
odd n3 "set -- \"\${@:1:3}\" $dftrace"
sick 1 "BAD +node n2: .*nothing: not there: install it on this node" "no command on a node"

# -- the rest
printf 'optional dftrace.so conf=%s log_root=/dev/full/x\n' "$tmp/dftrace.conf" >plugstack.conf
sick 1 "BAD .*log_root" "a log root that is no directory"
echo "text" >lib/text.so
echo "${line/libdftrace_preload.so/text.so}" >plugstack.conf
sick 1 "BAD .*text.so: no preload library" "a preload library that is none"
chmod 700 lib/libdftrace_preload.so
sick 1 "BAD .*not readable by users: chmod a\+r" "a preload library for root only"
chmod 755 lib/libdftrace_preload.so
ln -s "$tmp/state" statelink
echo "${line/state_dir=$state/state_dir=$tmp/statelink}" >plugstack.conf
sick 1 "BAD .*statelink: must be root's" "a state directory that is a link"
echo "${line/state_dir=$state/state_dir=$tmp/no/state}" >plugstack.conf
sick 1 "BAD .*no/state: No such file.*slurmstepd must be able to make it" "a state directory that cannot be made"
mkdir none
for p in sh cat; do ln -s "$(command -v $p)" none/; done
odd n2 "PATH=$tmp/none"
sick 1 "BAD +nodes n2, n3: scontrol: not found" "no scontrol on two nodes"
echo "sampel = 3" >dftrace.conf
sick 1 "BAD .*dftrace.conf.*sample" "an unknown key"
echo "finish = lager" >dftrace.conf
sick 1 "BAD .*dftrace.conf.*finish: not a value of type epilog, large, tables or later: lager" "an unknown word"

# -- layer kernel

# recorder TEXT STATUS: a recorder that says so; healthy () takes it away
recorder ()
{
    printf '#!/bin/sh\n[ "$*" = --check ] || exit 9\nprintf "%s"\nexit %s\n' "$1" "$2" >lib/recorder
    chmod 755 lib/recorder
    printf 'kernel = yes\nrecorder = %s/lib/recorder\n' "$tmp" >dftrace.conf
}
printf 'kernel = yes\nrecorder = %s/lib/nothing\n' "$tmp" >dftrace.conf
sick 1 "BAD +$tmp/lib/nothing: No such file.*no job gets layer kernel: install it" \
    "kernel = yes without its recorder"
if [ "$(id -u)" = 0 ]; then
    recorder "" 0
    sick 0 "ok +layer kernel: its programs load here" "a recorder that loads" --no-job
    recorder 'layer kernel: this kernel does not tell of requests\\n' 0
    sick 0 "ok +layer kernel: its programs load here; .*does not tell of requests" \
        "one for which the kernel lacks something" --no-job
    recorder 'layer kernel: its programs cannot be loaded: this kernel has no BTF\\n' 1
    sick 1 "BAD +layer kernel: its programs cannot be loaded: this kernel has no BTF" \
        "one that does not load" --no-job
    recorder "" 0
    chmod 777 lib/recorder
    sick 1 "BAD +$tmp/lib/recorder: everybody can write" "one that everybody can change" --no-job
    rm -f lib/recorder
    if [ -x "$top_builddir/dftrace-kernel" ]; then
        cp "$top_builddir/dftrace-kernel" lib/recorder
        printf 'kernel = yes\nrecorder = %s/lib/recorder\n' "$tmp" >dftrace.conf
        if lib/recorder --check >/dev/null; then
            sick 0 "ok +layer kernel: its programs load here" "the real one, which loads" --no-job
        else
            sick 1 "BAD +layer kernel" "the real one, which does not load" --no-job
        fi
    else
        skip "layer kernel is not built" "the real one"
        skip "layer kernel is not built" "the real one: says so"
    fi
else
    recorder "" 0
    sick 0 "note +layer kernel: only root can try" "who is not root is told so" --no-job
fi
rm -f lib/recorder
echo "srun: error: Unable to allocate resources: nonsense" >srun.error
sick 1 "BAD +test job: .*Unable to allocate" "the test job does not run"
echo n3 >lost
sick 1 "BAD +test job: no trace of n3: see slurmd" "a node without a trace"

# Each fault that doctor has words for was planted above and is a row of the page.
faults() {
    cat "$top_srcdir"/cli/cmd_doctor.c "$top_srcdir"/cli/doctor/*.c | tr '\n' ' ' |
        grep -oE 'finding_bad \( *("([^"\\]|\\.)*" *)+' |
        sed -E 's/^finding_bad \( *"//; s/" +"//g; s/" *$//; s/%(\.\*)?[a-z]+/…/g' | grep '[a-z]' |
        if [ "${unmounted-}" ]; then grep -v 'noexec\|log_root …: …'; else cat; fi
}
cmp_num "$(faults | wc -l)" -ge 30 "doctor has words for its faults"
is "$(faults | while IFS= read -r words; do
    words=$(sed 's/[][().*?+|^$\\]/\\&/g; s/…/.*/g' <<<"$words")
    grep -qE "^BAD +(nodes? [^:]*: |n[0-9, n]*: )?$words\$" all || echo "$words"
done)" "" "each was planted"
is "$(faults | while IFS= read -r words; do
    grep -qF "| \`\` ${words//|/\\|} \`\` |" "$top_srcdir/doc/admin.md" || echo "$words"
done)" "" "each is a row of doc/admin.md"
exits 2 "no such option" "$dftrace" doctor --nodez 3
exits 2 "no number" "$dftrace" doctor --nodes many

done_testing
