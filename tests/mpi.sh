# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# mpi.sh - helpers of the tests on real MPIs; after lib.sh and preload.sh
#
#   families…            of "openmpi" and "mpich" those that are installed
#   family_of PROGRAM    which of them it is linked with, or nothing
#   hdf5_cc COMPILER …   h5cc or h5pcc.*, which leave objects where they are called: not
#                        in a directory that another test uses, too
#   with_strace          0: strace works here
#   watched NAME LAYERS FAMILY RANKS PROGRAM…
#                        traced with POSIX and these layers into job directory
#                        $tmp/NAME, with strace below it into $tmp/NAME.strace;
#                        output in $tmp/said, errors in $tmp/err, events in
#                        $tmp/NAME.events
#   agrees NAME FILES [DIRECTORY]
#                        a test: POSIX is what strace saw of the files whose
#                        paths begin so; where the program was
#   moved NAME CATEGORY CALLS [FILES]
#                        "calls bytes" of events whose names match, of files
#                        whose paths begin so


export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
export OMPI_MCA_btl=^tcp # version 5 tells of networks, and each time in another order
export OMPI_MCA_orte_tmpdir_base=$tmp # not /tmp/ompi.HOST.UID, which others make, too

families=()
for family in openmpi mpich; do
    command -v "mpicc.$family" "mpirun.$family" >/dev/null && families+=("$family")
done

family_of () {
    ldd "$1" 2>/dev/null | sed -n 's/.*libmpich\.so.*/mpich/p; s/.*libmpi\.so\.[0-9]* .*/openmpi/p' |
        head -n 1
}

hdf5_cc () {
    local compiler=$1
    shift
    (cd "$tmp" && "$compiler" -shlib "$@")
}

with_strace () {
    command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null
}

watched () {
    local name=$1 layers=$2 family=$3 ranks=$4 below=() rc
    shift 4
    rm -rf "${tmp:?}/$name" "$tmp/$name.strace"
    mkdir "$tmp/$name.strace"
    # strace by itself is not traced: that would take most of the time.
    # shellcheck disable=SC2016 # for the inner shell
    with_strace && below=(sh -c 'p=$LD_PRELOAD; unset LD_PRELOAD
exec strace -E LD_PRELOAD="$p" -f -ff -y -e trace=file,desc "$@"' sh -o "$tmp/$name.strace/s")
    "$dftrace" run -q -o "$tmp/$name" --layers "posix,$layers" -- \
        "mpirun.$family" -n "$ranks" "${below[@]}" "$@" >"$tmp/said" 2>"$tmp/err"
    rc=$?
    "$dftrace" export -f jsonl "$tmp/$name" >"$tmp/$name.events"
    is "$rc$(health "$name" lost)$(health "$name" lost_names)" 000 "$name: it runs, nothing is lost"
    ((rc == 0)) || diag "$(tail -n 20 "$tmp/err" "$tmp/said")"
}

agrees () {
    if ! with_strace; then
        skip 1 "strace does not work here"
        return
    fi
    if python3 "$top_srcdir/tests/tools/straceagree.py" "$tmp/$1.events" "$tmp/$1.strace" "$2" \
        ${3:+"$3"} \
        >"$tmp/differences" && [ "$(tail -n 1 "$tmp/differences")" -gt 0 ]; then
        pass "$1: POSIX below is what strace saw"
    else
        fail "$1: POSIX below is what strace saw"
        diag "$(head -n 20 "$tmp/differences")"
    fi
}

moved () {
    python3 - "$tmp/$1.events" "$2" "$3" "${4:-}" <<'PY'
import json, re, sys
calls = size = 0
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["cat"] == sys.argv[2] and re.fullmatch(sys.argv[3], e["name"]) and \
            e.get("ret", 0) >= 0 and e.get("file", "").startswith(sys.argv[4]):
        calls += 1
        size += e.get("ret", 0)
print(calls, size)
PY
}
