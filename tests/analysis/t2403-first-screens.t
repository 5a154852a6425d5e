#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t2403-first-screens.t - the first screens of the seven jobs of seven.sh: whole ones
#                         of traces that were recorded once, and of today's traces the
#                         lines that they have however busy the machine is
#
# tests/data/screens/NAME.txt has the screen of tests/data/screens/NAME, with # for
# numbers. GOLDEN=write tests/analysis/t2403-first-screens.t writes them anew.

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

command -v python3 >/dev/null || skip_all "no Python"
unset "${!SLURM@}"
mkdir "$tmp/work"
cd "$tmp/work" || exit 99

# Numbers become #, bars go.
masked ()
{
    sed -E 's/[0-9][0-9. ]*[mu]?s\b/#s/g; s/[0-9][0-9. ]*/#/g; s/ {2,}#+$//'
}

screens=$top_srcdir/tests/data/screens
for name in files syncs last pipeline status asleep mapped; do
    cp -r "$screens/$name" "$tmp/fixed"
    chmod -R u+w "$tmp/fixed"
    "$dftrace" analyze --no-write "$tmp/fixed" 2>&1 | masked >"$tmp/said"
    rm -r "$tmp/fixed"
    [ "${GOLDEN-}" != write ] || cp "$tmp/said" "$screens/$name.txt"
    is "$(diff "$screens/$name.txt" "$tmp/said")" "" "the screen of $name is what it was"
done

# When a finding was, and in which process, against the events themselves; and `help RULE JOB`
# has a command with both that shows them.
cp -r "$screens/syncs" "$tmp/fixed"
chmod -R u+w "$tmp/fixed"
rm -rf "$tmp/fixed/metrics.json" "$tmp/fixed/tables"
like "$("$dftrace" help sync_stall "$tmp/fixed" 2>&1)" "When and where: .*--view event --where" \
    "help RULE JOB needs no analyze before it"
ok "it has written what it asks for" test -e "$tmp/fixed/metrics.json"
"$dftrace" export -f jsonl "$tmp/fixed" 2>/dev/null >"$tmp/events"
is "$(python3 - "$tmp/fixed/metrics.json" "$tmp/events" <<'END'
import json, sys
metrics = json.load(open(sys.argv[1]))
syncs = [e for e in map(json.loads, open(sys.argv[2])) if e['name'] == 'fsync']
start = metrics['job']['start_real_ns']
found = next(f for f in metrics['insights'] if f['rule'] == 'sync_stall')
print(abs(found['from_s'] - (min(e['time_ns'] for e in syncs) - start) / 1e9) < 1e-6,
      abs(found['to_s'] - (max(e['time_ns'] + e['dur_ns'] for e in syncs) - start) / 1e9) < 1e-6,
      found['processes'], found['pids'] == '%s:%d' % (syncs[0]['host'], syncs[0]['pid']))
END
)" "True True 1 True" "a finding has the time and the process of its calls"
"$dftrace" help sync_stall "$tmp/fixed" >"$tmp/help"
command=$(sed -n 's/^ *dftrace \(analyze --view event .*\)/\1/p' "$tmp/help")
is "$(eval "\"$dftrace\" $command --no-write --format csv --where name=fsync --top 0" | grep -c ',fsync,')" \
    "$(grep -c '"name":"fsync"' "$tmp/events")" "help sync_stall JOB: its command shows them"
rm -r "$tmp/fixed"

ok "seven jobs" bash "$top_srcdir/tests/analysis/seven.sh" "$dftrace"

# screen NAME: its first screen, masked, has lines as those of standard input
screen ()
{
    local line columns
    for columns in 60 80; do
        COLUMNS=$columns "$dftrace" analyze --no-write "$1" >"$tmp/screen" 2>/dev/null
        is "$(awk -v n="$columns" 'length > n || NR > 24' "$tmp/screen")" "" \
            "$1: 24 lines of $columns columns"
    done
    masked <"$tmp/screen" >"$tmp/masked"
    while IFS= read -r line; do
        ok "$1: $line" grep -qE "$line" "$tmp/masked"
    done
}

screen files <<'END'
^files: .*#s, #events$
most in item-N\.bin$
writing #[mu]?s \(#MiB\)
^by the kernel's count
END

screen syncs <<'END'
^time of the job
writing #[mu]?s \(#KiB\), sync #[mu]?s
END

screen last <<'END'
^last: 5 processes|^last: #processes
(critical|warning) .*straggler
END

screen pipeline <<'END'
^  sh -c 'head
^by the kernel's count
END

screen status <<'END'
exit status (not )?#
END
is "$(grep -c 'exit status' "$tmp/masked")" 1 "status: one line says it"

screen asleep <<'END'
^  sleeping +#s
^critical +#s +#% +sleeping: sleep \[sleep_wait\]
END

screen mapped <<'END'
^  not measured: waits for #MiB of mapped files \(--layers mmap\)
END

like "$("$dftrace" analyze --no-write 2>&1 >/dev/null)" "the newest trace here: mapped" \
    "without a path the newest trace"
touch files/job.json # as an analysis may change it
like "$("$dftrace" analyze --no-write 2>&1 >/dev/null)" "the newest trace here: mapped" \
    "the newest is the one that began last, not the one whose job.json changed last"

done_testing
