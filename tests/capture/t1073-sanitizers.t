#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1073-sanitizers.t - programs built with sanitizers run, find what they find,
# and are traced

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
cc=$(command -v gcc || command -v cc || command -v clang) || skip_all "no compiler"
. "$top_srcdir/tests/strangers.sh"

# AddressSanitizer of GCC wants to come first, whoever is preloaded; built in
# (clang, or -static-libasan) it takes nothing. What each finds it finds.
cat >overflow.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    char *p = malloc (4);
    int fd = open ("file", O_RDONLY);
    read (fd, p, 5 + argc - 1); /* one more than there is room for */
    free (p);
    return 0;
}
END
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:color=never
finds () { preloaded PRELOAD ./"$1" 2>&1 | grep -o 'ERROR: AddressSanitizer: [a-z-]*' | head -1; }
# sanitizer NAME COMPILER FLAGS…: the program, and an overflow in a read of libc
sanitizer ()
{
    local name=$1 found
    shift
    if ! "$@" -w -o built reader.c 2>/dev/null || { ./built file >/dev/null 2>&1; [ $? != 7 ]; }; then
        skip "not here" "$name: the same"
        return
    fi
    program "$name" 2 PRELOAD ./built
    "$@" -w -g -o overflow overflow.c
    found=$(./overflow 2>&1 | grep -o 'ERROR: AddressSanitizer: [a-z-]*' | head -1)
    [ -z "$found" ] || is "$(finds overflow)" "$found" "$name: finds what it found ($found)"
}
sanitizer "ASan, told not to mind" "$cc" -fsanitize=address
sanitizer "ASan of GCC, built in" gcc -fsanitize=address -static-libasan
sanitizer "ASan of clang" clang -fsanitize=address
sanitizer "UBSan" "$cc" -fsanitize=undefined
sanitizer "TSan" "$cc" -fsanitize=thread
sanitizer "TSan of clang" clang -fsanitize=thread
sanitizer "MSan of clang" clang -fsanitize=memory
sanitizer "LSan" "$cc" -fsanitize=leak
unset ASAN_OPTIONS

done_testing
