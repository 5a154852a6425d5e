#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0003-manual.t - manual pages and completion say what --help says

. "${top_srcdir:-.}/tests/lib.sh"

for verb in $("$dftrace" help words | grep -v '^-'); do
    ok "--help of $verb" "$dftrace" "$verb" --help
    [ "$verb" != help ] || continue
    page=$top_builddir/doc/dftrace-$verb.1
    [ -r "$page" ] || page=$top_srcdir/doc/dftrace-$verb.1
    ok "$verb has a page" test -s "$page"
    missing=
    for word in $("$dftrace" "$verb" --help-words 2>/dev/null); do
        word=${word%=}
        [ "$word" = --help ] || tr -d '\\' <"$page" | grep -q -e "$word" ||
            missing+=" $word"
    done
    is "$missing" "" "the page of $verb has its options"
done

page=$(tr -d '\\' <"$top_builddir/doc/dftrace.1")
for word in $("$dftrace" help words | grep -v '^-') \
    $("$dftrace" help settings | grep -oE '^DFTRACE_[A-Z_]+') \
    $("$dftrace" help layers | awk '/^  / { print $1 }'); do
    like "$page" "B $word" "dftrace(1) has $word"
done

if command -v man >/dev/null; then
    is "$(man --warnings -l "$top_builddir/doc/dftrace.1" 2>&1 >/dev/null)" "" \
        "man has no complaint"
else
    skip "no man here" "man has no complaint"
fi

# Completion, as bash asks for it.
mkdir "$tmp/bin"
ln -s "$dftrace" "$tmp/bin/dftrace"
complete_words() {
    PATH=$tmp/bin:$PATH bash -c '
        . "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _dftrace 2>/dev/null
        printf "%s " "${COMPREPLY[@]}"' - "$top_srcdir/etc/completions.bash" "$@"
}
is "$(complete_words dftrace an)" "analyze " "completes a verb"
like "$(complete_words dftrace analyze --for)" "--format= " "completes an option"
is "$(complete_words dftrace sweep sub)" "submit " "completes a verb of sweep"
is "$(complete_words dftrace help lay)" "layers " "completes a topic"

done_testing
