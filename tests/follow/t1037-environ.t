#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1037-environ.t - a program that is traced without its environment saying so
# sees the environment that it was given: environ, envp, the vector behind it,
# /proc/self/environ; so do Python, Perl, shells and the programs they start

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"

cat >shows.c <<'END'
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
extern char **environ;
int main (int argc, char **argv, char **envp)
{
    static char text[1 << 20];
    char **e = envp;
    unsigned long page = 0, known = 0;
    size_t n;
    FILE *f;

    for (; *e; e++)
        printf ("envp %s\n", *e);
    for (char **p = environ; p && *p; p++)
        printf ("environ %s\n", *p);
    printf ("same %d\n", envp == environ);
    for (Elf64_auxv_t *a = (void *)(e + 1); a->a_type; a++) {
        page = a->a_type == AT_PAGESZ ? a->a_un.a_val : page;
        known += a->a_type != AT_IGNORE && getauxval (a->a_type) == a->a_un.a_val;
    }
    printf ("vector %d %d\n", page == getauxval (AT_PAGESZ), known > 10);
    printf ("getenv %s %s %s\n", getenv ("LD_PRELOAD"), getenv ("DFTRACE_TOLD"), getenv ("DFTRACE_JOB_DIR"));
    f = fopen ("/proc/self/environ", "r");
    n = fread (text, 1, sizeof text, f);
    fclose (f);
    for (size_t i = 0; i < n; i += strlen (text + i) + 1)
        printf ("proc %s\n", text + i);
    f = fopen ("/proc/self/cmdline", "r");
    n = fread (text, 1, sizeof text, f);
    fclose (f);
    for (size_t i = 0; i < n; i += strlen (text + i) + 1)
        printf ("cmdline %s\n", text + i);
    /* The heap and the environment work as ever. */
    for (int i = 0; i < 1000; i++)
        free (malloc (100 * i));
    free (sbrk (0) == (void *)-1 ? NULL : malloc (1));
    setenv ("NEW", "1", 1);
    unsetenv ("A");
    printf ("set %s %s\n", getenv ("NEW"), getenv ("A"));
    return 0;
}
END
"$cc" -O1 -w -o shows shows.c || skip_all "the compiler does not work"
libz=$(ldconfig -p 2>/dev/null | sed -n 's/.*libz\.so\.1 .*=> //p' | head -n 1)

# The same program, the same environment: of it each byte.
given ()
{
    local name=$1
    shift
    alike "$name" "$@"
    is "$(health "$name" untraced)" 0 "$name: nothing was left out"
}
given none env -i ./shows
is "$(grep -c 'envp\|environ\|proc' out)" 0 "none: it sees nothing"
given one env -i A=1 ./shows a b
given three env -i A=1 B= C=3 ./shows
given preload env -i A=1 LD_PRELOAD="$libz" B=2 ./shows
given twice env -i A=1 LD_PRELOAD="$libz $libz:" ./shows
# shellcheck disable=SC2046
given many env -i $(printf "V%d=x " {1..2000}) ./shows
given hosts env -i DFTRACE_NODE=x DFTRACER_X=1 ./shows
alike env-i env -i env
is "$(cat out)" "" "env -i env prints nothing"
alike cat env -i A=1 cat /proc/self/environ
alike shell env -i bash -c 'env | sort; env -i env; env -i A=2 bash -c "declare -p | grep -v PPID"'
alike dash env -i sh -c 'set | grep -v ^PPID; env -i sh -c "env; A=1 env"'

# --- interpreters -----------------------------------------------------------------

if command -v python3 >/dev/null; then
    python=$(python3 -c 'import sys; print (sys.executable)')
    cat >environ.py <<'END'
import os, subprocess, sys
print (sorted (os.environ.items ()))
run = lambda env, code: print (subprocess.run ([sys.executable, "-c", code], env=env, capture_output=True))
run ({}, "import os; print (sorted (os.environ.items ()))")
run ({"A": "1"}, "import os; print (os.environb, os.getenv ('LD_PRELOAD'), open ('/proc/self/environ').read ())")
print (subprocess.run ("env | sort", shell=True, env={"B": "2"}, capture_output=True))
sys.stdout.flush ()
os.environ.clear ()
os.system ("env | sort")
print (os.popen ("env | sort").read ())
print (os.spawnve (os.P_WAIT, "/usr/bin/env", ["env"], {"C": "3"}))
sys.stdout.flush ()
os.execve ("/usr/bin/env", ["env", "env"], {})
END
    # PWD and the like are the shell's
    alike python env -i PATH=/usr/bin:/bin "$python" environ.py
    alike python-set env -i LD_PRELOAD="$libz" "$python" environ.py
    # What is exported on purpose reaches the children.
    alike python-export env -i "$python" -c 'import os, subprocess
os.environ["LD_PRELOAD"] = ""
print (subprocess.run (["env"], capture_output=True).stdout)'
else
    skip "no python3" "Python: the same"
fi
if command -v perl >/dev/null; then
    alike perl env -i A=1 perl -e 'print join (",", map { "$_=$ENV{$_}" } sort keys %ENV), "\n"; $| = 1; $0 = "title"; %ENV = (); system ("/usr/bin/env"); print `/usr/bin/env`; exec ("/usr/bin/env", "env")'
else
    skip "no perl" "Perl: the same"
fi

# --- a traced one is told as much as its parent was -----------------------------------

export DFTRACE_EXCLUDE='/proc:a b:c=d;e:%x' DFTRACE_CHUNK=16K DFTRACE_MIN_SIZE=3
odd=$'job \x1e\x1f;=%'
"$dftrace" run -q -o "$odd" env -i bash -c 'echo lines >file; echo l >>file; env -i bash -c "cat <file >copy; head -c 2 file >>copy"' 2>err
is "$("$top_builddir/tests/tools/dump" "$odd"/shards/*.dft | grep -c ' \(write\|fprintf\|read\|copy_file_range\|fwrite\|fputs\).* file=[^ ]*/\(file\|copy\) .* ret=[12] ')" 0 \
    "a setting goes with it: no small transfer"
cmp_num "$("$top_builddir/tests/tools/dump" "$odd"/shards/*.dft | grep -c ' file=[^ ]*/\(file\|copy\) ')" -gt 5 \
    "a job directory of any name does"

done_testing
