#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7036-hung.t - a file server that does not answer: the task starts untraced
# and says so, a staged job does not notice, the epilog ends in time

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

[ "$(id -u)" = 0 ] || skip_all "mounts need root"
command -v setpriv >/dev/null || skip_all "no setpriv here"

OWNER=54321
HOST=node7
victims=$top_builddir/tests/victims
chmod 755 "$tmp"
mkdir -m 755 "$tmp/bin" "$tmp/state" "$tmp/nfs"
mkdir -m 1777 "$tmp/server" "$tmp/stage"
# where memory is limited, a stage in memory is not used
[[ $(stat -f -c %T "$tmp") != @(tmpfs|overlayfs) ]] || skip_all "$tmp is, or may be, in memory"
install "$dftrace" "$top_builddir/preload/.libs/libdftrace_preload.so" "$tmp/bin"
library=$tmp/bin/libdftrace_preload.so

at_exit "umount -l '$tmp/nfs' 2>/dev/null"
"$top_builddir/tests/tools/squash" "$tmp/server" "$tmp/nfs" 2>"$tmp/err" ||
    skip_all "no FUSE here: $(cat "$tmp/err")"
server=$(pgrep -fx "$top_builddir/tests/tools/squash $tmp/server $tmp/nfs")
at_exit "kill -KILL $server 2>/dev/null"
as_owner() {
    setpriv --reuid $OWNER --regid $OWNER --clear-groups "$@"
}
as_owner mkdir -m 700 "$tmp/nfs/user"

# prolog DIR OPTION: the start of a task, as without a plugin; bounded, lest a
# hanging one keeps all the others waiting
prolog() {
    as_owner timeout -k 1 60 env SLURM_DFTRACE="$2,job_dir=$1" SLURM_JOB_ID=7 \
        SLURM_JOB_NAME=hung SLURM_STEP_ID=0 SLURM_LOCALID=0 SLURM_JOB_UID=$OWNER \
        SLURMD_NODENAME=$HOST DFTRACE_PRELOAD="$library" DFTRACE_START_TIMEOUT=500ms \
        "$tmp/bin/dftrace" taskprolog >"$tmp/out" 2>"$tmp/err" </dev/null
}

# -- the start -----------------------------------------------------------

ok "it answers: the task starts" prolog "$tmp/nfs/user/one" posix
like "$(cat "$tmp/out")" "export LD_PRELOAD=$library" "traced"
ok "with a directory" [ -d "$tmp/server/user/one/shards" ]

kill -STOP "$server"
ok "it does not answer: the task starts" prolog "$tmp/nfs/user/two" posix
unlike "$(cat "$tmp/out")" 'LD_PRELOAD' "untraced"
like "$(cat "$tmp/err")" 'did not answer in 0.5 s: running untraced' "and says so"
nok "strict: it does not start" prolog "$tmp/nfs/user/three" posix,strict
like "$(cat "$tmp/err")" 'did not answer in 0.5 s: the task does not start' "and says so"
kill -CONT "$server"

# -- in the middle ---------------------------------------------------------

# A program whose shards are on the node does not look there.
as_owner mkfifo "$tmp/stage/go"
as_owner env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/nfs/user/one" \
    DFTRACE_STAGE="$tmp/stage" DFTRACE_CHUNK=16K LD_PRELOAD="$library" \
    dd if=/dev/zero of="$tmp/stage/file" bs=100 count=100000 2>"$tmp/dd.err" \
    >"$tmp/dd.out" <"$tmp/stage/go" &
pid=$!
kill -STOP "$server"
echo >"$tmp/stage/go"
wait "$pid"
is "$? $(stat -c %s "$tmp/stage/file")" "0 10000000" "with a stage: the program does not notice"
kill -CONT "$server"
cmp_num "$("$dftrace" stat --events "$tmp"/stage/shards/*.dft 2>/dev/null | grep -c write)" \
    -ge 100000 "and all is traced"

# Without one it waits as for its own files there.
setpriv --reuid $OWNER --regid $OWNER --clear-groups \
    env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/nfs/user/one" \
    DFTRACE_CHUNK=16K LD_PRELOAD="$library" \
    dd if=/dev/zero of="$tmp/stage/file" bs=1 count=1000000000 2>/dev/null &
pid=$!
for ((i = 0; i < 600; i++)); do
    compgen -G "$tmp/server/user/one/shards/*.dft" >/dev/null && break
    sleep 0.1
done
kill -STOP "$server"
sleep 0.5
kill -KILL "$pid"
# FUSE lets nobody go whose request the server has, not even the killed.
kill -CONT "$server"
wait "$pid" 2>/dev/null
is "$?" 137 "without a stage: a killed program ends with the wait, at the latest"

# -- the end -----------------------------------------------------------------

echo "$OWNER $OWNER 5000 $tmp/nfs/user/one" >"$tmp/state/7.$HOST"
kill -STOP "$server"
mkfifo "$tmp/slurmd"
cat "$tmp/slurmd" >"$tmp/out" &
env SLURM_JOB_ID=7 SLURMD_NODENAME=$HOST DFTRACE_STATE_DIR="$tmp/state" \
    "$dftrace" epilog </dev/null >"$tmp/slurmd" 2>&1 &
pid=$!
# slurmd reads until no process can write any more, so a node with a hanging one
# that has this pipe would never be idle
user_side=
for ((i = 0; i < 400 && ${#user_side} == 0; i++)); do
    sleep 0.01
    user_side=$(pgrep -P "$pid")
done
sleep 0.3
is "$(find "/proc/$user_side/fd" -lname "$tmp/slurmd" 2>/dev/null | wc -l)" 0 \
    "who hangs does not hold what slurmd waits for"
ok "and did hang" runs "$user_side"
wait "$pid"
is "$?" 0 "the epilog ends"
kill -CONT "$server"
umount "$tmp/nfs" 2>/dev/null || umount -l "$tmp/nfs"

done_testing
