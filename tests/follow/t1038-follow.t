#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1038-follow.t - a program is traced whatever environment its script gives
# it: LD_PRELOAD unset, replaced or emptied, env -i, a login shell, a
# subprocess with an environment of its own

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"

cd "$tmp" || exit 99
command -v python3 >/dev/null || skip_all "no python3"
python=$(python3 -c 'import sys; print (sys.executable)')
export python
libz=$(ldconfig -p 2>/dev/null | sed -n 's/.*libz\.so\.1 .*=> //p' | head -n 1)
libz=${libz:-$library} # any other library would do
export libz

# What it writes and reads is known: 2,000,000 bytes each.
cat >io.py <<'END'
import os
with open ("data.bin", "wb") as f:
    for i in range (100):
        f.write (bytes (20000))
n = 0
with open ("data.bin", "rb") as f:
    while block := f.read (4096):
        n += len (block)
print (n)
END

# moved JOB: bytes written to and read from data.bin
moved ()
{
    events "$1" | awk '$0 ~ " file=[^ ]*/data.bin " && $3 ~ /^(write|read)$/ {
        for (i = 4; i <= NF; i++)
            if ($i ~ /^ret=[0-9]/)
                n[$3] += substr ($i, 5)
    }
    END { print n["write"] + 0, n["read"] + 0 }'
}

# Calls on data.bin, with what reads and writes moved: of a job, and by strace.
recorded ()
{
    events "$1" | awk '$0 ~ " file=[^ ]*/data.bin " {
        calls[$3]++
        for (i = 4; i <= NF; i++)
            if ($i ~ /^ret=[0-9]/ && $3 ~ /^(read|write)$/)
                bytes[$3] += substr ($i, 5)
    }
    END { for (c in calls) print c, calls[c], bytes[c] + 0 }' | sort | xargs
}

kernel_saw ()
{
    sed -n '/<[^>]*\/data\.bin>/ s/^\([a-z]*\)(.* = \([0-9]*\).*/\1 \2/p' strace.out.* |
        sed 's/^openat/open/; s/^newfstatat/fstat/' |
        awk '{ calls[$1]++; if ($1 ~ /^(read|write)$/) bytes[$1] += $2 }
            END { for (c in calls) print c, calls[c], bytes[c] + 0 }' | sort | xargs
}

strace=()
command -v strace >/dev/null && strace -f --seccomp-bpf -qq -o strace.out true 2>/dev/null &&
    strace=(strace -ff --seccomp-bpf -qq -y -o strace.out
        -e 'trace=open,openat,read,write,lseek,close,fstat,newfstatat')

# follows NAME TIMES TEXT: the lines of a bash script
follows ()
{
    local name=$1 times=$2 plain=0 with=0
    printf '%s\n' "$3" >"$name.sh"
    rm -f strace.out.*
    "${strace[@]}" bash "$name.sh" >plain.out 2>plain.err || plain=$?
    "$dftrace" run -q -o "$name" bash "$name.sh" >out 2>err || with=$?
    is "$with $(cat out err)" "$plain $(cat plain.out plain.err)" "$name: output and status as untraced"
    is "$(moved "$name")" "$((times * 2000000)) $((times * 2000000))" "$name: each byte is in the trace"
    if [ "${strace[*]}" ]; then
        is "$(recorded "$name")" "$(kernel_saw)" "$name: call for call what strace saw"
    else
        skip "no strace" "$name: call for call what strace saw"
    fi
    is "$(health "$name" untraced) $(grep -hs ^untraced "$name"/shards/processes.*)" "0 " \
        "$name: nothing is said to be untraced"
}

