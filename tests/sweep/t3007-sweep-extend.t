#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3007-sweep-extend.t - more values, repeats and axes; archive

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
mkdir bin
for c in sbatch squeue scontrol scancel sacct; do
    ln -s "$top_srcdir/tests/fake-slurm/fake-slurm" bin/$c
done
PATH=$tmp/bin:$PATH
export FAKE_SLURM=$tmp/state

cat >s.yaml <<'END'
sweep: more
axes: {n: [1, 2], m: [a, b]}
env: {N: "${n}"}
run: echo "$SWEEP_RUN" >>ran
trace: off
END
exits 0 "submit" "$dftrace" sweep submit s.yaml --wait
ids=$(cut -d, -f 1 more/results/points.csv | sort)
is "$(sort -u ran | wc -l)" 4 "four runs"

sed 's/n: \[1, 2\]/n: [1, 2, 3]/' s.yaml >t.yaml
echo 'repeats: 2' >>t.yaml
exits 0 "extend -n" "$dftrace" sweep extend more t.yaml --dry-run
like "$(cat "$tmp/out")" "2 new points, 8 new runs" "says what is new"
nok "and changes nothing" grep -q repeats more/spec.yaml
exits 0 "extend" "$dftrace" sweep extend more t.yaml --wait
is "$(sort -u ran | wc -l)/$(wc -l <ran)" "12/12" "every run ran once"
is "$(comm -23 <(echo "$ids") <(cut -d, -f 1 more/results/points.csv | sort))" "" "old ids stay"
is "$(wc -l <more/plan.csv)/$(wc -l <more/order.csv)" "7/13" "plan.csv and order.csv are of all"
ok "the old file is kept" cmp s.yaml more/spec.0.yaml
is "$(grep -c 'done' more/results/runs.csv)" 12 "and the tables have all"
exits 0 "extend by nothing" "$dftrace" sweep extend more t.yaml
like "$(cat "$tmp/out")" "0 new points, 0 new runs" "is nothing"

# a new axis, and what the old points had
sed 's/m: \[a, b\]/m: [a, b], z: [none, gzip]/' t.yaml >u.yaml
exits 1 "a new axis alone" "$dftrace" sweep extend more u.yaml
like "$(cat "$tmp/err")" "is no point of the new file.*was" "would orphan all points"
echo 'was: {z: none}' >>u.yaml
exits 0 "with was:" "$dftrace" sweep extend more u.yaml --wait
is "$(sort -u ran | wc -l)/$(wc -l <ran)" "24/24" "only what is new ran"
is "$(comm -23 <(echo "$ids") <(cut -d, -f 1 more/results/points.csv | sort))" "" "old ids stay"
refused() { # sed script, complaint
    sed "$1" u.yaml >bad.yaml
    exits 1 "refused: $1" "$dftrace" sweep extend more bad.yaml
    like "$(cat "$tmp/err")" "$2" "because"
    ok "and nothing changed" cmp u.yaml more/spec.yaml
}
refused 's/repeats: 2/repeats: 1/' "only become more"
refused 's/n: \[1, 2, 3\]/n: [1, 2, 4]/' "no point of the new file"
refused 's/^env.*/env: {N: "${n + 1}"}/' "has changed: env:"
refused 's/^sweep: more/sweep: less/' "sweep has changed"
refused '$a seed: 8' "seed has changed"
refused '$a label: x${n}${m}${z}' "is now called"
sed 's/^env.*/env: {N: "${n + 1}"}/; s/repeats: 2/repeats: 3/' u.yaml >v.yaml
exits 2 "--accept-change of no part" "$dftrace" sweep extend more v.yaml --accept-change envv
exits 0 "--accept-change" "$dftrace" sweep extend more v.yaml --accept-change env --wait
like "$(cat more/journal.jsonl)" '"event":"extended","accepted":"env"' "is in the journal"
is "$(sort -u ran | wc -l)/$(wc -l <ran)" "36/36" "every run ran once"
echo 'was: {q: 1}' | cat s.yaml - >bad.yaml
exits 6 "was: of no axis" "$dftrace" sweep plan bad.yaml

# -- archive ---------------------------------------------------------------

mkdir -p more/runs/x/r0/a0/trace/shards
echo secret | tee more/runs/x/r0/a0/trace/trace.dft >more/runs/x/r0/a0/trace/shards/1.dft
echo '{}' >more/runs/x/r0/a0/trace/metrics.json
exits 0 "archive" "$dftrace" sweep archive more
tar -tzf more.tar.gz >list || fail "tar reads it"
for want in spec.yaml spec.0.yaml plan.csv manifest.json journal.jsonl results/runs.csv \
    jobs/g0.0.map runs/x/r0/a0/trace/metrics.json; do
    ok "$want is in it" grep -qx "more/$want" list
done
nok "traces are not" grep -q '\.dft$' list
mkdir unpacked && tar -xzf more.tar.gz -C unpacked
is "$(diff -r more unpacked/more | grep -v '\.dft\|shards\|^Only in more: slurm$')" "" \
    "what is in it is the same"
exits 1 "where nothing can be written" "$dftrace" sweep archive more -o none/x.tar.gz

