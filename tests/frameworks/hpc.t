#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# hpc.t - real programs, each held up by one thing: the bill adds up, what is not
#         explained is below 10 %, the first finding is that thing
#
# Part of `make check-hpc`, not of `make check`: minutes, and programs of distributions.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/mpi.sh"

real=$top_srcdir/tests/causes/real.sh
slow=$top_builddir/tests/causes/.libs/slow.so
unset "${!SLURM@}"

# job NAME LAYERS COMMAND…: traced in a directory of its own, with SLOW and SLOW_NAME
job ()
{
    local name=$1 layers=$2
    shift 2
    mkdir -p "$tmp/$name" && cd "$tmp/$name" || exit 99
    LD_PRELOAD=${SLOW:+$slow} "$dftrace" run -q -o "$tmp/$name.job" --layers "$layers" -- "$@" \
        >"$tmp/$name.out" 2>"$tmp/$name.err"
    is $? 0 "$name: runs" || { diag "$(tail -n 5 "$tmp/$name.err")"; return 1; }
    "$dftrace" analyze "$tmp/$name.job" >"$tmp/$name.screen" 2>/dev/null
    is "$(awk -F, '/^wall_/ && $1 !~ /_time$/ { sum += $2 } END { printf "%.3f", sum }' \
        "$tmp/$name.job/tables/metrics.csv")" 100.000 "$name: the bill adds up"
    diag "$name: $(awk -F, '$1 == "wall_other" { print $2 }' "$tmp/$name.job/tables/metrics.csv") % is not explained"
    ok "$name: less than 10 % is not explained, or it is named" awk -F, \
        -v named="$(grep -c '^[0-9.]* % not explained: ' "$tmp/$name.screen")" \
        '$1 == "wall_other" { exit !($2 < 10 || named) }' "$tmp/$name.job/tables/metrics.csv"
}

# first NAME RULES: the first finding beside waiting for a CPU, which a busy machine adds
first ()
{
    local rule
    rule=$(awk -F, '/^(critical|warning),/ && $2 != "cpu_wait" { print $2; exit }' \
        "$tmp/$1.job/tables/insights.csv")
    like "${rule:-none}" "^($2)\$" "$1: what holds it up is the first finding"
}

if command -v gmx >/dev/null; then
    mkdir -p "$tmp/GROMACS" && (cd "$tmp/GROMACS" && bash "$real" gromacs prepare) &&
        SLOW=sync=10000 SLOW_NAME=.cpt job GROMACS posix,app bash "$real" gromacs yes &&
        first GROMACS 'checkpoint_stall|sync_stall'
    if command -v gmx_mpi "mpirun.openmpi" >/dev/null; then
        mkdir -p "$tmp/GROMACS-MPI" && cp "$tmp/GROMACS/md.tpr" "$tmp/GROMACS-MPI" &&
            job GROMACS-MPI posix,app,mpiio mpirun.openmpi -n 2 gmx_mpi -quiet mdrun -s md.tpr -ntomp 1 &&
            ok "GROMACS-MPI: ranks wait for each other, less than each lives" awk -F, \
                '$1 == "bill_ranks" { exit !($2 > 0 && $2 < 100) }' \
                "$tmp/GROMACS-MPI.job/tables/metrics.csv"
    fi
else
    skip "no gmx" "GROMACS"
fi

if command -v pg_config >/dev/null && [ "$(id -u)" != 0 ]; then
    mkdir -p "$tmp/pgbench" && (cd "$tmp/pgbench" && bash "$real" pgbench prepare) &&
        SLOW=sync=5000 SLOW_NAME=pg_wal job pgbench posix,app bash "$real" pgbench yes &&
        first pgbench 'sync_stall'
else
    skip "no pg_config, or root" "pgbench"
fi

if command -v lmp >/dev/null; then
    mkdir -p "$tmp/LAMMPS"
    cat >"$tmp/LAMMPS/in.melt" <<'END'
units lj
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 100
END
    echo 'run 2000' >>"$tmp/LAMMPS/in.melt"
    job LAMMPS posix,app lmp -in in.melt &&
        is "$(grep -cE '^critical,(read|write|sync|checkpoint)_stall,|^critical,metadata_time,' \
            "$tmp/LAMMPS.job/tables/insights.csv")" 0 "LAMMPS: it computes, no storage is to blame"
else
    skip "no lmp" "LAMMPS"
fi

# A mesh, then a solver that looks for its files again and again.
foam=/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity
if command -v icoFoam >/dev/null && [ -d "$foam" ]; then
    mkdir -p "$tmp/OpenFOAM" && cp -r "$foam/." "$tmp/OpenFOAM" &&
        find "$tmp/OpenFOAM" -name '*.gz' -exec gunzip {} + &&
        sed -i 's/^writeInterval.*/writeInterval 1;/' "$tmp/OpenFOAM/system/controlDict"
    export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam}
    SLOW=stat=3000 SLOW_NAME=OpenFOAM job OpenFOAM posix,app bash -c 'blockMesh && icoFoam' &&
        first OpenFOAM 'metadata_time'
else
    skip "no icoFoam, or no examples of it" "OpenFOAM"
fi

if command -v snakemake >/dev/null; then
    mkdir -p "$tmp/snakemake"
    cat >"$tmp/snakemake/Snakefile" <<'END'
rule all:
    input: expand("{i}.txt", i=range(6))
rule one:
    output: "{i}.txt"
    shell: "sleep 1; echo {wildcards.i} >{output}"
END
    job snakemake posix,app snakemake -q --cores 1 &&
        first snakemake 'sleep_wait|imports|process_start' &&
        ok "snakemake: six seconds of sleep, while it slept" awk -F, \
            '$1 == "wall_sleep_time" { exit !($2 >= 5.5) }' "$tmp/snakemake.job/tables/metrics.csv"
else
    skip "no snakemake" "snakemake"
fi

done_testing
