#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t7020-headers.t - the plugin compiles against every Slurm there is
#
# In:  tests/data/spank-names: what each release has of what the plugin uses;
#      $DFTRACE_SLURM_HEADERS: a directory of directories VERSION/slurm/ with
#      spank.h, slurm.h (or slurm.h.in) and what they include, as in Slurm's
#      source; without it, the installed headers only

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

sources=$(cd "$top_srcdir" && echo spank/*.c)
flags="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Werror
    -fsyntax-only -I$top_srcdir -I$top_builddir
    -DDFT_LIBDIR=\"/l\" -DDFT_BINDIR=\"/b\" -DDFT_SYSCONFDIR=\"/etc\""
CC=${CC:-gcc}
command -v ${CC%% *} >/dev/null || skip_all "no ${CC%% *} here"

# compiles INCLUDE: every file of the plugin, with that directory first.
compiles() {
    local f
    for f in $sources; do
        # shellcheck disable=SC2086 # words
        $CC $flags -I"$1" "$top_srcdir/$f" || return 1
    done
}

# headers DIR: a copy with what Slurm's configure would fill in.
headers() {
    local version=${1##*/} major minor number to=$tmp/headers/${1##*/}
    IFS=-. read -r major minor _ <<<"${version#slurm-}"
    number=$(printf '0x%02x%02x00' $((10#$major)) $((10#$minor)))
    mkdir -p "$to" && cp -r "$1/slurm" "$to/" || return 1
    for f in "$to"/slurm/*.h.in; do
        sed "s/^#undef SLURM_VERSION_NUMBER\$/#define SLURM_VERSION_NUMBER \
$number/" "$f" >"${f%.in}"
    done
    [ -e "$to/slurm/smd_ns.h" ] || : >"$to/slurm/smd_ns.h"
    echo "$to"
}

if echo '#include <slurm/spank.h>' | $CC -fsyntax-only -x c - 2>/dev/null; then
    ok "compiles with the installed headers" compiles "$top_srcdir"
else
    skip "no slurm/spank.h installed" "compiles with the installed headers"
fi

if [ -d "${DFTRACE_SLURM_HEADERS-}" ]; then
    for dir in "$DFTRACE_SLURM_HEADERS"/*; do
        include=$(headers "$dir")
        ok "compiles with the headers of ${dir##*/}" compiles "$include"
        ok "and these are used" \
            test "$(echo '#include <slurm/spank.h>' |
                $CC -I"$include" -M -x c - | grep -c "$include/slurm/spank.h")" = 1
    done
else
    skip "DFTRACE_SLURM_HEADERS names no directory" \
        "compiles with the headers of other releases"
fi

# -- headers with nothing but what the plugin uses ---------------------

names=$top_srcdir/tests/data/spank-names
RELEASES="20.11 21.08 22.05 23.02 23.11 24.05 24.11 25.05 25.11 26.05"

# rows RELEASE: those of the names that it has.
rows() {
    awk -v r="$1" '/^[0-9]/ && $1 <= r && ($2 == "-" || r < $2)' "$names"
}

# small_headers RELEASE: slurm.h, slurm_errno.h, spank.h of that release.
small_headers() {
    local dir=$tmp/small/$1/slurm major=${1%.*} minor=${1#*.} h
    mkdir -p "$dir"
    for h in slurm.h slurm_errno.h spank.h; do
        {
            echo "#pragma once"
            case $h in
            slurm.h)
                echo "#include <slurm/slurm_errno.h>"
                echo "#define SLURM_VERSION_NUM(a, b, c) ((a) << 16 | (b) << 8 | (c))"
                echo "#define SLURM_VERSION_NUMBER" \
                    "SLURM_VERSION_NUM ($major, $((10#$minor)), 1)"
                ;;
            spank.h) echo "#include <slurm/slurm_errno.h>" ;;
            esac
            rows "$1" | awk -v h=$h '$3 == h { $1 = $2 = $3 = $4 = ""; print }'
        } >"$dir/$h"
    done
    echo "$tmp/small/$1"
}

# releases_of EXPRESSION: those in which a program with it compiles.
releases_of() {
    local r
    for r in $RELEASES; do
        printf '#include <slurm/slurm.h>\n#include <slurm/spank.h>\n%s\n' \
            "void *used = (void *)(long)$1;" |
            $CC -w -fsyntax-only -I"$(small_headers "$r")" -x c - 2>/dev/null &&
            printf '%s ' "$r"
    done
}

for r in $RELEASES; do
    ok "compiles with what Slurm $r has" compiles "$(small_headers "$r")"
done
is "$(releases_of ESPANK_JOB_FAILURE)" "25.05 25.11 26.05 " \
    "what came later is not in older ones"
is "$(releases_of '&spank_prepend_task_argv')" \
    "23.11 24.05 24.11 25.05 25.11 26.05 " "nor are functions"

# disagreements DIR RELEASE: names that real headers have, and ours not, or the
# other way round.
disagreements() {
    local first until h name there c
    while read -r first until h name c; do
        case $first in [0-9]*) ;; *) continue ;; esac
        there=no
        # without comments
        cat "$1/slurm/$h" "$1/slurm/$h.in" 2>/dev/null |
            perl -0pe 's{/\*.*?\*/}{}gs' | grep -cw "$name" >/dev/null && there=yes
        if [[ ! $2 < $first && ($until = - || $2 < $until) ]]; then
            [ $there = yes ] || echo "$h: no $name"
        elif [ $there = yes ]; then
            # the other header may have had it then
            rows "$2" | awk -v h="$h" -v n="$name" \
                '$3 == h && $4 == n { f = 1 } END { exit !f }' ||
                echo "$h: $name"
        fi
    done <"$names"
}

