#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1013-streams.t - bytes of FILEs: what the program had, what libc moved

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

# Both by file: "FILE read written", as the events say.
program_had ()
{
    events "$1" | awk '
        function key(k) { return match ($0, " " k "=[0-9]+") ? substr ($0, RSTART + length (k) + 2, RLENGTH - length (k) - 2) : 0 }
        match ($0, "file=[^ ]*/work/[^ ]*") {
            f = substr ($0, RSTART, RLENGTH); sub (".*/", "", f)
            n = key("ret")
            if ($3 ~ /^(fread|fgetc|fgets|getline|fscanf)$/) got[f] += n - key("stdio.again")
            if ($3 ~ /^(fwrite|fputc|fputs|fprintf)$/) put[f] += n
            seen[f] = 1
        }
        END { for (f in seen) print f, got[f] + 0, put[f] + 0 }' | sort
}

libc_moved ()
{
    events "$1" | awk '
        function key(k) { return match ($0, " " k "=[0-9]+") ? substr ($0, RSTART + length (k) + 2, RLENGTH - length (k) - 2) : 0 }
        match ($0, "file=[^ ]*/work/[^ ]*") {
            f = substr ($0, RSTART, RLENGTH); sub (".*/", "", f)
            in_[f] += key("stdio.read"); out[f] += key("stdio.written")
            if ($3 == "write") out[f] += key("ret")
            seen[f] = 1
        }
        END { for (f in seen) print f, in_[f] + 0, out[f] + 0 }' | sort
}

mkdir "$tmp/work"
traced job "$victims/streams" "$tmp/work" | cat >"$tmp/said"
is "${PIPESTATUS[0]}" 0 "the victim runs traced"
is "$(program_had job)" "$(sort "$tmp/said")" \
    "stdio bytes are those that the program had and gave"
is "$(health job lost)" 0 "nothing was lost"

# The analysis: both, each by itself, for the job, its calls and its files.
exits 0 "analyzed" "$dftrace" analyze --quiet "$tmp/job"
tables=$tmp/job/tables
value () { awk -F, -v m="$1" '$1 == m { print $2 }' "$tables/metrics.csv"; }
# sum TABLE COLUMN [REGEX of the row]
sum ()
{
    awk -F, -v c="$2" -v re="${3-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $0 ~ re { n += $at[c] } END { printf "%d\n", n }' "$tables/$1.csv"
}
had=$(awk '{ got += $2; put += $3 } END { print got, put }' "$tmp/said")
is "$(value stdio_read_bytes) $(value stdio_write_bytes)" "$had" \
    "metrics: what the program had"
is "$(value stdio_read_bytes_libc) $(value stdio_write_bytes_libc)" \
    "$(events job | awk '{ for (i = 1; i <= NF; i++) { if (sub (/^stdio.read=/, "", $i)) r += $i
        else if (sub (/^stdio.written=/, "", $i)) w += $i } } END { print r, w }')" \
    "metrics: what libc moved"
is "$(sum calls libc_bytes ^STDIO)" \
    $(($(value stdio_read_bytes_libc) + $(value stdio_write_bytes_libc))) \
    "the calls add up to it"
is "$(sum files libc_read_bytes) $(sum files libc_write_bytes)" \
    "$(value stdio_read_bytes_libc) $(value stdio_write_bytes_libc)" "so do the files"
ok "stdio took time" awk -v t="$(value stdio_time)" 'BEGIN { exit !(t > 0) }'

# kernel_saw DIR COMMAND…: "FILE read written" of its files in DIR, by strace.
kernel_saw ()
{
    strace -f -y -e trace=read,write,readv,writev,pread64,pwrite64 -o "$tmp/strace" \
        "${@:2}" >/dev/null 2>&1
    awk -v dir="/$1/" 'match ($0, "<[^>]*" dir "[^>]*>") {
            f = substr ($0, RSTART + 1, RLENGTH - 2); sub (".*/", "", f); seen[f] = 1
            if ($2 ~ /^p?read/) in_[f] += $NF; else out[f] += $NF
         }
         END { for (f in seen) print f, in_[f] + 0, out[f] + 0 }' "$tmp/strace" | sort
}
strace=
command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null && strace=yes
if [ "$strace" ]; then
    rm -rf "$tmp/work" && mkdir "$tmp/work"
    is "$(libc_moved job)" "$(kernel_saw work "$victims/streams" "$tmp/work")" \
        "and what libc moved is what the kernel saw"
else
    skip "no strace" "what libc moved is what the kernel saw"
fi

# Streams of wide characters, in bytes of the file.
rm -rf "$tmp/work" && mkdir "$tmp/work"
traced wide "$victims/odd/wide" "$tmp/work" 2>"$tmp/said"
status=$?
if [ "$status" = 77 ]; then
    skip "no locale with UTF-8" "wide characters: what the program had and gave"
else
    is "$status" 0 "the victim with wide characters runs traced"
    cmp_num "$(wc -l <"$tmp/said")" -eq 21 "in all ways"
    # reading a file was preceded by writing it
    is "$(program_had wide | awk '$2 && $3 { $3 = 0 } 1')" "$(sort "$tmp/said")" \
        "wide characters: bytes are those that the program had and gave"
    if [ "$strace" ]; then
        rm -rf "$tmp/work" && mkdir "$tmp/work"
        is "$(libc_moved wide)" "$(kernel_saw work "$victims/odd/wide" "$tmp/work")" \
            "wide characters: what libc moved is what the kernel saw"
    else
        skip "no strace" "wide characters: what libc moved is what the kernel saw"
    fi
fi

done_testing
