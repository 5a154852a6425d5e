#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1090-peers.t - what other tracers got wrong and no other test looks at; the
# whole list, with the test of each, is in tests/README.md

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
head -c 204800 /dev/urandom >file

# compiled NAME FLAGS…: standard input -> program, run untraced and traced.
compiled ()
{
    local name=$1 plain=0 with=0
    shift
    cat >"$name.c"
    "$cc" -w -D_GNU_SOURCE -o "$name" "$name.c" "$@" -pthread || {
        fail "$name: compiles"
        return
    }
    "./$name" >plain.out 2>plain.err || plain=$?
    (traced "$name.job" "./$name") >out 2>err || with=$?
    is "$with $(cat out err)" "$plain $(cat plain.out plain.err)" "$name: the same"
}

# DFTracer drops the third argument of fcntl.
compiled fcntl <<'END'
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#define SHOW(E) (errno = 0, rc = (E), printf ("%s = %d %d\n", #E, rc, errno))
int main (void)
{
    struct f_owner_ex own = {F_OWNER_PID, 0};
    struct flock fl = {.l_type = F_WRLCK, .l_start = 3, .l_len = 4};
    int p[2], rc, m = memfd_create ("m", MFD_ALLOW_SEALING), fd = open ("file", O_RDWR);
    pipe (p);
    SHOW (fcntl (p[0], F_SETPIPE_SZ, 65536));
    SHOW (fcntl (p[0], F_GETPIPE_SZ));
    SHOW (fcntl (m, F_ADD_SEALS, F_SEAL_GROW));
    SHOW (fcntl (m, F_GET_SEALS));
    SHOW (fcntl (fd, F_SETSIG, SIGUSR1));
    SHOW (fcntl (fd, F_GETSIG));
    SHOW (fcntl (fd, F_SETOWN_EX, &own));
    SHOW (fcntl (fd, F_GETOWN_EX, &own));
    SHOW (fcntl (fd, F_OFD_SETLK, &fl));
    SHOW (fcntl (fd, F_SETLK, &fl));
    SHOW (fcntl (fd, F_GETLK, &fl) + fl.l_type);
    SHOW (fcntl (fd, F_SETFD, FD_CLOEXEC));
    SHOW (fcntl (fd, F_GETFD));
    SHOW (fcntl (fd, F_SETFL, O_NONBLOCK | O_APPEND));
    SHOW (fcntl (fd, F_GETFL) & (O_NONBLOCK | O_APPEND));
    SHOW (fcntl (fd, F_DUPFD, 30));
    SHOW (fcntl (fd, F_DUPFD_CLOEXEC, 30));
    SHOW (fcntl (31, F_GETFD));
    SHOW (fcntl (fd, 4711, 1));
    return 3;
}
END

# Darshan keeps one position for all descriptors of a file, and what is read
# through a number that fclose gave back is booked on the old file. It counts
# fileno as an open. DFTracer has no data of a FILE's descriptor.
compiled offsets <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
static void *reader (void *unused)
{
    char buf[100];
    int fd = open ("file", O_RDONLY);
    while (read (fd, buf, 100) == 100)
        ;
    close (fd);
    return 0;
}
int main (void)
{
    pthread_t t[4];
    char c[8] = "1234567";
    struct iovec v = {c, 8};
    FILE *f = fopen ("checkpoint", "w");
    int p[2], fd = fileno (f);
    for (int i = 0; i < 10; i++)
        writev (fileno (f), &v, 1);
    fclose (f);
    pipe (p);
    printf ("%d\n", p[0] == fd);
    write (p[1], c, 8);
    printf ("%d\n", (int)read (p[0], c, 8));
    for (int i = 0; i < 4; i++)
        pthread_create (&t[i], 0, reader, 0);
    for (int i = 0; i < 4; i++)
        pthread_join (t[i], 0);
    return 0;
}
END
events offsets.job >events
grep " read .*file=$tmp/file " events | grep ' ret=100 ' >reads
is "$(wc -l <reads) $(awk '{ print $2 }' reads | sort -u | wc -l)" "8192 4" "four threads: every read, four ids"
is "$(sed 's/.* off=\([0-9-]*\) .*/\1/' reads | sort -n | uniq -c | awk '$1 != 4 || $2 != 100 * n++' | wc -l)" 0 \
    "each of their descriptors has its own position"
is "$(awk '{ for (i = 4; i <= NF; i++) if ($i ~ /^start=/) s = substr ($i, 7) + 0
    if (s < last[$2]) bad++; last[$2] = s } END { print bad + 0 }' reads)" 0 "time does not run backwards"
is "$(grep "file=$tmp/checkpoint " events | rows | xargs)" "1 fclose 1 fopen 10 writev" \
    "a FILE's descriptor: one open, ten writes, nothing of who had its number later"
is "$(grep "file=$tmp/checkpoint " events | sed -n 's/.* writev .* off=\([0-9-]*\) .*/\1/p' | xargs)" \
    "0 8 16 24 32 40 48 56 64 72" "at their offsets"

