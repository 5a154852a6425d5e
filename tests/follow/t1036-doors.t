#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1036-doors.t - each way by which a program starts another one without the
# environment that it has itself: syscall, descriptors, system, popen, wordexp,
# small stacks, no room; and programs that cannot be followed, by their reason

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"

# Writes 1,000 bytes ten times into the file that it is told.
cat >w.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    static char b[1000];
    int fd = open (argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0666);
    for (int i = 0; i < 10; i++)
        if (write (fd, b, sizeof b) != sizeof b)
            return 1;
    return 0;
}
END
"$cc" -O1 -o w w.c || skip_all "the compiler does not work"

# written JOB FILE: bytes in the trace
written ()
{
    events "$1" | awk -v f=" file=$tmp/$2 " 'index ($0, f) && $3 == "write" {
        for (i = 4; i <= NF; i++)
            if ($i ~ /^ret=[0-9]/)
                n += substr ($i, 5)
    }
    END { print n + 0 }'
}
reason () { grep -hs ^untraced "$1"/shards/processes.* | cut -d ' ' -f 3,4 | sort | uniq -c | xargs; }

"$cc" -O1 -w -pthread -o doors "$top_srcdir/tests/follow/doors.c" || skip_all "the compiler does not do it"

alike execs ./doors execs
for i in {1..15}; do
    written execs "f$i"
done | sort | uniq -c | xargs >sums
is "$(cat sums) $(health execs untraced)" "15 10000 0" "exec and spawn without an environment, in 15 ways: each byte"
alike shells ./doors shells
is "$(written shells s1) $(written shells p1) $(written shells e1) $(written shells e2)" "10000 10000 10000 10000" \
    "system, popen and wordexp after clearenv: each byte"
is "$(reason shells)" "1 /bin/sh environment" "a wordexp that sets a variable sets it: its shell is counted"
like "$(cat out)" 'ignored 1280.default 2|ignored 1280' "signals are those of the program"
like "$(cat out)" 'interrupted 1536' "a signal with a handler does not end the wait of system"
alike threads ./doors threads
is "$(written threads s1)" 10000 "system with a second thread: each byte"
is "$(written threads p1)" 10000 "popen, too: each byte"
is "$(written threads e2)" 10000 "and wordexp"
is "$(reason threads)" "3 /bin/sh environment" "but for commands in backquotes or \${…}: counted"
fresh () { rm -f pid; }
alike cancel ./doors cancel
fresh () { :; }
is "$(cat out | xargs)" "cancelled 1, gone 1 default 1" "a thread that is cancelled in system ends its shell"

"$cc" -static -o static w.c 2>/dev/null || rm -f static
alike small ./doors small ${static:+./static}
is "$(written small t1) $(written small t2) $(written small t3)" "20000 20000 20000" \
    "20,000 variables from a stack of 64 KiB, 1,500 from 16 KiB: each byte"
if [ -e static ]; then
    alike little ./doors small ./static
    is "$(reason little)" "2 $tmp/static static" "a static program from a stack of 16 KiB"
fi

room=$(./doors large)
alike full ./doors fill "$room"
is "$(reason full) $(health full untraced)" "2 $tmp/w too%20large 2" "no room for two entries more: it runs, and is counted"
alike fullshell ./doors fillshell "$room"
is "$(xargs <out) $(reason fullshell)" "said 0 1 said 2 /bin/sh too%20large" \
    "popen and wordexp: their shells run, and are counted"
alike nearly ./doors fill $((room - 20000))
is "$(written nearly g1) $(written nearly g2) $(reason nearly)" "10000 10000 " "where there is room: traced"

# --- what cannot be followed ---------------------------------------------------

if [ -e static ]; then
    cat >fx.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
#include <sys/wait.h>
extern char **environ;
int main (int argc, char **argv)
{
    int fd = open (argv[1], O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        if (fork () == 0) {
            fexecve (fd, argv + 1, environ);
            _exit (1);
        }
        wait (0);
    }
    return 0;
}
END
    "$cc" -o fx fx.c
    "$dftrace" run -q -o fx1 ./fx ./static x1
    is "$(reason fx1) $(health fx1 untraced)" "3 $tmp/static static 3" "fexecve of a static program: named three times"
    cat >between.c <<'END'
