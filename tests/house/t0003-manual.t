#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0003-manual.t - manual pages and completion say what --help says

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

for verb in $("$dftrace" help words | grep -v '^-'); do
    ok "--help of $verb" "$dftrace" "$verb" --help
    cmp_num "$("$dftrace" "$verb" --help | wc -l)" -le 40 "it has 40 lines at most"
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

# What a site configures: manual and commented example have every key.
conf=$top_builddir/etc/dftrace.conf.example
page=$(tr -d '\\' <"$top_builddir/doc/dftrace.conf.5")
for key in $("$dftrace" help site | sed -n 's/^\([a-z_]*\)=.*/\1/p'); do
    like "$page" "B $key =" "dftrace.conf(5) has $key"
    ok "dftrace.conf.example has $key" grep -q "^#$key = " "$conf"
done
page=$(tr -d '\\' <"$top_builddir/doc/dftrace-spank.8")
for key in $("$dftrace" help option | sed -n 's/^\([a-z_]*=\)$/\1/p') \
    $("$dftrace" help layers | awk '/^  / { print $1 }'); do
    like "$page" "B $key" "dftrace-spank(8) has $key"
done
is "$(grep -cvE '^(#|$)' "$conf")" 0 "the example says nothing"

page=$(tr -d '\\' <"$top_builddir/doc/dftrace-trace.5" | tr -s ', .\n' ' ')
missing=
for call in $(sed -nE 's/^CALL \([0-9]+, ([a-z_0-9]+),.*/\1/p' \
    "$top_srcdir/lib/format/calls.def"); do
    [[ " $page " == *" $call "* ]] || missing+=" $call"
done
is "$missing" "" "dftrace-trace(5) has every recorded call"
isnt "$call" "" "of which there are some"

for page in dftrace.1 dftrace.conf.5 dftrace-trace.5 dftrace-spank.8; do
    if command -v man >/dev/null; then
        is "$(man --warnings -l "$top_builddir/doc/$page" 2>&1 >/dev/null)" "" \
            "man has no complaint about $page"
    else
        skip "no man here" "man has no complaint about $page"
    fi
done

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
like "$(complete_words dftrace sweep resume --same)" "--same-nodes " "completes an option of a verb of sweep"
if zsh -fc 'zmodload zsh/zpty && zpty try true' 2>/dev/null; then
    # Keys that are typed in an interactive zsh: the line after a tab.
    mkdir "$tmp/functions"
    cp "$top_srcdir/etc/completions.zsh" "$tmp/functions/_dftrace"
    while IFS='|' read -r typed want; do
        printf '%s\n' "$typed"
        printf '%s\n' "$want" >&3
    done >"$tmp/typed" 3>"$tmp/want" <<'END'
dftrace ana|dftrace analyze
dftrace analyze --view fi|dftrace analyze --view file
dftrace analyze --format=cs|dftrace analyze --format=csv
dftrace run -l posix,mm|dftrace run -l posix,mmap
dftrace compare --lim|dftrace compare --limit=
dftrace sweep sub|dftrace sweep submit
END
    PATH=$tmp/bin:$PATH HOME=$tmp timeout 60 zsh -f "$top_srcdir/tests/house/typed.zsh" \
        "$tmp/lines" "$tmp/functions" <"$tmp/typed" >/dev/null 2>&1
    is "$(cat "$tmp/lines")" "$(cat "$tmp/want")" "zsh completes what is typed"
else
    skip "no zsh here, or no pseudo terminals" "zsh completes what is typed"
fi
is "$(complete_words dftrace help lay)" "layers " "completes a topic"
is "$(complete_words dftrace analyze --view fi)" "file " "completes a view"
is "$(complete_words dftrace analyze --format = c)" "csv " "a value behind ="
is "$(complete_words dftrace analyze --format=c)" "csv " "the same where = does not divide words"
is "$(complete_words dftrace analyze --view = rank,dire)" "rank,directory " "the last word of a list"
is "$(complete_words dftrace run -l posix,ap)" "posix,app " "a value behind a letter"
is "$(complete_words dftrace compare --lim)" "--limit= " "an option with a value"

is "$(complete_words dftrace stat --format j)" "jsonl " "the formats of stat are its own"
is "$(complete_words dftrace sweep results --format j)" "json " "a value of a verb of sweep"
is "$(complete_words dftrace sweep status --only timeo)" "timeout " "a state of runs"

# The same letter is the same option in every verb, and the same option has the same letter.
verbs=$("$dftrace" help words | grep -v '^-')
for verb in $verbs $("$dftrace" sweep --help | awk '/^  [a-z]/ { print "sweep/" $1 }'); do
    # shellcheck disable=SC2086
    "$dftrace" ${verb/\// } --help-all 2>/dev/null
done | grep -oE '^(  -[a-zA-Z], |      )--[a-z-]+' | tr -d ' ' | sort -u >"$tmp/letters"
is "$(grep , "$tmp/letters" | cut -d, -f1 | uniq -d)" "" "a letter is one option"
is "$(sed 's/.*,//' "$tmp/letters" | sort | uniq -d)" "" "an option has its letter in every verb"
is "$(grep -cE -e '^(-f,--format|-n,--top|-w,--where|-v,--view)$' "$tmp/letters")" 4 \
    "format, top, where and view have letters"
is "$(grep -cE -e '^--(json|csv)$' "$tmp/letters")" 0 "no verb has another word for a format"

# The nearest word.
near() { # WORDS WANTED
    # shellcheck disable=SC2086
    like "$("$dftrace" $1 2>&1)" "$2" "dftrace $1: $2 is offered"
}
near "help flies" "dftrace help files"
near "help cpu_wiat" "dftrace help cpu_wait"
mkdir "$tmp/a job"
like "$("$dftrace" analyze -v "$tmp/a job" 2>&1)" "a path, not a view" "analyze -v DIR: it is no view"
near "help job_tiem" "dftrace help job_time"
like "$("$dftrace" help file)" "^file, files.csv: " "a view has a help of its own"
like "$("$dftrace" help job_time)" "^job_time, s" "and so has a metric"
like "$("$dftrace" help sync_stall "$tmp/a job")" "dftrace analyze --view insight $tmp/a job" \
    "a rule has commands with the job's path"

done_testing
