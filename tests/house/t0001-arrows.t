#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0001-arrows.t - folders include only what ARCHITECTURE.md lets them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# folder | regular expression of the project headers it may include
arrows='
lib/base|lib/base
lib/format|lib/(base|format)
lib/settings|lib/(base|format|settings)
lib/util|lib/(base|format|settings|util)
lib/model|lib/(base|format|settings|util|model)
lib/chart|lib/(base|format|settings|util|chart)
preload|(lib/(base|format|settings)|preload|dftrace)
kernel|(lib/(base|format|settings)|preload/record|kernel|bpf)
spank|(lib|spank)
sweep|(lib|sweep)
sweep/spec|(lib|sweep/spec)
sweep/plan|(lib|sweep/(spec|plan))
sweep/run|(lib|sweep/(spec|plan|run))
sweep/submit|(lib|sweep/(spec|plan|run|submit))
sweep/results|(lib|sweep/(spec|plan|run|submit|results))
analyze|(lib|analyze)
analyze/trace|(lib|analyze/(trace|import))
analyze/import|(lib|analyze/(trace|import))
analyze/scan|(lib|analyze/(trace|import|scan))
analyze/query|(lib|analyze/(trace|scan|query))
analyze/facts|(lib|analyze/(trace|scan|query|facts))
analyze/tables|(lib|analyze/(trace|scan|query|facts|tables))
analyze/export|(lib|analyze/(trace|scan|query|export))
etc/examples/minigpt|(dftrace|etc/examples/minigpt)
'

# Includes of ours (config.h apart) in folder $1 that do not match $2.
strangers() {
    grep -rhoE --include='*.[ch]' --include='*.def' \
        '^#[[:space:]]*include[[:space:]]+"[^"]+/[^"]+"' \
        "$top_srcdir/$1" |
        sed -E 's/.*"([^"]+)"/\1/' | grep -vE "^($2)(/|\$)" | sort -u
}

while IFS='|' read -r folder allowed; do
    [ -n "$folder" ] || continue
    ok "$folder is a folder" test -d "$top_srcdir/$folder"
    is "$(strangers "$folder" "$allowed")" "" "$folder includes only $allowed"
done <<<"$arrows"

# circles DIR: pairs of folders below DIR of which each includes the other.
circles() {
    (cd "$1" && grep -rE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]+"[^"]+/[^"]+"' \
        analyze cli kernel lib preload spank sweep) |
        awk -F: '{
            from = $1; to = $2
            sub (/\/[^\/]*$/, "", from)
            sub (/^[^"]*"/, "", to); sub (/\/[^\/"]*".*/, "", to)
            if (from != to) seen[from " " to] = 1
        } END {
            for (pair in seen) {
                split (pair, f, " ")
                if (f[1] < f[2] && f[2] " " f[1] in seen) print pair
            }
        }' | LC_ALL=C sort
}
# The rooms of preload/ are one program, and a job's files are opened by their readers.
is "$(circles "$top_srcdir")" "analyze/import/darshan analyze/trace
preload preload/follow
preload preload/mmap
preload preload/wrap" "no other two folders include each other"
mkdir -p "$tmp"/planted/{analyze,cli,kernel,lib/base,preload,spank,sweep}
echo '#include "sweep/plan.h"' >"$tmp/planted/lib/base/a.h"
echo '#include "lib/base/a.h"' >"$tmp/planted/sweep/plan.c"
is "$(circles "$tmp/planted")" "lib/base sweep" "a circle that is planted is found"

# loud FILE…: lines of code, without comments, that call what may print, exit, block or
# allocate. real.F () is the program's call.
loud() {
    grep -nE '(^|[^A-Za-z0-9_.>])(printf|puts|exit|abort|perror|pthread_mutex_lock|malloc|calloc|realloc|strdup|NEW|ZEROED)[[:space:]]*\(' "$@" |
        grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/\*|\*[ /]|"|#)|REAL \(|/\*.*(printf|puts|exit|abort|malloc) \('
}
traced=()
for folder in preload preload/{record,wrap,follow,mmap,app,mpi,hdf}; do
    traced+=("$top_srcdir/$folder"/*.c)
done
is "$(loud /dev/null "${traced[@]}" "$top_srcdir"/lib/format/event.c)" "" \
    "no printing, exiting, locking, allocating call in the traced process"
echo '    p = malloc (n * sizeof (*p));' >"$tmp/planted.c"
like "$(loud /dev/null "$tmp/planted.c")" malloc "one that is planted is found"

is "$(grep -lE '\bgetenv[[:space:]]*\(' -r "$top_srcdir"/lib/{base,format,settings} "$top_srcdir"/preload | grep -v 'lib/settings/settings\.c$')" "" \
    "the environment is read in one file"

# A build with no library but those that it must have.
sed -E '/^#define (HAVE_(OTF2|SQLITE|BZIP2|ISAL|LIBDEFLATE)|[A-Z0-9]+_FILE) /d' "$top_builddir/config.h" >"$tmp/config.h"
read -ra cc < <(sed -n 's/^CC = //p' "$top_builddir/Makefile")
without=()
while read -r file; do
    "${cc[@]}" -std=gnu11 -fsyntax-only -DHAVE_CONFIG_H -I"$tmp" -I"$top_srcdir" -I"$top_builddir" -H \
        "$top_srcdir/$file" 2>&1 | grep -qE ' error: |/(otf2|sqlite3|bzlib|igzip_lib|libdeflate)\.h' && without+=("$file")
done < <(cd "$top_srcdir" && grep -lE 'include.*(sqlite|otf|bzlib|igzip|libdeflate)' -r analyze lib cli sweep spank --include=*.c)
is "${without[*]}" "" "without OTF2, SQLite, bzip2, ISA-L and libdeflate all is compiled"

done_testing
