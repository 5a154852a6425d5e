#!/bin/bash
# SPDX-License-Identifier: MIT
#
# t9060-python.t - Python tasks of a job: traced with one option, unedited

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/slurm/lib-cluster.sh"
python=/usr/bin/python3
[ -x $python ] || skip_all "no $python"

cluster_start --nodes 2
cat >"$cluster/my.points" <<'END'
json:dumps = text.dump size=len(result)
END
cat >"$home/task.py" <<'END'
import json, multiprocessing, os

def work(n):
    return json.dumps(list(range(n)))

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert len(pool.map(work, range(5))) == 5
        pool.close()
        pool.join()
    from dftrace import ai
    with ai.compute.step(step=int(os.environ["SLURM_PROCID"])):
        json.dumps(0)
    import dftracer.python
END
chmod a+r "$cluster/my.points" "$home/task.py"
export DFTRACE_POINTS=$cluster/my.points PYTHONDONTWRITEBYTECODE=1

submit -N2 -n2 -J app --dftrace=app --wrap "srun $python $home/task.py"
is "$(cat "$home/out")" "" "app: the job says nothing"
dir=$home/dftrace/app-$job
"$dftrace" stat --events "$dir" | cut -f3,5- >"$tmp/events"
is "$(grep -c 'text	dump	size=' "$tmp/events")" 12 "app: trace points"
is "$(grep 'text	dump' "$tmp/events" | cut -f1 | sort -u | wc -l)" 4 \
    "app: of both tasks and their children"
is "$(grep 'compute	step' "$tmp/events" | cut -f4 | sort | xargs)" \
    "step=0 step=1" "app: steps of both ranks"

cat >"$home/seen.py" <<'END'
import os
print(os.environ.get("PYTHONPATH"))
END
submit -J posix --dftrace=posix --wrap "srun $python $home/seen.py"
is "$(cat "$home/out")" "None" "posix alone leaves Python alone"
export PYTHONPATH=/nowhere
submit -J both --dftrace=posix,app --wrap "srun $python $home/seen.py"
is "$(cat "$home/out")" "$top_builddir/python:/nowhere" \
    "app: ours comes first, the job's own stays"

done_testing
