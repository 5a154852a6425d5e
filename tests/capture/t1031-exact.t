#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1031-exact.t - what a program hands to libc arrives, and what it can see of
# itself is as it is untraced

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99

# Every fcntl command, each with its kind of argument.
fresh () { rm -f "$tmp/file"; }
alike fcntls "$victims/fcntls" "$tmp/file"
printf '#include <fcntl.h>\n#include <linux/fcntl.h>\n' |
    ${CPP:-cc -E} -dM -D_GNU_SOURCE - 2>/dev/null | awk '{ print $2 }' |
    grep -E '^F_(DUP|GET|SET|OFD|ADD|NOTIFY|CANCEL|CREATED)' | grep -v '^F_SETLKW\?64\|^F_GETLK64' |
    sort >known
grep -o 'F_[A-Z_0-9]*' "$top_srcdir/tests/victims/fcntls.c" | sort -u >used
cmp_num "$(wc -l <known)" -gt 25 "fcntls: the headers' commands are found"
is "$(comm -23 known used | xargs)" "" "fcntls: each of them is tried"
is "$(health fcntls lost)" 0 "fcntls: nothing was lost"

# Modes, flags and lists of arguments.
fresh () { rm -rf "$tmp/w" && mkdir "$tmp/w"; }
alike variadic "$victims/variadic" "$tmp/w"
is "$(grep -c '^\[variadic\]\[exec\]' out)" 16 "variadic: programs were started"
is "$(events variadic | grep -c " open.* file=$tmp/w/[a-h] ")" 8 "variadic: its opens are in the trace"
fresh () { :; }

# Descriptors, limits, signals, mask, locale, order of the end.
fresh () { rm -f "$tmp/file"; }
alike state "$victims/state" "$tmp/file"
like "$(cat out)" 'registered second.*on_exit 5.*registered first.*destructor' "state: the order of the end"
is "$(events state | grep -c ' write ') $(health state lost)" "30000 0" "state: every write is in the trace"
is "$(events state | grep -c ' write ' )" "$(stat -c %s file)" "state: late ones, too"

# A umask that leaves nothing: who is not root could not open the trace again.
unprivileged=()
[ "$(id -u)" != 0 ] || unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups)
chmod 755 "$tmp" && mkdir -m 777 free
fresh () { rm -f "$tmp/free/file"; }
masks="0777 0277"
if ! "${unprivileged[@]}" test -x "$victims/state"; then
    skip "the user nobody cannot reach this directory" "a umask that leaves nothing"
    masks=
fi
for mask in $masks; do
    fresh
    (umask $mask && "${unprivileged[@]}" "$victims/state" "$tmp/free/file") >plain.out 2>&1
    fresh
    rm -rf umask && mkdir -m 777 umask
    (umask $mask && DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/umask/made LD_PRELOAD=$library \
        "${unprivileged[@]}" "$victims/state" "$tmp/free/file") >out 2>&1
    is "$? $(diff plain.out out)" "5 " "umask $mask: the same"
    is "$(stat -c %a umask/made umask/made/shards umask/made/shards/*.dft | xargs)" "700 700 600" \
        "umask $mask: the trace has its modes"
    is "$(events umask/made | grep -c ' open ') $(health umask/made lost)" "7 0" "umask $mask: nothing was lost"
done
fresh () { rm -f "$tmp/file"; }

if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null; then
    alike locale env LC_ALL=de_DE.UTF-8 LOCPATH="$tmp" "$victims/state" "$tmp/file"
    like "$(cat out)" '1234,50' "locale: it was another one"
    is "$(events locale | grep -c ' write ')" 30000 "locale: the trace is the same"
else
    skip "no locales" "locale: the same traced and untraced"
fi

# What was set before the program is set in it.
alike ignored bash -c 'trap "" INT QUIT USR1 PIPE; exec "$0" "$1"' "$victims/state" "$tmp/file"
alike limited bash -c 'ulimit -Ss 4096; ulimit -c 0; ulimit -Sn 64; exec "$0" "$1"' "$victims/state" "$tmp/file"
alike nice nice -n 7 "$victims/state" "$tmp/file"


# With page faults, which need signals, descriptors and memory of ours.
# shellcheck disable=SC2034 # for alike
run_options="--layers posix,app,mmap"
alike mmap "$victims/state" "$tmp/file"
alike mmap-fcntls "$victims/fcntls" "$tmp/file"
fresh () { rm -rf "$tmp/w" && mkdir "$tmp/w"; }
alike mmap-variadic "$victims/variadic" "$tmp/w"

done_testing
