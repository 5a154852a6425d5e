#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t6010-reportfacts.t - figures of a job's page say what its tables say

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99

mkshard=$top_builddir/tests/tools/mkshard

# "figure metric value" of all marks of page $1; the value of a timeline's mark
# is "lane seconds".
marks ()
{
    grep -oE '<figure id="[^"]*"|data-m="[^"]*"( data-p="[^"]*")?( data-v="[^"]*")?' "$1" |
        sed -E 's/data-m="([^"]*)"( data-p="[^"]*")?( data-v="([^"]*)")?/\1 \4/
            s/<figure id="(.*)"/figure \1/' |
        awk '$1 == "figure" { figure = $2; next } { print figure, $0 }'
}

# Sum over all marks of page $1 that begin with "figure words" $2.
drawn ()
{
    marks "$1" | awk -v what="$2 " 'index($0, what) == 1 {
            n += $NF
            for (i = NF - 1; what ~ /fig-bytes/ && $i ~ /^[0-9.e+]+$/; i--) n += $i
        }
        END { printf "%.12g\n", n }'
}

# Sum of column $2 of table $1, of rows with "storage" in column class if any.
column ()
{
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        !("class" in at) || $at["class"] == "storage" { n += $at[name] }
        END { printf "%.9g\n", n }' "$1"
}

same ()
{
    ok "$3: $1, $2" awk -v a="$1" -v b="$2" -v near="${4:-0.001}" \
        'BEGIN { d = a > b ? a - b : b - a; exit !(b > 0 && d <= near * b) }'
}

# page DIR [WORDS…]: analyze and report; the page is DIR.html.
page ()
{
    "$dftrace" analyze -q "$1" 2>/dev/null
    exits 0 "$1: its page" "$dftrace" report -o "$1.html" "$1"
}

# The timeline of page $1 against the table of processes or ranks $2.
lanes ()
{
    same "$(drawn "$1" 'fig-timeline busy data loader')" "$(column "$2" loader_s)" \
        "$1: the timeline's loader time is that of the table"
    same "$(drawn "$1" 'fig-timeline busy waiting for data')" "$(column "$2" stall_s)" \
        "$1: and its waiting"
}

cd "$tmp" || exit 99

# Regions of DLIO: roles.def says what they are, on the whole page.
mkdir dlio
cp "$top_srcdir/tests/data/pfw/dlio.pfw" dlio/
page dlio
lanes dlio.html dlio/tables/ranks.csv
same "$(drawn dlio.html 'fig-timeline busy compute')" "$(column dlio/tables/ranks.csv compute_s)" \
    "dlio: its compute, too"
same "$(drawn dlio.html 'fig-timeline busy compute')" 2.72 "dlio: which is what the trace says"

# A copy inside the kernel reads one file, writes another, and takes time.
"$mkshard" "$tmp/copy" copy 3
page copy
want=$((3 * 64 * 1024 * 1024))
is "$(drawn copy.html 'fig-bytes bytes')" $((2 * want)) "copy: bytes moved are those read and written"
same "$(drawn copy.html 'fig-cost io_seconds')" "$(column copy/tables/calls.csv sum_s)" \
    "copy: the cost of I/O has its time"
is "$(drawn copy.html 'fig-sizes sizes')" 6 "copy: each is a read and a write"

# Memory that processes share is no input, also where it is a file of data.
if command -v python3 >/dev/null; then
    for how in r w; do
        "$dftrace" run -o shared-$how -- python3 - segment $how <<'END'
import mmap, sys
with open (sys.argv[1], "w+b") as f:
    f.truncate (65536)
    mmap.mmap (f.fileno (), 65536, prot=mmap.PROT_READ | (mmap.PROT_WRITE if sys.argv[2] == "w" else 0))
END
    done
    note='no POSIX reads of data files; data came through mmap'
    "$dftrace" analyze -q shared-r shared-w >/dev/null
    for how in r w; do
        "$dftrace" analyze -q shared-$how
        echo "$how $(grep -c "$note" shared-$how/metrics.json)"
    done >notes
    unlike "$(grep r notes)" "r 0" "a file that is mapped for reading is said to be read so"
    is "$(grep w notes)" "w 0" "memory shared for writing is not"
else
    skip "no python3" "memory that processes share is no input"
fi

