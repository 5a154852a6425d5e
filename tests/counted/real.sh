#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# real.sh - whether the kernel's count of real programs closes (make check-counted)
#
# In:  git, tar, sqlite3, make, python3, pgbench with its server, minigpt, as far
#      as they are there; as root, pgbench runs as the user postgres or nobody
#      COUNTED_VENV: a Python environment; of the programs of doc/study.md those
#      that it has (default: that of `make check-frameworks`)
# Out: TAP; for each program bytes read and written, and the rest of both

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

mkdir "$tmp/data"
head -c 20000000 /dev/urandom >"$tmp/data/big"
mkdir "$tmp/data/many"
for i in {1..200}; do head -c $((i * 1000)) "$tmp/data/big" >"$tmp/data/many/$i"; done

# sum NAME: both rests of a job are at most 1 %
sum ()
{
    local read written rest_read rest_written
    read -r read written <<<"$(coverage "$1" 'counted by the kernel')"
    read -r rest_read rest_written <<<"$(coverage "$1" rest)"
    diag "$1: read $read, rest $rest_read; written $written, rest $rest_written"
    diag "$(coverage "$1" 'not traced') not traced"
    cmp_num "${rest_written#-}" -le $((written / 100)) "$1: writes"
    cmp_num "${rest_read#-}" -le $((read / 100)) "$1: reads"
}

# closes NAME NEED COMMAND…
closes ()
{
    local name=$1 need=$2
    shift 2
    command -v "$need" >/dev/null || {
        skip "no $need" "$name"
        return
    }
    (cd "$tmp/data" && traced "$name" "$@") >"$tmp/out" 2>&1 || diag "$(tail -n 3 "$tmp/out")"
    sum "$name"
}

closes git git sh -c 'git init -q g && cp -r many g && cd g && git add . &&
    git -c user.name=a -c user.email=a@b commit -qm one && git clone -q . ../clone &&
    git -C ../clone log -p | cat'
closes tar tar sh -c 'tar cf - many | gzip >many.tgz && mkdir out && tar xzf many.tgz -C out'
closes sqlite sqlite3 sqlite3 t.db 'create table t (x);
    with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000000)
    insert into t select x from c; create index i on t (x); select sum(x) from t;'
for i in {1..20}; do
    printf '#include <stdio.h>\n#include <stdlib.h>\nint f%s (void) { return puts ("a"); }\n' "$i"
done | split -l 3 - "$tmp/data/part." --additional-suffix=.c
printf 'all: $(patsubst %%.c,%%.o,$(wildcard part.*.c))\n%%.o: %%.c\n\tcc -c $< -o $@\n' >"$tmp/data/Makefile"
closes make make make -s
closes python python3 python3 -c 'import json, subprocess
d = open("big", "rb").read()
open("out.bin", "wb").write(d)
json.dump(list(range(100000)), open("out.json", "w"))
subprocess.run(["cp", "big", "copy"])'

# --- a server of a data base, which does not run as root ------------------------

pg=$(dirname "$(find /usr/lib/postgresql -name initdb 2>/dev/null | tail -1)" 2>/dev/null)
as=()
mkdir "$tmp/pg"
if [ "$(id -u)" = 0 ]; then
    user=$(getent passwd postgres nobody | head -n 1 | cut -d: -f1)
    as=(runuser -u "$user" -- env HOME="$tmp/pg")
    chmod 711 "$tmp"
    chown "$user" "$tmp/pg"
fi
if [ ! -x "$pg/initdb" ] || ! command -v pgbench >/dev/null; then
    skip "no PostgreSQL server" "pgbench"
elif ! "${as[@]}" test -x "$dftrace" -a -w "$tmp/pg"; then
    skip "${user-this user} may not go to $top_builddir" "pgbench"
else
    (cd "$tmp/pg" && "${as[@]}" "$dftrace" run -q -o "$tmp/pg/job" -- sh -c "
        '$pg/initdb' -D data >log && '$pg/pg_ctl' -w -D data -o '-k $tmp/pg -h \"\"' -l pglog start >log &&
        pgbench -h '$tmp/pg' -i postgres >log 2>&1 && pgbench -h '$tmp/pg' -t 200 postgres >log
        '$pg/pg_ctl' -w -D data stop >log") >"$tmp/out" 2>&1 || diag "$(tail -n 3 "$tmp/out")"
    mv "$tmp/pg/job" "$tmp/pgbench"
    sum pgbench
fi

# --- the programs of doc/study.md ------------------------------------------------

minigpt=$top_builddir/etc/examples/minigpt
export SAVE_DIR=$tmp/data/ck DATA_PATH=$tmp/data/corpus TRAIN_STEPS=6 \
    SAVE_EVERY=3 NUM_WORKERS=1
mkdir -p "$tmp/data/ck" "$tmp/data/out"
closes mkcorpus "$minigpt/mkcorpus" "$minigpt/mkcorpus" --bytes=2M corpus
ACCESS=mmap closes minigpt-mapped "$minigpt/minigpt" "$minigpt/minigpt"
ACCESS=direct closes minigpt-direct "$minigpt/minigpt" "$minigpt/minigpt"

env=${COUNTED_VENV:-$top_builddir/frameworks}
python=$env/bin/python
export DS_ACCELERATOR=cpu OMP_NUM_THREADS=1 HYDRA_FULL_ERROR=1
# framework NAME MODULE COMMAND…
framework ()
{
    local name=$1 module=$2
    shift 2
    if [ ! -x "$python" ]; then
        skip "COUNTED_VENV: no Python environment $env" "$name"
    elif ! "$python" -c "import $module" >/dev/null 2>&1; then
        skip "$env has no $module" "$name"
    else
        closes "$name" "$1" "$@"
    fi
}
frameworks=$top_srcdir/tests/frameworks
head -c 147456 "$tmp/data/big" >"$tmp/data/records"
framework DCP torch "$python" -m torch.distributed.run --nproc_per_node 2 "$frameworks/dcp.py" ck
framework torchrun torch "$python" -m torch.distributed.run --nproc_per_node 2 \
    "$frameworks/train.py" records out
framework DeepSpeed deepspeed "$python" -m torch.distributed.run --nproc_per_node 1 \
    "$frameworks/ds.py" ds
framework h5py h5py "$python" "$frameworks/h5.py" data.h5
framework DLIO dlio_benchmark "$env/bin/dlio_benchmark" workload=unet3d_a100 \
    ++workload.workflow.generate_data=True ++workload.workflow.train=True \
    ++workload.workflow.checkpoint=True ++workload.train.epochs=1 \
    ++workload.train.computation_time=0.01 ++workload.reader.read_threads=2 \
    ++workload.reader.batch_size=2 ++workload.dataset.num_files_train=8 \
    ++workload.dataset.record_length=100000 ++workload.dataset.record_length_stdev=0 \
    ++workload.dataset.record_length_resize=0 ++workload.dataset.data_folder="$tmp/data/dl" \
    ++workload.checkpoint.checkpoint_folder="$tmp/data/dl/ck" \
    ++workload.checkpoint.checkpoint_after_epoch=1 ++workload.checkpoint.model_size=10000

done_testing
