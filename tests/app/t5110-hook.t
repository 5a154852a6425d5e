#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5110-hook.t - layer app gets into Python whatever a launch script does to
#                PYTHONPATH, and sys.path stays; where it cannot, that is said

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"
. "$top_srcdir/tests/preload.sh" # its traced

cd "$tmp" || exit 99
mkdir lib
echo 'def item (): return 1' >lib/own.py
echo 'own:item = data.item' >own.points
echo 'import own; own.item (); open ("own.out", "w").write (str (own.item ()))' >train.py
cat >launch.sh <<'END'
#!/bin/sh
export PYTHONPATH=$PWD/lib
exec "$@"
END
cat >spawn.py <<'END'
import os, subprocess, sys
env = dict (os.environ, PYTHONPATH=os.getcwd () + "/lib")
subprocess.run ([sys.executable] + sys.argv[1:], env=env, check=True)
END
cat >path.py <<'END'
import os, sys
sys.path.insert (0, "lib")
print (os.environ.get ("PYTHONPATH"))
END
chmod +x launch.sh
export DFTRACE_POINTS=$tmp/own.points

traced wrapper ./launch.sh "$python" train.py
is "$(events wrapper | grep -c ' region .*data|item')" 2 \
    "a wrapper that sets PYTHONPATH keeps the steps"
traced spawned "$python" spawn.py train.py
is "$(events spawned | grep -c ' region .*data|item')" 2 \
    "so does a program that gives its child another one"
is "$("$dftrace" run -q -o "$tmp/unset" -- env -u PYTHONPATH "$python" path.py)" \
    "$top_builddir/python" "one without PYTHONPATH gets ours, and no more"
is "$("$dftrace" run -q -o "$tmp/posix" --layers posix -- env -u PYTHONPATH "$python" path.py)" \
    None "without layer app nobody gets one"

# A framework whose steps nothing shows is named, one with steps is not.
mkdir frames frames/torch
: >frames/torch/__init__.py
for steps in 0 3; do
    PYTHONPATH=frames "$dftrace" run -q -o "$tmp/steps$steps" -- "$python" -c '
import sys, torch, dftrace
open ("own.out", "w").write ("x")
for i in range (int (sys.argv[1])):
    with dftrace.region ("compute", "train"):
        pass' "$steps"
done
like "$("$dftrace" analyze --no-write "$tmp/steps0" 2>/dev/null)" 'torch was imported, but no step' \
    "a framework was imported, and no step was seen"
is "$("$dftrace" analyze --no-write "$tmp/steps3" 2>/dev/null | grep -c 'was imported')" 0 \
    "nothing is said where there are steps"

# sys.path is what it is untraced, whatever PYTHONPATH is.
echo 'import sys; print (sys.path)' >syspath.py
for list in unset '' : lib lib::more :lib /nowhere "$tmp/lib:$tmp/lib"; do
    if [ "$list" = unset ]; then
        set -- env -u PYTHONPATH
    else
        set -- env "PYTHONPATH=$list"
    fi
    is "$("$dftrace" run -q -o "$tmp/same" -- "$@" "$python" syspath.py)" \
        "$("$@" "$python" syspath.py)" "PYTHONPATH '$list' of a child: sys.path as untraced"
    rm -rf "$tmp/same"
    is "$("$@" "$dftrace" run -q -o "$tmp/same" -- "$python" -c 'import sys; print (sys.path)')" \
        "$("$@" "$python" -c 'import sys; print (sys.path)')" \
        "PYTHONPATH '$list' of the job: sys.path as untraced"
    rm -rf "$tmp/same"
done
is "$(PYTHONPATH='' "$dftrace" run -q -o "$tmp/empty" -- "$python" syspath.py)" \
    "$(PYTHONPATH='' "$dftrace" run -q -o "$tmp/ignored" -- "$python" -E syspath.py)" \
    "an empty PYTHONPATH gives the sys.path of none"
is "$(env -u PYTHONPATH "$dftrace" run -q -o "$tmp/import" -- "$python" -c '
import dftrace, dftracer.python
print (dftrace.__file__, dftracer.__file__)')" \
    "$top_builddir/python/dftrace/__init__.py $top_builddir/python/dftrace/compat/dftracer/__init__.py" \
    "a traced program finds dftrace and dftracer all the same"

"$dftrace" analyze wrapper >wrapper.out
unlike "$(cat wrapper.out)" "no hook" "nothing is missing there"

# Isolated: no environment variable counts.
PYTHONPATH=lib traced isolated "$python" -E -c 'import sys; sys.path.insert (0, "lib")
exec (open ("train.py").read ())'
is "$(events isolated | grep -c ' region .*data|item')" 0 "python -E has no hook"
"$dftrace" analyze isolated >isolated.out
like "$(cat isolated.out)" "no hook.*-I, -E or -S" "and the analysis says so"

traced cleared env -u DFTRACE_JOB_DIR -u DFTRACE_LAYERS "$python" train.py
"$dftrace" analyze cleared >cleared.out
like "$(cat cleared.out)" "no hook.*DFTRACE_JOB_DIR was taken out" \
    "without DFTRACE_JOB_DIR there is none, and that is the reason"
unlike "$(cat cleared.out)" "before 3.7" "no other one is given"

done_testing
