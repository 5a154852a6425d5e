#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The test helpers themselves: a helper that cannot fail proves nothing.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# Run a small test script that uses the helpers; its TAP and exit status.
script ()
{
    printf '. "$top_srcdir/tests/lib.sh"\n%s\n' "$1" >"$tmp/script"
    tap=$(bash "$tmp/script" 2>&1)
    status=$?
}

script 'plan 2; is a a "same"; is a b "not same"'
is "$status" 1 "a failed test fails the script"
like "$tap" '^1..2.ok 1 - same.not ok 2 - not same' "is"

script 'plan 2; pass one'
is "$status" 1 "a missing test fails the script"

script 'plan 1; ok "true" true'
is "$status" 0 "ok passes"
script 'plan 1; ok "false" false'
is "$status" 1 "ok fails"
script 'plan 1; ok "test 1 -eq 2"'
like "$status:$tap" "^1:.*not ok 1 - test 1 -eq 2" "ok with one argument"
script 'plan 1; nok "true" true'
is "$status" 1 "nok fails"
script 'like "abc" "x+" no; done_testing'
is "$status" 1 "like fails"
script 'cmp_num 3 -lt 2 no; done_testing'
is "$status" 1 "cmp_num fails"
script 'cmp_num "" -eq 0 no; done_testing'
is "$status" 1 "cmp_num needs numbers"
script 'exits 3 "three" sh -c "exit 2"; done_testing'
is "$status" 1 "exits fails"
script 'exits 3 "three" sh -c "exit 3"; done_testing'
is "$status" 0 "exits passes"
script 'skip_all "no such thing"'
is "$tap:$status" "1..0 # SKIP no such thing:0" "skip_all"

script 'echo "$tmp"; at_exit "echo gone >$tmp.mark"; done_testing'
dir=$(head -n 1 <<<"$tap")
nok "the temporary directory is removed" test -e "$dir"
ok "at_exit ran" test -e "$dir.mark"
rm -f -- "$dir.mark"

done_testing
