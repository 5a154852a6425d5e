#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1081-mpi.t - ranks of an MPI program: as untraced, each in the trace with its
# number, and what MPI-IO does below MPI_File_write, whichever library does it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
command -v mpicc >/dev/null && command -v mpirun >/dev/null || skip_all "no MPI"
mpicc -w -O1 -o mpiio "$top_srcdir/tests/victims/mpiio.c" 2>err || skip_all "mpicc does not work"

options=
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
components=default
if mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    options=--oversubscribe
    # version 5 tells of networks, and each time in another order
    ! mpirun --version 2>/dev/null | grep -qE ' 5\.' || export OMPI_MCA_btl=^tcp
    [ "$(id -u)" != 0 ] || options+=" --allow-run-as-root"
    components=$(ompi_info 2>/dev/null | sed -n 's/.*MCA io: \([a-z0-9]*\) .*/\1/p' | xargs)
fi
export HOME=$tmp
# shellcheck disable=SC2086 # words
mpirun $options -n 2 true >out 2>&1 || skip_all "mpirun does not work here: $(head -n 1 out)"

# moved CALL FILE: bytes that all ranks moved by calls like it
moved ()
{
    grep " $1 .*file=$tmp/$2 " trace | sed 's/.* ret=\([0-9]*\) .*/\1/' |
        awk '{ n += $1 } END { print n + 0 }'
}

fresh () { rm -f data data.*; }
all=$((3 * 8 * 4096))
for io in $components; do
    choice=
    [ "$io" = default ] || choice="--mca io $io"
    # shellcheck disable=SC2086 # words
    alike "$io" mpirun $options $choice -n 3 ./mpiio "$tmp/data"
    is "$(cat out)" "3 ranks, sum 442368" "$io: its sum is right"
    events "$io" >trace
    is "$(stat -c %s data) $(moved 'p\?write[v]*' data)" "$all $all" "$io: every byte that was written is in the trace"
    cmp_num "$(moved 'p\?read[v]*' data)" -ge $all "$io: and read"
    is "$(moved pwrite data.posix) $(health "$io" lost)" "$all 0" "$io: and what ranks do by themselves"
    is "$("$dftrace" stat "$io"/shards/*.dft | grep -o 'rank *[0-9] of 3' | tr -s ' ' | sort -u | xargs)" \
        "rank 0 of 3 rank 1 of 3 rank 2 of 3" "$io: ranks have their numbers"
done

# One rank ends all of them.
cat >ends.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main (int argc, char **argv)
{
    int rank, fd;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    fd = open ("data", O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < 100; i++)
        write (fd, "0123456789", 10);
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Abort (MPI_COMM_WORLD, 7);
    MPI_Barrier (MPI_COMM_WORLD);
    return 0;
}
END
mpicc -w -o ends ends.c
fresh
# shellcheck disable=SC2086 # words
mpirun $options -n 3 ./ends >/dev/null 2>&1
plain=$?
fresh
# shellcheck disable=SC2086 # words
traced aborted mpirun $options -n 3 ./ends >/dev/null 2>&1
is "$?" "$plain" "MPI_Abort: the same status"
events aborted >trace
is "$(moved write data)" 3000 "MPI_Abort: every write of every rank is in the trace"

python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'from mpi4py import MPI' 2>/dev/null && python=$p && break
done
if [ -n "$python" ]; then
    cat >ranks.py <<-'END'
	from mpi4py import MPI
	comm = MPI.COMM_WORLD
	with open ("data.%d" % comm.rank, "wb", buffering=0) as f:
	    for i in range (50):
	        f.write (b"0123456789")
	total = comm.reduce (comm.rank)
	if comm.rank == 0:
	    print (total)
	END
    # shellcheck disable=SC2086 # words
    alike mpi4py mpirun $options -n 3 "$python" ranks.py
    events mpi4py >trace
    is "$(moved write 'data.[0-9]')" 1500 "mpi4py: every write is in the trace"
else
    skip "no mpi4py" "mpi4py: the same"
fi

done_testing
