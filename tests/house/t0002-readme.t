#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0002-readme.t - the commands of the README's tour work as they stand

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

for tool in python3 zgrep; do
    command -v $tool >/dev/null || skip_all "no $tool here"
done

# Each block of the tour as it stands, in a file of its own.
mkdir "$tmp/blocks"
awk -v dir="$tmp/blocks" '
    /^## / { wanted = $0 == "## Five minutes without Slurm"; inside = 0; next }
    !wanted { next }
    /^    / {
        if (!inside) { inside = 1; n++ }
        print substr($0, 5) >sprintf("%s/%02d", dir, n)
        next
    }
    /^$/ { if (inside) print "" >sprintf("%s/%02d", dir, n); next }
    { inside = 0 }
' "$top_srcdir/README.md"

cmp_num "$(cat "$tmp"/blocks/* | grep -c '^dftrace')" -ge 7 \
    "README has commands"

mkdir "$tmp/bin" "$tmp/work"
ln -s "$dftrace" "$tmp/bin/dftrace"
export PATH=$tmp/bin:$PATH
DFTRACE_PRELOAD=$top_builddir/preload/.libs/libdftrace_preload.so
export DFTRACE_PRELOAD
# As `make install` would put it.
export HOME=$tmp/home
mkdir -p "$HOME/.local/dftrace"
ln -s "$top_srcdir/preload/app/include" "$HOME/.local/dftrace/include"
cd "$tmp/work" || exit 99

for block in "$tmp"/blocks/*; do
    name="${block##*/}: $(head -n 1 "$block")"
    # what installs packages and dftrace: `make check-walk` does it
    grep -qE '^(apt-get|\./bootstrap) ' "$block" && continue
    bash -e "$block" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    is $status 0 "$name"
    [ $status -eq 0 ] || sed 's/^/# /' "$tmp/err" "$tmp/out"
done

like "$("$dftrace" sweep results demo)" "4096 .*10 " \
    "the tour's sweep has its rows"

done_testing
