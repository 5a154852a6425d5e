# SPDX-License-Identifier: MIT
#
# preload.sh - helpers of the tests of the preload library; after lib.sh
#
#   traced DIR COMMAND…     run it traced into job directory $tmp/DIR
#   events DIR              its events, one per line (tests/victims/dump)
#   health DIR KEY          sum of a number of the health lines
#   rows                    stdin: lines of events -> "N call" sorted

victims=$top_builddir/tests/victims
library=$top_builddir/preload/.libs/libdftrace_preload.so

export DFTRACE_PRELOAD=$library

[ -e "$library" ] || skip_all "no preload library was built"
[ "$(nm -D "$library" 2>/dev/null | grep -c ' U __\(asan\|tsan\|ubsan\)')" = 0 ] ||
    skip_all "a sanitizer's runtime must come before everything preloaded"

traced ()
{
    local dir=$tmp/$1
    shift
    "$dftrace" run -q -o "$dir" -- "$@"
}

events ()
{
    local shards=("$tmp/$1"/shards/*.dft)
    [ -e "${shards[0]}" ] || return 0
    "$victims/dump" "${shards[@]}" | grep -v '^#'
}

health ()
{
    "$victims/dump" "$tmp/$1"/shards/*.dft | sed -n "s/^#health.* $2=\([0-9]*\).*/\1/p" |
        awk '{ n += $1 } END { print n + 0 }'
}

rows ()
{
    awk '{ print $3 }' | sort | uniq -c | awk '{ print $1, $2 }'
}
