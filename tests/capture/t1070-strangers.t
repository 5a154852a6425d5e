#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1070-strangers.t - programs and libraries that do not expect us: other
# libcs, constructors before ours, odd paths
#
# Here are cases in which other tracers broke the program: a musl program that
# did not start (Darshan, Recorder: rc 127), calls before their constructor,
# names that were not restored (DFTracer).

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
. "$top_srcdir/tests/strangers.sh"

program "plain" 2 PRELOAD ./reader

if command -v musl-gcc >/dev/null && musl-gcc -o musl reader.c 2>/dev/null; then
    program "musl" 2 PRELOAD ./musl
else
    skip "no musl-gcc" "musl: the same, and silent"
fi
if "$cc" -static -o static reader.c 2>/dev/null; then
    program "static" 0 PRELOAD ./static
    # shellcheck disable=SC2016
    for how in 'exec ./static file' './static file; :' 'PATH=$PWD:$PATH; static file; :'; do
        out=$(preloaded PRELOAD bash -c "$how")
        is "$(events job | grep -c ' exec_untraced file=.*static .* flags=1 ') $(health job untraced)" \
            "1 1" "bash -c '$how': it is said that it is not traced"
        is "$(grep -h ^untraced job/shards/processes.* | sed 's,^untraced [0-9]* ,,; s, [@~][0-9]*$,,')" "$tmp/static static" \
            "bash -c '$how': which one is noted"
    done
    cp static 'st a"t\ic'
    # shellcheck disable=SC2016
    traced listed bash -c 'for i in 1 2 3; do ./static file; done; "./st a\"t\\ic" file' >/dev/null
    is "$(grep -cE '"(exe|reason|count|pid)": ("[^ ]*/static"|"static"|3|[0-9]+),?$' listed/job.json)" 7 \
        "job.json has a list of them"
    like "$(cat listed/job.json)" '"exe": ".*/st a\\"t\\\\ic",' "with any names"
    cp listed/job.json before
    "$dftrace" merge -q listed
    "$dftrace" analyze -q listed
    ok "which merge and analyze leave as it is" cmp before listed/job.json
    if command -v python3 >/dev/null; then
        preloaded PRELOAD "$(python3 -c 'import sys; print (sys.executable)')" -c \
            'import subprocess, sys; open ("file").read (); subprocess.run (["./static", "file"])' >/dev/null
        is "$(health job untraced)" 1 "subprocess.run: the parent of a vfork counts it"
        is "$(grep -h ^untraced job/shards/processes.* | sed 's,^untraced [0-9]* ,,; s, [@~][0-9]*$,,')" "$tmp/static static" \
            "subprocess.run: the child of the vfork notes its path"
    fi
else
    skip "no static libc" "static: the same, and silent"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 711 "$tmp"
    chmod 644 file
    cp reader suid && chmod 4755 suid
    out=$(preloaded PRELOAD setpriv --reuid 65534 --clear-groups ./suid file 2>err)
    like "$? $out" "^$want" "setuid: the loader leaves us out, the program is the same"
    rm -rf job && mkdir -m 777 job
    setpriv --reuid 65534 --clear-groups env DFTRACE_LAYERS=posix DFTRACE_JOB_DIR="$tmp/job" \
        LD_PRELOAD="$library" bash -c './suid file; :' >/dev/null 2>&1
    is "$(events job | grep -c ' exec_untraced file=./suid .* flags=2 ')" 1 \
        "setuid: it is said that it is not traced"
    like "$(grep -h ^untraced job/shards/processes.*)" "^untraced [0-9]+ $tmp/suid setuid @[0-9]+\$" "setuid: and which one"
else
    skip "not root" "setuid: the same"
