# SPDX-License-Identifier: MIT
#
# preload.sh - helpers of the tests of the preload library; after lib.sh
#
#   traced DIR COMMAND…     run it traced into job directory $tmp/DIR
#   events DIR              its events, one per line (tests/tools/dump)
#   waits DIR               its waits, which events leaves out: how long each takes
#                           depends on the machine
#   health DIR KEY          sum of a number of the health lines
#   astray                  shards where none belong; others may work there,
#                           so only names as the library gives them, host first
#   rows                    stdin: lines of events -> "N call" sorted
#   numbered_alike          0: layer kernel's numbers of processes are those of the library
#   alike NAME COMMAND…     one test: untraced and traced (job directory
#                           $tmp/NAME) end with the same status, output and
#                           errors, which are then in $tmp/out, $tmp/err;
#                           before each run, `fresh` makes the place ready;
#                           $plain_ms, $with_ms: how long they took

victims=$top_builddir/tests/victims
library=$top_builddir/preload/.libs/libdftrace_preload.so

export DFTRACE_PRELOAD=$library

[ -e "$library" ] || skip_all "no preload library was built"
[ "$(nm -D "$library" 2>/dev/null | grep -c ' U __\(asan\|tsan\|ubsan\)')" = 0 ] ||
    skip_all "a sanitizer's runtime must come before everything preloaded"

# Not in a namespace of processes: layer kernel has the numbers of the first one.
numbered_alike ()
{
    [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]
}

traced ()
{
    local dir=$tmp/$1
    shift
    "$dftrace" run -q -o "$dir" -- "$@"
}

astray ()
{
    find /tmp /dev/shm -maxdepth 1 -name "$(uname -n | cut -d. -f1)*-*-*.dft" \
        2>/dev/null | sort
}

events ()
{
    local shards=("$tmp/$1"/shards/*.dft)
    [ -e "${shards[0]}" ] || return 0
    "$top_builddir/tests/tools/dump" "${shards[@]}" | grep -v '^#\|^[0-9]* [0-9]* wait_'
}

waits ()
{
    "$top_builddir/tests/tools/dump" "$tmp/$1"/shards/*.dft | grep '^[0-9]* [0-9]* wait_'
}

health ()
{
    "$top_builddir/tests/tools/dump" "$tmp/$1"/shards/*.dft | sed -n "s/^#health.* $2=\([0-9]*\).*/\1/p" |
        awk '{ n += $1 } END { print n + 0 }'
}

# not_events JOB: calls that are counted in its profiles, or lost
not_events () { echo $(($(health "$1" lost) + $(health "$1" counted))); }

# processes JOB: how many the trace has
processes ()
{
    "$top_builddir/tests/tools/dump" "$tmp/$1"/shards/*.dft | sed -n 's/^#health.* processes=\([0-9]*\).*/\1/p' |
        awk '{ n += $1 } END { print n + 0 }'
}

rows ()
{
    awk '{ print $3 }' | sort | uniq -c | awk '{ print $1, $2 }'
}

fresh () { :; }
alike_limit=120 # seconds
run_options=    # of dftrace run, as words

alike ()
{
    local name=$1 plain=0 with=0 began
    shift
    fresh
    began=${EPOCHREALTIME/./}
    # bash has a line of its own for who is killed
    { (timeout -k 5 $alike_limit "$@") >"$tmp/plain.out" 2>"$tmp/plain.err" </dev/null || plain=$?; } 2>/dev/null
    plain_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
    fresh
    rm -rf "${tmp:?}/$name"
    began=${EPOCHREALTIME/./}
    # timeout itself is not to leave a trace
    {
        # shellcheck disable=SC2086 # words
        (timeout -k 5 $alike_limit "$dftrace" run -q $run_options -o "$tmp/$name" -- "$@") \
            >"$tmp/out" 2>"$tmp/err" </dev/null || with=$?
    } 2>/dev/null
    with_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
    if [ "$plain" = "$with" ] && [ "$plain" != 127 ] && cmp -s "$tmp/plain.out" "$tmp/out" &&
        cmp -s "$tmp/plain.err" "$tmp/err"; then
        pass "$name: the same traced and untraced"
    else
        fail "$name: the same traced and untraced"
        diag "status $plain, traced $with; output and errors, traced >:"
        diag "$(diff "$tmp/plain.out" "$tmp/out" | head -n 20)"
        diag "$(diff "$tmp/plain.err" "$tmp/err" | head -n 20)"
    fi
}
