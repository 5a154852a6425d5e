#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t3017-run-shell.t - the shell of `run:` is traced, and is as `setup:` left it

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

cd "$tmp" || exit 99
value() { # point, metric
    awk -F, -v n="$1" -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["n"] == n { print $at[want] }' "$dir/results/points.csv"
}

# -- what bash itself reads and writes -------------------------------------

cat >sh.yaml <<'END'
sweep: sh
axes: {n: [1000, 50000]}
env: {N: "${n}"}
run: |
  seq $N > "$SWEEP_RUN_DIR/in"
  mapfile -t a < "$SWEEP_RUN_DIR/in"
  for x in "${a[@]}"; do echo "$x"; done > "$SWEEP_RUN_DIR/out"
END
exits 0 "run" "$dftrace" sweep run sh.yaml --local
dir=sh
for n in 1000 50000; do
    bytes=$(seq $n | wc -c)
    is "$(value $n read_bytes_mean)" "$bytes" "$n: the bytes that mapfile read, and no others"
    # seq writes by stdio or by itself, as its release does
    is $(($(value $n stdio_write_bytes_mean) + $(value $n write_bytes_mean))) \
        $((2 * bytes)) "$n: what seq and echo wrote"
    is "$(cat sh/runs/n$n.*/r0/a0/out | cksum)" "$(seq $n | cksum)" "$n: and it is right"
done
printf 'sweep: own\naxes: {n: [1]}\nrun: read -r a <%s\n' "$tmp/sh.yaml" >own.yaml
exits 0 "a run whose only I/O is its shell's has a trace" "$dftrace" sweep run own.yaml --local

# -- what setup did ----------------------------------------------------------

cat >setup.yaml <<'END'
sweep: setup
axes: {n: [1]}
setup: |
  cat "$SWEEP_DIR/spec.yaml" >/dev/null # not traced
  set -euo pipefail
  shopt -s extglob expand_aliases
  alias hi='echo hi'
  plain='a b'
  list=("x y" z)
  declare -A map=([k]="v w")
  readonly fixed=7
  export EXPORTED=e
  f() { case $1 in @(x|y)) echo "f $1 $plain" ;; esac; }
  set -- one "two three"
  trap 'echo bye' EXIT
  mkdir -p "$SWEEP_RUN_DIR/here"
  cd "$SWEEP_RUN_DIR/here"
  umask 027
  exec 7>seven
run: |
  hi; case ab in @(ab|cd)) echo ext ;; esac
  echo "$plain/${list[0]}/${map[k]}/$fixed/$EXPORTED/$#/$2/${PWD##*/}/$(umask)"
  f x
  echo "line $LINENO, ${0##*/}"
  echo seven >&7
  nonsense || echo $?
  case $- in *e*u*) echo strict ;; esac
  compgen -v | grep sweep_ || echo clean
  false | true
  echo never
END
"$dftrace" sweep run setup.yaml --local >/dev/null
is $? 4 "pipefail and errexit hold"
at=$(echo setup/runs/*/r0/a0)
is "$(cat "$at/stdout")" "hi
ext
a b/x y/v w/7/e/2/two three/here/0027
f x a b
line 4, script
127
strict
clean
bye" "variables, functions, options, aliases, arguments, traps, directory, mask"
is "$(sed 's,.*/,,' "$at/stderr")" "script: line 6: nonsense: command not found" \
    "its messages have the lines of run"
is "$(cat "$at/here/seven")" seven "and descriptors"
sed -i '/^  false | true/d; s/^sweep: .*/sweep: good/' setup.yaml
exits 0 "without the failure" "$dftrace" sweep run setup.yaml --local
is "$("$dftrace" analyze --no-write --view file --format csv good/runs/*/r0/a0/trace |
    grep -c spec.yaml)" 0 "setup is not traced"

# -- a long text -------------------------------------------------------------

{
    printf 'sweep: long\naxes: {n: [1]}\ntrace: off\nrun: |\n'
    for ((i = 0; i < 3000; i++)); do echo "  : a line that is some forty bytes long $i"; done
    echo '  echo end'
} >long.yaml
exits 0 "a text of more than 100 KiB" "$dftrace" sweep run long.yaml --local
is "$(cat long/runs/*/r0/a0/stdout)" end "runs to its end"
done_testing
