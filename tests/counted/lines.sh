# SPDX-License-Identifier: MIT
#
# lines.sh - helpers of the tests of shards/counted.HOST; after preload.sh
#
#   lines DIR                its lines, without the host
#   word LINE NAME           "READ WRITTEN" of a word, "- -": it is not there

lines ()
{
    cat "$tmp/$1"/shards/counted.* 2>/dev/null
}

word ()
{
    sed -n "s/.* $2=\([0-9]*\),\([0-9]*\).*/\1 \2/p" <<<"$1" | grep . || echo - -
}
