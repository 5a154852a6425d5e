#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6014-reportlayers.t - the page of a job with MPI-IO and HDF5: lanes of layers,
#                        what became of their calls

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 1

# An H5Dwrite with an MPI write and a pwrite inside, three times; in ticks.
events () {
    local i at file=/data/file.h5

    for ((i = 0; i < 3; i++)); do
        at=$((i * 4000000))
        printf '%s\n' "pwrite $file - $((i * 4096)) 4096 0 $((at + 200000)) 500000" \
            "MPI_File_write_at_all $file - $((i * 4096)) 4096 0 $((at + 100000)) 1000000" \
            "H5Dwrite $file /d -1 4096 33 $at 2000000" \
            "MPI_iwrite_done $file - 0 8 0 $at 2500000"
    done
}
for rank in 0 1; do
    events | SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=$rank \
        "$top_builddir/tests/tools/layerjob" "$tmp/job" || fail "rank $rank is made"
done
ok "the page is made" "$dftrace" report -o job.html job
"$dftrace" export -f jsonl job >events.jsonl

# LANE CALL: seconds of all marks of a lane, and of the events
lane () {
    grep -oE "data-m=\"busy\" data-p=\"[^\"]*\" data-v=\"$1[^\"]*\"" job.html |
        sed 's/"$//' | awk '{ n += $NF } END { printf "%.5f\n", n }'
}
events_of () {
    jq -s --arg name "$1" '[.[] | select(.name == $name) | .dur_ns] | add' events.jsonl |
        awk '{ printf "%.5f\n", $1 / 1e9 }'
}
is "$(lane HDF5)" "$(events_of H5Dwrite)" "lane of HDF5: the time in its calls"
is "$(lane MPI-IO)" "$(events_of MPI_File_write_at_all)" "of MPI-IO: not that of requests"
is "$(lane 'I/O')" "$(events_of pwrite)" "of storage: what is below"

section () { sed -n "/<section id=\"$1\"/,/<\/section>/p" job.html; }
like "$(section mpiio)" "collective writes.*<td data-v=\"6\">6<" "the transformation of MPI-IO"
like "$(section hdf5)" ">/d<.*contiguous" "datasets of HDF5"
like "$(sed -n '/<nav/,/<\/nav>/p' job.html)" '#mpiio.*#hdf5' "links to both"
is "$(section netcdf)" "" "no section of what there was not"
is "$(grep -c '[a-z]- [a-z]*</th>' job.html)" 0 "words of headings are whole"

# Of the results alone, without traces, it has the tables, too.
"$dftrace" analyze --quiet job 2>/dev/null
rm -r job/shards
"$dftrace" report -o left.html job >/dev/null 2>&1
like "$(sed -n '/<section id="mpiio"/,/<\/section>/p' left.html)" "collective writes" \
    "the tables stay when the traces have gone"

done_testing
