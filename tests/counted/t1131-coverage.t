#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1131-coverage.t - the kernel's count of a job is the sum of what is recorded
#     and what is left out

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

moves=$top_builddir/tests/counted/moves
[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
mkdir "$tmp/data"

# --- known bytes --------------------------------------------------------------

traced one "$moves" "$tmp/data"
is "$(coverage one recorded)" "3765 16062" "recorded: the results of calls"
is "$(coverage one 'left out: pipes')" "1529 1529" "pipes, of both processes"
is "$(coverage one 'left out: sockets')" "1500 2000" "sockets"
is "$(coverage one 'left out: devices')" "4000 5000" "devices"
is "$(coverage one 'left out: files in memory')" "0 3000" "files in memory"
is "$(coverage one 'left out: system files')" "6 0" "system files"
is "$(coverage one 'left out: programs and libraries')" "100 0" "programs"
is "$(coverage one 'buffers of streams')" "4086 0" "what libc reads ahead"
is "$(coverage one 'not traced')" "0 0" "all was traced"
is "$(coverage one rest)" "0 0" "no byte is left"
like "$("$dftrace" analyze --no-write "$tmp/one")" \
    "read, 1[0-9]\.[0-9] % recorded; " "the first screen says so"

traced two "$moves" exec "$tmp" "$moves" "$tmp/data"
is "$(coverage two 'left out: devices')" "4000 5700" "a program that becomes another one: both"
is "$(coverage two rest)" "0 0" "and no byte is left"

DFTRACE_LAYERS=profile,posix traced three "$moves" "$tmp/data"
is "$(coverage three recorded) $(coverage three rest)" "3765 16062 0 0" "a profile: the same"

traced four sh -c "'$moves' '$tmp/data'; '$moves' threads '$tmp/data'; DFTRACE_LAYERS=off '$moves' '$tmp/data'"
is "$(coverage four 'left out: devices')" "4000 105000" "several programs of a shell"
read -r _ untraced <<<"$(coverage four 'not traced')"
is "$untraced" $((1529 + 5000 + 2000 + 3000 + 16062)) "what an untraced child wrote, to the byte"
read -r _ rest <<<"$(coverage four rest)"
is "$rest" 0 "and no byte is left of what was written"

traced mapped "$moves" mapped "$tmp/data"
is "$(coverage mapped rest)" "0 0" "streams that libc maps: no byte is left, or counted twice"
is "$(coverage mapped 'buffers of streams')" "-1000 0" "the kernel counts nothing of them"

cp -r "$tmp/one" "$tmp/merged"
"$dftrace" merge -q "$tmp/merged"
rm -r "$tmp/merged/shards"
is "$(coverage merged 'counted by the kernel')" "$(coverage one 'counted by the kernel')" \
    "a merged trace without its shards says the same"
is "$(coverage merged rest)" "0 0" "and no byte is left"
mkdir "$tmp/moved" && mv "$tmp/merged/trace.dft" "$tmp/moved/other.dft"
is "$(coverage moved/other.dft 'counted by the kernel')" "$(coverage one 'counted by the kernel')" \
    "so does the trace alone"
"$dftrace" merge -q -o "$tmp/moved/again.dft" "$tmp/moved"
is "$(coverage moved/again.dft rest)" "0 0" "and one that was made of it"

# --- shells in between that record nothing, which the kernel is not asked for -----

cat >"$tmp/nest.sh" <<'EOF'
deep () { echo "$(echo "$(readlink -f /; :)"; :)"; :; }
for i in 1 2 3; do
    bash -c "$(declare -f deep)
        x=\$(deep; deep; :); y=\$(deep; :); :"
    deep
done
EOF
traced nest bash "$tmp/nest.sh" >"$tmp/data/nest"
is "$(coverage nest 'not traced')" "0 0" "shells that record nothing: all was traced"
is "$(coverage nest rest)" "0 0" "and no byte is left"
is "$(coverage nest 'counted by the kernel' | cut -d' ' -f1)" \
    "$(word "$(lines nest | sort -k 6,6n | tail -n 1)" all | cut -d' ' -f1)" \
    "the sum is what the first process and all below it have read"

# --- a process without a trace between two that have one ------------------------

cat >"$tmp/between.sh" <<EOF
exec 4>"$tmp/data/between"
printf %01000d 0 >&4
DFTRACE_LAYERS=posix,stdio "$moves" "$tmp/data"
printf %0500d 0 >&4
EOF
traced between sh -c "DFTRACE_LAYERS=off sh '$tmp/between.sh'; :"
is "$(coverage between 'not traced' | cut -d' ' -f2)" 1500 \
    "what a program that is not traced wrote, without its traced child"
is "$(coverage between 'left out: devices' | cut -d' ' -f2)" 5000 "the child has its own rows"
is "$(coverage between rest | cut -d' ' -f2)" 0 "and no byte is left of what was written"
read -r first second <<<"$(coverage between 'not traced')"

# The same where the child has a session of its own: the list of processes that
# were not traced knows its parent.
cp -r "$tmp/between" "$tmp/session"
file=$(echo "$tmp"/session/shards/processes.*)
child=$(awk '/ device=4000,5000/' "$file" | grep -v 'device=0,0')
read -r _ pid parent session start _ <<<"$child"
sed -i "s/^traced $pid $parent $session /traced $pid $parent ${session%?}$(((${session: -1} + 1) % 10)) /" "$file"
sed -i /^untraced/d "$file"
read -r _ both <<<"$(coverage session 'not traced')"
cmp_num "$both" -gt 1500 "no session, no list: it is in both"
echo "untraced $parent /no/such/program static @$((start - 1))" >>"$file"
is "$(coverage session 'not traced')" "$first $second" "the list says who was between"

# --- a list that is full -------------------------------------------------------------

cp -r "$tmp/one" "$tmp/full"
head -c $((1 << 24)) /dev/zero | tr '\0' x >>"$(echo "$tmp"/full/shards/processes.*)"
like "$("$dftrace" analyze --no-write "$tmp/full" 2>/dev/null)" "not complete: a list of counts was full" \
    "a list that is full: the first screen says so"
like "$("$dftrace" analyze --no-write --view coverage "$tmp/full" 2>&1 >/dev/null)" \
    "count is not complete: a list of counts was full" "so does the view"
unlike "$("$dftrace" analyze --no-write "$tmp/one" 2>&1)" "not complete" "no list is full: nothing is said"

# --- the job's page, metrics -----------------------------------------------------------

# page FILE: its line of the kernel's count, with blanks as the first screen has them
page ()
{
    grep -o 'By the kernel.*full.*\|By the kernel.*rest [0-9.-]*[^0-9]*%' "$1" |
        LC_ALL=C sed 's/\xc2\xa0/ /g; s/\xe2\x80\xaf/ /g; s/\xe2\x80\x89/ /g'
}

"$dftrace" report -o "$tmp/one.html" "$tmp/one" >/dev/null
line=$("$dftrace" analyze --no-write "$tmp/one" | grep -o '[0-9.]* [KMi]*B read, [0-9.]* % recorded')
diag "$line"
like "$(page "$tmp/one.html")" ": ${line:-nothing}, rest 0\.0 %;" "the job's page has the same line"
"$dftrace" report -o "$tmp/full.html" "$tmp/full" >/dev/null 2>&1
like "$(page "$tmp/full.html")" "Not complete: a list of counts was full" "and says what is missing"

# percents DIR: the metrics read_coverage_percent and write_coverage_percent
percents ()
{
    "$dftrace" analyze --no-write --view metric --format csv "$tmp/$1" |
        awk -F, '$1 ~ /_coverage_percent$/ && $2 != "" { printf "%.2f\n", $2 }' | xargs
}

is "$(percents one)" "100.00 100.00" "metrics: all bytes have a row"
read -r _ written <<<"$(coverage one 'counted by the kernel')"
sed "s/ device=4000,5000/ device=4000,$((5000 - 1000))/" "$tmp"/one/shards/processes.* >"$tmp/lines"
cp -r "$tmp/one" "$tmp/less"
cat "$tmp/lines" >"$(echo "$tmp"/less/shards/processes.*)"
is "$(percents less)" "100.00 $(awk -v n="$written" 'BEGIN { printf "%.2f", 100 * (n - 1000) / n }')" \
    "a thousand bytes that no row has"

cat >"$tmp/sweep.yaml" <<END
sweep: covered
axes: {a: [1]}
run: |
  head -c 100000 /dev/zero >zeros; cat zeros >copy
trace: {layers: posix, check: none}
check:
  write_coverage_percent: {min: 99.9, max: 100.1}
END
(cd "$tmp" && "$dftrace" sweep run sweep.yaml --local) >"$tmp/out" 2>&1
is "$(cut -d, -f 3,5,9 "$tmp/covered/results/checks.csv" | tail -n +2)" "write_coverage_percent,100,pass" \
    "a sweep can check it"

# --- no count -----------------------------------------------------------------

DFTRACE_KERNEL_COUNT=0 traced five "$moves" "$tmp/data"
is "$(coverage five 'counted by the kernel')" "- -" "no count: not known"
is "$(coverage five rest)" "- -" "nor is the rest"
unlike "$("$dftrace" analyze --no-write "$tmp/five")" "kernel's count" "and the first screen says nothing"

mkdir "$tmp/spin"
traced six sh -c "'$moves' spin '$tmp/spin'; :" &
until [ -s "$tmp/spin/ready" ]; do sleep 0.1; done
kill -KILL "$(cat "$tmp/spin/ready")"
wait
is "$(percents five)" "" "nor are the metrics known"
like "$("$dftrace" analyze --no-write "$tmp/six")" "without 1 of 2 processes" "a killed process is said to have no count"
is "$(coverage six rest | cut -d' ' -f2)" 0 "its calls are not in the sum"

# --- lines that anybody may have written -----------------------------------------

cp -r "$tmp/one" "$tmp/bad"
file=$(echo "$tmp"/bad/shards/processes.*)
{
    echo
    echo "traced 1 2 3"
    echo "traced 1 2 3 4 5 exit all=1"
    echo "traced 1 2 3 4 5 exit all=99999999999999999999,1"
    echo "traced -1 2 3 4 5 exit all=1,1"
    head -c 100000 /dev/zero | tr '\0' x
    echo
    printf 'traced 1 2 3 4 5 exit all=7,7'
} >>"$file"
is "$(coverage bad rest)" "0 0" "lines that make no sense are passed over"
rm "$file" && ln -s /etc/passwd "$file"
is "$(coverage bad rest)" "- -" "a link is not followed"
cp -r "$tmp/one" "$tmp/linked"
mv "$tmp/linked/shards" "$tmp/elsewhere" && ln -s ../elsewhere "$tmp/linked/shards"
is "$(coverage linked rest)" "- -" "nor is one in the place of shards/"
if [ "$(id -u)" = 0 ]; then
    cp -r "$tmp/one" "$tmp/theirs" && chown 65534 "$tmp"/theirs/shards/processes.*
    is "$(coverage theirs rest)" "- -" "lines of another user are not read"
    chown 65534 "$tmp/theirs/shards"
    is "$(coverage theirs rest)" "0 0" "unless the job is that user's"
else
    skip "only root gives files away" "lines of another user are not read"
    skip "only root gives files away" "unless the job is that user's"
fi

# --- real programs --------------------------------------------------------------

# closes NAME COMMAND…: a test: the writes close to the byte, the reads to 2 %
closes ()
{
    local name=$1 read written rest_read rest_written
    shift
    (cd "$tmp/data" && traced "$name" "$@") >"$tmp/out" 2>&1
    read -r read written <<<"$(coverage "$name" 'counted by the kernel')"
    read -r rest_read rest_written <<<"$(coverage "$name" rest)"
    diag "$name: read $read, rest $rest_read; written $written, rest $rest_written"
    cmp_num "${rest_written#-}" -le $((written / 100)) "$name: the writes close"
    cmp_num "${rest_read#-}" -le $((read / 50)) "$name: the reads close"
}

head -c 3000000 /dev/urandom >"$tmp/data/big"
mkdir "$tmp/data/many"
for i in {1..40}; do head -c 50000 "$tmp/data/big" >"$tmp/data/many/$i"; done
closes cp cp big copy
closes tar sh -c 'tar cf - many | gzip -1 >many.tgz'
if command -v python3 >/dev/null; then
    closes python python3 -S -c 'd = open("big", "rb").read(); open("out", "wb").write(d)'
fi
if command -v git >/dev/null; then
    closes git sh -c 'git init -q g && cp -r many g && cd g && git add . &&
        git -c user.name=a -c user.email=a@b commit -qm one'
fi
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    (cd "$tmp/data" && strace -f -e trace=write,pwrite64,writev,copy_file_range,sendfile \
        -o "$tmp/calls" cp big copy2)
    is "$(coverage cp 'counted by the kernel' | cut -d' ' -f2)" \
        $(($(awk '$NF > 0 { n += $NF } END { printf "%.0f", n }' "$tmp/calls") + $(coverage cp tracer | cut -d' ' -f2))) \
        "cp: strace has the same bytes"
fi

done_testing
