#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1300-kernel.t - layer kernel: what the library cannot enter is recorded, as
#     strace counts it, and nothing twice

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
command -v jq >/dev/null || skip_all "no jq"
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
layers=posix,app,kernel
mkdir sub

# --- where it cannot be ------------------------------------------------------

[ -x "$top_builddir/dftrace-kernel" ] || skip_all "layer kernel is not built"
if ! "$dftrace" run -q -o probe --layers $layers,strict -- true 2>probe.err; then
    skip_all "layer kernel: $(tail -n 1 probe.err)"
fi
pass "its programs load"
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -r "$library" 2>/dev/null; then
    chmod 711 "$tmp"
    install -d -o 65534 nobody
    exits 0 "without rights: the command runs" setpriv --reuid 65534 --clear-groups \
        "$dftrace" run -o nobody/t --layers $layers -- true
    like "$(cat err)" 'layer kernel: .*going on without it' "and it is said"
    exits 125 "strict: it does not" setpriv --reuid 65534 --clear-groups \
        "$dftrace" run -o nobody/t2 --layers $layers,strict -- true
else
    skip "no other user who can read the library" "without rights"
fi

# --- headers of libbpf 1.5, which declare more -------------------------------------

if command -v clang >/dev/null && [ -r /usr/include/bpf/bpf_core_read.h ]; then
    mkdir -p new/bpf
    printf '%s\n' '#pragma once' '#include <bpf/bpf_helpers.h>' '#include_next <bpf/bpf_core_read.h>' \
        'extern void *bpf_rdonly_cast (const void *obj, __u32 btf_id) __ksym __weak;' >new/bpf/bpf_core_read.h
    exits 0 "its programs compile with libbpf 1.5" clang -O2 -g -target bpf -mcpu=v3 -fsyntax-only -Inew \
        -D__TARGET_ARCH_"$(sed -n 's/^BPF_ARCH = //p' "$top_builddir/Makefile")" -I"$top_srcdir" \
        -I"/usr/include/$(gcc -print-multiarch 2>/dev/null)" "$top_srcdir/kernel/bpf/record.bpf.c"
else
    skip "no clang or libbpf here" "its programs compile with libbpf 1.5"
fi

# --- as strace has it ----------------------------------------------------------

# calls DIR FILE: "NAME COUNT BYTES" of each call on the file
calls ()
{
    "$dftrace" export -f jsonl "$1" | jq -r --arg f "$2" \
        'select (.file == $f and .cat != "KERNEL") | [.name, .ret] | @tsv' |
        awk '{ n[$1]++; b[$1] += $2 > 0 && $1 !~ /^(open|dup)/ ? $2 : 0 }
             END { for (x in n) print x, n[x], b[x] }' | sort
}

# The same of strace's lines, for calls on descriptors.
straced ()
{
    sed -nE "s|^([0-9]+ +)?([a-z0-9_]+)\([0-9]+<$2>[,)].* = ([0-9]+)( .*)?\$|\2 \3|p; \
             s|^([0-9]+ +)?<\.\.\. .*||" "$1" |
        sed -E 's/^(p?)(read|write)64 /\1\2 /' |
        awk '{ n[$1]++; b[$1] += $2 } END { for (x in n) print x, n[x], b[x] }' | sort
}

