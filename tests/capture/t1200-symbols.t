#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1200-symbols.t - what programs import of libc for I/O is wrapped, or was
# reviewed and left out with a reason

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

reviewed=$top_srcdir/preload/wrap/reviewed.def

# What a name of I/O has in it. Too much rather than too little.
looks="open|close|read|write|seek|stat|sync|dup|link|dir|chmod|chown|utim|trunc|falloc|mmap|map|aio|"
looks+="send|recv|splice|tee|copy_|lock|xattr|temp|tmp|shm|memfd|pipe|socket|accept|fd|file|put|"
looks+="get[cwls]|getdelim|printf|scanf|exec|spawn|fork|clone|exit|mount|mknod|fifo|glob|ftw|fts|"
looks+="access|rename|remove|flush|buf|ioctl|advise|path|rewind|unget|tell|pos|mlock|swap|abort|"
looks+="system|daemon|select|epoll|tty|umask|root|syscall|err|warn|flow|io_"

# Rows that name symbols: "symbol" per line; those with * as they are.
sed -n -e 'h;s/^[A-Z]\{1,\}2\{0,1\} ([^,]*, *\([A-Za-z_0-9]*\),.*/\1/p;g' \
    -e 's/^[A-Z]*2 ([^,]*,[^,]*, *\([A-Za-z_0-9]*\),.*/\1/p' "$top_srcdir/preload/wrap/wraps.def" |
    sort -u >"$tmp/wrapped"
sed -n '/^REVIEWED ("/,/")$/p' "$reviewed" | tr '\n' ' ' | sed 's/REVIEWED (/\n&/g' | grep '^REVIEWED' >"$tmp/rows"
sed 's/^REVIEWED (\(\("[^"]*" *\)*\),.*/\1/; s/"//g' "$tmp/rows" | tr -s ' ' '\n' |
    grep . >"$tmp/patterns"
is "$(grep -vcE '^REVIEWED \(("[^"]+" *)+, *("[^"]{4,}" *)+\) *' "$tmp/rows")" 0 \
    "each reviewed row has its symbols and a reason"
is "$(sort "$tmp/patterns" | uniq -d)" "" "no symbol is reviewed twice"
sed 's/\([.+?^$]\)/\\\1/g; s/\*/.*/g; s/.*/^&$/' "$tmp/patterns" >"$tmp/regexes"
is "$(grep -xE -f "$tmp/regexes" "$tmp/wrapped")" "" "what was left out is not wrapped"

libc=$(ldd "$victims/calls" | sed -n 's/.*libc\.so[^ ]* => \([^ ]*\) .*/\1/p')
nm -D --defined-only "$libc" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >"$tmp/libc"
cmp_num "$(wc -l <"$tmp/libc")" -gt 1500 "libc has its symbols"

# stdin: imported symbols -> those of libc for I/O that nobody has decided on.
undecided ()
{
    sort -u | comm -12 - "$tmp/libc" | comm -23 - "$tmp/wrapped" |
        grep -E "$looks" | grep -vxE -f "$tmp/regexes"
}

imports ()
{
    nm -D --undefined-only "$1" 2>/dev/null | awk '{ print $2 }' | sed 's/@.*//'
}

is "$(printf '%s\n' open stat strlen process_vm_readv fputws vmsplice acct adjtime | undecided)" "" \
    "those decided on are not told"
sed -i '/^\^ioctl\$$/d' "$tmp/regexes"
is "$(printf '%s\n' open ioctl llseek __dup2 epoll_wait | undecided | xargs)" \
    "__dup2 ioctl llseek" "and the test sees one that is new"
echo '^ioctl$' >>"$tmp/regexes"

look ()
{
    local file
    file=$(readlink -f "$1") || return
    [ -n "$(imports "$file" | head -1)" ] || return
    [[ " ${seen-} " != *" $file "* ]] || return
    seen="${seen-} $file"
    is "$(imports "$file" | undecided | xargs)" "" "${1##*/}"
}

[ -z "$(command -v python3)" ] || look "$(python3 -c 'import sys; print (sys.executable)')"
for program in /usr/bin/python3 git tar rsync cp mv ln ls dd cat head tail sort split shuf truncate \
    install touch stat du find gzip bzip2 xz bash dash awk sed grep diff perl; do
    command -v "$program" >/dev/null && look "$(command -v "$program")"
done
for dir in /lib/*-linux-gnu /usr/lib64 /lib/*-linux-gnu/openmpi/lib/openmpi*; do
    for lib in libstdc++.so.6 libc++.so.1 libhdf5*.so.* libmpi.so.* mca_io_*.so mca_fs_*.so mca_fbtl_*.so libtorch*.so* \
        libcrypto.so.* libselinux.so.1 libz.so.1 libzstd.so.1 libnuma.so.1 libaio.so.1 liburing.so.2; do
        for file in "$dir"/$lib; do
            [ -e "$file" ] && look "$file"
        done
    done
done
if command -v python3 >/dev/null; then
    for file in $(python3 -c 'import importlib.util as u, glob, os, sys
for name in "mmap", "numpy", "torch", "h5py":
    spec = u.find_spec (name)
    if spec and spec.origin and spec.origin.endswith (".so"):
        print (spec.origin)
    elif spec and spec.submodule_search_locations:
        for path in spec.submodule_search_locations:
            for below in "core/_multi*.so", "_core/_multi*.so", "lib/libtorch_*.so", "h5f*.so":
                print (*glob.glob (os.path.join (path, below)))'); do
        look "$file"
    done
fi

# Programs that may not be here, as they were seen elsewhere: Python 3.11 to
# 3.13 with all their modules, torch 1.13 and 2.5, numpy 1.24 and 2.4, h5py 3.16,
# pyarrow 26, libstdc++, wheels for an older libc, ROMIO, OMPIO, git's helpers.
is "$(undecided <<-'END'
	open64
	openat64
	__open64_2
	pread64
	pwrite64
	preadv64v2
	pwritev64v2
	readv
	writev
	copy_file_range
	sendfile64
	splice
	posix_fadvise64
	posix_fallocate64
	fdatasync
	fsync
	sync
	ftruncate64
	truncate64
	dup
	dup2
	dup3
	renameat
	unlinkat
	linkat
	symlinkat
	statvfs64
	fstatvfs64
	fstatat64
	close_range
	lockf64
	flock
	memfd_create
	posix_spawn
	fexecve
	fopen64
	fseeko64
	ftello64
	freopen64
	mkstemps64
	fcntl64
	fallocate
	madvise
	mremap
	msync
	shm_open
	shm_unlink
	getc
	__uflow
	__getdelim
	__xstat64
	__fxstat64
	__lxstat64
	aio_read64
	aio_write64
	aio_return64
	aio_suspend64
	lio_listio64
	statfs64
	readdir64
	scandir64
	fgets_unlocked
	fputs_unlocked
	fputc_unlocked
	fwrite_unlocked
	backtrace_symbols_fd
	clnt_spcreateerror
	malloc_stats
	register_printf_specifier
	fread_unlocked
	END
)" "" "what was seen elsewhere"

done_testing
