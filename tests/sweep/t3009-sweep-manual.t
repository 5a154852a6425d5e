#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3009-sweep-manual.t - dftrace-sweep(1) has every verb, option, key, state

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

page=$(tr -d '\\' <"$top_srcdir/doc/dftrace-sweep.1" | sed 's/f[BIR]//g; s/"//g')
has() { # word: is it in the page as a word?
    grep -qE -e "(^|[^a-z_-])$1([^a-z_-]|\$)" <<<"$page"
}
for verb in $("$dftrace" sweep --help | awk '/^  [a-z]/ { print $1 }'); do
    missing=
    has "dftrace sweep $verb" || missing+=" $verb"
    for word in $("$dftrace" sweep "$verb" --help-words); do
        word=${word%=}
        [ "$word" = --help ] || has "$word" || missing+=" $word"
    done
    is "$missing" "" "$verb and its options"
    ok "$verb --help has an example" grep -q '^  \$ dftrace sweep' <("$dftrace" sweep "$verb" --help)
done
missing=
for key in $("$dftrace" sweep plan --keys | awk '/^[a-z]/ { print $1 }'); do
    has "${key##*.}" || missing+=" $key"
done
is "$missing" "" "every key of a sweep file"
for state in $(sed -n 's/^    \[OUTCOME_[A-Z_]*\] = {"\([a-z-]*\)".*/\1/p' \
    "$top_srcdir/sweep/spec/spec_sections.c"); do
    ok "the state $state" has "$state"
done
for name in $(sed -n 's/^    own\[\] = //; s/.*set (v, "\(SWEEP_[A-Z_]*\)".*/\1/p' \
    "$top_srcdir/sweep/run/runner.c" | sort -u); do
    ok "the variable $name" has "$name"
done
if command -v man >/dev/null; then
    is "$(man --warnings -l "$top_srcdir/doc/dftrace-sweep.1" 2>&1 >/dev/null)" "" \
        "man has no complaint"
else
    skip "no man here" "man has no complaint"
fi

done_testing