# -- provenance and schema -------------------------------------------------

if command -v git >/dev/null; then
    mkdir project && cd project || exit 99
    export HOME=$tmp
    git init -q . && git config user.email a@b && git config user.name a
    echo one >file && git add file && git commit -qm first
    echo two >file
    printf '%s\n' 'sweep: from' 'axes: {n: [1]}' 'run: "true"' 'trace: off' 'data: file' >from.yaml
    exits 0 "a sweep in a git project" "$dftrace" sweep run from.yaml --local
    like "$(cat from/manifest.json)" "\"commit\": \"$(git rev-parse HEAD)\"" "its commit"
    like "$(cat from/manifest.json)" '"changed": true' "that it has changes"
    ok "and which" grep -qx "+two" from/git.diff
    cd "$tmp" || exit 99
    like "$(cat project/from/nodes/*.json)" '"cores": [1-9]' "what the node is"
else
    skip "no git" "provenance"
fi
like "$(cat more/manifest.json)" '"git": null' "no git project is null"
mkdir lustre
printf '%s\n' '#!/bin/bash' 'case $2 in -c) echo 4 ;; -S) echo 1048576 ;; -i) echo 2 ;; esac' >lustre/lfs
chmod +x lustre/lfs
cat >whole.yaml <<'END'
sweep: whole
axes: {n: [1, 2]}
env: {N: "${n}"}
setup: export LOADEDMODULES=cuda/12.4:nccl
run: 'true'
trace: off
data: [s.yaml, t.yaml]
END
export API_TOKEN=hush WITH_LINES=$'a\nb'
PATH=$tmp/lustre:$PATH exits 0 "a sweep on striped files" "$dftrace" sweep run whole.yaml --local
is "$(grep -c '"count": "4"' whole/manifest.json)" 4 "how they are striped: here, its directory, the data"
is "$(grep -A3 '"stripe"' whole/nodes/*.json | grep -c '"size": "1048576"')" 2 "and as the node sees it"
is "$(stat -c %a whole/environment)" 600 "the environment is for its owner"
is "$(grep -E '^(API_TOKEN|WITH_LINES)=' whole/environment)" 'API_TOKEN=(not kept)
WITH_LINES=a\nb' "and keeps no secret"
ok "also of a node" grep -q '^PATH=' whole/nodes/*.environment
is "$(cat whole/runs/*/r0/a0/modules | sort -u)" "cuda/12.4:nccl" "modules as setup left them"
for word in system kernel processor cores numa_nodes memory_kb gpus infiniband libc options; do
    like "$(cat whole/manifest.json)" "\"$word\": " "the manifest has $word"
done
unset API_TOKEN WITH_LINES
if awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo; then
    like "$(cat more/manifest.json)" '"type": "[a-z0-9]+"' "file systems"
else
    skip "a root that is no mount point (chroot)" "file systems"
fi
"$dftrace" sweep plan --schema >schema.json
for key in axes control paired scrape was baseline plots min_size; do
    like "$(cat schema.json)" "\"$key\": \{" "the schema has $key"
done
if command -v jq >/dev/null; then
    is "$(jq -c '.required' schema.json)" '["sweep","axes"]' "and says what is needed"
    is "$("$dftrace" sweep plan --keys | grep -vcE '^[a-z]+\.')" \
        "$(jq '.properties | length' schema.json)" "the same keys as --keys"
else
    skip "no jq" "the schema is JSON"
fi
cat >validate.py <<'END'
# What somebody else's validator says of the schema, and of sweep files by it.
import json, sys, yaml, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
check = jsonschema.Draft7Validator(schema)
for path in sys.argv[2:]:
    errors = [e.message for e in check.iter_errors(yaml.load(open(path), yaml.BaseLoader))]
    print(path.split("/")[-1], "good" if not errors else "bad: " + errors[0][:60])
END
if python3 -c 'import yaml, jsonschema' 2>/dev/null; then
    examples=$(ls "$top_srcdir"/etc/examples/*.yaml)
    cat >wrong.yaml <<'END'
sweep: s
axes: {n: [1]}
run: x
repaets: 3
END
    printf 'sweep: s\naxes: [1]\nrun: x\n' >shape.yaml
    printf 'axes: {n: [1]}\nrun: x\n' >needed.yaml
    printf 'sweep: s\naxes: {n: [1]}\nrun: x\nresults: {plots: [{x: n}]}\n' >plots.yaml
    printf 'sweep: s\naxes: {n: [1]}\nrun: x\ntrace: {min_siez: 1}\n' >tracer.yaml
    # shellcheck disable=SC2086 # no blanks in them
    is "$(python3 validate.py schema.json $examples | cut -d ' ' -f 2 | sort -u)" good \
        "an independent validator takes the schema, and the examples by it"
    is "$(python3 validate.py schema.json wrong.yaml shape.yaml needed.yaml plots.yaml tracer.yaml |
        grep -c bad)" 5 "and refuses what plan refuses"
    for f in wrong shape needed plots tracer; do
        exits 6 "$f.yaml is refused by plan" "$dftrace" sweep plan $f.yaml
    done
else
    skip "no python3 with yaml and jsonschema" "an independent validator"
fi

done_testing
