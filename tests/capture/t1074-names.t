#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1074-names.t - whose function a name is: programs with some of libc's names,
# libraries that are loaded past us

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
. "$top_srcdir/tests/strangers.sh"

# A program's own functions by names of libc are not for us to call: of XALT
# programs with their own random, connect crashed it. Time and environment are.
if "$cc" -w -O0 -fno-builtin -rdynamic -pthread -o owner "$top_srcdir/tests/victims/owner.c" -ldl; then
    ./owner >plain.out
    is "$?" 5 "functions of the program's own, untraced"
    preloaded PRELOAD ./owner >out 2>err
    is "$? $(tr ' ' '\n' <out | sort -u | grep -vx 'getenv\|clock_gettime' | xargs)$(cat err)" "5 " \
        "are called by nobody else"
    is "$(events job | grep -c " read .*file=$tmp/file ")" 15000 "and it is traced"
fi

# Loaded past us (RTLD_DEEPBIND), or in a namespace of its own (dlmopen).
cat >past.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main (int argc, char **argv)
{
    void *deep = dlopen ("./libreads.so", RTLD_NOW | RTLD_DEEPBIND);
    int (*reads) (void) = deep ? (int (*) (void))dlsym (deep, "reads") : 0;
    printf ("%d\n", reads ? reads () : -1);
    void *own = dlmopen (LM_ID_NEWLM, "./libreads.so", RTLD_NOW);
    reads = own ? (int (*) (void))dlsym (own, "reads") : 0;
    printf ("%d\n", reads ? reads () : -1);
    return deep ? dlclose (deep) : 9;
}
END
cat >reads.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int reads (void)
{
    char buf[100];
    int fd = open ("file", O_RDONLY);
    ssize_t n = read (fd, buf, 100);
    return (int)n + 10 * close (fd);
}
END
if "$cc" -w -shared -fPIC -o libreads.so reads.c && "$cc" -w -o past past.c -ldl; then
    plain=$(./past; echo $?)
    is "$(preloaded PRELOAD ./past; echo $?)" "$plain" "RTLD_DEEPBIND, dlmopen: the same"
fi

done_testing
