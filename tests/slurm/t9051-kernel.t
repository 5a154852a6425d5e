#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9051-kernel.t - layer kernel in jobs: where the site allows it, root's
#     recorder follows the tasks, writes as the user, and ends with the step

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"

recorder=$top_builddir/dftrace-kernel
[ -x "$recorder" ] || skip_all "layer kernel is not built"
why=$("$recorder" --check) || skip_all "$why"
cluster_start --nodes 1 --cpus 4
logs=$home/dftrace
gcc -O1 -static -pthread -o "$cluster/static" "$top_srcdir/tests/victims/plain.c" 2>/dev/null ||
    skip_all "no static libc"
chmod 755 "$cluster/static"

# events DIR: of a job that has ended, its epilog, too, as it moves what we read
events ()
{
    epilogs_ended
    as_user "$dftrace" export -f jsonl "$1" 2>"$tmp/export.err"
}
# bytes DIR CALL: sum of the results of a call in the job's trace
bytes ()
{
    events "$1" |
        jq -s "[.[] | select (.name == \"$2\") | .ret] | add"
}
# pids of this cluster's recorders
recorders ()
{
    local pid
    for pid in $(pgrep -f "^dftrace-kernel" -u dftester); do
        grep -qzF "DFTRACE_JOB_DIR=$logs/" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
    done
}
a_recorder ()
{
    [ -n "$(recorders)" ]
}
no_recorder ()
{
    ! a_recorder
}
# step NAME COMMAND …: one with the layer; what it says is in $tmp/step.err. A node
# that has much else to do may not load the recorder in its 10 s, and the step goes
# on without it, which is said: then it has two more tries.
step ()
{
    local try status

    for try in 1 2 3; do
        rm -rf "$logs/$1"-*
        as_user srun --chdir="$home/w" -J "$1" --dftrace=posix,kernel,log_root="$logs" "${@:2}" \
            >/dev/null 2>"$tmp/step.err"
        status=$?
        grep -q 'not ready in' "$tmp/step.err" || break
        diag "try $try: $(cat "$tmp/step.err")"
    done
    return $status
}

# -- a site that does not allow it ---------------------------------------

as_user mkdir -p "$home/w" "$home/w/sub"
as_user srun --chdir="$home/w" --dftrace=posix,kernel,log_root="$logs" "$cluster/static" 2>"$tmp/err"
like "$(cat "$tmp/err")" 'layer kernel: this site does not allow it: going on without it' \
    "without kernel = yes: it is said"
nok "strict: the task does not start" as_user srun --chdir="$home/w" \
    --dftrace=posix,kernel,strict "$cluster/static"

# -- one that does ---------------------------------------------------------

echo "kernel = yes" >>"$cluster/dftrace.conf"
ok "a step" step one "$cluster/static"
dir=$(ls -d "$logs"/one-*)
is "$(bytes "$dir" write) $(bytes "$dir" read) $(bytes "$dir" pread)" "50000 50000 75123" \
    "a static program's bytes"
is "$(find "$dir" ! -user dftester)" "" "nothing in the job directory is root's"
ok "the recorder ends with the step" wait_for no_recorder
submit -J two --chdir="$home/w" --dftrace=posix,kernel,log_root="$logs" \
    --wrap "$cluster/static; srun -n2 cat $cluster/static | wc -c; srun $cluster/static"
dir=$(ls -d "$logs"/two-*)
is "$(bytes "$dir" write) $(bytes "$dir" pread)" "100000 150246" \
    "a batch script and its steps, each once"
# a machine where others keep the disk busy may lose a request of the block device
lost=$(json "$dir/metrics.json" .metrics.lost_events.value)
like "$lost" '^[0-9]+$' "what is lost is counted"
[ "$lost" = 0 ] || diag "lost: $lost"
is "$(json "$dir/job.json" '.untraced | length')" 0 "and nobody is said to be untraced"

# -- other kinds of programs, each as strace counts it ----------------------

# moved FILE: "CALL COUNT BYTES" of its reads and writes in the trace of job as-$1
moved ()
{
    events "$(ls -d "$logs/as-$1"-*)" | jq -r --arg f "$2" \
        'select (.file == $f and (.name | test ("^p?(read|write)$"))) | [.name, .ret] | @tsv' |
        awk '{ n[$1]++; b[$1] += $2 } END { for (x in n) print x, n[x], b[x] }' | sort
}
# The same of strace's files, one a thread.
straced ()
{
    cat "$home"/lines.* | sed -nE "s|^p?(read\|write)(64)?\([0-9]+<$1>,.* = ([0-9]+)( .*)?\$|&|p" |
        sed -E 's/^(p?)(read|write)64/\1\2/; s/^([a-z]+)\(.* = ([0-9]+)( .*)?$/\1 \2/' |
        awk '{ n[$1]++; b[$1] += $2 } END { for (x in n) print x, n[x], b[x] }' | sort
}
# compared NAME FILE COMMAND …
compared ()
{
    local name=$1 file=$2

    if ! command -v strace >/dev/null; then
        skip "no strace" "$name: counts and bytes are strace's"
        return
    fi
    rm -f "$home"/lines.*
    as_user sh -c 'cd "$1" && shift && exec strace -ff -y -o ../lines "$@"' sh "$home/w" "${@:3}" \
        >/dev/null 2>&1
    step "as-$name" "${@:3}"
    like "$(moved "$name" "$file")" '[1-9]' "$name: there are some"
    [[ $(moved "$name" "$file") =~ [1-9] ]] ||
        diag "$(cat "$tmp/step.err" "$tmp/export.err"; tail -n 20 "$cluster/log/n1.log")"
    is "$(moved "$name" "$file")" "$(straced "$file")" "$name: counts and bytes are strace's"
}
head -c 100000 /dev/zero >"$home/w/in.dat"
chmod 644 "$home/w/in.dat"
compared static "$home/w/f.dat" "$cluster/static"
rm -rf "$home/w"/f.dat "$home/w"/dir
gcc -O1 -static -o "$cluster/inline" "$top_srcdir/tests/victims/inline.c" &&
    compared inline "$home/w/in.dat" "$cluster/inline" in.dat 20 100