moved='^(p?readv?|p?writev?|fsync|ftruncate) '
"$cc" -O1 -static -pthread -o static "$top_srcdir/tests/victims/plain.c" 2>/dev/null || rm -f static
"$cc" -O1 -pthread -o dynamic "$top_srcdir/tests/victims/plain.c"
if [ -x static ]; then
    "$dftrace" run -q -o s1 --layers $layers -- ./static
    is "$?" 0 "static: its status"
    if command -v strace >/dev/null; then
        strace -f -y -o lines ./static
        # strace cuts lines of threads in two: these are told by their totals
        is "$(calls s1 "$tmp/f.dat" | grep -E "$moved" | grep -v ^pread)" \
            "$(straced lines "$tmp/f.dat" | grep -E "$moved" | grep -v ^pread)" \
            "static: counts and bytes are strace's"
    else
        skip "no strace" "static: counts and bytes are strace's"
    fi
    "$dftrace" run -q -o d1 --layers posix -- ./dynamic
    is "$(calls s1 "$tmp/f.dat" | grep -vE '^(open|openat|stat|fstatat|munmap) ')" \
        "$(calls d1 "$tmp/f.dat" | grep -vE '^(open|openat|stat|fstatat|munmap) ')" \
        "static: the rows of the same program with the library"
    is "$(calls s1 "$tmp/f.dat" | grep ^pread)" "$(printf 'pread 151 75123\npreadv 1 300')" \
        "threads and a child, too"
    # a busy machine may lose a record that is no call: that is counted
    is "$(processes s1) $(health s1 unfinished)" "2 0" "two processes, to their end"
    is "$("$dftrace" stat s1/shards/*.dft | grep -c 'layers *kernel$')" 2 "marked kernel"
    is "$(jq -r '.untraced | length' s1/job.json)" 0 "nothing is said to be untraced"
    like "$("$dftrace" analyze --no-write --view file s1)" 'f\.dat' "analyze has its file"
else
    skip "no static libc" "static programs"
fi
if command -v busybox >/dev/null; then
    head -c 100000 /dev/zero >in.dat
    "$dftrace" run -q -o b1 --layers $layers -- busybox dd if=in.dat of=out.dat bs=1000 2>/dev/null
    is "$(calls b1 "$tmp/in.dat" | grep ^read) $(calls b1 "$tmp/out.dat" | grep ^write)" \
        "read 101 100000 write 100 100000" "busybox: each read and write of dd"
else
    skip "no busybox" "busybox"
fi

if command -v go >/dev/null; then
    head -c 100000 /dev/zero >in.dat
    cat >goes.go <<'END'
package main

import "os"

func main() {
	in, _ := os.Open("in.dat")
	out, _ := os.Create("go.dat")
	buf := make([]byte, 1000)
	for i := 0; i < 50; i++ {
		n, _ := in.ReadAt(buf, int64(i)*1000)
		out.Write(buf[:n])
	}
	out.Sync()
	in.Close()
	out.Close()
}
END
    HOME=$tmp GOCACHE=$tmp/go CGO_ENABLED=0 GO111MODULE=off go build -o goes goes.go
    "$dftrace" run -q -o g1 --layers $layers -- ./goes
    is "$(calls g1 "$tmp/in.dat" | grep ^pread) $(calls g1 "$tmp/go.dat" | grep -E '^(write|fsync)' | tr '\n' ' ')" \
        "pread 50 50000 fsync 1 0 write 50 50000 " "Go, static: each read and write"
    if command -v strace >/dev/null; then
        strace -ff -y -o goes.lines ./goes # a file a thread: no line is cut in two
        cat goes.lines.* >lines
        is "$(calls g1 "$tmp/go.dat" | grep -E "$moved")" "$(straced lines "$tmp/go.dat" | grep -E "$moved")" \
            "Go: counts and bytes are strace's"
    else
        skip "no strace" "Go: counts and bytes are strace's"
    fi
else
    skip "no go" "Go, static"
    skip "no go" "Go: counts and bytes are strace's"
fi

# --- nothing twice ---------------------------------------------------------------

head -c 100000 /dev/zero >in.dat
"$dftrace" run -q -o d2 --layers $layers -- ./dynamic
is "$(calls d2 "$tmp/f.dat")" "$(calls d1 "$tmp/f.dat")" "a program with the library: its rows, once"
posix_rows ()
{
    "$dftrace" export -f jsonl "$1" | jq -r 'select (.cat == "POSIX") | .name' | sort | uniq -c
}
is "$(posix_rows d2)" "$(posix_rows d1)" "nor of any other file"
"$cc" -O1 -o inline "$top_srcdir/tests/victims/inline.c"
"$dftrace" run -q -o i1 --layers $layers -- ./inline in.dat 20 100
is "$(calls i1 "$tmp/in.dat" | grep read)" "read 40 4000" \
    "half by libc, half by the instruction itself: each once"
