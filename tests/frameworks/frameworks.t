#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# frameworks.t - real frameworks on the CPU: what the analysis says of their
#                bytes and checkpoints is what ls and the programs say
#
# In:  $FRAMEWORKS, a virtual environment of Python (default: frameworks in the build
#      directory), made if it is not there, and what it lacks of the packages below
#      is installed by pip, by their names
# Part of `make check-frameworks`, not of `make check`: gigabytes and minutes.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

here=$top_srcdir/tests/frameworks
env=${FRAMEWORKS:-$top_builddir/frameworks}
[ -x "$env/bin/python" ] || python3 -m venv "$env" >/dev/null 2>&1 ||
    skip_all "no virtual environment of Python can be made"
python=$env/bin/python
export DS_ACCELERATOR=cpu OMP_NUM_THREADS=1 HYDRA_FULL_ERROR=1

# has PACKAGE MODULE: installed, or can be; why not is in $why
# shellcheck disable=SC2086 # PACKAGE may begin with an option of pip
has ()
{
    "$python" -c "import $2" >/dev/null 2>&1 && return
    diag "installing ${1##* }"
    "$env/bin/pip" install -q $1 >"$tmp/pip" 2>&1 &&
        "$python" -c "import $2" >"$tmp/pip" 2>&1 && return
    why=$(tail -n 1 "$tmp/pip")
    return 1
}

beside=()
# run NAME COMMAND…: beside a program, traced and analyzed; output in $tmp/NAME.out
run ()
{
    local name=$1
    shift
    timeout 600 "${beside[@]}" "$dftrace" run -q -o "$tmp/$name" --layers posix,app -- "$@" \
        >"$tmp/$name.out" 2>"$tmp/$name.err" || { diag "$(tail -n 5 "$tmp/$name.err")"; return 1; }
    "$dftrace" analyze --quiet "$tmp/$name" 2>/dev/null
}
# broken NAME COMMAND…: did not run traced; a skip only if it does not run at all
broken ()
{
    if timeout 600 "${@:2}" >/dev/null 2>"$tmp/broken"; then
        fail "$1: runs traced as it does untraced"
    else
        skip "$1 does not run here: $(tail -n 1 "$tmp/broken")" "$1"
    fi
}
value () { awk -F, -v m="$2" '$1 == m { print $2 }' "$tmp/$1/tables/metrics.csv"; }
size () { find "$@" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }'; }
# calls JOB FILE COLUMN: of the table of files
calls ()
{
    awk -F, -v f="$2" -v c="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $NF == f { n += $at[c] } END { print n + 0 }' "$tmp/$1/tables/files.csv"
}
# same GOT WANT NAME: and both are printed, for doc/study.md
same ()
{
    diag "$3: $2, it says $1"
    is "$1" "$2" "$3"
}
near () # A B NAME: within 20 ms and 10 %; times of one thing by two clocks
{
    ok "$3: $1, it says $2" awk -v a="$1" -v b="$2" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= 0.02 + 0.1 * b) }'
}

