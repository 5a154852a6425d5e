#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3014-plan-refuses.t - plan refuses what could not mean what the file says

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
mkdir bin
PATH=$tmp/bin:$PATH

# Standard input is a sweep file; its complaint matches $1.
refused() {
    cat >s.yaml
    exits 6 "$2: refused" "$dftrace" sweep plan s.yaml
    like "$(head -n 1 "$tmp/err")" "$1" "$2: the message"
}
taken() {
    cat >s.yaml
    exits 0 "$1" "$dftrace" sweep plan s.yaml
}

# -- axes --------------------------------------------------------------

refused 's.yaml:3:3: axes: lr reaches no run: .*add env: \{lr: "\$\{lr\}"\}' "an axis that nothing uses" <<'END'
sweep: a
axes:
  lr: [1e-3, 1e-4, .5, 1., +3, 5e6]
run: echo "lr=$lr"; dd if=/dev/zero of="$SWEEP_RUN_DIR/o" bs=1 count=1
END
is "$(ls)" "bin
err
out
s.yaml" "nothing was written"
exits 6 "run refuses it, too" "$dftrace" sweep run s.yaml --local
exits 6 "and so does submit" "$dftrace" sweep submit s.yaml
refused 'axes: m reaches no run' "one of two axes" <<'END'
sweep: a
axes: {n: [1, 2], m: [1, 2]}
env: {N: "${n}"}
run: x
END
refused 'axes: n reaches no run' "an axis that only conditions and labels use" <<'END'
sweep: a
axes: {n: [1, 2]}
exclude: [n == 3]
label: "n${n}"
run: x $SWEEP_RUN_DIR
END
for use in 'env: {N: "${n}"}' 'slurm: {mem: "${n}G"}' 'derive: {m: n * 2}
env: {M: "${m}"}' 'trace: {max_bytes: "${n}G"}' 'task_id: n'; do
    taken "used: ${use//$'\n'/, }" < <(printf 'sweep: a\naxes: {n: [1, 2]}\nrun: x\n%s\n' "$use")
done
taken "used by way of a companion" <<'END'
sweep: a
axes: {n: {one: {v: 1}, two: {v: 2}}}
env: {V: "${v}"}
run: x
END
taken "used by a run that knows its label" <<'END'
sweep: a
axes: {n: [1, 2]}
run: ./x "$SWEEP_LABEL"
END
taken "an axis of one value" <<'END'
sweep: a
axes: {n: [1]}
run: x
END

# -- values --------------------------------------------------------------

for pair in '1e-3, 0.001' '10, 1e1' '1, 1.0' '1, 1' '1.0, "1.0"' '08, 8' '-0, 0'; do
    refused 's.yaml:2:.*axes: n has the value .* twice' "one value: $pair" <<END
sweep: a
axes: {n: [$pair]}
env: {N: "\${n}"}
run: x
END
done
refused 's.yaml:2:19: axes: lr has the value 1e-3 twice: as 1e-3 and as 0.001' "where, and how" <<'END'
sweep: a
axes: {lr: [1e-3, 0.001]}
env: {LR: "${lr}"}
run: x
END
refused 'points: one is in the grid already' "an extra point that is in the grid, written otherwise" <<'END'
sweep: a
axes: {lr: [1e-3, 1]}
points: [{lr: 0.0010}]
env: {LR: "${lr}"}
run: x
END
taken "values that differ" <<'END'
sweep: a
axes: {n: [9007199254740993, 9007199254740992, 0.1, 0.10000000000000002, true, "true", null, ""]}
env: {N: "${n}"}
run: x
END

# -- labels --------------------------------------------------------------

taken "values that differ only in what a file's name cannot have" <<'END'
sweep: a
axes: {s: ["a b", "a/b", "a=b", a_b], n: [1, 2]}
env: {S: "${s}", N: "${n}"}
run: x
END
is "$("$dftrace" sweep plan --format csv s.yaml | cut -d, -f 2 | tail -n +2 | sort -u | wc -l)" 8 \
    "have a label each"
is "$("$dftrace" sweep plan --format csv s.yaml | sed -n '2p;6p' | cut -d, -f 2 | xargs)" \
    "a_b-n1 a=b-n1" "the first, and the one that need not change, keep theirs"
refused 'label: "same" is also the label of n=1: put more axes into it' "a template that is the same" <<'END'
sweep: a
axes: {n: [1, 2]}
label: same
env: {N: "${n}"}
run: x
END

# -- texts ---------------------------------------------------------------

refused 's.yaml:4:9: script: .*study.sbatch.*No such file' "a script that is not there" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
script: study.sbatch
END
mkdir elsewhere
printf '#!/bin/bash\necho $N\n' >elsewhere/study.sbatch
cp s.yaml elsewhere/
exits 0 "it is looked for beside the sweep file" "$dftrace" sweep plan elsewhere/s.yaml
ln -s elsewhere/study.sbatch study.sbatch
exits 0 "a link to it is followed" "$dftrace" sweep plan s.yaml
rm study.sbatch
mkdir study.sbatch
exits 6 "a directory is no script" "$dftrace" sweep plan s.yaml
rmdir study.sbatch
printf '#!/bin/bash\n#SBATCH -n 1\nif true; then\n' >study.sbatch
exits 6 "a script that bash cannot read" "$dftrace" sweep plan s.yaml
like "$(head -n 1 "$tmp/err")" 's.yaml:4:9: script: study.sbatch: bash: line 4: syntax error' "where it is"
printf '#!/usr/bin/env python3\nif True: print ("(")\n' >study.sbatch
exits 0 "a script for another interpreter is not read" "$dftrace" sweep plan s.yaml
for key in setup run teardown; do
    refused "s.yaml:5:.*$key: bash: line 2: syntax error near unexpected token .fi" \
        "$key: bash syntax" <<END