# What is moved by streams is read and written, too; of a script all commands count.
seq 1000 >numbers
"$dftrace" run -q -o streams -- sh -c 'sort numbers -o sorted; sort -r sorted -o reversed; true'
page streams
is "$(grep -o '<b>[^<]*</b><span>[^<]*with streams' streams.html | sed 's/<[^>]*>/ /g' | tr -c '[:graph:]' ' ' | xargs)" \
    "7.60 KiB read, with streams 7.60 KiB written, with streams" "streams: their bytes are read and written"
like "$(grep -o '<dt>command.*</dd>' streams.html)" 'sort numbers -o sorted; sort -r sorted -o reversed; true' \
    "the command of the job is the one that dftrace run was given"
names ()
{
    sed -n "/id=\"$1\"/,/<\/figure>/p" streams.html | grep -oE '<text [^>]*text-anchor="end"[^>]*>[^<]*' |
        sed 's/.*>//; /^[0-9]* short ones: /d' | sort -u
}
is "$(comm -13 <(names fig-timeline) <(names fig-bill))" "" "a process has one name in the timeline and in the bars"
like "$(names fig-timeline)" '^sort, [^:]+:[0-9]+' "which is its program's"
like "$("$dftrace" analyze --no-write streams | sed -n 2p)" "^  sh -c 'sort numbers -o sorted; " \
    "the first screen has it"
sed -i '/"command":/d' streams/job.json
page streams
like "$(grep -o '<dt>command.*</dd>' streams.html)" 'sort numbers -o sorted [(]the first of 2 commands[)]' \
    "where that is not known: the first command, and that there is another one"
unlike "$(grep -o '<dt>command.*</dd>' copy.html)" 'the first of' "a program: its command"

# Which files are the job is decided once.
"$mkshard" "$tmp/job" direct 40
page job
calls=$(drawn job.html 'fig-sizes sizes')
is "$calls" "$(awk -v a="$(column job/tables/files.csv read_count)" \
    -v b="$(column job/tables/files.csv write_count)" 'BEGIN { print a + b }')" \
    "the page has every read and write"
lanes job.html job/tables/processes.csv

