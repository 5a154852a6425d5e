#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# plant.sh - jobs of several programs with one known cause each, timed by themselves
#
# usage: plant.sh JOB PLANT [ROUNDS]
# In:  PLANT, the program of plant.c
# Out: the line of JSON that plant.c prints

plant=$2
rounds=${3:-1}
planted=0
us () { echo "${EPOCHREALTIME/./}"; }
start=$(us)

# timed COMMAND…: its time is what was planted
timed ()
{
    local from
    from=${EPOCHREALTIME/./}
    "$@"
    planted=$((planted + ${EPOCHREALTIME/./} - from))
}

report ()
{
    awk -v p="$planted" -v w="$((${EPOCHREALTIME/./} - start))" \
        'BEGIN { printf "{\"wall\": %f, \"planted\": %f, \"share\": %.4f}\n", w / 1e6, p / 1e6, p / w }'
}

start_many () { local i; for ((i = 0; i < rounds; i++)); do /bin/true; done; }
many () { timed start_many; }

# Three programs for each file, as a compiler under make. They write no files: making or
# truncating one takes ext4 60 us and more, which is a cause of its own.
compile_tree ()
{
    mkdir -p tree
    {
        printf 'all:'
        for ((i = 0; i < rounds; i++)); do printf ' tree/%d.o' "$i"; done
        printf '\n%%.o: %%.c\n\t@cat $< >/dev/null; wc -l $< >/dev/null; cmp -s $< $<; true\n'
    } >tree/Makefile
    for ((i = 0; i < rounds; i++)); do echo "int x$i;" >"tree/$i.c"; done
    timed make -s -f tree/Makefile
}

# the stage before the ranks waits for its syncs
stages ()
{
    timed "$plant" syncs "$rounds" >/dev/null
    RANK=0 WORLD_SIZE=2 "$plant" compute 20 >/dev/null &
    RANK=1 WORLD_SIZE=2 "$plant" compute 20 >/dev/null &
    wait
}

# services that wait all the time, beside the one that syncs
idle_beside ()
{
    "$plant" idle 150 >/dev/null &
    "$plant" idle 150 >/dev/null &
    timed "$plant" syncs "$rounds" >/dev/null
    kill %1 %2
    wait
}

gap ()
{
    "$plant" compute 15 >/dev/null
    timed sleep "$(awk -v n="$rounds" 'BEGIN { print n / 50 }')"
    "$plant" compute 15 >/dev/null
}

from_source () { "$plant" source "$rounds" | cat >/dev/null; }
slow_producer () { timed from_source; }
to_sink () { head -c $((rounds * 65536)) /dev/zero | "$plant" sink >/dev/null; }
slow_consumer () { timed to_sink; }

# five programs wait for the second one's storage
pipeline_of_six ()
{
    "$plant" compute 1 | "$plant" writes "$rounds" | cat | cat | sort | wc -l >/dev/null
}
six () { timed pipeline_of_six; }

quick () { seq 1000 | sort -rn | wc -l >/dev/null; }
case $1 in
join) # FILE COMMAND…: run it in the control group of this file
    echo $$ >"$2" || exit 77
    exec "${@:3}" ;;
esac
"$1"
report