if command -v busybox >/dev/null; then
    compared busybox "$home/w/in.dat" busybox dd if=in.dat of=/dev/null bs=1000
else
    skip "no busybox" "busybox"
fi
if command -v go >/dev/null; then
    cat >"$tmp/goes.go" <<'END'
package main

import "os"

func main() {
	in, _ := os.Open("in.dat")
	buf := make([]byte, 1000)
	for i := 0; i < 50; i++ {
		in.ReadAt(buf, int64(i)*1000)
		in.Read(buf[:100])
	}
	in.Close()
}
END
    (cd "$tmp" && HOME=$tmp GOCACHE=$tmp/go CGO_ENABLED=0 GO111MODULE=off \
        go build -o "$cluster/goes" goes.go)
    compared go "$home/w/in.dat" "$cluster/goes"
else
    skip "no go" "go"
fi

# -- a user who is hostile --------------------------------------------------

cat >"$cluster/hostile" <<'END'
#!/bin/bash
pid=$(pgrep -f ^dftrace-kernel -u "$(id -u)" | tail -n 1)
[ -n "$pid" ] || { echo none; exit; }
head -c 1 "/proc/$pid/maps" >/dev/null 2>&1 && echo "its maps can be read"
head -c 1 "/proc/$pid/mem" >/dev/null 2>&1 && echo "its memory can be read"
ls "/proc/$pid/fd/" >/dev/null 2>&1 && echo "its descriptors can be seen"
command -v strace >/dev/null && timeout 5 strace -o /dev/null -p "$pid" 2>&1 | grep -q attached &&
    echo "it can be traced"
for s in HUP INT USR1 USR2 PIPE XFSZ ALRM; do kill -$s "$pid"; done 2>/dev/null
mv "$DFTRACE_JOB_DIR" "$DFTRACE_JOB_DIR.away"
mkdir "$DFTRACE_JOB_DIR"
ln -s /etc "$DFTRACE_JOB_DIR/shards"
exit 0
END
chmod 755 "$cluster/hostile"
find /etc -newer "$cluster/hostile" -name '*.dft' >"$tmp/before" 2>/dev/null
is "$(as_user srun --chdir="$home/w" -J hostile --dftrace=posix,kernel,log_root="$logs" \
    "$cluster/hostile" 2>/dev/null)" "" "the user's own programs cannot look into the recorder"
find /etc -newer "$cluster/hostile" -name '*.dft' >"$tmp/after" 2>/dev/null
is "$(cat "$tmp/after")" "$(cat "$tmp/before")" "nothing is written where a link leads"
ok "and no recorder is left" wait_for no_recorder

# -- deaths ------------------------------------------------------------------

as_user srun --chdir="$home/w" -J killed --dftrace=posix,kernel,log_root="$logs" \
    bash -c "while :; do $cluster/static; done" 2>/dev/null &
wait_for a_recorder
kill -KILL $(recorders)
wait_for no_recorder
is "$(squeue -h -o %T -n killed)" RUNNING "the recorder is killed: the job runs on"
scancel -n killed
wait
ok "a cancelled job" epilogs_ended
as_user srun --chdir="$home/w" -J held --dftrace=posix,kernel,log_root="$logs" \
    bash -c 'kill -STOP $(pgrep -f ^dftrace-kernel); true' 2>"$tmp/err"
like "$(cat "$tmp/err")" 'recorder did not end' "a recorder that the user stops: the step ends, and it is said"
ok "no recorder is left" wait_for no_recorder

# The node loses its power: nobody has time to end anything. What the recorder
# had written until then is there.
written ()
{
    dir=$(find "$logs" -maxdepth 1 -name 'dark-*' 2>/dev/null)
    [ -n "$dir" ] && as_user "$dftrace" export -f jsonl "$dir" 2>/dev/null | grep -q '"name":"pread"'
}
power_cut ()
{
    # its own pid is in no environment that cluster.sh knows
    kill -KILL $(recorders)
    "$cluster_sh" kill "$cluster" n1
}
as_user sbatch --no-requeue -o /dev/null -J dark --chdir="$home/w" \
    --dftrace=posix,kernel,log_root="$logs" --wrap "while :; do $cluster/static; done" >/dev/null
ok "a job that has written" wait_for written
power_cut 2>/dev/null
is "$(recorders)" "" "the node is dead, its recorder, too"
ok "it comes back" "$cluster_sh" revive "$cluster" n1
scancel -n dark # else Slurm looks for it for minutes
ok "the job is given up" epilogs_ended
nodes_idle "the node is idle"
"$dftrace" analyze --no-write --view call "$dir" >"$tmp/out" 2>"$tmp/err"
# 5: the recorder, or a ring that was full just then, has lost some
like "$?" '^[05]$' "its trace can be analyzed"
like "$(cat "$tmp/out")" 'pread' "and has what was written until then"
ok "a step on it afterwards" step light "$cluster/static"
is "$(bytes "$(ls -d "$logs"/light-*)" pread)" 75123 "is recorded"
ok "and its recorder has ended" wait_for no_recorder
nodes_idle "the node is idle again"

done_testing
