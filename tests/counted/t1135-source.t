#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t1135-source.t - a finding has the lines of a C program, and of its libraries, that open
#                  files, start programs or connect, as addr2line and nm tell them

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/preload.sh"
. "$top_srcdir/tests/counted/lines.sh"

for tool in cc addr2line nm strip python3; do
    command -v $tool >/dev/null || skip_all "needs $tool"
done
[ -r /proc/self/io ] || skip_all "this kernel has no /proc/self/io"
case $tmp in
/usr/local/*) ;;
/usr/* | /lib*) skip_all "a program below /usr is one of the system" ;;
esac
cd "$tmp" || exit 99
mkdir data

cat >logs.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void make_log (int i)
{
    char name[64];
    int fd;

    snprintf (name, sizeof (name), "data/log-%d", i);
    fd = open (name, O_CREAT | O_WRONLY, 0600); /* logs are made */
    write (fd, name, sizeof (name));
    fsync (fd);
    close (fd);
}
END
cat >items.c <<'END'
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void make_log (int i);

static __attribute__ ((noinline)) FILE *open_item (int i, const char *mode)
{
    char name[64];

    snprintf (name, sizeof (name), "data/item-%d.bin", i);
    return fopen (name, mode); /* items are opened */
}

static __attribute__ ((noinline)) void use_items (int n)
{
    static char block[20000];

    for (int i = 0; i < n; i++) {
        FILE *f = open_item (i, "w");
        fwrite (block, 1, sizeof (block), f);
        fclose (f);
    }
    for (int i = 0; i < n; i++) {
        FILE *f = open_item (i, "r");
        setvbuf (f, NULL, _IONBF, 0);
        while (fread (block, 1, 64, f) == 64)
            ;
        fclose (f);
    }
}

static void call (int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons (port),
                             .sin_addr = {htonl (INADDR_LOOPBACK)}};
    int fd = socket (AF_INET, SOCK_STREAM, 0);

    connect (fd, (struct sockaddr *)&to, sizeof (to)); /* it connects */
    close (fd);
}

int main (int argc, char **argv)
{
    struct stat st;

    if (strcmp (argv[1], "items") == 0)
        use_items (400);
    if (strcmp (argv[1], "logs") == 0)
        for (int i = 0; i < 1000; i++)
            make_log (i);
    if (strcmp (argv[1], "others") != 0)
        return 0;
    stat ("data/other", &st);
    make_log (1);
    for (int i = 0; i < 3; i++)
        if (system ("true")) /* programs are started */
            return 1;
    call (1);
    if (fork () == 0) {
        make_log (99);
        exit (0);
    }
    wait (NULL);
    return 0;
}
END
ok "a library and a program are built" sh -c 'cc -g -O2 -shared -fPIC -w -o liblogs.so logs.c &&
    cc -g -O2 -w -o program items.c -L. -llogs -Wl,-rpath,"$PWD"'

# line FILE WORDS: the number of the line with these words
line() { grep -n "$2" "$1" | cut -d: -f1; }
# sources JOB SUBJECT: the lines named by findings about it
sources() {
    python3 - "$1/metrics.json" "$2" <<'END'
import json, os, sys
found = [f for f in json.load (open (sys.argv[1]))["insights"]
         if f["subject"].endswith (sys.argv[2]) or f["rule"] == sys.argv[2]]
print (*sorted ({s.replace (os.path.realpath (".") + "/", "") for f in found if f["source"]
                 for s in f["source"].split (", ")}) or ["none"], sep=", ")
END
}
analyzed() { rm -rf "$1/metrics.json" "$1/tables"; "$dftrace" analyze "$1" >/dev/null 2>&1; }
# at JOB OBJECT KIND NAME: offsets of calls in a file of the program
at() {
    lines "$1" | tr ' ' '\n' | awk -v object="/$2" -v kind="$3" -v name="$4" '
        /^from=/ { here = substr ($0, length ($0) - length (object) + 1) == object }
        here && /^at=/ { split (substr ($0, 4), word, ",")
            if (word[2] == kind && word[3] ~ name) printf "%#x\n", word[1] }'
}

opened="items.c:$(line items.c 'items are opened') in open_item"
logged="logs.c:$(line logs.c 'logs are made') in make_log"
for job in items logs others; do
    ok "$job: it runs" traced "$job" "$PWD/program" "$job"
    analyzed "$job"
done
is "$(sources logs log-N)" "$logged" "who makes logs, in a library: $logged"
is "$(sources items item-N.bin)" "$opened" "who opens items: $opened"
rule=$(python3 -c 'import json
print ([f["rule"] for f in json.load (open ("logs/metrics.json"))["insights"] if f["source"]][0])')
like "$("$dftrace" help "$rule" logs)" "Lines of the program: $PWD/$logged" "help $rule has it"
like "$(COLUMNS=120 "$dftrace" analyze --no-write logs 2>/dev/null)" ", at ${logged% in*}" "the first screen has it"

# The offsets themselves, by the tools: tells JOB OBJECT KIND NAME
tells() { addr2line -e "$2" "$(at "$@")" | sed 's/.*\///; s/ .*//'; }
offset=$(at items program 0 item-)
is "$(wc -w <<<"$offset")" 1 "400 opens of a series for reading are one place"
is "$(nm program | grep -i ' t ' | sort | awk -v at="$(printf %016x "$offset")" '$1 <= at { name = $3 }
    END { sub (/\..*/, "", name); print name }')" open_item "its function, by nm"
is "$(tells items program 0 item-)" "${opened% in*}" "its line, by addr2line"
is "$(tells others program 3 other)" "items.c:$(line items.c 'stat (')" "the line that looks at a file"
is "$(tells others program 4 '')" "items.c:$(line items.c 'are started')" "the line that starts programs"
is "$(tells others program 5 '')" "items.c:$(line items.c 'it connects')" "the line that connects"
is "$(at others liblogs.so 1 log-99 | wc -w)" 1 "a child of fork says what it opened"
is "$(at others liblogs.so 1 log- | wc -w)" 2 "and nothing of its parent's"

# The same of a merged trace, of a first and a second reading, and of two partitions.
cp -r logs merged
"$dftrace" merge merged >/dev/null 2>&1
for reading in first second; do
    analyzed merged
    is "$(sources merged log-N)" "$logged" "a merged trace says the same, $reading reading"
done
for part in 1/2 2/2; do
    "$dftrace" analyze --partial "$part" logs >/dev/null 2>&1
done
"$dftrace" analyze --reduce logs >/dev/null 2>&1
is "$(sources logs log-N)" "$logged" "and two partitions put together"

# What the program tells without debug information, without symbols, and when it is another one.
cp program kept
strip -g program && traced plain "$PWD/program" items && analyzed plain
is "$(sources plain item-N.bin)" "program in open_item" "without debug information: the function"
strip program && traced bare "$PWD/program" items && analyzed bare
like "$(sources bare item-N.bin)" '^program\+0x[0-9a-f]+$' "without symbols: the offset"
cp kept program
touch -d '1 hour ago' program
analyzed items
like "$(sources items item-N.bin)" '^program\+0x[0-9a-f]+$' "of another file nothing is told but the offset"
PATH=/nowhere "$dftrace" analyze --no-write --view insight --format csv plain >table 2>/dev/null
like "$(grep -c 'program+0x' table)" '^[1-9]' "without addr2line, too"

# Programs of the system have no places.
traced system cat items.c >/dev/null
is "$(lines system | grep -c ' from=')" 0 "a program of the system has none"
done_testing
