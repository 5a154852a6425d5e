#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7030-attack.t - another user puts things in the way of a job directory

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

[ "$(id -u)" = 0 ] || skip_all "needs root to be two users"
command -v setpriv >/dev/null || skip_all "no setpriv here"

VICTIM=54321
ATTACKER=54322
RACES=40
chmod 755 "$tmp"
mkdir -m 1777 "$tmp/shared"
echo data >"$tmp/file"
install -d -o $VICTIM -g $VICTIM -m 700 "$tmp/home" "$tmp/home/precious"
cp "$dftrace" "$top_builddir/preload/.libs/libdftrace_preload.so" "$tmp/"
as() {
    local uid=$1
    shift
    setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}
# What a task does: make the job directory as the victim, write into it.
trace() {
    as $VICTIM env HOME="$tmp/home" \
        DFTRACE_PRELOAD="$tmp/libdftrace_preload.so" \
        "$tmp/dftrace" run -q -o "$1" -- cat "${2-/etc/hostname}" >/dev/null
}

# -- what belongs to whom ----------------------------------------------

ok "a new directory below a shared one" trace "$tmp/shared/victim/a/b/job"
is "$(find "$tmp/shared/victim" -type d ! -perm 700)" "" \
    "every directory that was made is private"
is "$(find "$tmp/shared/victim" ! -user $VICTIM)" "" "and the user's own"

# -- links and directories of the attacker ------------------------------

as $ATTACKER ln -s "$tmp/home/precious" "$tmp/shared/link"
nok "a link of the attacker as job directory" trace "$tmp/shared/link"
nok "a link of the attacker on the way" trace "$tmp/shared/link/job"
nok "and further up" trace "$tmp/shared/link/a/b/job"
is "$(ls -A "$tmp/home/precious")" "" "nothing was written through it"
as $ATTACKER mkdir -m 777 "$tmp/shared/open"
nok "the attacker's directory as job directory" trace "$tmp/shared/open"
as $ATTACKER mkdir -m 777 "$tmp/shared/open/own"
as $ATTACKER mkdir -m 777 "$tmp/shared/open/own/shards"
nok "with shards/ in it" trace "$tmp/shared/open/own"
is "$(find "$tmp/shared/open" -user $VICTIM)" "" "nothing was written there"
as $ATTACKER ln -s "$tmp/home/precious" "$tmp/shared/open/link"
nok "a link where the attacker can swap it" trace "$tmp/shared/open/link/job"
as $ATTACKER mkfifo "$tmp/shared/fifo"
nok "a FIFO" timeout 300 setpriv --reuid $VICTIM --regid $VICTIM --clear-groups \
    "$tmp/dftrace" run -q -o "$tmp/shared/fifo" -- true

# -- a link that is swapped in later ---------------------------------------

# What a traced process does when the path of its job directory leads to
# somewhere else by then.
record() {
    as $VICTIM env ${2+"$2"} DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$1" \
        LD_PRELOAD="$tmp/libdftrace_preload.so" cat "$tmp/file"
}
as $ATTACKER mkdir -m 777 "$tmp/shared/away" "$tmp/shared/away/job" "$tmp/shared/away/job/shards"
as $ATTACKER ln -s "$tmp/shared/away" "$tmp/shared/swapped"
is "$(record "$tmp/shared/swapped/job") $(find "$tmp/shared/away" -user $VICTIM)" "data " \
    "to a directory of the attacker: nothing is written"
is "$(record "$tmp/shared/swapped/job" DFTRACE_SHARE=0) $(find "$tmp/shared/away" -user $VICTIM)" "data " \
    "nor a file for each process"
chmod 755 "$tmp/shared/away/job/shards"
chown $VICTIM "$tmp/shared/away/job/shards"
chmod 777 "$tmp/shared/away/job/shards"
is "$(record "$tmp/shared/swapped/job") $(ls "$tmp/shared/away/job/shards")" "data " \
    "to one that everybody may change: nor there"
