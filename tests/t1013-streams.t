#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1013-streams.t - bytes of FILEs: what the program had, what libc moved

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/preload.sh"

# Both by file: "FILE read written", as the events say.
program_had ()
{
    events "$1" | awk '
        function key(k) { return match ($0, " " k "=[0-9]+") ? substr ($0, RSTART + length (k) + 2, RLENGTH - length (k) - 2) : 0 }
        match ($0, "file=[^ ]*/work/[^ ]*") {
            f = substr ($0, RSTART, RLENGTH); sub (".*/", "", f)
            n = key ("ret")
            if ($3 ~ /^(fread|fgetc|fgets|getline|fscanf)$/) got[f] += n - key ("stdio.again")
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
            in_[f] += key ("stdio.read"); out[f] += key ("stdio.written")
            if ($3 == "write") out[f] += key ("ret")
            seen[f] = 1
        }
        END { for (f in seen) print f, in_[f] + 0, out[f] + 0 }' | sort
}

mkdir "$tmp/work"
traced job "$victims/streams" "$tmp/work" >"$tmp/said"
is $? 0 "the victim runs traced"
is "$(program_had job)" "$(sort "$tmp/said")" \
    "stdio bytes are those that the program had and gave"
is "$(health job lost)" 0 "nothing was lost"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    rm -rf "$tmp/work" && mkdir "$tmp/work"
    strace -f -y -e trace=read,write,readv,writev,pread64,pwrite64 -o "$tmp/strace" \
        "$victims/streams" "$tmp/work" >/dev/null
    awk 'match ($0, "<[^>]*/work/[^>]*>") {
            f = substr ($0, RSTART + 1, RLENGTH - 2); sub (".*/", "", f); seen[f] = 1
            if ($2 ~ /^p?read/) in_[f] += $NF; else out[f] += $NF
         }
         END { for (f in seen) print f, in_[f] + 0, out[f] + 0 }' "$tmp/strace" |
        sort >"$tmp/kernel"
    is "$(libc_moved job)" "$(cat "$tmp/kernel")" \
        "and what libc moved is what the kernel saw"
else
    skip "no strace" "what libc moved is what the kernel saw"
fi

done_testing
