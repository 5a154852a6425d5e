#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0032-symbols.t - what our libraries and programs need, their hosts have
#
# A function that no library has ends the program that loads ours, or the daemon.
# So does a version of libc's functions that an older libc does not have, and a
# library in a container meets older ones.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

for tool in readelf ldd; do
    command -v $tool >/dev/null || skip_all "no $tool here"
done
grep -q '^DFT_CFLAGS =.*-fsanitize=' "$top_builddir/Makefile" && skip_all "a sanitizer's build"
[ -e "$top_builddir/preload/.libs/libdftrace_preload.so" ] || skip_all "no shared libraries"

is "$(sed -n 's/.*result: \(.* does not compile here.*\)/\1/p' "$top_builddir/config.log")" "" \
    "each optional part whose packages are here compiles"

NEWEST=2.17 # glibc of 2012, the first one for aarch64; CentOS 7 has it

# What the loader does not find for a library in itself and what it names.
unresolved ()
{
    ldd -r "$1" 2>&1 | sed -n 's/^undefined symbol: \([^ \t,]*\).*/\1/p' | sort -u
}

# Versions of libc's libraries that the loader asks for, weak references or not.
versions ()
{
    readelf -VW "$1" | sed -n 's/.*Name: GLIBC_\([0-9.]*\) .*/\1/p' | sort -uV
}

newer ()
{
    versions "$1" | while read -r v; do
        [ "$(printf '%s\n' "$v" $NEWEST | sort -V | tail -n 1)" = $NEWEST ] || echo "$v"
    done | xargs
}

# check FILE HOST: nothing is missing but what the host has, which is a pattern.
check ()
{
    [ -e "$1" ] || {
        skip "not built" "${1##*/}"
        return
    }
    is "$(unresolved "$1" | grep -vE "^($2)" | xargs)" "" \
        "${1##*/}: everything that it needs is there"
}

check "$top_builddir/spank/.libs/dftrace.so" '(slurm|spank)_'
check "$top_builddir/preload/app/python/.libs/_dftrace.abi3.so" '_?Py|dftrace_'
check "$top_builddir/analyze/python/.libs/_reader.abi3.so" _?Py
for file in "$top_builddir"/preload/.libs/*.so; do
    check "$file" '$.'
done

moved='^(dl(open|v?sym|close|error|addr1?)|pthread_(create|join|once|key_create|[gs]etspecific|attr_setstack|atfork|sigmask))'
built_with=$(getconf GNU_LIBC_VERSION | sed 's/^glibc //')
for file in "$top_builddir"/preload/.libs/*.so "$top_builddir"/{preload/app,analyze}/python/.libs/*.so \
    "$top_builddir"/spank/.libs/dftrace.so "$top_builddir"/dftrace "$top_builddir"/dftrace-kernel; do
    [ -e "$file" ] || continue
    if [ "$(printf '%s\n' "$built_with" 2.34 | sort -V | head -n 1)" != 2.34 ]; then
        skip "built with glibc $built_with, for which libdl is a library" "${file##*/}: old versions"
        continue
    fi
    cmp_num "$(versions "$file" | wc -l)" -ge 1 "${file##*/}: versions of libc are seen"
    is "$(newer "$file")" "" "${file##*/}: needs no version above GLIBC_$NEWEST"
    case $file in
    */preload/*) unlike "$(readelf -dW "$file" | grep NEEDED)" 'ld-|libdl|libpthread' \
        "${file##*/}: no library but libc, as a program of another libc has none"
        # before glibc 2.30 the loader ends a program whose libc lacks a version, weak or not
        if grep -q 'define HAVE_NO_VERSION' "$top_builddir/config.h"; then
            is "$(readelf --dyn-syms -W "$file" | awk '$7 == "UND" { print $8 }' | grep -E "$moved@" | xargs)" "" \
                "${file##*/}: no version of what an older glibc has in libdl and libpthread"
        else
            skip "the linker cannot leave a version out" "${file##*/}: versions of libdl and libpthread"
        fi ;;
    */dftrace | */_reader*) like "$(readelf -dW "$file" | grep NEEDED)" 'libpthread.so.0' \
        "${file##*/}: names libpthread, in which an older glibc has the functions of threads" ;;
    esac
done

# One is started for each job that ends: what few verbs need is loaded when they do.
is "$(readelf -dW "$top_builddir/dftrace" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -vE '^(ld-linux-aarch64.*|lib(c|m|dl|pthread|z|yaml-0|deflate)\.so\..*)$' | xargs)" "" \
    "dftrace: needs no library but libc, zlib and libyaml (and libdeflate)"

# Planted offences are found.
cc=$(sed -n 's/^CC = //p' "$top_builddir/Makefile")
cat >"$tmp/planted.c" <<'END'
#include <stdlib.h>

extern int slurm_planted (void), nobody_has_it (void);

int planted (void);
int planted (void)
{
    return slurm_planted () + nobody_has_it ();
}
END
# shellcheck disable=SC2086 # words
if $cc -shared -fPIC -o "$tmp/planted.so" "$tmp/planted.c" 2>/dev/null; then
    is "$(unresolved "$tmp/planted.so" | grep -vE '^(slurm|spank)_')" nobody_has_it \
        "a missing function is seen"
else
    skip "no compiler" "a missing function is seen"
fi
cat >"$tmp/planted.c" <<'END'
#define _GNU_SOURCE
#include <stdlib.h>

int planted (void);
int planted (void)
{
    return (int)arc4random ();
}
END
# shellcheck disable=SC2086 # words
if $cc -shared -fPIC -o "$tmp/planted.so" "$tmp/planted.c" 2>/dev/null &&
    ldd "$tmp/planted.so" 2>/dev/null | grep -q 'libc\.so\.6'; then
    is "$(newer "$tmp/planted.so")" 2.36 "a version that an older libc does not have is seen"
else
    skip "no glibc 2.36" "a version that an older libc does not have is seen"
fi

done_testing
