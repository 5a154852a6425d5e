#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1011-morecalls.t - the rarer wrapped calls: unchanged, recorded once

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

mkdir "$tmp/plain" "$tmp/work"
"$victims/morecalls" "$tmp/plain" 2>"$tmp/plain.out"
is $? 0 "the victim runs untraced"
traced job "$victims/morecalls" "$tmp/work" 2>"$tmp/work.out"
is $? 0 "the victim runs traced"
cmp_num "$(wc -l <"$tmp/plain.out")" -gt 200 "it makes many calls"
is "$(diff "$tmp/plain.out" "$tmp/work.out")" "" \
    "every result and errno is as without tracing"
is "$(cat "$tmp/work/stdout")" "$(cat "$tmp/plain/stdout")" "and so is what it prints"

events job >"$tmp/events"
# Standard output and the stream of single characters are looked at below.
grep "file2*=$tmp/work[/ ]" "$tmp/events" |
    grep -v "file=$tmp/work/\(c\|stdout\) " >"$tmp/mine"
grep -v '^NONE\|"c"\|stdout\| puts (\|printf (\("\|1\)\|printf_chk (1\| print (' "$tmp/work.out" |
    awk '/ fopen \("t"/ { t = 1 } /EACH|^fflush|^fclose/ && !t { next } { print }' >"$tmp/said"
is "$(diff <(awk '{ print $1 }' "$tmp/said" | sort | uniq -c | grep -v ' f\(open\|flush\|close\|printf\)$') \
    <(awk '{ print $3 }' "$tmp/mine" | sort | uniq -c | grep -v ' f\(open\|flush\|close\|printf\)$'))" "" \
    "each call gives one event"
is "$(grep -c . <"$tmp/mine")" "$(sort -u "$tmp/mine" | grep -c .)" "none twice"

field () { sed -n "s/.* $1=\([^ ]*\).*/\1/p" | xargs; }
mine () { grep " $1 " "$tmp/mine"; }
is "$(mine copy_file_range | field off)" "1 4 4" "copy_file_range: where it read"
is "$(mine copy_file_range | field ret)" "3 6 -1" "how much"
is "$(mine copy_file_range | head -1 | field file) $(mine copy_file_range | head -1 | field file2)" \
    "$tmp/work/in $tmp/work/out" "from where to where"
is "$(mine sendfile | field off)" "4 2 10" "sendfile: where it read"
is "$(mine splice | grep -c file2=)" 1 "splice: to a pipe there is no second file"
is "$(mine lseek | field ret)" "1 6 12" "the offsets are the program's"
is "$(mine fscanf | field ret)" "1 3 4 5 6 0 6 7 1 0" "fscanf: bytes taken, not items"
is "$(mine 'aio_\(read\|write\)' | field ret)" "8 8 8 8 8 8" "aio: the bytes of each result"
is "$(mine 'aio_submit' | field size)" "8 8 8 8 8 8" "aio: those asked for"
is "$(mine readdir | field ret | tr ' ' '\n' | sort | xargs)" "0 0 1 1 1" \
    "readdir: three entries and the end"
is "$(mine mkstemp | field err)" "0 0 0 0 0 0 0 0 22" "mkstemp: failures, too"
is "$(mine mkstemp | grep -c 'file=[^ ]*XXXXXX')" 0 "mkstemp: the name that was made"
is "$(grep ' fgetc ' "$tmp/events" | field ret)" "1 1024 1024 951" \
    "single characters: an event per buffer read, all that were taken"
is "$(grep ' fputc ' "$tmp/events" | awk '{ for (i = 1; i <= NF; i++) if (sub (/^ret=/, "", $i)) n += $i }
    END { print n }')" 3002 "and per buffer written, all that were put"
is "$(grep "file=$tmp/work/stdout " "$tmp/events" | grep ' f\(puts\|printf\) ' | field ret)" \
    "5 3 3 3 3" "what is printed into a file"
is "$(grep -c " file=/memfd" "$tmp/events")" 0 "memory is not storage"
is "$(grep -c " sync size" "$tmp/events")" 1 "sync has no file"
is "$(health job lost)$(health job lost_names)" 00 "nothing was lost"

# A number that came back as something else books nothing on the old file.
is "$(grep " file=$tmp/work/f " "$tmp/events" | grep -c ' \(read\|write\) ')" 0 \
    "a descriptor that was closed behind our back"

rm -rf "$tmp/work" && mkdir "$tmp/work"
DFTRACE_INCLUDE=shm:/dev/shm:$tmp/work traced shm "$victims/morecalls" "$tmp/work" 2>/dev/null
is "$(events shm | grep 'class=shm' | awk '{ print $3 }' | grep '^\(shm\|memfd\)' | xargs)" \
    "shm_open shm_unlink shm_open memfd_create" "shared memory, where asked for"

# The answer over the question: the name has gone by then.
if python=$(command -v python3); then
    ln -s /a/much/longer/text/than/the/name "$tmp/l"
    cat >"$tmp/over.py" <<'END'
import ctypes, os, sys
c = ctypes.CDLL (None)
path = sys.argv[1].encode ()
for shift in 0, 3, len (path) + 1:
    b = ctypes.create_string_buffer (path, 4096)
    print (c.readlink (b, ctypes.byref (b, shift), 1000), b.raw[shift:shift + 8])
END
    "$python" "$tmp/over.py" "$tmp/l" >"$tmp/plain.over"
    traced over "$python" "$tmp/over.py" "$tmp/l" >"$tmp/with.over"
    is "$? $(cat "$tmp/with.over")" "0 $(cat "$tmp/plain.over")" "readlink over its own path: the same"
    is "$(events over | grep -c ' readlink .*size=1000 ') $(events over | grep -c " readlink file=$tmp/l .*size=1000 ")" \
        "3 1" "recorded; with a name where there is one left"
    is "$(health over lost_names)" 2 "and those without are counted"
else
    skip "no python3" "readlink over its own path: the same"
fi

done_testing