installed=$(printf '#include <slurm/slurm.h>\nSLURM_VERSION_NUMBER\n' |
    $CC -E -P -x c - 2>/dev/null | sed -n '$s/^0x\(..\)\(..\).*/0x\1 0x\2/p')
if [ -n "$installed" ] && command -v perl >/dev/null; then
    # shellcheck disable=SC2086 # two numbers
    release=$(printf '%02d.%02d' $installed)
    dir=$(echo '#include <slurm/spank.h>' | $CC -M -x c - |
        sed -n 's|.* \([^ ]*\)/slurm/spank\.h.*|\1|p' | head -n 1)
    is "$(disagreements "$dir" "$release")" "" \
        "the names are those of the installed headers, $release"
else
    skip "no slurm/slurm.h or no perl" "the names are those of real headers"
fi
if [ -d "${DFTRACE_SLURM_HEADERS-}" ]; then
    for dir in "$DFTRACE_SLURM_HEADERS"/*; do
        IFS=-. read -r major minor _ <<<"$(basename "$dir" | sed 's/^slurm-//')"
        is "$(disagreements "$dir" "$major.$minor")" "" \
            "the names are those of ${dir##*/}"
    done
fi

# -- what came of it ---------------------------------------------------

plugin=$top_builddir/spank/.libs/dftrace.so
if [ -e "$plugin" ] && command -v readelf >/dev/null; then
    is "$(readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')" \
        libc.so.6 "the plugin needs libc only, no libslurm"
    is "$(nm -D --defined-only "$plugin" | awk '{ print $3 }' |
        grep -vxE 'plugin_(name|type|version)|spank_plugin_version|slurm_spank_(init|init_post_opt|user_init|task_init_privileged|task_init|task_exit|exit|init_failure_mode)')" \
        "" "it exports only what Slurm looks for"
    is "$(nm -D --undefined-only "$plugin" | awk '{ print $2 }' |
        grep -E '^(slurm|spank)_' | grep -vxF "$(rows 20.11 | awk '{ print $4 }')")" \
        "" "it needs no function of Slurm that the oldest release has not"
    nok "no job_epilog in it: slurmd would run it for every job" \
        eval "nm -D --defined-only '$plugin' | grep -q 'slurm_spank_job_'"
    nok "no slurmd callback, either" \
        eval "nm -D --defined-only '$plugin' | grep -q 'slurm_spank_slurmd_'"
    preload=$top_builddir/preload/.libs/libdftrace_preload.so
    is "$(readelf -d "$preload" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')" \
        libc.so.6 "the preload library needs libc only: TaskProlog loads it, too"
else
    skip "no plugin was built" "what the plugin needs and exports"
fi

done_testing
