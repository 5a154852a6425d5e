#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3001-sweep-plan.t - sweep files, good and bad; plan writes nothing

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

plan_of() {
    "$dftrace" sweep plan "$@"
}

# Standard input is a sweep file; $1 must be the first line of the complaint.
refused() {
    cat >bad.yaml
    exits 6 "$2: exit status 6" plan_of bad.yaml
    is "$(head -n 1 "$tmp/err")" "dftrace: $1" "$2: the message"
}

cd "$tmp" || exit 99

# -- the study -------------------------------------------------------------

exits 0 "the study's file is good" plan_of "$top_srcdir/etc/examples/megatron-io.yaml"
like "$(cat "$tmp/out")" "3 seq x 3 gbs x 2 access = 18 points, 0 excluded" "it has 18 points"
is "$(plan_of --format csv "$top_srcdir/etc/examples/megatron-io.yaml" | wc -l)" 19 \
    "--format csv: a head and 18 rows"
is "$(plan_of --format csv "$top_srcdir/etc/examples/megatron-io.yaml" | head -n 1 | sed 's/.*,//')" \
    group "its last column is the group, also without task_id"
is "$(plan_of --order "$top_srcdir/etc/examples/megatron-io.yaml" |
    grep -oE '[0-9a-f]{8}\.r0' | sort -u | wc -l)" 18 "--order: every run once"
exits 0 "the nightly check is good" plan_of "$top_srcdir/etc/examples/nightly.yaml"
exits 0 "the minimal example is good" plan_of "$top_srcdir/etc/examples/minimal.yaml"

cat >ok.yaml <<'END'
sweep: tiny
axes:
  n: [1, 2, 3, 4]
  m: {a: {time: 10}, b: {time: 20}}
exclude: [n == 4, n == 99]
env: {N: "${n}"}
run: echo "$N" '${not ours}'
repeats: 3
max_running: 1
slurm: {time: "${time}", nodes: 2}
END
exits 0 "plan" plan_of ok.yaml
out=$(cat "$tmp/out")
like "$out" "4 n x 2 m = 6 points, 2 excluded" "dropped points are counted"
like "$out" "2 by n == 4" "per condition"
like "$out" "x 3 repeats = 18 tasks" "repeats"
like "$out" "warning exclude: n == 99 drops nothing" "a condition that drops nothing"
like "$out" "g1.0 .*starts after g0.0" "max_running 1 chains arrays"
is "$(ls)" "err
ok.yaml
out" "nothing was written"
like "$(plan_of --script ok.yaml)" "--array=0-8%1 .*--time=10 --nodes=2 --dftrace=posix,app" \
    "--script shows the sbatch line"

# -- bad files -------------------------------------------------------------

refused 'bad.yaml:4:1: unknown key "repaets" (did you mean "repeats"?)' "unknown key" <<'END'
sweep: s
axes: {n: [1]}
run: x
repaets: 3
END
is "$(sed -n 2,3p "$tmp/err")" "    4 | repaets: 3
      | ^" "the line, and a mark under the key"

refused 'bad.yaml:5:3: unknown key "chek" (did you mean "check"?)' "unknown key further in" <<'END'
sweep: s
axes: {n: [1]}
run: x
trace:
  chek: none
END

cat >bad.yaml <<'END'
sweep: s
axes:
  n: [1]
  n: [2]
run: x
END
exits 6 "duplicate key: exit status 6" plan_of bad.yaml
like "$(cat "$tmp/err")" "bad.yaml:4:3: .*n" "duplicate key: where"

refused 'bad.yaml:5:5: require: gbs % mbs == 0 is false with gbs=96 mbs=64: exclude the point or change its values (at seq=2 gbs=96)' \
    "failed require names line and point" <<'END'
sweep: s
axes: {seq: [2], gbs: [64, 96]}
const: {mbs: 64}
require:
  - gbs % mbs == 0
run: x
END

refused 'bad.yaml:3:16: half: 5 / 2 is not whole; use // or 5.0 / 2 (at n=5)' \
    "failed derive" <<'END'
sweep: s
axes: {n: [5]}
derive: {half: n / 2}
run: x
END

refused 'bad.yaml:4:19: metrics: unknown metric "n"' "a figure of no metric" <<'END'
sweep: s
axes: {n: [1]}
run: x
results: {plots: [n]}
END

refused 'bad.yaml:4:10: a single value should be here: inside of { } and [ ] a template is quoted, as in "${name}"' \
    "a template without quotes" <<'END'
sweep: s
axes: {n: [1]}
run: x
env: {A: {n: 1}}
END

printf 'sweep: s\naxes: {n: [1\n' >bad.yaml
exits 6 "broken YAML: exit status 6" plan_of bad.yaml
like "$(cat "$tmp/err")" "^dftrace: bad.yaml:[0-9]+:[0-9]+: " "broken YAML: where"
exits 6 "no such file: exit status 6" plan_of absent.yaml
like "$(cat "$tmp/err")" "^dftrace: absent.yaml: .*No such file" "no such file: said"

# -- bad words -------------------------------------------------------------

exits 2 "no operand" plan_of
exits 2 "two operands" plan_of ok.yaml ok.yaml
exits 2 "unknown format" plan_of --format xml ok.yaml
exits 2 "unknown verb" "$dftrace" sweep plna ok.yaml
like "$(cat "$tmp/err")" 'did you mean "plan"' "the nearest verb"
exits 0 "--keys" plan_of --keys
like "$(cat "$tmp/out")" "max_running" "--keys lists keys"
for verb in plan run submit status results logs show cancel exec; do
    exits 0 "$verb --help" "$dftrace" sweep $verb --help
done

# texts that double each other: 564 bytes that would need 1.6 GB
{
    printf 'sweep: x\naxes: {a: [1]}\nrun: echo\nderive:\n  t0: "%s"\n' \
        "'0123456789abcdef'"
    for ((i = 1; i < 25; i++)); do echo "  t$i: t$((i - 1)) + t$((i - 1))"; done
} >"$tmp/double.yaml"
exits 6 "texts that double" "$dftrace" sweep plan "$tmp/double.yaml"
like "$(cat "$tmp/err")" 'double.yaml:18:.*more than 65536 bytes' "have a bound"

done_testing
