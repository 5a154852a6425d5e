#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5330-sets.t - names of the trace points that come with dftrace, in what is
# installed here: a new version that moves one is found out

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"
export PYTHONWARNINGS=ignore

for set in "$top_srcdir"/preload/app/python/dftrace/points/*.points; do
    name=${set##*/}
    "$dftrace" points --python "$python" --import --all "$set" \
        >"$tmp/$name" 2>"$tmp/err"
    if ! grep -qE '^.*: (there|missing|optional): ' "$tmp/$name"; then
        skip "$(sed -n '1s/.*: elsewhere: [^ ]* //p' "$tmp/$name")" "$name"
        continue
    fi
    is "$(grep -E ': (missing|bad)(:|$)' "$tmp/$name")" "" \
        "$name: $(tail -n 1 "$tmp/$name")"
done

# Megatron-LM by its source, where somebody has it: export MEGATRON=DIR
if [ -n "${MEGATRON-}" ]; then
    exits 0 "megatron.points: in $MEGATRON" "$dftrace" points --python "$python" \
        --source "$MEGATRON" "$top_srcdir/preload/app/python/dftrace/points/megatron.points"
    like "$(cat "$tmp/out")" "names are there" "some are there"
else
    skip "no MEGATRON=DIR of a Megatron-LM" "megatron.points: in its source"
fi

done_testing
