#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9010-option.t - who may say --dftrace, where, and who wins

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

cluster_start --nodes 1

# What a task sees.
show='printf "%s|%s\n" "${DFTRACE_LAYERS-}" "${LD_PRELOAD+preloaded}"'
traced="|preloaded"

# The last line of a job's own, without ours.
said() {
    grep -v '^dftrace: .* left no trace: ' "${1-$home/out}" | tail -n 1
}

# script NAME LINE…: a batch script that runs one step which shows its layers.
script() {
    local name=$home/$1
    shift
    printf '%s\n' '#!/bin/bash' "$@" "srun /bin/bash -c '$show'" >"$name"
    chmod 755 "$name"
    echo "$name"
}

# -- bad words: the command ends, and says what it knows ---------------

for command in "sbatch --wrap true" "srun true" "salloc true"; do
    # shellcheck disable=SC2086 # words
    nok "${command%% *} refuses an unknown layer" \
        as_user ${command%% *} --dftrace=posx ${command#* }
    like "$(cat "$tmp/ok.out")" "posx.*posix.*app" "and names the known ones"
done
plain=$(script plain)
nok "#SBATCH, too" as_user sbatch "$(script bad '#SBATCH --dftrace=posx')"
like "$(as_user sbatch --help)" "--dftrace=LAYER" "sbatch --help shows it"
is "$(squeue -h -t all | wc -l)" 0 "no job came of all this"

# -- the matrix --------------------------------------------------------

is "$(as_user srun bash -c "$show")" "|" "srun: nobody asked"
is "$(as_user srun --dftrace=app bash -c "$show")" "app$traced" "srun: option"
is "$(as_user env SLURM_DFTRACE=app srun bash -c "$show")" "app$traced" \
    "srun: environment"
is "$(as_user env SLURM_DFTRACE=mmap srun --dftrace=app bash -c "$show")" \
    "app$traced" "srun: option wins"
is "$(as_user salloc --dftrace=app srun bash -c "$show" 2>/dev/null)" \
    "app$traced" "salloc: option reaches its steps"
is "$(as_user env SLURM_DFTRACE=app salloc srun bash -c "$show" 2>/dev/null)" \
    "app$traced" "salloc: environment reaches its steps"

submit "$plain"
is "$(said)" "|" "sbatch: nobody asked"
submit --dftrace=app "$plain"
is "$(said)" "app$traced" "sbatch: option"
mmap=$(script mmap '#SBATCH --dftrace=mmap')
submit "$mmap"
is "$(said)" "mmap$traced" "sbatch: #SBATCH"
submit --dftrace=app "$mmap"
is "$(said)" "app$traced" "sbatch: option beats #SBATCH"
export SLURM_DFTRACE=posix
submit "$mmap"
is "$(said)" "mmap$traced" "sbatch: #SBATCH beats environment"
submit "$plain"
is "$(said)" "posix$traced" "sbatch: environment"
submit --dftrace=off "$plain"
is "$(said)" "|" "sbatch: off beats environment"
unset SLURM_DFTRACE

# -- what is traced in full --------------------------------------------

nok "a bad word of detail= is refused" as_user srun --dftrace=posix,detail=some true
like "$(cat "$tmp/ok.out")" "some: cannot be traced in full: known: all, rank:N" "and what is known, is said"
as_user bash -c "seq 1000 >$home/in"
is "$(as_user srun -n 2 -O --dftrace="posix,max_bytes=256K,detail=rank:0,job_dir=$home/detail" \
    cat "$home/in" 2>/dev/null | wc -l)" 2000 "srun: two ranks, one of them in full"
epilogs_ended
reads () { as_user "$dftrace" analyze --no-write --view call --format csv "$@" "$home/detail" 2>/dev/null |
    awk -F, '$2 == "read" { print $3 }'; }
both=$(reads) part=$(reads --trace-part)
cmp_num "${part:-0}" -gt 0 "its reads are in the trace"
is "$both" "$((2 * part))" "those of the other rank are counted"

for export in NONE HOME; do
    submit --export=$export --dftrace=app "$plain"
    is "$(said)" "app$traced" "sbatch --export=$export"
done

# -- inside a job ------------------------------------------------------

nested() {
    printf '%s\n' '#!/bin/bash' "$@" >"$home/nested"
    submit --dftrace=app "$home/nested"
    said
}
is "$(nested "srun --dftrace=mmap bash -c '$show'")" "mmap$traced" \
    "a step may say something else"
is "$(nested "srun --dftrace=off bash -c '$show'")" "off|" \
    "a step may say off"
is "$(nested "$show")" "app$traced" "the batch script is traced"
submit --dftrace=app,nobatch --wrap "$show"
is "$(said)" "|" "unless it is left out"
submit --dftrace=app,batch --wrap "$show"
is "$(said)" "app$traced" "the old word batch goes on working"
is "$(nested "LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 \
    srun bash -c 'echo \${LD_PRELOAD##*:}' 2>/dev/null")" \
    "/lib/x86_64-linux-gnu/libm.so.6" "an existing LD_PRELOAD stays"

# A job submitted by a traced task has a directory of its own.
as_user mkdir -p "$home/sub"
inner="sbatch --parsable --wait -o $home/sub/out --dftrace=app \
--wrap \"srun bash -c 'echo \\\$DFTRACE_JOB_DIR'\""
submit -J outer --dftrace=app --wrap "srun bash -c '$(sed "s/'/'\\\\''/g" <<<"$inner")'"
like "$(said "$home/sub/out")" "/wrap-[0-9]+$" \
    "a job of a traced job has its own directory"

# -- a site default ----------------------------------------------------

"$cluster_sh" stop "$cluster"
"$cluster_sh" start "$cluster" --nodes 1 --build "$top_builddir" \
    --site "layers=mmap"
is "$(as_user srun bash -c "$show")" "mmap$traced" "site default"
is "$(as_user srun --dftrace=off bash -c "$show")" "|" "off beats it"
is "$(as_user env SLURM_DFTRACE=app srun bash -c "$show")" "app$traced" \
    "environment beats it"
nodes_idle "the node becomes idle"

done_testing
