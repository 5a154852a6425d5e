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
#include "lib/format/calls.h"
#include "lib/format/shard.h"

/* The calls of a class, with commas. */
static void put_class (enum call_class class)
{
    const char *comma = "";

    for (int c = 1; c < CALL_MAX; c++) {
        const struct call_info *info = &call_table[c];

        if (!info->name[0] || info->class != class)
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
        "in\n.SH DESCRIPTION\nA traced job leaves a job directory with its "
        "traces. This page lists its files and the calls that a trace "
        "contains.\n.SH EXAMPLE\n.nf\n"
        "dftrace stat dftrace/pretrain\\-4711\n"
        "dftrace stat \\-\\-events dftrace/pretrain\\-4711/trace.dft\n.fi\n"
        ".SH JOB DIRECTORY\n"
        "The directory is made with the rights of the user, mode 0700.\n"
        ".TP\n.I job.json\nWhat ran, where, and with which settings; when it "
        "has ended, which processes were not traced (untraced), and how it and "
        "those that failed ended (ended).\n"
        ".TP\n.I shards/untraced.HOST\nProcesses that were not traced: pid, "
        "program, reason and time; at most 64 KiB.\n"
        ".TP\n.I shards/quiet.HOST\nTraced processes of which no call was to "
        "be recorded: pid, program and how many files they touched that the "
        "settings leave out; at most 4 KiB.\n"
        ".TP\n.I shards/HOST\\-0\\-KEY.dft\nThe trace of the processes of "
        "a node, which share this file; or the traces of many processes, "
        "packed.\n"
        ".TP\n.I shards/HOST\\-PID\\-TIME.dft\nThe trace of one process that "
        "could not share a file, or was traced with share=0.\n"
        ".TP\n.I shards/started.HOST\nThis node has traced tasks.\n"
        ".TP\n.I shards/ended.HOST\nHow processes have ended that could not "
        "say it.\n"
        ".TP\n.I node.HOST.json\nWhat the epilog of the node has counted.\n"
        ".TP\n.I trace.dft\nAll shards as one file, written by "
        "dftrace\\-merge(1).\n"
        ".TP\n.I trace.dft.index\nWhat is in each chunk of it, so that "
        "questions with a condition read less.\n"
        ".TP\n.I combined.pfw.gz\nThe same as DFTracer's JSON lines.\n"
        ".TP\n.IR metrics.json \", \" tables/*.csv\nWritten by "
        "dftrace\\-analyze(1).\n"
        ".SH FORMAT\nThis is version %d of the format; all versions since %d "
        "can be read. Numbers are little endian. A file is a sequence of "
        "blocks: a process block, and chunks of events. A chunk belongs to "
        "one thread, has its length and a checksum, and can be read without "
        "the others. Events that could not be recorded are counted in the "
        "process block. doc/trace\\-format.md describes each byte.\n"
        ".SH CALLS\nThese calls are recorded, by class:\n",
        PACKAGE_STRING, SHARD_VERSION, SHARD_VERSION_FIRST);
    for (int class = CALL_CLASS_READ; class <= CALL_CLASS_LAST; class ++) {
        (void)printf (".TP\n.B %s\n",
                      call_class_name ((enum call_class) class));
        put_class ((enum call_class) class);
    }
    (void)puts (".SH SEE ALSO\n.BR dftrace (1), \" \" dftrace\\-analyze (1), "
                "\" \" dftrace\\-merge (1)");
}
