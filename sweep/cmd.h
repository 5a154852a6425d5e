/* SPDX-License-Identifier: MIT
 *
 * cmd.h - what the verbs of `dftrace sweep` share
 *
 * The cmd files print; nothing below them does.
 */
#pragma once

#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"
#include "sweep/results/filter.h"

int sweep_cmd_plan (int argc, char **argv);
int sweep_cmd_run (int argc, char **argv);
int sweep_cmd_submit (int argc, char **argv);
int sweep_cmd_status (int argc, char **argv);
int sweep_cmd_results (int argc, char **argv);
int sweep_cmd_logs (int argc, char **argv);
int sweep_cmd_show (int argc, char **argv);
int sweep_cmd_resume (int argc, char **argv);
int sweep_cmd_throttle (int argc, char **argv);
int sweep_cmd_extend (int argc, char **argv);
int sweep_cmd_archive (int argc, char **argv);
int sweep_cmd_cancel (int argc, char **argv);
int sweep_cmd_exec (int argc, char **argv);

/* Spec and grid of a file that passes precheck (). On failure the command ends
 * with EXIT_SPEC after the message, with the line and a mark under the place.
 */
void cmd_load (const char *path, struct spec **s, struct grid **g);

/* Parse the command line of a verb of a sweep directory, its first operand, and
 * open that; further operands are runs, for the filter, which may be NULL. */
struct sweepdir *cmd_begin (const struct opt *opts,
                            const struct verb_help *help,
                            int argc,
                            char **argv,
                            struct filter_options *filter);
/* Operands after the first are runs. */
void cmd_words (struct filter_options *f, int argc, char **argv, int operand);

/* The runs of the filter, as they are now (status_read ()). A wrong filter ends
 * the command with this status. */
void cmd_filter (struct sweepdir *d,
                 unsigned sources,
                 const struct filter_options *f,
                 int wrong,
                 struct sweep_report *r);

/* With --format of a table, a verb prints the rows that it is about on standard
 * output, and its messages on standard error. */
FILE *cmd_talk (enum table_format format);
/* Unless the format is text: every run of the sweep directory, as it is now. */
void cmd_print_runs (const char *path, enum table_format format);
/* Print and destroy. */
void cmd_table (struct textable *t, enum table_format format);

struct submit_flags {
    int hold, wait, dry;
};

/* Submit what is to be and say so (idle: nothing was to be), and wait when
 * asked to. An exit status. */
int cmd_submit (struct sweepdir *d,
                const struct submit_flags *o,
                enum table_format format,
                const char *idle);
