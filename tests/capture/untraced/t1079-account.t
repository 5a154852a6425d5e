#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1079-account.t - each process that a traced one starts ends as traced or as
# not traced, with its name and reason, in job.json, tables, page, first screen

. "${top_srcdir:-$(dirname "$0")/../../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
echo 'int main (void) { return 7; }' >main.c
"$cc" -static -o fixed main.c 2>/dev/null || skip_all "no static libc"
cp fixed other
echo data >file
loader=$(ldd "$(type -P cat)" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld[^ ]*\) .*/\1/p' | head -n 1)

# rows JOB: host-independent rows of the process view that were not traced
gone ()
{
    "$dftrace" analyze "$1" --view process --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
            $c["state"] != "traced" { print $c["state"], $c["reason"], $c["exe"] }' | sort
}
# value JOB KEY: of health in metrics.json
value ()
{
    sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1/metrics.json" | head -n 1
}
# account JOB: what all readers of it say
account ()
{
    "$dftrace" analyze "$1" >"$1.screen" 2>"$1.told"
    echo "$(value "$1" complete) $(value "$1" untraced_processes) $(value "$1" untraced_wanted)"
}

# --- not traced, and why ----------------------------------------------------

exits 0 "a script starts static programs" "$dftrace" run -q -o some \
    bash -c 'cat file; ./fixed; ./fixed; ./other; :'
is "$(account some)" "false 3 0" "three were not traced: the job is not complete"
is "$(gone some)" "not traced static $tmp/fixed
not traced static $tmp/fixed
not traced static $tmp/other" "a row each, with the reason"
like "$(cat some.screen)" "not traced: 3 processes: 2 × fixed \(static\), 1 × other \(static\)" \
    "one line of the first screen"
is "$(grep -c 'not traced' some.told)" 0 "and none beside it"
like "$("$dftrace" stat some)" "not traced: 3 processes: 2 × fixed \(static\), 1 × other \(static\)" \
    "dftrace stat has the same list"
is "$(grep -c '"exe": ' some/job.json)" 2 "job.json has each program"
"$dftrace" report some -o page.html >/dev/null 2>&1
like "$(cat page.html)" "Not traced: 3 processes: 2 × fixed \(static\), 1 × other \(static\)" "the page has the line"

# The shards have gone: job.json keeps the list.
"$dftrace" merge -q some 2>/dev/null
cp -r some merged && rm -r merged/shards
is "$(account merged)" "false 3 0" "merged: the same"
if [ "$(id -u)" = 0 ] && chown 65534 other 2>/dev/null; then
    exits 0 "a job of another user" "$dftrace" run -q -o theirs bash -c 'cat file; ./fixed; :'
    jq 'del (.untraced, .untraced_read)' theirs/job.json >before && cp before theirs/job.json
    chown 65534 theirs/job.json
    "$dftrace" analyze theirs >/dev/null 2>&1
    is "$(stat -c %u theirs/job.json)" 65534 "its job.json stays that user's"
    chown 0 other
fi

# --- traced after all --------------------------------------------------------

if [ -n "$loader" ]; then
    exits 0 "the loader starts a program" "$dftrace" run -q -o loaded \
        bash -c "$loader $(type -P cat) file; :"
    is "$(account loaded)" "true 0 0" "its program was traced: no row"
    is "$(gone loaded)" "" "in the process view"
    unlike "$(cat loaded.screen)" "not traced" "nor on the first screen"
    is "$(grep -c '"exe"' loaded/job.json)" 0 "nor in job.json"
    exits 0 "dftrace run starts the loader" "$dftrace" run -q -o direct "$loader" "$(type -P cat)" file
    is "$(account direct)" "true 0 0" "no row, either"
    exits 0 "a program that records nothing" "$dftrace" run -q -o silent \
        bash -c "cat file; $loader $(type -P true); ./fixed; :"
    is "$(account silent)" "false 1 0" "was traced, too"
else
    skip "no loader" "the loader starts a program"
fi
exits 0 "an exec that fails" "$dftrace" run -q -o failed \
    bash -c 'cat file; ./fixed "$(head -c 200000 /dev/zero | tr "\0" x)" 2>/dev/null; :'
is "$(gone failed)" "" "is no process"

# --- as the user wanted it ------------------------------------------------------

DFTRACE_EXCLUDE_EXE='*fixed' exits 0 "a program that is left out" "$dftrace" run -q -o wanted \
    bash -c 'cat file; ./fixed; :'
is "$(account wanted)" "true 1 1" "is counted, and the job is complete"
is "$(gone wanted)" "not traced excluded $tmp/fixed" "with the reason"
cp fixed ldconfig
exits 0 "ldconfig, which Python starts to find libraries" "$dftrace" run -q -o found \
    bash -c 'cat file; ./ldconfig; :'
is "$(account found)" "true 1 1" "is left out by default"
exits 0 "three of them" "$dftrace" run -q -o three bash -c 'cat file; ./ldconfig; ./ldconfig; ./ldconfig; :'
is "$(account three; grep "^not traced" three.screen)" "true 3 3
not traced: 3 processes: 3 × ldconfig (excluded)" "are one line of the first screen"
DFTRACE_EXCLUDE_EXE='*fixed' exits 0 "one that is, and one that is not" "$dftrace" run -q -o both \
    bash -c 'cat file; ./fixed; ./other; :'
is "$(account both)" "false 2 1" "are told apart"

# --- a list that ended --------------------------------------------------------

for ((i = 0; i < 1500; i++)); do
    printf 'untraced %d /%012000d/x static @1\n' $((100000 + i)) 0
done >lines
cp -r wanted full && cp lines "full/shards/$(cd full/shards && echo processes.*)"
is "$(account full | cut -d' ' -f1)" false "a list of 17 MiB"
like "$(cat full.screen)" "not traced: [0-9]+ or more processes: .*, more were not listed" "says that there were more"
: >"full/shards/$(cd full/shards && echo processes.*)"
ln -sf "$tmp/lines" full/shards/processes.other
is "$(account full) $(gone full)" "false 1 0 " "a link is not followed"
like "$(cat full.screen)" "not traced: 1 process: 1 × not known" "what was counted and is not listed is not known"

# --- a job that removes its own directory ---------------------------------------

if python=$(command -v python3); then
    for share in 1 0; do
        exits 0 "share=$share: a job that removes its directory" env DFTRACE_SHARE=$share \
            "$dftrace" run -o lost "$python" -S -c '
import shutil
for i in range (50): open ("file").read ()
shutil.rmtree ("lost")
for i in range (50): open ("file").read ()'
        unlike "$(cat err)" "no trace" "share=$share: has a trace"
        is "$(account lost | cut -d' ' -f1)" false "share=$share: is not complete"
        cmp_num "$(value lost lost_events)" -ge 200 "share=$share: what was lost is counted"
        rm -r lost
    done
    exits 0 "a place that is gone altogether" "$dftrace" run -q -o deep/lost "$python" -S -c '
import shutil
open ("file").read ()
shutil.rmtree ("deep")
open ("file").read ()'
    nok "is not made again" test -e deep
else
    skip "no python3" "a job that removes its directory"
fi

done_testing
