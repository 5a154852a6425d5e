#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1035-tables.t - processes and threads whose table of descriptors is not that
# of their memory: each write belongs to the file that the kernel wrote

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99

for how in clone unshare close_range; do
    mkdir "$how.work" && cd "$how.work" || exit 99
    status=0
    traced "$how" "$victims/odd/tables" "$how" || status=$?
    cd .. || exit 99
    if [ "$status" = 77 ]; then
        skip "not allowed here" "$how: 10 writes to the first file, 30 to the second"
        continue
    fi
    is "$status" 0 "$how: the program ran"
    is "$(stat -c %s "$how.work/second")" 15000 "$how: the kernel has the writes in the second file"
    is "$(events "$how" | awk '$3 == "write"' | grep -c "file=$tmp/$how.work/first ") $(events "$how" |
        awk '$3 == "write"' | grep -c "file=$tmp/$how.work/second ")" "10 30" \
        "$how: 10 writes to the first file, 30 to the second"
    is "$(not_events "$how")" 0 "$how: nothing was lost"
    # at offsets that are right where they are known
    is "$(events "$how" | sed -n "s|.* write .*file=$tmp/$how.work/second .* off=\([0-9]*\) .*|\1|p" |
        sort -n | uniq -d)" "" "$how: no offset twice"
done

done_testing