sweep: a
axes: {n: [1, 2]}
env: {N: "\${n}"}
$([ $key = run ] || echo 'run: x')
$key: |
  echo one
  fi
END
done
taken "extended patterns, here-documents, strange quotes" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
setup: |
  shopt -s extglob
  ls !(a|b)
run: |
  cat <<'EOF'
  if (
  EOF
  echo 'it'\''s' "${x:-)}"
END

# -- tasks ---------------------------------------------------------------

for key in setup run script; do
    refused "$key: uses SLURM_ARRAY_TASK_ID.*task_id: grid" "$key: values by task" <<END
sweep: a
axes: {n: [1, 2], m: [3, 4]}
$([ $key = setup ] && echo 'run: x')
$key: $([ $key = script ] && echo study.sbatch || echo 'export N=$((SLURM_ARRAY_TASK_ID / 2))')
env: {N: "\${n}", M: "\${m}"}
END
    [ $key != setup ] || printf '#!/bin/bash\nN=$((SLURM_ARRAY_TASK_ID / 2))\n' >study.sbatch
done
cat >>s.yaml <<'END'
exclude: [n == 1 and m == 4]
task_id: grid
END
exits 0 "task_id: grid" "$dftrace" sweep plan --format csv s.yaml
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["n"] $at["m"] $at["task_id"] }' "$tmp/out" | xargs)" "130 232 243" \
    "is the place in the grid before exclusions"
sed -i 's/^task_id: .*/task_id: 10 * n + m/' s.yaml
exits 0 "task_id: an expression" "$dftrace" sweep plan --format csv s.yaml
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["task_id"] }' "$tmp/out" | xargs)" "13 23 24" "its values"
sed -i 's/^task_id: .*/task_id: array/' s.yaml
exits 0 "task_id: array" "$dftrace" sweep plan s.yaml
sed -i 's/^task_id: .*/task_id: n - 3/' s.yaml
exits 6 "no task is below 0" "$dftrace" sweep plan s.yaml
mkdir tools
printf '#!/bin/bash\nn=$SLURM_ARRAY_TASK_ID\n' >tools/pretrain.sh
refused 'run: tools/pretrain.sh uses SLURM_ARRAY_TASK_ID' "a program that run starts" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: |
  srun --label "tools/pretrain.sh" --n="$N"
END
taken "a task that is only in a comment" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: |
  # not $SLURM_ARRAY_TASK_ID
  x
END

# -- options of sbatch ---------------------------------------------------

refused 'slurm: nodes: "many" is nothing that sbatch takes: as in 4 or 2-8 .at n=1' "nodes: many" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: x
slurm: {nodes: many}
END
for bad in 'ntasks: 2x' 'time: soon' 'mem: lots' 'cpus-per-task: "${n}.5"' 'nodes: true'; do
    refused "slurm: ${bad%%:*}: " "$bad" < <(printf 'sweep: a\naxes: {n: [1, 2]}\nrun: x\nenv: {N: "${n}"}\nslurm: {%s}\n' "$bad")
done
for good in 'nodes: 2-4' 'nodes: "1-15:4"' 'time: 2-12' 'time: infinite' 'mem: 1.5T' 'mem: 0' \
    'time: "${n}:00"' 'nodes: null' 'ntasks: false' 'exclusive: true' 'gpus-per-node: "a100:2"'; do
    taken "$good" < <(printf 'sweep: a\naxes: {n: [1, 2]}\nrun: x\nenv: {N: "${n}"}\nslurm: {%s}\n' "$good")
done
cat >bin/sbatch <<'END'
#!/bin/sh
[ "$1" = --help ] || exit 1
printf '  -p, --partition=partition\nOptions provided by plugins:\n      --container-image=[USER@]\n'
END
chmod +x bin/sbatch
refused 's.yaml:5:9: slurm: sbatch has no option "nodse" \(did you mean "nodes"' "an unknown option" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: x
slurm: {nodse: 2}
END
refused 'slurm: sbatch has no option "frobnicate-me"' "one that is near to none" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: x
slurm: {frobnicate-me: 2}
END
taken "an option of a plugin" <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
run: x
slurm: {container-image: x}
END

# -- #SBATCH lines of a script -------------------------------------------

cat >study.sbatch <<'END'
#!/bin/bash
#SBATCH --job-name=x -N 2
#SBATCH --output=logs/a_%j.out
#SBATCH -e logs/b -n 4 # four
  #SBATCH --error logs/b
#SBATCH -C inet
#SBATCH --comment="a  b" -elogs/x --exclusive
#SBATCH --array=0-8 # 3 x 3 combinations
#SBATCH -W
#SBATCH -a 1-3 --wait-all-nodes=1
#SBATCH --dftrace
#SBATCH --gres=gpu:H100:1      # so that the library is found
echo
#SBATCH --mem=1
END
cat >s.yaml <<'END'
sweep: a
axes: {n: [1, 2]}
env: {N: "${n}"}
script: study.sbatch
END
is "$("$dftrace" sweep plan --script s.yaml | grep '^#SBATCH')" '#SBATCH -N 2
#SBATCH -n 4
#SBATCH -C inet
#SBATCH --comment="a  b" --exclusive
#SBATCH --wait-all-nodes=1
#SBATCH --gres=gpu:H100:1' "all stay but those that are the sweep's"

# -- the file ------------------------------------------------------------

taken "a byte order mark" < <(printf '\357\273\277sweep: a\naxes: {n: [1, 2]}\nenv: {N: "${n}"}\nrun: x\n')
done_testing