mkdir bare
cp job/shards/*.dft bare/
page bare
is "$(drawn bare.html 'fig-sizes sizes')" "$calls" "a bare directory of shards: all of them"
is "$(grep -c 'class="banner"' bare.html)" 0 "and nothing is missing"

mkdir pfw
cp -r job merged
"$dftrace" merge -q --pfw merged >/dev/null
cp merged/combined.pfw.gz pfw/
page pfw
for what in 'fig-sizes sizes' 'fig-bytes bytes' 'fig-access access' \
    'fig-cost io_seconds' 'fig-timeline busy data loader' \
    'fig-timeline busy waiting for data' 'fig-timeline busy compute' \
    'fig-timeline busy checkpoint'; do
    same "$(drawn pfw.html "$what")" "$(drawn job.html "$what")" \
        "the same from .pfw: $what"
done
is "$(grep -cE 'No process read or wrote|No such calls' pfw.html)" 0 \
    "nothing is said to be missing that is not"

# A merged trace that was cut is not all there is while the shards are there;
# and without them the page has what the tables have.
truncate -s -6000 merged/trace.dft
page merged
is "$(drawn merged.html 'fig-sizes sizes')" "$calls" "a cut trace beside its shards: the shards count"
rm -rf merged/shards merged/combined* merged/tables merged/metrics.json
page merged
is "$(drawn merged.html 'fig-sizes sizes')" \
    "$(awk -v a="$(column merged/tables/files.csv read_count)" \
        -v b="$(column merged/tables/files.csv write_count)" 'BEGIN { print a + b }')" \
    "without them: what can be read, in both"
is "$(grep -c 'class="banner">Incomplete data' merged.html)" 1 "and the page says so"

# A job of very many processes on several nodes: nodes are rows, and the
# timeline has the ranks first.
mkdir crowd
for node in a b c; do
    for ((i = 0; i < 100; i++)); do
        printf '{"id":0,"name":"read","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":5,"ph":"X","args":{"hhash":"%s","ret":4096,"fname":"/data/x"}}\n' \
            $i $i $((1700000000000000 + i * 10)) $node
    done >crowd/$node.pfw
    printf '{"id":1,"name":"HH","cat":"dftracer","pid":1,"tid":1,"ph":"M","args":{"hhash":"%s","name":"node-%s","value":"%s"}}\n' \
        $node $node $node >>crowd/$node.pfw
done
page crowd
is "$(marks crowd.html | grep -c '^fig-nodes busy')" 3 "nodes have a timeline"
is "$(sed -n '/id="nodes"/,/<\/section>/p' crowd.html | grep -oE 'class="t">node-[abc], 100 processes' | wc -l)" 3 \
    "and a table"
is "$(sed -n '/id="fig-bytes"/,/<\/figure>/p' crowd.html | grep -c '>node-a, 100 processes<')" 1 \
    "figures of processes have nodes as rows, and no panel of what nobody does"
unlike "$(grep -o '[0-9]* processes, .*host' crowd.html)" "0 ranks" "no ranks are no words"
is "$(drawn crowd.html 'fig-bytes bytes')" $((300 * 4096)) "which have every byte"

# Of many ranks the bars are those of the ones that differ.
mkdir ranks
for ((i = 0; i < 80; i++)); do
    printf '{"name":"PR","cat":"dftracer","pid":%d,"tid":%d,"ph":"M","args":{"name":"rank","value":"%d"}}\n' $((i + 1)) $((i + 1)) $i
    printf '{"name":"fetch","cat":"dataloader","pid":%d,"tid":%d,"ts":%d,"dur":%d,"ph":"X","args":{}}\n' \
        $((i + 1)) $((i + 1)) 1700000000000000 $((i == 71 ? 900 : 100 + i % 7))
    printf '{"name":"step","cat":"compute","pid":%d,"tid":%d,"ts":%d,"dur":%d,"ph":"X","args":{}}\n' \
        $((i + 1)) $((i + 1)) $((1700000000000000 + (i == 71 ? 900 : 100 + i % 7))) $((i == 71 ? 200 : 1000 - i % 7))
done >ranks/a.pfw
page ranks
bars=$(sed -n '/id="fig-bill"/,/<\/figure>/p' ranks.html)
like "$bars" '>rank 71, ' "the slow one of 80 ranks is among those that are shown"
like "$bars" "The 48 of 80 ranks that differ most" "which is said"
like "$bars" '<h3>Where the time of the ranks went' "which are ranks in the title"
# The bar of the job is its bill, with the time and the percent of each part.
wall=$(sed -n '/id="fig-wall"/,/<\/figure>/p' ranks.html)
same "$(drawn ranks.html 'fig-wall wall')" "$(column ranks/tables/wall_time.csv time_s)" \
    "the bar of the job adds up to its bill" 0.00001
is "$(grep -o '<title>job, [^<]*' <<<"$wall" | sed -E 's/.*, ([0-9.]+) %: .*/\1/' |
    awk '{ n += $1 } END { print (n > 99.5 && n < 100.5) }')" 1 "and its percents to 100"
colours ()
{
    grep -oE 'class="c c[0-9]+"/><text [^>]*>[^<:]*(: [a-z][^<:]*)?' <<<"$1" |
        sed -E 's/class="c (c[0-9]+)".*>/\1 /' | sort
}
is "$(comm -13 <(colours "$wall") <(colours "$bars"))" "" "a row has one colour in both figures"
like "$(colours "$bars")" 'c[0-9] computing' "computing has one"
# Processes without a rank: the short ones are one bar.
mkdir short
for ((i = 0; i < 15; i++)); do
    printf '{"id":%d,"name":"read","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":%d,"ph":"X","args":{"ret":1,"fname":"/data/x"}}\n' \
        $i $((100 + i)) $((100 + i)) $((1700000000000000 + i * 2000)) $((i == 3 ? 10000000 : 1000))
