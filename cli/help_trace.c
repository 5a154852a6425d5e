/* SPDX-License-Identifier: MIT
 *
 * help_trace.c - what is in a trace, in words
 *
 * In:  calls.def, shard.h
 * Out: dftrace-trace(5)
 */
#include "config.h"

#include <stdio.h>

#include "cli/help_trace.h"
#include "cli/troff.h"
#include "lib/core/calls.h"
#include "lib/core/shard.h"

/* The calls of a class, with commas. */
static void put_class (enum call_class class)
{
    const char *comma = "";

    for (int c = 1; c < CALL_MAX; c++) {
        const struct call_info *info = &call_table[c];

        if (!info->name || info->class != class)
            continue;
        (void)fputs (comma, stdout);
        put_troff (info->name);
        comma = ", ";
    }
    (void)puts (".");
}

void help_trace_man (void)
{
    (void)printf (
        ".TH DFTRACE\\-TRACE 5 \"\" \"%s\" \"File Formats\"\n.SH NAME\n"
        "dftrace\\-trace \\- traces of dftrace, and the job directory they are "
        "in\n.SH JOB DIRECTORY\n"
        "Made as the user, mode 0700.\n"
        ".TP\n.I job.json\nWhat ran, where, with which settings; written "
        "once.\n"
        ".TP\n.I shards/HOST\\-0\\-KEY.dft\nThe trace of the processes of "
        "a node, which share it, or of many, packed.\n"
        ".TP\n.I shards/HOST\\-PID\\-TIME.dft\nThe trace of one process that "
        "could not share, or with share=0.\n"
        ".TP\n.I shards/started.HOST\nThis node has traced tasks.\n"
        ".TP\n.I node.HOST.json\nWhat the epilog of a node has counted.\n"
        ".TP\n.I trace.dft\nAll shards as one, by dftrace\\-merge(1).\n"
        ".TP\n.I combined.pfw.gz\nThe same as DFTracer's JSON lines.\n"
        ".TP\n.IR metrics.json \", \" tables/*.csv\nBy dftrace\\-analyze(1).\n"
        ".SH FORMAT\nVersion %d; from version %d on is read. Little "
        "endian. A file is a run of blocks: a process block, then chunks "
        "of events, each of one thread, with its length and a checksum, "
        "readable alone. What could not be recorded is counted in the process "
        "block. doc/trace\\-format.md draws the bytes.\n.SH CALLS\n",
        PACKAGE_STRING, SHARD_VERSION, SHARD_VERSION_FIRST);
    for (int class = CALL_CLASS_READ; class <= CALL_CLASS_LAST; class ++) {
        (void)printf (".TP\n.B %s\n",
                      call_class_name ((enum call_class) class));
        put_class ((enum call_class) class);
    }
    (void)puts (".SH SEE ALSO\n.BR dftrace (1), \" \" dftrace\\-analyze (1), "
                "\" \" dftrace\\-merge (1)");
}
