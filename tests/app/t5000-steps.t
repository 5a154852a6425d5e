#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5000-steps.t - dftrace.h from C and C++: regions, counters, context

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

victims=$top_builddir/tests/victims

# events of a job: category, name and the rest, one line each
events() {
    "$dftrace" stat --events "$1" | cut -f5-
}

# one NAME FILE: the rest of the only event called NAME
rest_of() {
    awk -F'\t' -v n="$1" '$2 == n { print $3 }' "$2"
}

is "$("$victims/steps")" "off" "C: without tracing nothing happens"
exits 0 "C: traced" "$dftrace" run -q -o "$tmp/c" --layers app -- "$victims/steps"
is "$(cat "$tmp/out")" "on" "C: the program sees that it is traced"
events "$tmp/c" >"$tmp/c.txt"
is "$(rest_of item "$tmp/c.txt")" "image_idx=7 half=0.5 where=here" \
    "arguments of three types, one event for two ends"
is "$(rest_of broken "$tmp/c.txt")" "errno=71" "a failed region"
is "$(rest_of resident "$tmp/c.txt")" "value=4096" "a counter"
is "$(rest_of train "$tmp/c.txt" | sed 1q)" "value=0.25" "a counter of doubles"
is "$(rest_of instant "$tmp/c.txt")" "" "an instant"
is "$(rest_of metadata "$tmp/c.txt")" "model=tiny" "a fact"

like "$(grep 'compute	step' "$tmp/c.txt" | xargs)" \
    "step=1 .*step=2 .*step=3" "regions carry the step in which they began"
is "$(grep -c 'compute	step.*epoch=1' "$tmp/c.txt")" 3 "and the epoch"
like "$(rest_of own "$tmp/c.txt")" "^step=33 epoch=1$" "an argument of its own wins"
like "$(rest_of work "$tmp/c.txt")" "step=4" "another thread has it, too"
is "$(rest_of after "$tmp/c.txt")" "epoch=1" "until it ends"
like "$(rest_of full "$tmp/c.txt")" "third=3 fourth=4$" "four keys, not five"
is "$(grep -c 'pipeline	train	step' "$tmp/c.txt")" 0 \
    "a region around them is in none"

if ! command -v c++ >/dev/null 2>&1; then
    skip "no C++ compiler" "C++"
    done_testing
    exit 0
fi
for std in 11 17; do
    ok "C++$std: compiles" c++ -std=c++$std -Wall -Wextra -Werror \
        -I"$top_srcdir/preload/app/include" -o "$tmp/steps$std" \
        "$top_srcdir/tests/victims/steps.cpp"
    ok "C++$std: runs untraced" "$tmp/steps$std"
    exits 0 "C++$std: traced" "$dftrace" run -q -o "$tmp/cpp$std" \
        --layers app -- "$tmp/steps$std"
    events "$tmp/cpp$std" >"$tmp/cpp.txt"
    is "$(rest_of args "$tmp/cpp.txt")" "idx=3 d=0.5 t=text" "C++$std: arguments"
    is "$(rest_of thrown "$tmp/cpp.txt")" "errno=71" \
        "C++$std: an exception fails the scope"
    is "$(rest_of outer "$tmp/cpp.txt")$(rest_of inner "$tmp/cpp.txt")" "" \
        "C++$std: others have not failed"
done
is "$(rest_of unwinding "$tmp/cpp.txt")" "" \
    "C++17: nor what runs while it unwinds"

done_testing
