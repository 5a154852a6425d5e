#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1072-containers.t - other roots and namespaces, where our library, the job
# directory or /proc may be missing: no line of the loader, no harm
#
# "object … cannot be preloaded" with every command is what users of containers
# saw of other tracers.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip_all "no namespaces for us here"
chmod 755 "$tmp"

gets=' \(read\|copy_file_range\) fd=[0-9]*' # of cat, as its output is

# A root with a shell, cat, env and what they need.
mkdir -p root/bin root/data
for p in bash cat env sleep; do
    program=$(command -v $p)
    cp -L "$program" root/bin/$p
    for lib in $(ldd "$program" | grep -o '/[^ ]*'); do
        mkdir -p "root${lib%/*}"
        cp -L "$lib" "root$lib"
    done
done
echo data >root/data/file
chroot root /bin/cat /data/file >/dev/null 2>&1 || skip_all "no root of our own works"

# shellcheck disable=SC2016
commands='cat /data/file; cat /data/file | cat; x=$(cat /data/file); echo $x $?; nosuch; exec env -u X cat /data/file'

# alike does without LD_PRELOAD and DFTRACE_* in what is compared.
alike chroot chroot root /bin/bash -c "$commands"
is "$(cat out err | grep -c preload)" 0 "chroot: the loader has nothing to say"
like "$(chroot root /bin/bash -c "LD_PRELOAD=$library exec cat /data/file" 2>&1)" 'cannot be preloaded' \
    "which it would have"
alike chroot2 bash -c 'cat "$0/root/data/file"; chroot "$0/root" /bin/cat /data/file; cat "$0/root/data/file"' "$tmp"
is "$(events chroot2 | grep -c "$gets .*file=$tmp/root/data/file .* ret=5 ")" 2 "outside of it, programs are traced"
if command -v python3 >/dev/null; then
    alike python "$(python3 -c 'import sys; print (sys.executable)')" -c 'import os, subprocess, sys
sys.stdout.flush ()
subprocess.run (["chroot", sys.argv[1], "/bin/cat", "/data/file"])
subprocess.run (["/bin/bash", "-c", "cat /data/file"], preexec_fn=lambda: os.chroot (sys.argv[1]))
os.posix_spawn ("/bin/cat", ["cat", "/no/such"], os.environ)
os.wait ()
os.chroot (sys.argv[1])
os.chdir ("/")
sys.stdout.flush ()
os.execv ("/bin/cat", ["cat", "/data/file"])' "$tmp/root"
fi

# The library's directory goes away below the program.
cp "$library" libdftrace_preload.so
mkdir lib && mv libdftrace_preload.so lib/
mkdir job
inside='mount -t tmpfs none "$0/lib" && cat "$0/root/data/file" && exec cat "$0/root/data/file"'
unshare -m bash -c "$inside" "$tmp" >plain.out 2>&1
DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$tmp/lib/libdftrace_preload.so \
    unshare -m bash -c "$inside" "$tmp" >out 2>&1
is "$? $(cat out)" "0 $(cat plain.out)" "a mount over the library: the same"

# The library is there; the job directory and /proc are not.
mkdir -p "root${library%/*}"
cp -L "$library" "root$library"
alike nodir chroot root /bin/bash -c "$commands"
is "$(find root -name '*.dft' | wc -l)" 0 "no job directory: nothing is written"
mkdir -p "root$tmp/there" "root/proc"
DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/there LD_PRELOAD=$library \
    chroot root /bin/bash -c "$commands" >out 2>&1
is "$(cat out)" "$(chroot root /bin/bash -c "$commands" 2>&1)" "no /proc: the same"
cp -r "root$tmp/there" inside
is "$(events inside | grep -c "$gets .*file=/data/file .* ret=5 ")" 4 "no /proc: and traced"

# Namespaces of processes and users: pids begin at 1 again.
if unshare -p -f true 2>/dev/null; then
    for i in 1 2; do
        alike pids$i unshare -p -f --mount-proc bash -c 'cat "$0/root/data/file"; echo $$; sh -c "echo \$\$"' "$tmp"
        is "$(events pids$i | grep -c "$gets .*file=$tmp/root/data/file .* ret=5 ")" 1 "pids$i: in the trace"
    done
fi
if unshare -U -r true 2>/dev/null; then
    alike users unshare -U -r cat root/data/file
    is "$(events users | grep -c "$gets .*file=$tmp/root/data/file .* ret=5 ")" 1 "users: in the trace"
fi

done_testing