fi
# A container: the program's root is another one, in which there is no library.
if [ "$(id -u)" = 0 ] && command -v chroot >/dev/null; then
    rm -rf job root && mkdir -p "job/shards" "root$tmp/job/shards"
    for lib in $(ldd ./reader | grep -o '/[^ ]*'); do
        mkdir -p "root${lib%/*}" && cp "$lib" "root$lib"
    done
    cp reader file root/
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$library \
        chroot root /reader file >out 2>err
    is "$? $(cat out)" "$want" "chroot without the library: the program is the same"
    like "$(grep -h ^untraced "root$tmp"/job/shards/processes.*)" '^untraced [0-9]+ /reader no%20library @[0-9]+$' \
        "and it is noted"
else
    skip "not root" "chroot without the library"
fi
# Calls before our constructor and after our destructor.
cat >early.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static void use (const char *when)
{
    char c = 0;
    int fd = open ("file", O_RDONLY);
    FILE *f = fopen ("file", "r");
    (void)!read (fd, &c, 1);
    dprintf (1, "%s %c%c\n", when, c, getc (f));
    fclose (f);
    close (fd);
}
__attribute__ ((constructor)) static void early (void) { use ("early"); }
__attribute__ ((destructor)) static void late (void) { use ("late"); }
int early_function (void) { return 0; }
END
cat >first.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
extern int early_function (void);
static void first (int argc, char **argv, char **envp)
{
    char c = 0;
    int fd = open ("file", O_RDONLY);
    (void)!read (fd, &c, 1);
    (void)!write (1, &c, 1);
    close (fd);
}
__attribute__ ((section (".preinit_array"), used)) static void (*p) (int, char **, char **) = first;
static void last (void) { first (0, 0, 0); }
int main (void)
{
    atexit (last);
    first (0, 0, 0);
    return early_function () + 7;
}
END
"$cc" -shared -fPIC -o libearly.so early.c
"$cc" -o first first.c ./libearly.so
plain=$(./first)
out=$(preloaded PRELOAD ./first 2>err)
is "$? $out$(cat err)" "7 $plain" "before and after us: the same"
cmp_num "$(reads)" -ge 2 "before and after us: what main and atexit do is in the trace"
out=$(preloaded "$tmp/libearly.so:PRELOAD" ./reader file 2>err)
is "$(grep -c . <<<"$out")$(cat err)" 3 "a library preloaded before us does I/O early and late"
out=$(preloaded "PRELOAD:$tmp/libearly.so" ./reader file 2>err)
is "$(grep -c . <<<"$out")$(cat err)" 3 "so does one preloaded behind us"
LIBRARY=$tmp/libearly.so timeout 300 "$victims/harsh" dlopen file >plain.out
echo data >file
LIBRARY=$tmp/libearly.so preloaded PRELOAD timeout 300 "$victims/harsh" dlopen file >out
is "$(cat out)" "$(cat plain.out)" "dlopen and dlclose, a hundred times"
echo data >file

# Paths come back byte for byte.
for name in $'new\nline' 'quo"te' "apo'strophe" 'back\slash' $'\xff\xfe invalid' $'t\tab' 'a=b c' $'\x01'; do
    echo x >"$name"
    preloaded PRELOAD cat "$name" >/dev/null
    got=$(events job | sed -n 's/.* open[at]* fd=[0-9]* file=\([^ ]*\) .*/\1/p' | tail -1)
    printf -v got '%b' "${got//\\x5c/\\\\}"
    is "$got" "$tmp/$name" "a path with $(printf %q "$name")"
