#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-slurm.sh - the tests on a private Slurm, on any number of releases
#
# In:  prefixes with bin/, sbin/ and include/slurm/; root; no network
#      SLURM_TESTS: which tests of tests/slurm, by their numbers (t9035 …)
# Out: DIR/RELEASE/ for each: a build whose plugin is of that release, log/;
#      a table; status 1 where a test failed, 2 for what the caller must change
#
# Then each release is upgraded to the next one with jobs running (upgrade.t).

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_srcdir=${top_srcdir:-$(cd "$here/../.." && pwd)}
dir=${SLURM_BUILDS:-${top_builddir:-$PWD}/releases}
tests=${SLURM_TESTS:-t9000 t9010 t9012 t9020 t9030 t9035 t9036 t9037 t9038 t9040 t9045 t9050}
TEST_SECONDS=900
export top_srcdir

refuse() {
    printf 'check-slurm: %s\n' "$*" >&2
    exit 2
}

[ $# -gt 0 ] ||
    refuse "no Slurm named: next step: make check-slurm SLURM='/opt/slurm-24.05 /opt/slurm-25.11'"
[ "$(id -u)" = 0 ] || refuse "slurmd changes user: next step: run it as root"
for t in $tests; do
    compgen -G "$top_srcdir/tests/slurm/$t-*.t" >/dev/null ||
        refuse "SLURM_TESTS: $t: no such test in tests/slurm"
done

# of PREFIX: "25.11.7"
release_of() {
    "$1/sbin/slurmctld" -V 2>/dev/null | sed -n 's/^slurm[^ ]* \([0-9.]*\).*/\1/p'
}

sorted=()
while read -r prefix; do
    sorted+=("$prefix")
done < <(for prefix in "$@"; do
    printf '%s %s\n' "$(release_of "$prefix")" "$prefix"
done | sort -V | cut -d ' ' -f 2-)
for prefix in "${sorted[@]}"; do
    for f in sbin/slurmctld sbin/slurmd bin/sbatch include/slurm/spank.h; do
        [ -e "$prefix/$f" ] ||
            refuse "$prefix: no $f: next step: name the --prefix of an installed Slurm"
    done
    [ -n "$(release_of "$prefix")" ] ||
        refuse "$prefix: slurmctld -V says no release: next step: run it by hand"
    # what only a build for one slurmd on each host has to say
    ! grep -rqF 'Duplicated NodeHostName %s in the config file' "$prefix/lib" 2>/dev/null ||
        refuse "$prefix: one host can have one node only: next step: configure --enable-multiple-slurmd"
done

# A build of ours for that Slurm, as doc/admin.md says.
build() {
    mkdir -p "$2/log" && cd "$2" || return 1
    [ -e Makefile ] ||
        "$top_srcdir/configure" --quiet --with-slurm="$1" --enable-spank=required || return 1
    make -s -j "$(nproc)"
}

# The number in the plugin that Slurm compares with its own.
api_of() {
    printf '#include <slurm/spank.h>\nslurm_version_number SLURM_VERSION_NUMBER\n' |
        ${CC:-cc} -I"$1/include" -E -P -x c - 2>/dev/null |
        sed -n 's/^slurm_version_number *//p'
}

# shadow PREFIX COMMAND…: where this machine has a Slurm in /usr, too, its
# commands are those of PREFIX: a job with --export=NONE has the PATH of a login.
# shellcheck disable=SC2016 # expands there
shadow='prefix=$1
shift
for f in "$prefix"/bin/* "$prefix"/sbin/*; do
    for place in /usr/bin /usr/sbin; do
        [ "$place/${f##*/}" -ef "$f" ] || [ ! -e "$place/${f##*/}" ] ||
            mount --bind "$f" "$place/${f##*/}" || exit 99
    done
done
exec "$@"'

# run LOG PREFIX ENV… TEST: its TAP, counted
sums=(0 0 0)
run() {
    local log=$1 status
    shift
    (cd / && timeout -k 10 $TEST_SECONDS unshare --mount bash -c "$shadow" shadow \
        "$1" env PATH="$1/bin:$1/sbin:$PATH" "${@:2}") >"$log" 2>&1 </dev/null
    status=$?
    [ $status -le 1 ] || echo "not ok - ended with status $status" >>"$log"
    grep -q '^\(not \)\?ok\|^1\.\.0' "$log" || echo "not ok - no test ran" >>"$log"
    grep '^not ok' "$log" | sed "s,^,        ${log##*/}: ,"
    sums[0]=$((sums[0] + $(grep '^ok' "$log" | grep -vciE '# *skip')))
    sums[1]=$((sums[1] + $(grep -c '^not ok' "$log")))
    sums[2]=$((sums[2] + $(grep -ciE '^ok.*# *skip|^1\.\.0' "$log")))
}

table=
row() {
    table+=$(printf '| %s | %s | %s | %s | %s | %s s |' "$@")$'\n'
    [ "$4" = 0 ] || failed=1
}

failed=0
last='' last_build=''
for prefix in "${sorted[@]}"; do
    release=$(release_of "$prefix")
    began=$SECONDS
    sums=(0 0 0)
    echo "Slurm $release ($prefix)"
    mkdir -p "$dir"
    if (build "$prefix" "$dir/$release") >"$dir/$release.log" 2>&1; then
        for t in $tests; do
            for file in "$top_srcdir/tests/slurm/$t"-*.t; do
                run "$dir/$release/log/${file##*/}" "$prefix" \
                    top_builddir="$dir/$release" "$file"
            done
        done
    else
        sums[1]=1
        echo "        no build for it: see $dir/$release.log"
        tail -n 5 "$dir/$release.log" | sed 's/^/        | /'
    fi
    row "$release" "$(api_of "$prefix")" "${sums[@]}" $((SECONDS - began))
    if [ -n "$last" ]; then
        began=$SECONDS
        sums=(0 0 0)
        echo "Slurm $(release_of "$last") to $release"
        run "$dir/$release/log/upgrade.t" "$last" OLD_SLURM="$last" NEW_SLURM="$prefix" \
            top_builddir="$last_build" new_builddir="$dir/$release" "$here/upgrade.t"
        row "$(release_of "$last") to $release" "" "${sums[@]}" $((SECONDS - began))
    fi
    last=$prefix
    last_build=$dir/$release
done
printf '\n| Slurm | plugin API | passed | failed | skipped | time |\n|---|---|---|---|---|---|\n%s' \
    "$table"
exit $failed
