#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t0001-arrows.t - folders include only what ARCHITECTURE.md lets them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

# folder | regular expression of the project headers it may include
arrows='
lib/core|lib/core
lib/util|lib/(core|util)
lib/model|lib/(core|util|model)
lib/chart|lib/(core|util|chart)
app|(lib/core|app|dftrace)
preload|(lib/core|preload)
mpi|(lib/core|mpi)
hdf|(lib/core|hdf)
kernel|(lib/core|kernel|bpf)
spank|(lib/core|spank)
epilog|(lib/(core|util|model)|epilog)
sweep|(lib/(core|util|model|chart)|sweep)
analyze|(lib/(core|util|model)|analyze)
analyze/trace|(lib/(core|util|model)|analyze/trace)
analyze/query|(lib/(core|util|model)|analyze/(trace|query))
analyze/derive|(lib/(core|util|model)|analyze/(trace|query|derive))
analyze/compat|(lib/(core|util|model)|analyze/(trace|query|compat))
analyze/render|(lib/(core|util|model)|analyze/(trace|query|derive|render|analyzeopts.h))
analyze/tasks|(lib/(core|util|model)|analyze/(trace|query|derive|compat|tasks|analyzeopts.h))
report|(lib/(core|util|model|chart)|analyze|report)
top|(lib/(core|util|model)|analyze|top)
reader|(lib/(core|util|model|chart)|analyze|report|reader)
examples/minigpt|(dftrace|examples/minigpt)
'

# Includes of ours (config.h apart) in folder $1 that do not match $2.
strangers() {
    grep -rhoE --include='*.[ch]' --include='*.def' \
        '^#[[:space:]]*include[[:space:]]+"[^"]+/[^"]+"' \
        "$top_srcdir/$1" |
        sed -E 's/.*"([^"]+)"/\1/' | grep -vE "^($2)(/|\$)" | sort -u
}

while IFS='|' read -r folder allowed; do
    [ -n "$folder" ] && [ -d "$top_srcdir/$folder" ] || continue
    is "$(strangers "$folder" "$allowed")" "" "$folder includes only $allowed"
done <<<"$arrows"

# In the traced process: nothing that prints, exits or blocks.
loud=$(grep -nE '\b(printf|puts|exit|abort|perror|pthread_mutex_lock|malloc|calloc)[[:space:]]*\(' \
    "$top_srcdir"/app/*.c "$top_srcdir"/preload/{,*/}*.c \
    "$top_srcdir"/lib/core/record/{recorder,tbuf,shardfile,names,event,procinfo}.c |
    grep -vE 'real\.|REAL \(|\* ')
is "$loud" "" "no printing, exiting, locking, allocating call in the traced process"

is "$(grep -lE '\bgetenv[[:space:]]*\(' -r "$top_srcdir"/lib/core "$top_srcdir"/preload \
    "$top_srcdir"/app | grep -v 'lib/core/settings/settings\.c$')" "" \
    "the environment is read in one file"

done_testing
