#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7080-releases.t - `make check-slurm SLURM=…` says what it cannot run
#
# What it runs needs a Slurm of each release: see doc/admin.md.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

check=$top_srcdir/tests/releases/check-slurm.sh
export SLURM_BUILDS=$tmp/builds
exits 2 "no prefix" "$check"
like "$(cat "$tmp/err")" "no Slurm named: next step: make check-slurm SLURM=" "and what to do"
exits 2 "a prefix without a Slurm" "$check" "$tmp"
if [ "$(id -u)" = 0 ]; then
    like "$(cat "$tmp/err")" "$tmp: no sbin/slurmctld: next step: name the --prefix" "is named"
    exits 2 "no such test" env SLURM_TESTS=t1234 "$check" /usr
    like "$(cat "$tmp/err")" "t1234: no such test" "is named, too"
    # all there, but no release: nothing is built for it
    mkdir -p "$tmp/p"/{bin,sbin,include/slurm}
    touch "$tmp/p/bin/sbatch" "$tmp/p/sbin"/slurm{d,ctld} "$tmp/p/include/slurm/spank.h"
    exits 2 "a slurmctld that does not run" "$check" "$tmp/p"
    like "$(cat "$tmp/err")" "slurmctld -V says no release" "is said"
    # a release that cannot have several nodes on one host
    printf '#!/bin/sh\necho slurm 25.05.1\n' >"$tmp/p/sbin/slurmctld"
    chmod +x "$tmp/p/sbin/slurmctld"
    mkdir "$tmp/p/lib"
    printf 'x\0Duplicated NodeHostName %%s in the config file\0' >"$tmp/p/lib/libslurmfull.so"
    exits 2 "a Slurm built for one slurmd on a host" "$check" "$tmp/p"
    like "$(cat "$tmp/err")" "one node only: next step: configure --enable-multiple-slurmd" "is said before anything is built"
else
    like "$(cat "$tmp/err")" "run it as root" "needs root"
fi
nok "nothing was built" test -e "$tmp/builds"
like "$(env -u OLD_SLURM -u NEW_SLURM "$top_srcdir/tests/releases/upgrade.t")" \
    "^1..0 # SKIP OLD_SLURM and NEW_SLURM" "the upgrade alone says what it needs"

done_testing