done
deep=$tmp
while ((${#deep} < 4095 - 201)); do
    deep+=/$(printf 'd%.0s' {1..199})
done
deep+=/$(printf 'f%.0s' $(seq $((4095 - ${#deep} - 1))))
python=$(command -v python3) || python=
if [ -n "$python" ]; then
    "$python" - "${deep#"$tmp"/}" <<-'END'
	import os, sys
	*dirs, name = sys.argv[1].split ("/")
	for d in dirs:
	    os.mkdir (d)
	    os.chdir (d)
	open (name, "w").write ("x" * 9)
	END
    is "${#deep}" 4095 "a path of 4095 bytes"
    out=$(preloaded PRELOAD head -c 5 "$deep")
    is "$out" xxxxx "can be read"
    is "$(events job | sed -n 's/.* read fd=[0-9]* file=\([^ ]*\) .*/\1/p' | tail -1)" "$deep" \
        "and comes back whole"
fi

# A descriptor that comes over a socket is looked up when it is used.
cat >rights.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
int main (void)
{
    union { struct cmsghdr h; char room[CMSG_SPACE (sizeof (int))]; } u = {0};
    char c = 'x';
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof (u)};
    int s[2], fd;
    socketpair (AF_UNIX, SOCK_STREAM, 0, s);
    if (fork () == 0) {
        fd = open ("file", O_RDONLY);
        lseek (fd, 1, SEEK_SET);
        u.h = (struct cmsghdr){CMSG_LEN (sizeof (int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy (CMSG_DATA (&u.h), &fd, sizeof (fd));
        sendmsg (s[0], &m, 0);
        _exit (0);
    }
    wait (NULL);
    fd = open ("/dev/null", O_RDONLY);
    close (fd); /* it will have a number that was known */
    recvmsg (s[1], &m, 0);
    memcpy (&fd, CMSG_DATA (&u.h), sizeof (fd));
    printf ("%zd\n", read (fd, &c, 1));
    return c;
}
END
if "$cc" -w -o rights rights.c; then
    out=$(preloaded PRELOAD ./rights)
    is "$? $out" "97 1" "SCM_RIGHTS: the same"
    like "$(events job | grep ' read ' | tail -1)" "file=$tmp/file size=1 off=1 ret=1 " \
        "SCM_RIGHTS: file and position are known"
fi

# What is asked of io_urings and libaio is seen, also when a plugin brings the
# library for itself alone, where RTLD_NEXT does not find it.
cat >uring.c <<'END'
#include <liburing.h>
#include <fcntl.h>
#include <stdio.h>
int run (void)
{
    static char buf[4][512];
    struct iovec v[2] = {{buf[1], 100}, {buf[2], 200}};
    struct io_uring ring, other;
    struct io_uring_params p = {0};
    struct io_uring_cqe *cqe;
    int fd = open ("file", O_RDONLY), n = 0;
    int a = io_uring_queue_init (4, &ring, 0), b = io_uring_queue_init_params (4, &other, &p);
    if (a < 0 || b < 0)
        return 77;
    for (int round = 0; round < 5; round++) { /* round the ring */
        struct io_uring_sqe *q = io_uring_get_sqe (&ring);
        io_uring_prep_read (q, fd, buf[0], 512, 1 + round);
        n += io_uring_submit (&ring);
        n += io_uring_wait_cqe (&ring, &cqe) == 0 && cqe->res == 512;
        io_uring_cqe_seen (&ring, cqe);
    }
    io_uring_prep_readv (io_uring_get_sqe (&ring), fd, v, 2, 7);
    io_uring_prep_nop (io_uring_get_sqe (&ring));
    n += io_uring_submit_and_wait (&ring, 2);
    printf ("%d %.3s\n", n, buf[1]);
    return 0;
}
END
cat >libaio.c <<'END'
#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
int run (void)
{
    static char buf[512];
    io_context_t ctx = 0;
    struct iocb cb, *list[] = {&cb};
    struct io_event done;
    int fd = open ("file", O_RDONLY);
    if (io_setup (4, &ctx) != 0)
        return 77;
    io_prep_pread (&cb, fd, buf, sizeof (buf), 1);
    printf ("%d", io_submit (ctx, 1, list));
    printf (" %d", io_getevents (ctx, 1, 1, &done, NULL));
    printf (" %ld %.3s", (long)done.res, buf);
    list[0] = NULL;
    printf (" %d\n", io_submit (0, 1, list));
    return 0;
}
END
echo 'int run (void); int main (void) { return run (); }' >main.c
cat >plugin.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main (int argc, char **argv)
{
    const char *before = dlerror ();
    void *h = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run) (void) = h ? (int (*) (void))dlsym (h, "run") : 0;
    printf ("%s\n", before ? before : run ? "loaded" : dlerror ());
    return run ? run () : 1;
}
END
"$cc" -w -o plugin plugin.c -ldl
for what in uring libaio; do
    lib=-luring
    [ $what = uring ] || lib=-laio
    if ! "$cc" -w -o $what main.c $what.c $lib 2>/dev/null || ! ./$what >plain.out; then
        skip "no $what" "$what: the same"
        continue
    fi
    "$cc" -w -fPIC -shared -o ./$what.so $what.c $lib
    for how in ./$what "./plugin ./$what.so"; do
        # shellcheck disable=SC2086
        $how >plain.out
        # shellcheck disable=SC2086
        preloaded PRELOAD $how >out
        is "$(cat out)" "$(cat plain.out)" "$how: the same"
        if [ $what = uring ]; then
            is "$(events job | sed -n 's/.* aio_submit .*\(file=[^ ]* size=[0-9]* off=[0-9]*\) ret=0 .*flags=\([0-9]*\) .*/\1 \2/p')" \
                "$(for off in 1 2 3 4 5; do echo "file=$tmp/file size=512 off=$off 278"; done
                   echo "file=$tmp/file size=300 off=7 257")" "$how: what it asked for"
            is "$(health job rings)" 2 "$how: as many rings are said"
            like "$("$dftrace" stat job/shards/*.dft)" ' 6 requests of io_urings' "$how: and requests that may be of files"
            "$dftrace" analyze --no-write job >page 2>&1
            is "$(grep -c '^6 requests of io_urings, whose results cannot be seen' page)" 1 \
                "$how: the page says so once"
        else
            like "$(events job | grep ' aio_submit ')" "file=$tmp/file size=512 off=1 " "$how: the request"
            like "$(events job | grep ' io_getevents ')" " size=$(tail -1 out | cut -d' ' -f3) off=-1 ret=1 " "$how: its result"
        fi
    done
done

# Wild arguments give the same errors.
cat >wild.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#define TRY(E) (errno = 0, rc = (long)(E), printf ("%s: %ld %d\n", #E, rc, errno))
int main (void)
{
    char *null = NULL, *wild = (char *)8, *page;
    struct stat st;
    struct statx stx;
    long rc;
    int fd = open ("file", O_RDONLY);
    page = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap (page + 4096, 4096);
    memset (page, 'x', 4096); /* no end, and nothing behind it */
    TRY (open (null, O_RDONLY));
    TRY (open (wild, O_RDONLY));
    TRY (open (page, O_RDONLY));
    TRY (stat (page, &st));
    TRY (stat ("file", (struct stat *)wild));
    TRY (access (null, 99));
    TRY (rename (page, null));
    TRY (rename ("file", wild));
    TRY (renameat2 (-1, null, -1, null, 99));
    TRY (unlinkat (-1, null, 99));
    TRY (faccessat (-1, null, 99, 99));
    TRY (statx (fd, null, AT_EMPTY_PATH, STATX_SIZE, &stx));
    TRY (statx (-1, null, 1 << 30, 0, &stx));
    TRY (fstatat (fd, null, &st, AT_EMPTY_PATH));
    TRY (read (fd, wild, 5));
    TRY (readv (fd, (struct iovec *)wild, 2));
    TRY (readv (fd, (struct iovec *)wild, -1));
    TRY (preadv2 (fd, (struct iovec *)wild, 2, 0, 1 << 30));
    TRY (write (fd, "x", 1));
    TRY (close (-5));
    TRY (dup2 (fd, -1));
    TRY (dup2 (-1, fd));
    TRY (fcntl (fd, 12345, wild));
    TRY (readlink (null, null, 0));
    TRY (symlink (wild, null));
    TRY (truncate (null, -1));
    TRY (mkdir (page, 0));
    TRY (read (fd, page, 5));
    return 0;
}
END
if "$cc" -w -o wild wild.c; then
    ./wild >plain.out
    is "$?" 0 "wild arguments, untraced"
    preloaded PRELOAD ./wild >out
    is "$? $(diff plain.out out)" "0 " "wild arguments give the same errors"
fi

done_testing