done >short/a.pfw
page short
bars=$(sed -n '/id="fig-bill"/,/<\/figure>/p' short.html)
like "$bars" '<h3>Where the time of the processes went' "no ranks: the title says processes"
like "$(grep -o '<h2>Where the time of the[^<]*' short.html)" 'of the processes went' "that of the table, too"
is "$(grep -o 'data-p="[^"]*"' <<<"$bars" | tr -d '"' | sed 's/=.*:103$/=103/; s/: 14\.0.*ms$/: 14.0 ms/' | sort -u | xargs)" \
    "data-p=103 data-p=14 short ones: 14.0 ms" "14 of 15 processes are short, and one bar"
same "$(drawn short.html 'fig-bill bill')" 10.014 "which has their time" 0.00001
unlike "$bars" 'batch|rank' "nothing is said of batches or ranks"
sed -n '3,4p' short/a.pfw >two.pfw
mkdir two
mv two.pfw two/a.pfw
page two
is "$(sed -n '/id="fig-bill"/,/<\/figure>/p' two.html | grep -o 'data-p="[^"]*"' | sort -u | wc -l)" 2 \
    "a short process that is the only one has its own bar"
# Ranks have rows before other processes, however much these do.
mkdir first
{
    for ((i = 0; i < 30; i++)); do
        printf '{"name":"PR","cat":"dftracer","pid":%d,"tid":%d,"ph":"M","args":{"name":"rank","value":"%d"}}\n' $((i + 1)) $((i + 1)) $i
        printf '{"name":"step","cat":"compute","pid":%d,"tid":%d,"ts":%d,"dur":100,"ph":"X","args":{}}\n' \
            $((i + 1)) $((i + 1)) 1700000000000000
    done
    for ((i = 0; i < 600; i++)); do
        printf '{"id":%d,"name":"read","cat":"POSIX","pid":%d,"tid":%d,"ts":%d,"dur":5,"ph":"X","args":{"ret":1,"fname":"/data/x"}}\n' \
            $i $((100 + i % 60)) $((100 + i % 60)) $((1700000000000000 + i * 10))
    done
} >first/a.pfw
page first
is "$(sed -n '/id="fig-timeline"/,/<\/figure>/p' first.html | grep -oE '>rank [0-9]+,' | sort -u | wc -l)" 30 \
    "all 30 ranks are among 48 rows of 90 processes"
exits 1 "a file is no job" "$dftrace" report ranks/a.pfw
like "$(cat "$tmp/err")" "not a directory: name the job directory" "which is said, too"

# A call that is twice as slow: said with its interval, and that it is no chance.
for side in 1 2; do
    mkdir pair$side
    for ((i = 0; i < 40; i++)); do
        printf '{"id":%d,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":%d,"dur":%d,"ph":"X","args":{"ret":4096,"fname":"/data/x"}}\n' \
            $i $((1700000000000000 + i * 1000)) $((side * (100 + i % 5)))
        printf '{"id":%d,"name":"write","cat":"POSIX","pid":7,"tid":7,"ts":%d,"dur":%d,"ph":"X","args":{"ret":4096,"fname":"/data/x"}}\n' \
            $((i + 40)) $((1700000000000500 + i * 1000)) $((50 + i % 5))
        # one job has a call that the other has not
        ((side == 1)) || printf '{"id":%d,"name":"fsync","cat":"POSIX","pid":7,"tid":7,"ts":%d,"dur":9,"ph":"X","args":{"ret":0,"fname":"/data/x"}}\n' \
            $((i + 80)) $((1700000000000700 + i * 1000))
    done >pair$side/a.pfw
    "$dftrace" analyze -q pair$side 2>/dev/null
done
exits 0 "a job and a slower one" "$dftrace" report -o pair.html pair1 pair2
like "$(grep -o '<p class="lead">[^<]*' pair.html | head -n 1)" 'B takes .* too few to tell' \
    "one run a side: too few to tell, in the first sentence"
like "$(grep '>POSIX/read</td>' pair.html | head -n 1)" 'too few to tell' "nor does a read say it"
is "$(for side in A B; do
    grep -oE "data-m=\"sum_s\" data-p=\"$side\" data-v=\"[^\"]*" pair.html |
        awk -F'"' '{ n += $NF } END { printf "%.12g ", n }'; done)" "0.00616 0.0106 " "bars have the times of both"
like "$(grep '>POSIX/fsync</td>' pair.html | head -n 1)" '>new<' "fsync is new"
exits 0 "several runs a side" "$dftrace" report -o pair.html pair1 pair1 -- pair2 pair2
like "$(grep '>POSIX/read</td>' pair.html | head -n 1)" '×2[.0]*<br>.*>slower<' \
    "a read takes twice as long"
like "$(cat pair.html)" 'n/a in both:' "what neither has is one line"

# Only the page's own script may run: its digest is what the page's policy allows.
ok "the policy names the digest of the one script" python3 - pair.html <<'END'
import base64, hashlib, re, sys
page = open (sys.argv[1], encoding = "utf-8").read ()
scripts = re.findall ("<script[^>]*>(.*?)</script>", page, re.DOTALL)
allowed = re.findall ("script-src ([^;\"]*)", page)
digest = base64.b64encode (hashlib.sha256 (scripts[0].encode ()).digest ()).decode ()
assert len (scripts) == 1 and allowed == [f"'sha256-{digest}'"], (allowed, digest)
END

done_testing
