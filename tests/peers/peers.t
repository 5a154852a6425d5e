#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# peers.t - today's DFTracer tools beside ours: DFAnalyzer 0.0.9 prints what
#           dftrace.dfanalyzer --version 0.0.9 prints, cell for cell; traces of dftracer
#           are read whole; its tools take our merge --pfw
#
# In:  $PEERS, a directory for two virtual environments of Python (default: peers in
#      the build directory), made if they are not there; what they lack is
#      installed by pip, by name; DFT_SAMPLES: DLIO's trace is compared, too
# Part of `make check-peers`, not of `make check`: minutes.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

here=$top_srcdir/tests/peers
rows=$top_srcdir/tests/python/dfanalyzerrows.py
env=$(realpath -m "${PEERS:-$top_builddir/peers}")
mkdir -p "$env"

# has VENV PACKAGES…: they are installed in the environment, or can be
has ()
{
    local venv=$env/$1
    shift
    [[ -e $venv/done ]] && return
    { [[ -x $venv/bin/python ]] || python3 -m venv "$venv"; } >"$tmp/pip" 2>&1 &&
        diag "installing $*" && "$venv/bin/pip" install -q "$@" >>"$tmp/pip" 2>&1 &&
        touch "$venv/done" && return
    why=$(tail -n 1 "$tmp/pip")
    return 1
}

# --- dftracer: what it records is what the program did ---------------------------

count () { awk -F, -v c="$1" -v k="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["name"] == c && $1 == "POSIX" { print $at[k] }' "$tmp/calls"; }

traced=
if has tracer dftracer==2.2.0; then
    mkdir -p "$tmp/real/shards"
    DFTRACER_ENABLE=1 DFTRACER_INC_METADATA=1 "$env/tracer/bin/python" \
        "$here/traced.py" "$tmp/real/shards" >"$tmp/log" 2>&1
    traced=$(find "$tmp/real/shards" -name '*.pfw.gz' -size +0 | wc -l)
    is "$traced" 2 "dftracer: a file for the process and one for its child"
    "$dftrace" analyze --no-write --view call --format csv "$tmp/real" >"$tmp/calls"
    is "$(count read count) $(count read bytes)" "15 48672" "reads and their bytes"
    is "$(count pread count) $(count pread bytes)" "15 1500" "preads"
    is "$(count write count) $(count write bytes)" "10 55000" "writes"
    is "$(count open count)" 25 "opens"
    # a job of ours, as they read it
    "$top_builddir/tests/tools/mkshard" "$tmp/ours" direct 40
    "$dftrace" merge --quiet --pfw "$tmp/ours"
    mkdir "$tmp/export"
    cp "$tmp/ours/combined.pfw.gz" "$tmp/export"
    tools=$env/tracer/bin
    exits 0 "dftracer_validate: our export" "$tools/dftracer_validate" \
        --files "$tmp/export/combined.pfw.gz"
    lines=$(zcat "$tmp/export/combined.pfw.gz" | grep -c '"ph":"X"')
    events=$("$tools/dftracer_event_count" -d "$tmp/export" 2>/dev/null | tail -n 1)
    metas=$(zcat "$tmp/export/combined.pfw.gz" | grep -c '"ph":"M"')
    ok "dftracer_event_count: all events, with or without metadata" \
        test "$events" = "$lines" -o "$events" = $((lines + metas))
    (cd "$tmp" && timeout 300 "$tools/dftracer_replay" --no-timing \
        export/combined.pfw.gz) >"$tmp/replay" 2>&1
    diag "replay: $(grep -E '^(Executed|Failed):' "$tmp/replay" | tr '\n' ' ')"
    is "$(sed -n 's/^  Failed to execute \([a-z0-9_]*\) .*/\1/p' "$tmp/replay" |
        grep -E '^(open|close|read|write|pread|pwrite|lseek)' | tr '\n' ' ')" "" \
        "dftracer_replay: of what it knows nothing fails"
else
    skip "no dftracer: $why" "dftracer's trace and tools"
fi

# --- DFAnalyzer: cell for cell -----------------------------------------------------

# compare NAME DIRECTORY PRESET LAYERS
compare ()
{
    local log=$tmp/$1-$4
    mkdir "$log"
    (cd "$log" && USER=${USER:-nobody} timeout 1200 "$env/analyzer/bin/dfanalyzer" \
        analyzer=dftracer "analyzer/preset=$3" "trace_path=$2" cluster=local \
        cluster.n_workers=1 analyzer.checkpoint=false \
        'view_types=[proc_name,time_range]' output=json "output.file_path=$log/json") \
        >"$log/out" 2>&1 || diag "$(tail -n 3 "$log/out")"
    python3 "$here/dfanalyzer.py" "$log/json" >"$log/want" 2>"$log/err"
    PYTHONPATH=$top_builddir/python python3 -m dftrace.dfanalyzer \
        --version 0.0.9 --layers "$4" --format csv "$2" >"$log/csv"
    python3 "$rows" cells "$log/csv" >"$log/got"
    cmp_num "$(wc -l <"$log/want")" -gt 20 "$1, $4: DFAnalyzer has printed"
    is "$(diff "$log/want" "$log/got")" "" "$1, $4: the same $(wc -l <"$log/want") cells"
}

if has analyzer dftracer-analyzer==0.0.9 dftracer-utils==0.0.12; then
    mkdir "$tmp/made"
    python3 "$rows" make "$tmp/made" 5
    compare made "$tmp/made" dlio-prev dlio
    if [[ $traced ]]; then # of phases that are numbers it takes metadata for events
        mkdir "$tmp/letters"
        for file in "$tmp"/real/shards/*.pfw.gz; do
            zcat "$file" | sed 's/"ph":4/"ph":"M"/; s/"ph":1/"ph":"X"/' |
                gzip >"$tmp/letters/${file##*/}"
        done
        compare dftracer "$tmp/letters" dlio-prev dlio
    fi
    if [[ -d $tmp/export ]]; then # without the index of the newer tools
        mkdir "$tmp/alone"
        cp "$tmp/ours/combined.pfw.gz" "$tmp/alone"
        compare export "$tmp/alone" dlio ai
    fi
    oracle=${DFT_SAMPLES:-}/dfanalyzer-dlio/dftracer-dlio.tar.gz
    if [[ -r $oracle ]]; then
        mkdir "$tmp/sample" # it reads no .pfw
        tar xzf "$oracle" -C "$tmp/sample"
        gzip -r "$tmp/sample"
        compare DLIO "$tmp/sample" dlio-prev dlio
    else
        skip "DFT_SAMPLES is not set" "DLIO's trace"
    fi
else
    skip "no DFAnalyzer: $why" "DFAnalyzer's tables"
fi

done_testing
