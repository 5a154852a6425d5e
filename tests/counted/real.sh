#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# real.sh - whether the kernel's count of real programs closes (make check-counted)
#
# In:  git, tar, sqlite3, make, python3, pgbench with its server, as far as they
#      are there; COUNTED_VENV: a Python environment with torch, for torchrun
# Out: TAP; for each program bytes read and written, and the rest of both

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

mkdir "$tmp/data"
head -c 20000000 /dev/urandom >"$tmp/data/big"
mkdir "$tmp/data/many"
for i in {1..200}; do head -c $((i * 1000)) "$tmp/data/big" >"$tmp/data/many/$i"; done

# closes NAME NEED COMMAND…: both rests are at most 1 %
closes ()
{
    local name=$1 need=$2 read written rest_read rest_written
    shift 2
    command -v "$need" >/dev/null || {
        skip "no $need" "$name"
        return
    }
    (cd "$tmp/data" && traced "$name" "$@") >"$tmp/out" 2>&1
    read -r read written <<<"$(coverage "$name" 'counted by the kernel')"
    read -r rest_read rest_written <<<"$(coverage "$name" rest)"
    diag "$name: read $read, rest $rest_read; written $written, rest $rest_written"
    diag "$(coverage "$name" 'not traced') not traced"
    cmp_num "${rest_written#-}" -le $((written / 100)) "$name: writes"
    cmp_num "${rest_read#-}" -le $((read / 100)) "$name: reads"
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

pg=$(dirname "$(find /usr/lib/postgresql -name initdb 2>/dev/null | head -1)" 2>/dev/null)
if [ -x "$pg/initdb" ] && [ "$(id -u)" != 0 ] && command -v pgbench >/dev/null; then
    closes pgbench pgbench sh -c "'$pg/initdb' -D pg >log && '$pg/pg_ctl' -w -D pg -o '-k $tmp -h \"\"' -l pglog start >log &&
        pgbench -h '$tmp' -i postgres >log 2>&1 && pgbench -h '$tmp' -t 200 postgres >log
        '$pg/pg_ctl' -w -D pg stop >log"
else
    skip "no PostgreSQL server, or root" "pgbench"
fi

if [ -x "${COUNTED_VENV-}/bin/torchrun" ]; then
    printf 'import torch, torch.distributed as d\nd.init_process_group ("gloo")\nt = torch.zeros (1 << 20)\nfor i in range (10):\n    d.all_reduce (t)\n    torch.save (t, f"ckpt.{d.get_rank ()}")\n' >"$tmp/data/train.py"
    closes torchrun "$COUNTED_VENV/bin/torchrun" "$COUNTED_VENV/bin/torchrun" --nproc-per-node 2 train.py
else
    skip "COUNTED_VENV names no environment with torchrun" "torchrun"
fi

done_testing