as $ATTACKER ln -sfn "$tmp/home/precious" "$tmp/shared/swapped"
is "$(record "$tmp/shared/swapped/job") $(ls -A "$tmp/home/precious")" "data " \
    "to a directory of one's own: nothing is made behind the link"
is "$(record "$tmp/shared/new/a/b") $(find "$tmp/shared/new/a/b/shards" -name '*.dft' | wc -l)" "data 1" \
    "missing directories are made"
is "$(find "$tmp/shared/new" -type d ! -perm 700)" "" "private ones"
is "$(record "$tmp/shared/not/job" DFTRACE_MADE="$tmp/shared/not/job") $(ls "$tmp/shared" | grep -c not)" "data 0" \
    "but not where they have been made already"

# -- links of one's own, and of root, are fine ---------------------------

as $VICTIM ln -s "$tmp/home" "$tmp/shared/mine"
ok "a link of one's own" trace "$tmp/shared/mine/job"
ln -s "$tmp/home" "$tmp/shared/roots"
ok "a link of root" trace "$tmp/shared/roots/job2"

# -- analyze in the directory of somebody else ----------------------------

trace "$tmp/shared/victim/trap" "$tmp/file"
chown -R $ATTACKER:$ATTACKER "$tmp/shared/victim/trap"
chmod -R o+rX "$tmp/shared/victim" "$tmp/shared/victim/trap"
echo mine | as $VICTIM tee "$tmp/home/precious/calls.csv" >/dev/null
as $ATTACKER ln -s "$tmp/home/precious" "$tmp/shared/victim/trap/tables"
as $ATTACKER ln -s "$tmp/home/precious/calls.csv" "$tmp/shared/victim/trap/metrics.json"
in_dir() { (cd "$1" && shift && "$@"); }
exits 0 "analyze of a trap" in_dir "$tmp/home" as $VICTIM "$tmp/dftrace" \
    analyze -q "$tmp/shared/victim/trap"
is "$(cat "$tmp/home/precious/"*)" "mine" "overwrites nothing behind a link"
like "$(cat "$tmp/err")" "belongs to another user: results are in trap.results" \
    "says where the results are"
ok "and there they are" test -s "$tmp/home/trap.results/metrics.json" -a \
    -s "$tmp/home/trap.results/tables/calls.csv"
nok "not in a directory of the attacker" in_dir "$tmp/shared/victim/trap" \
    as $VICTIM "$tmp/dftrace" analyze -q .
ok "without writing" in_dir "$tmp/shared/victim/trap" \
    as $VICTIM "$tmp/dftrace" analyze -q --no-write .
as $ATTACKER ln -s "$tmp/home/precious" "$tmp/shared/victim/trap/partials"
nok "a partial result" in_dir "$tmp/home" as $VICTIM "$tmp/dftrace" \
    analyze -q --partial 1/1 "$tmp/shared/victim/trap"
is "$(cat "$tmp/home/precious/"*)" "mine" "still nothing"

# -- races ----------------------------------------------------------------

# The attacker swaps a directory for a link all the time.
cat >"$tmp/swap" <<END
while :; do
    mkdir -m 777 '$tmp/shared/open/r' 2>/dev/null
    rmdir '$tmp/shared/open/r' 2>/dev/null || mv '$tmp/shared/open/r' '$tmp/shared/open/old.\$RANDOM'
    ln -s '$tmp/home/precious' '$tmp/shared/open/r' 2>/dev/null
    rm -f '$tmp/shared/open/r' 2>/dev/null
done
END
timeout 300 setpriv --reuid $ATTACKER --regid $ATTACKER --clear-groups \
    bash "$tmp/swap" >/dev/null 2>&1 &
swapper=$!
at_exit "kill $swapper"
made=0
for ((i = 0; i < RACES; i++)); do
    trace "$tmp/shared/open/r/job$i" 2>/dev/null && made=$((made + 1))
done
kill $swapper
wait $swapper 2>/dev/null
is "$(ls -A "$tmp/home/precious")" "calls.csv" \
    "$RACES races, $made directories made: none behind the link"

done_testing
