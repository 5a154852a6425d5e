# SPDX-License-Identifier: MIT
#
# lines.sh - helpers of the tests of shards/processes.HOST; after preload.sh
#
#   lines DIR                its lines of traced processes
#   word LINE NAME           "READ WRITTEN" of a word, "- -": it is not there
#   coverage DIR PART        the same of a row of the view coverage

lines ()
{
    grep -hs ^traced "$tmp/$1"/shards/processes.*
}

word ()
{
    sed -n "s/.* $2=\([0-9]*\),\([0-9]*\).*/\1 \2/p" <<<"$1" | grep . || echo - -
}

coverage ()
{
    "$dftrace" analyze --no-write --view coverage --format csv "$tmp/$1" |
        awk -F, -v part="$2" '$1 == part && $2 != "" { print $2, $4; n++ }
            END { if (!n) print "- -" }'
}