#include <unistd.h>
extern char **environ;
int main (int argc, char **argv)
{
    execve (argv[1], argv + 1, environ);
    return 1;
}
END
    "$cc" -static -o between between.c
    alike j-between env -i ./between "$tmp/w" b1
    is "$(written j-between b1) $(reason j-between)" "10000 1 $tmp/between static" \
        "behind a static program: traced again"
    is "$("$dftrace" analyze --no-write --view process --format csv j-between 2>/dev/null | grep -c "$tmp/between")" 1 \
        "the static program has a row, though its process was traced afterwards"
    "$dftrace" run -q -o between2 env -i LD_PRELOAD=libz.so.1 ./between "$(command -v env)" >out 2>/dev/null
    is "$(grep -v '^_=' out)" "LD_PRELOAD=libz.so.1" "behind a static program: the environment as it was given"
else
    skip "no static libc" "static programs"
fi

loader=$(readelf -l w 2>/dev/null | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
if [ -x "$loader" ]; then
    alike loader env -i "$loader" ./w l1
    is "$(written loader l1) $(reason loader)" "10000 " "ld.so PROGRAM: traced, and not said to be static"
fi
printf '#!%s l2\n' "$tmp/w" >shebang && chmod 755 shebang
alike j-shebang env -i ./shebang
is "$(written j-shebang l2)" 10000 "a script: its interpreter is traced"

# 32 bits: a real one, or one that the kernel refuses to start or that does not
# get far; the loader is to say nothing of us.
if "$cc" -m32 -o w32 w.c 2>/dev/null; then
    alike bits ./w32 b3
    is "$(cat err) $(reason bits)" " 1 $tmp/w32 another%20machine" "32 bits: silent, and counted"
else
    # an ELF32 for i386 whose loader is not there
    python3 - <<'END' 2>/dev/null || : >w32
import struct
head = b"\x7fELF\x01\x01\x01" + bytes (9) + struct.pack ("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048080, 52, 0, 0, 52, 32, 2, 0, 0, 0)
load = struct.pack ("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 0x1000, 0x1000, 5, 0x1000)
loader = struct.pack ("<IIIIIIII", 3, 0x78, 0x8048078, 0x8048078, 8, 8, 4, 1)
image = head + load + loader + b"\0\0\0\0/no/ld\0\0"
open ("w32", "wb").write (image.ljust (0x1000, b"\0"))
END
    chmod 755 w32
    alike bits bash -c './w32; echo $?; env -u X ./w32; echo $?'
    is "$(reason bits | sed 's/^[0-9]* //')" "$tmp/w32 another%20machine" "32 bits: counted"
fi
# A static one of them has no loader: it hands on what a 64-bit program needs.
python3 - <<'END' 2>/dev/null || : >between32
import struct
head = b"\x7fELF\x01\x01\x01" + bytes (9) + struct.pack ("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048060, 52, 0, 0, 52, 32, 1, 0, 0, 0)
load = struct.pack ("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 0x1000, 0x1000, 5, 0x1000)
# execve (argv[1], argv + 1, envp), exit (1)
code = bytes.fromhex ("8b0424 8d548408 8b5c2408 8d4c2408 b80b000000 cd80 b801000000 bb01000000 cd80")
image = (head + load).ljust (0x60, b"\0") + code
open ("between32", "wb").write (image.ljust (0x1000, b"\0"))
END
chmod 755 between32
if ./between32 /bin/true 2>/dev/null; then
    alike j-between32 env -i ./between32 "$tmp/w" b4
    is "$(written j-between32 b4) $(reason j-between32)" "10000 1 $tmp/between32 static" \
        "behind a static program of 32 bits: traced again"
else
    skip "no programs of 32 bits here" "behind a static program of 32 bits"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 711 "$tmp" && mkdir -m 777 open
    alike other setpriv --reuid 65534 --regid 65534 --clear-groups ./w open/o1
    is "$(written other open/o1) $(reason other)" "0 1 $tmp/w another%20user" "another user: counted, and writes nothing there"
    if unshare -U -r true 2>/dev/null; then
        "$dftrace" run -q -o names unshare -U -r ./w o2
        is "$(written names o2)" 10000 "a namespace of users is not another user"
    fi
    cp w suid && chown 65534 suid && chmod 4755 suid
    "$dftrace" run -q -o suid1 ./suid open/o3
    "$dftrace" run -q -o suid2 bash -c './suid open/o3; :'
    is "$(reason suid2)" "1 $tmp/suid setuid" "setuid: counted"
    rm -f open/o3
    "$dftrace" run -q -o suid3 setpriv --no-new-privs bash -c './suid open/o4; :'
    is "$(written suid3 open/o4) $(reason suid3)" "10000 " "setuid under no_new_privs: traced, and not counted"
    if command -v setcap >/dev/null && cp w caps && setcap cap_net_raw+ep caps 2>/dev/null; then
        mkdir -m 777 jobs
        setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ "$dftrace" run -q -o jobs/j bash -c './caps open/o5; :'
        is "$(reason jobs/j)" "1 $tmp/caps capabilities" "capabilities: counted"
    else
        skip "no capabilities of files" "capabilities: counted"
    fi
else
    skip "not root" "another user, setuid"
fi

if echo 'int main (void) { return 7; }' >seven.c && "$cc" -fsanitize=address -o asan seven.c 2>/dev/null && ./asan; [ $? = 7 ]; then
    alike j-asan bash -c './asan; echo $?'
    is "$(reason j-asan)" "$(ldd asan | grep -q libasan && echo "1 $tmp/asan sanitizer")" "a sanitizer's program runs, and is counted"
else
    skip "no sanitizer" "a sanitizer's program runs, and is counted"
fi

# A library on a mount with noexec: the loader would print a line for each
# program. Said once, by us.
at_exit 'umount "$tmp/noexec"'
mkdir noexec
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o noexec none noexec 2>/dev/null; then
    cp "$library" noexec/
    DFTRACE_PRELOAD=$tmp/noexec/libdftrace_preload.so "$dftrace" run -q -o j-noexec bash -c '/bin/true; /bin/echo out; exit 3' >out 2>err
    is "$? $(cat out)" "3 out" "a library on a mount with noexec: the program runs"
    like "$(cat err)" "^dftrace: warning: [^ ]*: its file system is mounted with noexec.*$" "and one line says why it is not traced"
    is "$(wc -l <err) $(reason j-noexec)" "1 1 $(readlink -f "$(command -v bash)") noexec" "once, and the program is listed"
else
    skip "no mount" "a library on a mount with noexec"
fi

# --- locks ---------------------------------------------------------------------

# A record lock on the program's own file is kept by exec.
cat >locks.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    int n = atoi (argv[1]), fd;
    char next[10];
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (n == 0 && (fcntl (open (argv[0], O_RDWR), F_SETLK, &l) && fcntl (open ("locked", O_RDWR | O_CREAT, 0600), F_SETLK, &l)))
        return 1;
    if (fork () == 0) {
        fd = open (argv[2], O_RDONLY);
        printf ("%d locked: %d\n", n, fcntl (fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK && l.l_pid == getppid ());
        fflush (stdout);
        _exit (0);
    }
    wait (0);
    if (n == 3)
        return 0;
    sprintf (next, "%d", n + 1);
    execl (argv[0], argv[0], next, argv[2], (char *)0);
    return 1;
}
END
sed -i 's/F_WRLCK, /F_RDLCK, /; s/O_RDWR), F_SETLK/O_RDONLY), F_SETLK/; s/F_GETLK, \&l/F_GETLK, \&(*(l.l_type = F_WRLCK, \&l))/' locks.c
"$cc" -w -o locks locks.c
./locks 0 ./locks >plain.locks
is "$(grep -c 'locked: 1' plain.locks)" 4 "untraced, exec keeps a lock"
alike j-locks ./locks 0 ./locks
alike j-locks-cleared env -i ./locks 0 ./locks

done_testing