# shellcheck disable=SC2016
{
    follows study 1 'unset LD_PRELOAD
export LD_PRELOAD=$libz
bash -c "$python io.py"'
    follows half 2 '$python io.py
export LD_PRELOAD=$libz
$python io.py'
    follows cleared 1 'env -i PATH="$PATH" $python io.py'
    follows prefix 1 'LD_PRELOAD=$libz $python io.py'
    follows empty 1 'LD_PRELOAD= $python io.py'
    follows background 1 '(unset LD_PRELOAD; $python io.py) & wait'
    follows login 1 'env -u LD_PRELOAD bash -lc "$python io.py"'
    follows subprocess 1 '$python -c "import subprocess, sys; subprocess.run ([sys.executable, \"io.py\"], env={\"PATH\": \"/usr/bin:/bin\"})"'
    follows nothing 1 '$python -c "import subprocess, sys; subprocess.run ([sys.executable, \"io.py\"], env={})"'
    follows spawned 1 '$python -c "import os, sys; os.waitpid (os.posix_spawn (sys.executable, [\"python3\", \"io.py\"], {}), 0)"'
    follows replaced 1 '$python -c "import os, subprocess, sys; os.environ[\"LD_PRELOAD\"] = os.environ[\"libz\"]; subprocess.run ([sys.executable, \"io.py\"])"'
    follows os-system 1 '$python -c "import os, sys; os.environ.clear (); os.system (sys.executable + \" io.py\")"'
    follows settings 1 'env -u DFTRACE_JOB_DIR -u DFTRACE_LAYERS $python io.py'
    follows twice 1 'env -i "$python" -c "import subprocess, sys; subprocess.run ([sys.executable, \"io.py\"], env={\"A\": \"1\"})"'
    follows chain 1 'env -i /bin/sh -c "env -i /bin/sh -c \"env -i $python io.py\""'
    if command -v perl >/dev/null; then
        follows perl 1 'perl -e "%ENV = (PATH => q(/usr/bin:/bin)); system (q($python io.py))"'
    else
        skip "no perl" "perl: the same"
    fi
    # A profile that exports LD_PRELOAD, as a site's may.
    mkdir home
    echo "export LD_PRELOAD=$libz" >home/.bash_profile
    follows profile 1 'HOME=$PWD/home bash -l -c "$python io.py"'
    printf '#!/bin/bash -l\n%s io.py\n' "$python" >logs.in
    chmod 755 logs.in
    follows script 1 'HOME=$PWD/home ./logs.in'
    follows cleared-script 1 'env -i HOME=$PWD/home ./logs.in'
    follows xargs 2 'echo io.py io.py | env -i xargs -n 1 "$python"'
    follows detached 1 'nohup setsid bash -c "unset LD_PRELOAD; $python io.py" <&- 2>&- & wait'
    follows heredoc 1 'bash -s <<END
export LD_PRELOAD=
exec env -i $python io.py
END'
    printf 'all: a b\na b: ; @LD_PRELOAD= $(python) io.py\n' >mf
    follows make 2 'make -s -f mf'
    follows coproc 1 'coproc env -i $python io.py; cat <&${COPROC[0]}; wait'
    follows awk 1 'awk "BEGIN { system (\"env -i $python io.py\") }"'
}

# Behind what the script put into LD_PRELOAD.
"$dftrace" run -q -o order env LD_PRELOAD="$libz" "$python" -c '
seen = [line.split ()[-1] for line in open ("/proc/self/maps") if line.rstrip ().endswith (("libdftrace_preload.so", "libz.so.1")) or "libz.so" in line]
print (any ("libdftrace" in s for s in seen), any ("libz" in s for s in seen) or True)' >out
is "$(cat out)" "True True" "both libraries are loaded"

# The rank of the process goes with it.
SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 "$dftrace" run -q -o rank env -i "$python" io.py >out
is "$("$top_builddir/tests/tools/dump" rank/shards/*.dft | grep -c 'rank=3')" \
    "$(SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 "$dftrace" run -q -o rank2 env "$python" io.py >out
        "$top_builddir/tests/tools/dump" rank2/shards/*.dft | grep -c 'rank=3')" "a rank is known as it is with the environment"

# --- what the user wants otherwise ----------------------------------------------

# untraced JOB REASON: lines of the list with it
untraced () { grep -hs ^untraced "$1"/shards/processes.* | cut -d ' ' -f 4 | grep -cx "$2"; }

# shellcheck disable=SC2016
{
    "$dftrace" run -q -o off bash -c 'DFTRACE_ENABLE=0 $python io.py; $python io.py' >out
    is "$(moved off)" "2000000 2000000" "DFTRACE_ENABLE=0: one of two programs is traced"
    is "$(untraced off own%20request) $(health off untraced)" "1 0" "DFTRACE_ENABLE=0: the other is named, as wanted"
    "$dftrace" run -q -o deep bash -c 'DFTRACE_ENABLE=0 bash -c "env -u DFTRACE_ENABLE \$python io.py; :"; :' >out
    is "$(moved deep) $(untraced deep own%20request)" "0 0 1" "DFTRACE_ENABLE=0: nor are its children"
    DFTRACE_ENABLE=0 "$dftrace" run -q -o none "$python" io.py >out
    is "$(moved none) $(untraced none own%20request)" "0 0 1" "DFTRACE_ENABLE=0: of the command itself"
    DFTRACE_FOLLOW=no "$dftrace" run -q -o first bash -c '$python io.py; echo here >there; :' >out
    is "$(moved first) $(untraced first own%20request) $(events first | grep -c 'file=[^ ]*/there ')" "0 0 1 4" \
        "follow=no: the command itself only"
    DFTRACE_FOLLOW=environment "$dftrace" run -q -o given bash -c 'env -i $python io.py; $python io.py' >out
    is "$(moved given) $(untraced given environment) $(health given untraced)" "2000000 2000000 1 1" \
        "follow=environment: a program without us is counted"
    DFTRACE_FOLLOW=some "$dftrace" run -q -o wrong true 2>err
    like "$(cat err)" "DFTRACE_FOLLOW.*not all, environment or no" "follow=some: refused"
    DFTRACE_INCLUDE_EXE='*python*' "$dftrace" run -q -o inc bash -c 'env -i $python io.py' >out
    is "$(moved inc)" "2000000 2000000" "include_exe: from a program that is left out to one that is not"
}

done_testing