if has torch torch && has numpy numpy; then
    mkdir "$tmp/ck"
    if run dcp "$python" -m torch.distributed.run --nproc_per_node 2 "$here/dcp.py" "$tmp/ck"; then
        pass "DCP: runs on 2 ranks"
    else
        fail "DCP: runs on 2 ranks"
    fi
    same "$(value dcp checkpoint_bytes)" "$(size "$tmp/ck")" "DCP: bytes of checkpoints are those of ls"
    same "$(value dcp read_count)" 0 "DCP: reading them again is no reading of data"
    near "$(value dcp checkpoint_time)" \
        "$(awk 'NF == 3 { n = $2 + $3; if (n > m) m = n } END { print m }' "$tmp/dcp.out")" \
        "DCP: blocking is what save and async_save took"
    ok "DCP: some of it was asynchronous" awk -v a="$(value dcp checkpoint_async_time)" \
        'BEGIN { exit !(a > 0) }'

    head -c 147456 /dev/urandom >"$tmp/records"
    mkdir "$tmp/out"
    if run torchrun "$python" -m torch.distributed.run --nproc_per_node 2 "$here/train.py" \
        "$tmp/records" "$tmp/out"; then
        pass "torchrun: runs"
    else
        fail "torchrun: runs"
    fi
    same "$(calls torchrun "$tmp/records" read_bytes)" \
        "$(awk 'NF == 2 { n += $2 } END { print n }' "$tmp/torchrun.out")" "torchrun: bytes read"
    same "$(calls torchrun "$tmp/records" read_count)" \
        "$(awk 'NF == 2 { n += $1 } END { print n }' "$tmp/torchrun.out")" "torchrun: reads"
    same "$(value torchrun checkpoint_bytes)" "$(size "$tmp/out")" "torchrun: torch.save"

    if run ddp "$python" -m torch.distributed.run --nproc_per_node 2 \
        "$top_srcdir/tests/causes/ddp.py" 40; then
        pass "DDP with a straggler: runs"
    else
        fail "DDP with a straggler: runs"
    fi
    same "$(value ddp samples_used)" "$(awk '{ n += $2 } END { print n }' "$tmp/ddp.out")" \
        "DDP with a straggler: samples"
    near "$("$dftrace" analyze --no-write --view bill -f csv "$tmp/ddp" 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["rank"] == 0 { print $at["ranks_s"] }')" \
        "$(awk '$1 == 0 { print $4 }' "$tmp/ddp.out")" \
        "DDP with a straggler: rank 0 waits in its backward pass"
    near "$(value ddp stall_time)" "$(awk '$1 == 1 { print $3 }' "$tmp/ddp.out")" \
        "DDP with a straggler: rank 1 waits for its batches"
    like "$("$dftrace" analyze --no-write "$tmp/ddp" 2>/dev/null)" 'late_rank.*rank 1 of 2' \
        "DDP with a straggler: it is named"
else
    skip "torch: $why" "DCP and torchrun"
fi

if has torch torch && has deepspeed deepspeed; then
    mkdir "$tmp/ds"
    if run ds "$python" -m torch.distributed.run --nproc_per_node 1 "$here/ds.py" "$tmp/ds"; then
        pass "DeepSpeed: runs"
        same "$(value ds checkpoint_bytes)" \
            "$(size "$tmp/ds" \( -name '*.pt' -o -name latest \))" \
            "DeepSpeed: bytes of checkpoints are those of ls"
        same "$(awk -F, '$2 == "capture" || $2 == "restart" { print $2, $3 }' \
            "$tmp/ds/tables/operations.csv" | sort | xargs)" "capture 1 restart 1" \
            "DeepSpeed: saving and loading are regions, around those of torch"
    else
        broken DeepSpeed "$python" -m torch.distributed.run --nproc_per_node 1 "$here/ds.py" "$tmp/ds"
    fi
else
    skip "deepspeed: $why" "DeepSpeed"
fi

if has h5py h5py; then
    if run h5 "$python" "$here/h5.py" "$tmp/data.h5"; then
        pass "h5py: runs"
    else
        fail "h5py: runs"
    fi
    ok "h5py: the rows were read, by whole buffers" awk -v got="$(calls h5 "$tmp/data.h5" read_bytes)" \
        -v rows="$(cat "$tmp/h5.out")" 'BEGIN { exit !(got >= rows) }'
    rm -f "$tmp/data.h5"
    if strace -f -e trace=openat,pread64,read -P "$tmp/data.h5" -o "$tmp/strace" \
        "$python" "$here/h5.py" "$tmp/data.h5" >/dev/null 2>&1; then
        same "$(calls h5 "$tmp/data.h5" open_count) $(calls h5 "$tmp/data.h5" read_bytes)" \
            "$(awk '/openat/ { o++ } /read/ { n += $NF } END { print o, n }' "$tmp/strace")" \
            "h5py: opens and bytes are the kernel's"
    else
        skip "no strace" "h5py: opens and bytes are the kernel's"
    fi
else
    skip "h5py: $why" "h5py"
fi

