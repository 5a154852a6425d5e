#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# real.sh - real programs whose cause can be taken away, for saved.py
#
# usage: real.sh PROGRAM yes|no: with its cause, or without

with=$2
case $1 in
pgbench) # commits that wait for the disk; a database of its own in the working directory
    bin=$(pg_config --bindir) || exit 77
    [ -d db ] || "$bin/initdb" -A trust -U me db >/dev/null 2>&1 || exit 77
    [ "$with" = prepare ] && exit
    commit=off
    [ "$with" = yes ] && commit=on
    "$bin/pg_ctl" -D db -w -s -l log -o "-k $PWD -h '' -c synchronous_commit=$commit" start &&
        { "$bin/pgbench" -h "$PWD" -U me -i -q postgres &&
            "$bin/pgbench" -h "$PWD" -U me -n -c 1 -t 2000 postgres; } >out 2>&1
    "$bin/pg_ctl" -D db -w -s -m fast stop
    ;;
gromacs) # a checkpoint whenever it can be, or at the end only
    [ "$with" = prepare ] && {
        printf '%s\n' '#include "oplsaa.ff/forcefield.itp"' '#include "oplsaa.ff/spce.itp"' \
            '[ system ]' water '[ molecules ]' >topol.top
        printf '%s\n' 'nsteps = 4000' 'rcoulomb = 1.0' 'rvdw = 1.0' 'tcoupl = v-rescale' \
            'tc-grps = system' 'tau-t = 0.1' 'ref-t = 300' 'gen-vel = yes' >md.mdp
        {
            gmx solvate -cs spc216 -box 2.4 2.4 2.4 -o conf.gro -p topol.top &&
                gmx grompp -f md.mdp -c conf.gro -p topol.top -o md.tpr -maxwarn 3
        } >prepare.log 2>&1 || exit 77
        exit
    }
    minutes=15
    [ "$with" = yes ] && minutes=0
    exec gmx -quiet mdrun -s md.tpr -nt 1 -cpt $minutes >md.out 2>&1
    ;;
esac