"$dftrace" run -q -o i2 --layers posix -- ./inline in.dat 20 100
is "$(calls i2 "$tmp/in.dat" | grep read)" "read 20 2000" "without layer kernel: only libc's"
cat >script <<'END'
cat in.dat >/dev/null
busybox cat in.dat >/dev/null 2>&1
env -i /bin/cat in.dat >/dev/null
END
"$dftrace" run -q -o sh --layers $layers -- sh script
like "$(calls sh "$tmp/in.dat" | grep ^openat)$(calls sh "$tmp/in.dat" | grep '^open ')" \
    '^openat [123] ' "a script: programs of any kind"
is "$("$dftrace" export -f jsonl sh | jq -r 'select (.name == "read") | .ret' |
    awk '{ n += $1 } END { print n + 0 }')" \
    "$(command -v busybox >/dev/null && echo 200000 || echo 100000)" "by reads (busybox copies by sendfile)"
DFTRACE_EXCLUDE=$tmp "$dftrace" run -q -o ex --layers $layers -- busybox cat in.dat >/dev/null
is "$("$dftrace" export -f jsonl ex | jq -r --arg d "$tmp/" 'select (.cat == "POSIX" or
    ((.file // "") + " " + (.file2 // "") | contains ($d))) | .name')" "" \
    "excluded paths are excluded (busybox itself may have to be read)"

# --- losses, deaths ----------------------------------------------------------------

if [ -x static ]; then
    DFTRACE_MAX_BYTES=8K "$dftrace" run -q -o full --layers $layers -- ./static 2>/dev/null
    is "$?" 0 "no room for the trace: its status"
    cmp_num "$(health full lost)" -gt 100 "and the losses are counted"
fi
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    head -c 4M /dev/urandom >mapped.dat
    cat >mapped.py <<'END'
import mmap, os
fd = os.open ("mapped.dat", os.O_RDONLY)
os.fsync (fd)
os.posix_fadvise (fd, 0, 0, os.POSIX_FADV_DONTNEED)
with mmap.mmap (fd, 0, prot=mmap.PROT_READ) as m:
    sum (m[i] for i in range (0, len (m), 4096))
END
    unshare --pid --fork --mount-proc bash -c '"$@"; :' - "$dftrace" run -q -o apart \
        --layers posix,mmap,kernel -- python3 mapped.py 2>err
    like "$(cat err)" 'page faults are left to layer mmap' "a namespace of processes: page faults have one teller"
    is "$("$dftrace" export -f jsonl apart | jq -r 'select (.name == "page_fault") | .pid' |
        grep -vxFf <("$dftrace" export -f jsonl apart | jq -r 'select (.name == "mmap") | .pid'))" "" \
        "and none counts twice, with the kernel's number of the process"
else
    skip "no namespace of processes" "page faults have one teller"
fi
cat >killer <<'END'
pid=$(pgrep -f '^dftrace-kernel' -P "$PPID") && kill -9 "$pid"
busybox cat in.dat >/dev/null
exit 3
END
exits 3 "a recorder that is killed: the command's status" \
    "$dftrace" run -o killed --layers $layers -- bash killer
like "$(cat err)" 'recorder died of signal 9' "and it is said"
{ "$dftrace" run -q -o left --layers $layers -- sleep 60 & } 2>/dev/null
run=$!
for ((i = 0; i < 500; i++)); do
    recorder=$(pgrep -P $run -f '^dftrace-kernel') && pgrep -P $run sleep >/dev/null && break
    sleep 0.02
done
sleeper=$(pgrep -P $run sleep)
kill -9 $run
for ((i = 0; i < 500; i++)); do
    runs "$recorder" || break
    sleep 0.02
done
nok "dftrace run is killed: the recorder ends" runs "$recorder"
kill "$sleeper"
wait

done_testing