# DLIO asks for GPU packages that its CPU runs do not need: --no-deps, and what it
# does import by name; hydra-core brings the omegaconf and antlr4 that it works
# with. DLIO's own annotations are taken by the drop-in of layer app.
has_dlio ()
{
    has psutil psutil && has pandas pandas && has pyyaml yaml && has hydra-core hydra &&
        has mpich 'os; assert os.path.exists (__import__ ("sys").prefix + "/bin/mpicc")' &&
        has mpi4py 'mpi4py.MPI' && has tensorflow-cpu tensorflow &&
        has '--no-deps dlio_benchmark' dlio_benchmark
}
# sum JOB DIR COLUMN: of the table of files, below a directory
sum ()
{
    awk -F, -v d="$2/" -v c="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        index ($NF, d) == 1 { n += $at[c] } END { print n + 0 }' "$tmp/$1/tables/files.csv"
}

if has torch torch && has_dlio; then
    cd "$tmp" || exit 99
    set -- "$env/bin/dlio_benchmark" workload=unet3d_a100 \
        ++workload.workflow.generate_data=True ++workload.workflow.train=True \
        ++workload.workflow.checkpoint=True ++workload.train.epochs=1 \
        ++workload.train.computation_time=0.01 ++workload.reader.read_threads=2 \
        ++workload.reader.batch_size=2 ++workload.dataset.num_files_train=8 \
        ++workload.dataset.record_length=100000 ++workload.dataset.record_length_stdev=0 \
        ++workload.dataset.record_length_resize=0 ++workload.dataset.data_folder="$tmp/dl" \
        ++workload.checkpoint.checkpoint_folder="$tmp/dl/ck" \
        ++workload.checkpoint.checkpoint_after_epoch=1 ++workload.checkpoint.model_size=10000
    one=$tmp/dl/train/img_0_of_8.npz
    rm -f "$tmp/strace"
    strace -o /dev/null true 2>/dev/null && beside=(strace -f --seccomp-bpf -e
        "trace=read,write,pread64,pwrite64" -P "$one" -o "$tmp/strace")
    if run dlio "$@"; then
        pass "DLIO: runs"
        same "$(value dlio samples)" 8 "DLIO: as many samples as files"
        same "$(value dlio checkpoint_bytes)" "$(size "$tmp/dl/ck")" \
            "DLIO: bytes of checkpoints are those of ls"
        if [ -s "$tmp/strace" ]; then # a zip file's heads are written and read twice
            same "$(calls dlio "$one" read_bytes) $(calls dlio "$one" write_bytes)" \
                "$(awk '$NF < 0 { next } / p?read/ { r += $NF } / p?write/ { w += $NF }
                    END { print r + 0, w + 0 }' "$tmp/strace")" \
                "DLIO: bytes of a sample, read and written, are the kernel's"
        else
            skip "no strace" "DLIO: bytes of a sample"
        fi
    else
        fail "DLIO: runs"
    fi
else
    skip "dlio_benchmark: $why" "DLIO"
fi

# loop NAME: of loops.py, whose lines say what analyze has to
loop ()
{
    local word metric number got
    mkdir "$tmp/$1.d"
    if ! run "loop-$1" "$python" -W ignore "$here/loops.py" "$1" "$tmp/$1.d"; then
        broken "$1" "$python" -W ignore "$here/loops.py" "$1" "$(mktemp -d "$tmp/XXXXXX")"
        return
    fi
    while read -r word metric number; do
        got=$(value "loop-$1" "${metric%_at_least}")
        case $word,$metric in
            same,*_at_least)
                ok "$1: ${metric%_at_least} is $got, at least $number" \
                    awk -v a="$got" -v b="$number" 'BEGIN { exit !(a >= b) }' ;;
            same,*) same "$got" "$number" "$1: $metric" ;;
            near,*) near "$got" "$number" "$1: $metric" ;;
            none,*) is "$got" "" "$1: $metric is not known, not 0" ;;
        esac
    done < <(grep -E '^(same|near|none) ' "$tmp/loop-$1.out")
}
if has torch torch; then
    loop loader
    loop forward
    has datasets datasets && has transformers transformers && has accelerate accelerate &&
        loop huggingface
    has lightning lightning && loop lightning
    has webdataset webdataset && loop webdataset
    has litdata litdata && loop litdata
    # It pins transformers before 5, and needs little of what it asks for.
    has '--no-deps mosaicml-streaming' streaming && loop streaming
fi
has tensorflow-cpu tensorflow && loop tfdata && loop keras
has grain grain && loop grain
has jax jax && has orbax-checkpoint orbax.checkpoint && loop orbax
has 'ray[data]' ray.data && loop ray

done_testing
