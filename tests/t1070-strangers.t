#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1070-strangers.t - programs and libraries that do not expect us: other
# libcs, allocators, sanitizers, constructors before ours, odd paths
#
# Here are cases in which other tracers broke the program: a musl program that
# did not start (Darshan, Recorder: rc 127), calls before their constructor,
# names that were not restored (DFTracer), allocators behind dlsym (Darshan).

. "${top_srcdir:-.}/tests/lib.sh"
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
echo data >file

# preloaded LIBRARIES COMMAND…: traced into job directory job, with these
# libraries, where PRELOAD stands for ours.
preloaded ()
{
    local libs=${1//PRELOAD/$library}
    shift
    rm -rf job
    mkdir job
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$libs "$@"
}

reads () { events job | grep -c " f\?\(read\|getc\|gets\) .*file=$tmp/file "; }

cat >reader.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    char *buf = malloc (100);
    struct stat st;
    FILE *f = fopen (argv[1], "r");
    int c = getc (f), fd = open (argv[1], O_RDONLY), status = 0;
    ssize_t n = read (fd, buf, 100);
    pid_t pid;
    fclose (f);
    close (fd);
    stat (argv[1], &st);
    pid = fork ();
    if (pid == 0)
        _exit (3);
    waitpid (pid, &status, 0);
    printf ("%c %ld %ld %d\n", c, (long)n, (long)st.st_size, status);
    free (buf);
    return 7;
}
END
"$cc" -o reader reader.c || skip_all "the compiler does not work"
want="7 d 5 5 768"

# program NAME READS COMMAND…
program ()
{
    local name=$1 n=$2 out status=0
    shift 2
    out=$(preloaded "$@" file 2>err) || status=$?
    is "$status $out$(cat err)" "$want" "$name: the same, and silent"
    is "$(reads)" "$n" "$name: $n reads are in the trace"
}
program "plain" 2 PRELOAD ./reader

if command -v musl-gcc >/dev/null && musl-gcc -o musl reader.c 2>/dev/null; then
    program "musl" 0 PRELOAD ./musl
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
    done
    if command -v python3 >/dev/null; then
        preloaded PRELOAD "$(python3 -c 'import sys; print (sys.executable)')" -c \
            'import subprocess, sys; open ("file").read (); subprocess.run (["./static", "file"])' >/dev/null
        is "$(health job untraced)" 1 "subprocess.run: the parent of a vfork counts it"
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
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/job LD_PRELOAD=$library \
        setpriv --reuid 65534 --clear-groups bash -c './suid file; :' >/dev/null 2>&1
    is "$(events job | grep -c ' exec_untraced file=./suid .* flags=2 ')" 1 \
        "setuid: it is said that it is not traced"
else
    skip "not root" "setuid: the same"
fi
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4; do
    path=$(ldconfig -p | awk -v a="$allocator" '$1 == a { print $NF; exit }')
    if [ -z "$path" ]; then
        skip "not installed" "$allocator"
        continue
    fi
    program "$allocator behind us" 2 "PRELOAD:$path" ./reader
    program "$allocator before us" 2 "$path:PRELOAD" ./reader
done

# AddressSanitizer of GCC wants to come first, whoever is preloaded.
if "$cc" -fsanitize=address -o asan reader.c 2>/dev/null && ./asan file >/dev/null 2>&1; [ $? = 7 ]; then
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 program "ASan, told not to mind" 2 PRELOAD ./asan
else
    skip "no ASan" "ASan: the same"
fi
if "$cc" -fsanitize=undefined -o ubsan reader.c 2>/dev/null; then
    program "UBSan" 2 PRELOAD ./ubsan
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
LIBRARY=$tmp/libearly.so timeout 30 "$victims/harsh" dlopen file >plain.out
echo data >file
LIBRARY=$tmp/libearly.so preloaded PRELOAD timeout 30 "$victims/harsh" dlopen file >out
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

# Rings are said, libaio's requests are seen.
cat >ring.c <<'END'
#include <liburing.h>
int main (void)
{
    struct io_uring ring;
    struct io_uring_params p = {0};
    FILE *f = fopen ("file", "r");
    int a = io_uring_queue_init (4, &ring, 0), b = io_uring_queue_init_params (4, &ring, &p);
    fgetc (f);
    printf ("%d\n", (a == 0) + (b == 0));
    return 0;
}
END
if "$cc" -w -include stdio.h -o ring ring.c -luring 2>/dev/null; then
    n=$(./ring)
    is "$(preloaded PRELOAD ./ring)" "$n" "io_uring: the same"
    is "$(health job rings)" "$n" "io_uring: as many rings are said"
else
    skip "no liburing" "io_uring: the same"
fi
cat >aio.c <<'END'
#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
int main (void)
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
    printf (" %ld %.3s\n", (long)done.res, buf);
    return 0;
}
END
if "$cc" -w -o aio aio.c -laio 2>/dev/null && ./aio >plain.out; then
    preloaded PRELOAD ./aio >out
    is "$(cat out)" "$(cat plain.out)" "libaio: the same"
    like "$(events job | grep ' aio_submit ')" "file=$tmp/file size=512 off=1 " "libaio: the request"
else
    skip "no libaio" "libaio: the same"
fi

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
