#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t9031-steps.t - the commands of doc/admin.md, as they stand, drain no node:
# forwards and backwards, while jobs end between and across them
#
# Paths of /etc/slurm and /usr/share/dftrace become this cluster's, and make installs
# the few files that the cluster needs. All else is the page's text.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 2
line=$(cat "$cluster/plugstack.conf")
build=$(sed -n 's/^BUILD=//p' "$cluster/cluster.env")
share=$cluster/share
epilog_d=$cluster/epilog.d
mkdir "$cluster/plugstack.conf.d"
echo "include $cluster/plugstack.conf.d/*" >"$cluster/plugstack.conf"
echo 'some data' >"$cluster/data"
rm "$epilog_d"/*

# -- the page ------------------------------------------------------------

# commands MARK: the first block of the page behind a line that begins with it
commands() {
    awk -v mark="$1" 'index ($0, mark) == 1 { found = 1 }
        found && /^    / { begun = 1; print substr ($0, 5) }
        begun && !/^    / { exit }' "$top_srcdir/doc/admin.md" |
        sed "s,/etc/slurm,$cluster,g; s,/usr/share/dftrace,$share,g"
}
mapfile -t install < <(commands 'Build and install dftrace, and tell Slurm' | sed '/^\.\/bootstrap/d')
mapfile -t upgrade < <(commands '**Upgrade.**')
mapfile -t opt_out < <(commands '**Opt out.**')
mapfile -t remove < <(commands 'First the line of the plugin')
mapfile -t away < <(commands 'If you want that file away')
is "${#install[@]} ${#upgrade[@]} ${#opt_out[@]} ${#remove[@]} ${#away[@]}" "6 3 2 3 3" \
    "the page's steps: install, upgrade, opt out, remove, and the script of the epilog"

# What `make install` and `make uninstall` do, with files of this cluster.
make() {
    case $1 in
    install)
        mkdir -p "$share/plugstack.conf.d" "$cluster/bin"
        "$top_srcdir/build-aux/install-sh" -c "$build/dftrace" "$cluster/bin/dftrace"
        sed "s,^places=.*,places=$cluster/bin/dftrace,; s,/etc/dftrace/,$cluster/," \
            "$top_srcdir/etc/epilog.d/50-dftrace" >"$cluster/50-dftrace"
        "$top_srcdir/build-aux/install-sh" -c -m 755 "$cluster/50-dftrace" "$share/50-dftrace"
        cp "$top_srcdir/etc/before-removal" "$share/"
        echo "${line//command=*dftrace recorder/command=$cluster/bin/dftrace recorder}" \
            >"$share/plugstack.conf.d/dftrace.conf.example"
        ;;
    uninstall) rm -rf "$share" "${cluster:?}/bin" ;;
    esac
}
echo DFTRACE_EPILOG_WAIT=1h >>"$cluster/epilog.conf"
sed -i "s,^DFTRACE_BIN=.*,DFTRACE_BIN=$cluster/bin/dftrace," "$cluster/epilog.conf"

# -- jobs that end ---------------------------------------------------------

reread() {
    cat "$cluster"/log/n[12].log | grep -c 'CPU frequency setting'
}
settled() {
    ! node_states | grep -qE 'alloc|mix|compl|draining'
}
# bad_nodes: what Slurm says of nodes that are not idle; it puts them back
bad_nodes() {
    epilogs_ended
    wait_for settled
    ! sinfo -h -N -o '%N %T %E' | sort -u | grep -vE ' (idle|planned) ' ||
        scontrol update nodename=ALL state=resume
}
both_begun() {
    [ -e "$cluster/begun.n1" ] && [ -e "$cluster/begun.n2" ]
}
# one_step COMMAND: it, a job that ends across it where the site's own script can
# hold its epilog, and one that ends after it
one_step() {
    local before n
    before=$(reread)
    if [ -e "$epilog_d/60-site" ] && [[ $1 != *rm\ -f*50-dftrace* ]]; then
        rm -f "$cluster"/begun.*
        touch "$cluster/hold"
        as_user sbatch -Q -N2 -o /dev/null --wrap true
        if scontrol show config | grep -q '^Epilog  *=.*epilog.d'; then wait_for both_begun; fi
    fi
    eval "$1" >"$tmp/step.out" 2>&1
    if [[ $1 = 'scontrol reconfigure' ]]; then
        for ((n = 0; n < 200 && $(reread) < before + 2; n++)); do sleep 0.1; done
    fi
    rm -f "$cluster/hold"
    as_user srun -Q -N2 true
    bad_nodes
}
# steps NAME COMMAND…: each of them, and no node drains
steps() {
    local name=$1 said='' command
    shift
    for command in "$@"; do
        said+=$(one_step "$command")
        [ -z "$said" ] || { said+=" after: $command"; break; }
    done
    is "$said" "" "$name: no node drains"
}
backwards() {
    local i
    for ((i = $#; i > 0; i--)); do printf '%s\n' "${!i}"; done
}
# bare: nothing of the product, and no Epilog
bare() {
    make uninstall
    rm -f "$epilog_d"/* "$epilog_d"/.50* "$cluster"/plugstack.conf.d/*
    sed -i '/^Epilog=/d' "$SLURM_CONF"
    one_step 'scontrol reconfigure' >/dev/null
}
# traced NAME: is a job traced, and its trace merged by the epilog?
traced() {
    submit -J "$1" --dftrace=posix --wrap "cat $cluster/data"
    json "$home/dftrace/$1-$job/metrics.json" .metrics.read_bytes.value 2>/dev/null
}
site_script() {
    printf '%s\n' '#!/bin/sh' "touch $cluster/begun.\$SLURMD_NODENAME" \
        "while [ -e $cluster/hold ]; do sleep 0.05; done" >"$epilog_d/.60-site"
    chmod 755 "$epilog_d/.60-site"
    mv "$epilog_d/.60-site" "$epilog_d/60-site"
}

# -- the test can see it -----------------------------------------------------

bare
echo "Epilog=$epilog_d/*" >>"$SLURM_CONF"
is "$(one_step 'scontrol reconfigure' | sort -u | sed 's/drained/drained/' | xargs)" \
    "n1 drained Epilog error n2 drained Epilog error" "planted: a pattern without a file drains each node"

# -- forwards ------------------------------------------------------------

bare
steps "install" "${install[@]}"
is "$(traced glob)" 10 "install: a job is traced and merged"
sed -i 's/WAIT=.*/WAIT=1ms/' "$cluster/epilog.conf" # the node goes on at once
submit -J behind --dftrace=posix --wrap "cat $cluster/data"
ok "install: what a node does not wait for is done beside its next job" \
    wait_for test -s "$home/dftrace/behind-$job/metrics.json"
