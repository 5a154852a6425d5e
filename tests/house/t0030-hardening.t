#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0030-hardening.t - what compiler and linker offer against exploits is in use

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v readelf >/dev/null || skip_all "no readelf here"
flags=$(sed -n 's/^DFT_\(CFLAGS\|CPPFLAGS\|LDFLAGS\) =//p' "$top_builddir/Makefile" | xargs)
case $flags in
*-fsanitize=*) skip_all "a sanitizer's build" ;;
esac

preload=$top_builddir/preload/.libs/libdftrace_preload.so
plugin=$top_builddir/spank/.libs/dftrace.so
command=$top_builddir/dftrace
[ "$(head -c 4 "$command" | tail -c 3)" = ELF ] || command=$top_builddir/.libs/dftrace
for file in "$command" "$plugin" "$preload"; do
    name=${file##*/}
    if [ ! -e "$file" ]; then
        skip "not built" "$name"
        continue
    fi
    like "$(readelf -lW "$file")" GNU_RELRO "$name: relocations are read-only"
    like "$(readelf -dW "$file")" 'BIND_NOW|Flags:.* NOW' "$name: and done at once"
    unlike "$(readelf -lW "$file" | grep GNU_STACK)" ' RWE ' "$name: no code on the stack"
done

if [[ $flags == *-D_FORTIFY_SOURCE=* ]]; then
    for file in "$command" "$plugin"; do
        [ -e "$file" ] || continue
        like "$(readelf -sW "$file")" ' UND __[a-z]*printf_chk' "${file##*/}: fortified"
    done
    # it defines what would be put in the place of read () and friends
    # and another libc, musl, has none of these functions
    is "$(readelf -sW "$preload" | grep -oE ' UND __[a-z0-9_]*_chk\b')" "" \
        "libdftrace_preload.so: calls no function that only glibc has for it"
else
    skip "no optimization, or the compiler's own choice" "fortified"
fi
if [[ $flags == *-fcf-protection* ]] && command -v objdump >/dev/null; then
    for file in "$command" "$preload"; do
        cmp_num "$(objdump -d --no-show-raw-insn "$file" | grep -c endbr64)" -ge 100 \
            "${file##*/}: places that may be jumped to are marked"
    done
else
    skip "not this machine or compiler" "control flow"
fi

done_testing
