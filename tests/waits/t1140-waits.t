#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1140-waits.t - calls that wait leave an event with their begin and end, and a
#                 slow call the time in which its thread had no processor

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

waiter=$top_builddir/tests/waits/waiter
cd "$tmp" || exit 99
export DFTRACE_WAITS=1

# spans JOB KIND: the durations of its exact waits of a kind, in order
spans ()
{
    waits "$1" | awk -v pid="$(waits "$1" | head -1 | cut -d' ' -f1)" \
        -v kind="wait_$2" '$1 == pid && $3 == kind && / flags=0 / {
            sub (/.* start=/, ""); split ($0, n, /[ =]/); print n[1], n[3] }' |
        sort -n | cut -d' ' -f2
}

traced calls "$waiter" calls "$tmp/f" >said
for kind in sleep poll pipe lock child; do
    name="$kind: as many, none longer than the program measured"
    awk -v k=$kind '$1 == k { print $2 }' said >measured
    if awk '$1 < 2e6 { exit 1 }' measured; then
        is "$(paste -d' ' measured <(spans calls $kind) |
            awk '{ print (NF == 2 && $2 <= $1 && $2 >= 1e6) ? "ok" : "program: " $1 " trace: " $2 }' |
            sort | uniq -c | awk '{ $1 = $1; print }')" "$(wc -l <measured) ok" "$name"
    else
        skip "what it waited for came before it waited" "$name"
    fi
done
is "$(spans calls sleep | awk '$1 < 29.9e6' | wc -l)" 0 "none shorter than it had to be"

# The start of a program by posix_spawn.
traced start "$waiter" start "$tmp/begun" >said
measured=$(sed -n 's/^child //p' said)
name="posix_spawn: no longer than the program measured"
if [ "$measured" -ge 2000000 ]; then
    told=$(spans start child | head -1)
    cmp_num "${told:-0}" -gt 0 "posix_spawn is told"
    cmp_num "${told:-0}" -le "$measured" "$name"
else
    skip "the writer came before it waited" "posix_spawn is told"
    skip "the writer came before it waited" "$name"
fi

alike errno "$waiter" errno "$tmp/f"
# on a busy machine a call has waited for a processor, too
is "$(waits errno | awk '/ flags=0 / && $3 != "wait_runq" { print $3 }' | sort | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" \
    "1 wait_pipe 2 wait_sleep " "calls that failed have waited, too"

rm -rf none
DFTRACE_WAITS=0 traced none "$waiter" calls "$tmp/f" >said2
is "$(waits none | wc -l)" 0 "waits=0 records none"
is "$(events none | wc -l)" "$(events calls | wc -l)" "and nothing else has changed"

# A call from the page cache is not slow by itself.
head -c 64M /dev/zero >large
traced read "$waiter" read "$tmp/large" >said
status=$?
if [ $status = 77 ]; then
    skip "no schedstat or affinity here" "a slow call has the time without a processor"
else
    runq=$(waits read | grep '^\([0-9]*\) \1 wait_runq .* flags=0 ' | sed 's/.* dur=\([0-9]*\).*/\1/' |
        awk '{ n += $1 } END { printf "%.0f", n }')
    cmp_num "$runq" -gt 0 "a slow call has the time without a processor"
    # the program looks at the kernel's count around its reads only
    cmp_num "$runq" -le $(($(sed -n "s/delay //p" said) * 11 / 10 + 100000000)) "which is not more than the kernel counted"
fi

# A process that recorded nothing else has no file for its waits, unless they took long.
began=$(date +%s%N)
traced quiet sh -c 'sleep 0.01; :'
if [ $(($(date +%s%N) - began)) -lt 250000000 ]; then
    is "$(waits quiet | wc -l)" 0 "who does no I/O gets no file"
else
    skip "the machine was too busy" "who does no I/O gets no file"
fi

# But what takes long is worth one.
traced nap sleep 0.4
cmp_num "$(waits nap | sed -n 's/.* wait_sleep .* dur=\([0-9]*\).*/\1/p')" -ge 400000000 \
    "a program that only sleeps: how long"
# Short children are told from the first one on: 0.9 s in all.
traced many bash -c 'for i in {1..30}; do sleep 0.03; done; :'
cmp_num "$(waits many | sed -n 's/.* wait_child .* dur=\([0-9]*\).*/\1/p' |
    awk '{ n += $1 } END { printf "%.0f", n }')" -ge 600000000 "a shell that starts many: how long"
traced compute "$waiter" compute - >said
# told PID: ns on a CPU
told () { waits compute | sed -n "s/^$1 .* wait_run .* dur=\([0-9]*\).*/\1/p" | awk '{ n += $1 } END { printf "%.0f", n }'; }
while read -r pid ns; do
    cmp_num "$(told "$pid")" -ge $((ns - 1000000)) "a program that only computes, and its child: how long"
    cmp_num "$(told "$pid")" -le $((ns + 100000000)) "and not longer"
done <said
done_testing
