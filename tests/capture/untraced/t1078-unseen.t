#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1078-unseen.t - programs whose calls nobody sees are said, whoever started
# them; and to know them nobody listens in vain

. "${top_srcdir:-$(dirname "$0")/../../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
echo data >file

# said JOB PROGRAM REASON TEXT NAME: two tests, of job.json and of $tmp/err
said ()
{
    is "$(grep -cE "\"(exe|reason)\": \"($2|$3)\"|\"explanation\": \".*$4" "$1/job.json")" 3 "$5: job.json has it"
    like "$(cat err)" "$4" "$5: and dftrace run says it"
}

# --- the command itself ------------------------------------------------------

echo 'int main (void) { return 7; }' >main.c
past='its calls go past libc; seeing them takes layer kernel .see doc/kernel.md.'
if "$cc" -static -o static main.c 2>/dev/null; then
    exits 7 "static: its status" "$dftrace" run -o job1 ./static
    said job1 "$tmp/static" static "static: $past" "static"
    PATH=$tmp:$PATH exits 7 "static: found in PATH" "$dftrace" run -o job2 static
    said job2 "$tmp/static" static "static: $past" "static, found in PATH"
    nok "static: nothing to analyze" "$dftrace" analyze job1
    exits 7 "static: a script ends in it" "$dftrace" run -o script bash -c 'exec ./static'
    like "$(cat err)" "script: no trace: static: $past" "static: whose event of that is no trace of the job"
    exits 125 "static: but the directory is used" "$dftrace" run -o script true
    like "$(cat err)" "holds a trace already" "and that is said"
    exits 7 "static: a script that reads, and ends in it" "$dftrace" run -o reads bash -c 'read x <file; exec ./static'
    unlike "$(cat err)" "no trace" "static: what the script read is a trace"
else
    skip "no static libc" "static: is said"
fi
cat >go.c <<'END'
__asm__ (".pushsection .note.go.buildid,\"a\",@note\n.balign 4\n.long 4, 4, 4\n"
         ".asciz \"Go\\0\"\n.long 0\n.popsection\n");
int main (void) { return 7; }
END
"$cc" -o go go.c
exits 7 "Go with libc: its status" "$dftrace" run -o job3 ./go
like "$(cat job3/job.json)" "a Go program: $past" "Go with libc: job.json has it"
is "$(health job3 untraced) $(events job3 | grep -c " exec_untraced file=$tmp/go .* flags=5 ")" "1 1" \
    "Go with libc: it is counted"
exits 0 "Go with libc: in a script" "$dftrace" run -o job4 bash -c './go; cat file; :'
is "$(health job4 untraced)" 1 "Go with libc: counted there, too"
"$cc" -no-pie -o fixed go.c # as the go command itself is
exits 7 "Go at a fixed address: its status" "$dftrace" run -o job6 ./fixed
like "$(cat job6/job.json)" "a Go program: $past" "Go at a fixed address: job.json has it"
exits 0 "programs in a script: its status" "$dftrace" run -o job7 bash -c './go; ./go; ./fixed; cat file; :'
"$dftrace" analyze job7 >told 2>&1
like "$(cat told)" "not traced: 3 processes: 2 × go \(go\), 1 × fixed \(go\)" "analyze names the programs"
like "$("$dftrace" analyze job7 --view call 2>&1)" "warning: job7: not traced: 3 processes: " "and where the first screen is not asked for"
like "$("$dftrace" analyze job7 --view event --where 'name = exec_untraced' 2>/dev/null)" \
    "$tmp/fixed *reason=go" "the events say why, too"
exits 0 "nothing at all" "$dftrace" run -o job5 true
is "$(grep -c untraced job5/job.json)" 0 "others are not in the list"

# --- containers -----------------------------------------------------------------

# A payload without a way to its trace is counted in that of who started it.
payload ()
{
    local name=$1 flags=$2
    shift 2
    "$dftrace" run -q -o "$name" bwrap "$@" cat "$tmp/file" >out 2>err
    is "$(cat out err) $(health "$name" untraced) $(events "$name" | grep -c " exec_untraced file=cat .* flags=$flags ")" \
        "data 1 1" "bwrap $name: counted, and why"
}
if bwrap --dev-bind / / true 2>/dev/null; then
    "$dftrace" run -q -o whole bwrap --dev-bind / / cat "$tmp/file" >out
    is "$(cat out) $(health whole untraced) $(events whole | grep -c "copy_file_range .*file=$tmp/file\| read .*file=$tmp/file")" \
        "data 0 2" "bwrap: with all directories its payload is traced"
    payload readonly 6 --ro-bind / /
    payload hidden 6 --dev-bind / / --tmpfs "$tmp/hidden"
    payload nolibrary 4 --dev-bind / / --tmpfs "${library%/.libs/*}"
    like "$("$dftrace" analyze readonly 2>&1)" 'not traced: 1 process: 1 × (cat|not known)' "bwrap: analyze says it"
else
    skip "no bwrap here" "bwrap: a payload without a trace is counted"
fi
for mode in rbind tmpfs; do
    unshare -m true 2>/dev/null || continue
    inside='mount -o bind "$0" "$0" && mount -o remount,ro,bind "$0"; exec cat "$1"'
    [ $mode = tmpfs ] && inside='mount -t tmpfs none "$0"; exec cat "$1"'
    # shellcheck disable=SC2016
    "$dftrace" run -q -o "ns-$mode" unshare -m bash -c "$inside" "$tmp/ns-$mode" "$tmp/file" >out 2>err
    is "$(cat out)" data "a mount over the job directory, $mode: the same"
done

# --- listeners ---------------------------------------------------------------------

# What a program hears of the file that its child executes.
cat >listen.c <<'END'
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    char buf[4096] __attribute__ ((aligned (8)));
    int fd = inotify_init1 (IN_NONBLOCK);
    if (inotify_add_watch (fd, argv[1], IN_ALL_EVENTS) < 0)
        return 3;
    for (int i = 0; i < 2; i++) {
        if (fork () == 0) {
            execl (argv[1], argv[1], (char *)0);
            _exit (9);
        }
        wait (0);
    }
    for (long n; (n = read (fd, buf, sizeof (buf))) > 0;)
        for (char *p = buf; p < buf + n;) {
            struct inotify_event *e = (void *)p;
            printf ("%x\n", e->mask);
            p += sizeof (*e) + e->len;
        }
    return 0;
}
END
"$cc" -o listen listen.c
cp "$(type -P true)" child
alike inotify ./listen "$tmp/child"
cmp_num "$(wc -l <out)" -gt 2 "inotify: it heard of its children"
[ -e static ] && alike listened ./listen "$tmp/static"
# Who does not listen looks at a program once.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    cat >spawn.c <<'END'
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
int main (int argc, char **argv)
{
    for (int i = 0; i < 5; i++) {
        posix_spawn (0, argv[1], 0, 0, argv + 1, environ);
        wait (0);
    }
    return 0;
}
END
    "$cc" -o spawn spawn.c
    DFTRACE_LAYERS=posix DFTRACE_JOB_DIR=$tmp/once strace -o calls -e trace=openat \
        -E LD_PRELOAD="$library" ./spawn "$tmp/child"
    is "$(grep -c "\"$tmp/child\"" calls)" 1 "five times the same program: opened once"
fi

done_testing