sed -i 's/WAIT=.*/WAIT=1h/' "$cluster/epilog.conf"
steps "upgrade" "${upgrade[@]}"
steps "opt out" "${opt_out[@]}"
steps "in again" "${install[@]:1:1}" "${install[5]}"
is "$(traced again)" 10 "opt out and in: a job is traced and merged"
steps "remove" "${remove[@]}"
nok "remove: the product is gone" test -e "$share"
steps "remove: the script of the epilog, too" "${away[@]}"
is "$(ls -A "$epilog_d"; grep ^Epilog= "$SLURM_CONF")" "" "remove: nothing is left"

# -- backwards -------------------------------------------------------------

bare
mapfile -t back < <(backwards "${install[@]}")
steps "install, backwards" "${back[@]}"
bare
steps "install, before removing backwards" "${install[@]}"
mapfile -t back < <(backwards "${upgrade[@]}")
steps "upgrade, backwards" "${back[@]}"
mapfile -t back < <(backwards "${remove[@]}" "${away[@]}")
steps "remove, backwards" "${back[@]}"

# -- beside a script of the site, which is running at each step -----------

bare
site_script
steps "install beside a script of the site" "${install[@]/test -x/grep -q ^Epilog= $SLURM_CONF || test -x}"
steps "upgrade and opt out beside it" "${upgrade[@]}" "${opt_out[@]}"
steps "remove beside it" "${remove[@]}"