# Neither Darshan nor Recorder sees a program that was built with FORTIFY.
compiled fortify -O2 -D_FORTIFY_SOURCE=2 <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    char buf[100], line[100];
    size_t n = 40 + argc;
    int fd = open ("file", O_RDONLY + (argc > 9));
    FILE *f = fopen ("file", "r");
    printf ("%zd %zd ", read (fd, buf, n), pread (fd, buf, n, 5));
    printf ("%zu %d\n", fread (buf, 1, n, f), fgets (line, n, f) != 0);
    return 0;
}
END
is "$(events fortify.job | grep "file=$tmp/file " | rows | grep -v 'open\|close' | xargs)" \
    "1 fgets 1 fread 1 pread 1 read" "fortify: all four are there"

# Darshan knows 1024 files.
compiled files <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main (void)
{
    char name[20];
    mkdir ("many", 0700);
    for (int i = 0; i < 3000; i++) {
        sprintf (name, "many/%d", i);
        close (open (name, O_WRONLY | O_CREAT, 0600));
    }
    return 0;
}
END
is "$(events files.job | grep ' close ' | sed -n "s|.* file=$tmp/\(many/[0-9]*\) .*|\1|p" | sort -u | wc -l)" \
    3000 "3000 files have their names"

# DFTracer sees opens and closes of cp and nothing between, and deletes the
# trace of a process with fewer than five events.
mkdir tree && head -c 100000 /dev/zero >tree/a && head -c 1000 /dev/zero >tree/b
traced cp cp -r --reflink=never --sparse=never tree copy
is "$(events cp | grep ' \(read\|copy_file_range\) .*file=[^ ]*/tree/a ' |
    awk '{ for (i = 4; i <= NF; i++) if (sub (/^ret=/, "", $i)) n += $i } END { print n }')" 100000 \
    "cp: the bytes that it copied"
traced ls ls -laR tree >/dev/null
is "$(events ls | grep ' readdir ' | grep -c "file=$tmp/tree ")" 5 "ls: four entries and the end"
DFTRACE_EXCLUDE_CALLS=meta:map:sync DFTRACE_INCLUDE=$tmp/tree traced one head -c 1 tree/a >/dev/null
is "$(events one | rows)" "1 read" "a process with one event keeps it"

# Darshan crashed bash where it was excluded and forked.
DFTRACE_EXCLUDE_EXE='*bash' traced bash bash -c \
    '(cat tree/a); for i in 1 2; do (read -r x <tree/b; cat tree/b); done' >out
is "$? $(wc -c <out)" "0 102000" "an excluded shell that forks: the same"
is "$(events bash | grep " \(read\|copy_file_range\) fd=[0-9]* file=$tmp/tree/" |
    sed 's/.* ret=\([0-9]*\) .*/\1/' | awk '{ n += $1 } END { print n }')" 102000 "and what it starts is traced"

# Handlers of others stay as they are, and so does what a signal does.
if command -v python3 >/dev/null; then
    traced int python3 -c 'import os, signal
try:
    os.kill (os.getpid (), signal.SIGINT)
    signal.pause ()
except KeyboardInterrupt:
    print ("interrupted")
print (signal.getsignal (signal.SIGTERM) == signal.SIG_DFL)' >out 2>err
    is "$(cat out err)" "interrupted
True" "KeyboardInterrupt, and no handler of ours"
fi

# DFTracer starts a shell at exit, Darshan asks every file system at start.
if strace -o /dev/null true 2>/dev/null; then
    mkdir quiet
    strace -f -E DFTRACE_LAYERS=posix -E DFTRACE_JOB_DIR="$tmp/quiet" -E LD_PRELOAD="$library" \
        -o calls cat file >/dev/null
    cmp_num "$(events quiet | grep -c ' read ')" -ge 2 "strace: the traced program"
    made () { grep -cE "^([0-9]+ +)?($1)\(" "${2-calls}"; } # whatever paths are called
    is "$(made execve)" 1 "no program is started"
    # Of what kind the trace's own is, is asked once, of the open file; and the file's,
    # where the kernel lists no mount of it, as in a chroot.
    cmp_num "$(made fstatfs)" -le $((1 + ($(findmnt -n -T "$tmp" | wc -l) == 0))) "only the trace's own file system is asked"
    # Of a file's mount the kernel is asked, once, and no server.
    is "$(made 'statfs|listmount')" 0 "no other file system is"
    cmp_num "$(grep -c '"[^"]*/\(mtab\|mountinfo\|mounts\)"' calls)" -le 1 "mounts are read once at most"
    is "$(made rt_sigaction)" "$(strace -o plain cat file >/dev/null; made rt_sigaction plain)" \
        "no signal is touched"
    is "$(made 'clone3?|v?fork')" 0 "no thread and no process is made"
fi

done_testing
