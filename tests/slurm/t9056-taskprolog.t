#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9056-taskprolog.t - a site's TaskProlog that sets or unsets LD_PRELOAD, which
#     Slurm obeys after the plugin's last call: tasks are traced all the same

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

# The site's: what it says depends on the job's own variable.
other=$(find /lib /usr/lib -name 'libz.so.1.*' ! -type l 2>/dev/null | head -n 1)
[ -n "$other" ] || skip_all "no other library to preload"
cat >"$tmp/prolog" <<END
#!/bin/sh
case \$MODE in
set) echo "export LD_PRELOAD=$other" ;;
add) echo "export LD_PRELOAD=\$LD_PRELOAD:$other" ;;
unset) echo "unset LD_PRELOAD" ;;
all) env | sed -n 's/^\(DFTRACE_[A-Z_]*\|LD_PRELOAD\|PYTHONPATH\)=.*/unset \1/p' ;;
off) echo "export DFTRACE_LAYERS=off" ;;
esac
echo "export SAID_BY_SITE=yes"
echo "print hello"
END
chmod 755 "$tmp/prolog"
cluster_start --nodes 2 --conf "TaskProlog=$tmp/prolog"
logs=$home/dftrace
head -c 300000 /dev/urandom >"$cluster/data"

# What each task does: say what it has, read all of the data, write it.
cat >"$home/work.sh" <<'END'
#!/bin/bash
echo "site=$SAID_BY_SITE other=$(grep -c 'r-xp.*libz\.so' /proc/self/maps)"
cat "$1" >"copy.$SLURM_JOB_ID.$SLURM_PROCID"
END
chmod 755 "$home/work.sh"
chown dftester: "$home/work.sh"

# of the job's files that end so, a column summed
of_file() {
    "$dftrace" analyze --no-write --view file --format csv --top 0 "$1" |
        awk -F, -v name="$2" -v want="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            index ($NF, name) { sum += $at[want] } END { printf "%d\n", sum }'
}

# -- steps and batch scripts -------------------------------------------------

for mode in none set add unset all; do
    other_there=0
    [ $mode != set ] && [ $mode != add ] || other_there=1
    out=$(as_user env MODE=$mode srun -n2 -J "step-$mode" --dftrace=posix ./work.sh "$cluster/data" 2>"$tmp/err")
    epilogs_ended
    is "$(sort -u <<<"$out" | xargs)" "hello site=yes other=$other_there" \
        "$mode: srun: what the site says holds"
    trace=$(echo "$logs"/step-$mode-*)
    is "$(of_file "$trace" "$cluster/data" read_bytes)" 600000 "$mode: srun: two tasks are traced"
    is "$(of_file "$trace" /copy. write_bytes)" 600000 "$mode: srun: what they wrote, too"
    is "$(grep -v '^srun:' "$tmp/err")" "" "$mode: srun: nobody complains"
    MODE=$mode submit -J "batch-$mode" --dftrace=posix work.sh "$cluster/data"
    trace=$logs/batch-$mode-$job
    is "$(of_file "$trace" "$cluster/data" read_bytes)" 300000 "$mode: sbatch: the script is traced"
    is "$(json "$trace/metrics.json" '.health | "\(.complete) \(.untraced_processes)"')" "true 0" \
        "$mode: sbatch: nothing is missing"
done

# -- what the site means, and the user ------------------------------------------

as_user env MODE=off srun -J step-off --dftrace=posix ./work.sh "$cluster/data" >"$tmp/out" 2>"$tmp/err"
epilogs_ended
is "$(find "$logs"/step-off-* -name '*.dft' | wc -l)" 0 "DFTRACE_LAYERS=off is the site's wish"
printf '#!/bin/sh\necho "export LD_PRELOAD=%s"\n' "$other" >"$home/own"
chmod 755 "$home/own"
is "$(as_user env MODE=unset srun --task-prolog="$home/own" -J own --dftrace=posix ./work.sh "$cluster/data" |
    xargs)" "hello site=yes other=1" "a --task-prolog of the user's own, after the site's"
epilogs_ended
is "$(of_file "$(echo "$logs"/own-*)" "$cluster/data" read_bytes)" 300000 "and the task is traced"
is "$(as_user env MODE=unset srun bash -c 'echo ${LD_PRELOAD-none}' | xargs)" "hello none" \
    "a job that is not traced is as its TaskProlog makes it"
# -- a login shell whose profile exports LD_PRELOAD -----------------------------

echo "export LD_PRELOAD=$other" >"$home/.bash_profile"
{
    echo '#!/bin/bash -l'
    sed 1d "$home/work.sh"
    echo 'srun ./work.sh "$1"'
} >"$home/login.sh"
chmod 755 "$home/login.sh"
chown dftester: "$home/login.sh" "$home/.bash_profile"
submit -J login --dftrace=posix login.sh "$cluster/data"
is "$(xargs <"$home/out")" "hello site=yes other=1 hello site=yes other=1" \
    "what a login shell starts has what its profile exports"
is "$(of_file "$logs/login-$job" "$cluster/data" read_bytes)" 600000 \
    "what a login shell starts is traced, and a step after it"
is "$(json "$logs/login-$job/metrics.json" '.health | "\(.complete) \(.untraced_processes)"')" "true 0" \
    "and nothing is missing"
nodes_idle "nodes are idle"
done_testing