# -- one script -------------------------------------------------------------

bare
steps "install as the only script" "${install[@]/epilog.d\/\*/epilog.d\/50-dftrace}"
is "$(traced single)" 10 "as the only script: a job is traced and merged"
steps "upgrade and remove it" "${upgrade[@]}" "${remove[@]}" "${away[@]}"

# -- links of earlier versions, and packages -----------------------------------

bare
make install
ln -s "$share/50-dftrace" "$epilog_d/50-dftrace"
echo "Epilog=$epilog_d/*" >>"$SLURM_CONF"
ln -s "$share/plugstack.conf.d/dftrace.conf.example" "$cluster/plugstack.conf.d/dftrace.conf"
steps "a link of an earlier version, then a package is removed" 'scontrol reconfigure' \
    "$share/before-removal" 'make uninstall'
is "$(ls -A "$cluster/plugstack.conf.d"; [ -L "$epilog_d/50-dftrace" ] && echo link)" "" \
    "before-removal: no link is left"
is "$("$epilog_d/50-dftrace" 2>&1; echo $?)" 0 "the copy without the product returns 0"
make install
sed -i "s,^Epilog=.*,Epilog=$share/50-dftrace," "$SLURM_CONF"
exits 1 "before-removal: refused where Epilog names the package's own file" "$share/before-removal"
like "$(cat "$tmp/err" "$tmp/out" 2>/dev/null)" "Epilog names $share/50-dftrace.*change that line" "and says what to do"
ln -sfn /nothing "$epilog_d/50-dftrace"
sed -i "s,^Epilog=.*,Epilog=$epilog_d/*," "$SLURM_CONF"
ln -s "$share/plugstack.conf.d/dftrace.conf.example" "$cluster/plugstack.conf.d/dftrace.conf"
before=$(reread)
scontrol reconfigure
for ((n = 0; n < 200 && $(reread) < before + 2; n++)); do sleep 0.1; done
# n2 drains after n1: the first answer that has n1 drained has n2 completing
mkdir "$tmp/bin"
cat >"$tmp/bin/sinfo" <<END
#!/bin/sh
$(command -v sinfo) "\$@" >$home/sinfo.out || exit
case "\$* \$(cat $home/sinfo.out)" in
*' -n '*'n1 '*'Epilog error'*) [ -e $home/sinfo.late ] || sed -i 's/^n2 .*/n2 comp none/' $home/sinfo.out
    touch $home/sinfo.late ;;
esac
cat $home/sinfo.out
END
chmod 755 "$tmp/bin" "$tmp/bin/sinfo"
PATH=$tmp/bin:$PATH as_user dftrace doctor --wait 250 >"$tmp/out" 2>&1
is "$?" 1 "doctor with a dangling link: a fault"
ok "doctor has seen one node of two drained" test -e "$home/sinfo.late"
like "$(cat "$tmp/out")" "BAD +nodes n[12], n[12]: $epilog_d/50-dftrace: is a link to nothing" "doctor: the cause"
like "$(cat "$tmp/out")" "BAD +the end of the test job, as of any job, drained n1,n2" "doctor: its own job drained the nodes"
is "$(grep ^BAD "$tmp/out" | grep -vc 'belongs to a user')" 2 "doctor: and no other cause"
eval "${install[2]}; ${install[3]}"
eval "$(sed -n 's/.*then \(scontrol update nodename=n[0-9,n]* state=resume\).*/\1/p' "$tmp/out")"
nodes_idle "doctor: its cure puts the nodes back"
as_user dftrace doctor --wait 250 >"$tmp/out" 2>&1
is "$(grep ^BAD "$tmp/out" | grep -v 'belongs to a user')" "" "doctor: all is well then"
nodes_idle "and stays so"

done_testing
