/* SPDX-License-Identifier: MIT
 *
 * cmd.h - what the verbs of `dftrace sweep` share
 *
 * The cmd files print; nothing below them does.
 */
#ifndef DFT_SWEEP_CMD_H
#define DFT_SWEEP_CMD_H

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

/* Exactly `count` operands from *operand on; else the message. */
int cmd_operands (const struct verb_help *help,
                  int argc,
                  int operand,
                  int count);

/* Spec and grid of a file; on failure the message, with the line and a mark
 * under the place, and -1. */
int cmd_load (const char *path, struct spec **s, struct grid **g);

/* Open a sweep directory, or the message and NULL. */
struct sweepdir *cmd_open (const char *path);

/* One line on the stream that the cookie is, at once. */
void cmd_say (void *cookie, const char *line);

/* Operands after the first are runs. */
void cmd_words (struct filter_options *f, int argc, char **argv, int operand);

/* --json and --csv: what a verb is about as rows, for programs; what it has to
 * say goes to standard error then. */
struct output {
    int json, csv;
};

#define OUTPUT_OPTIONS(O)                                                 \
    {"json",    0,    OPT_FLAG,                                           \
     &(O).json, NULL, "for programs: the runs as JSON, words on stderr"}, \
    {                                                                     \
        "csv", 0, OPT_FLAG, &(O).csv, NULL, "the same as CSV"             \
    }

enum table_format cmd_format (const struct output *o);
FILE *cmd_talk (const struct output *o);
/* With --json or --csv: every run of the sweep directory, as it is now. -1 and
 * a message when it cannot be read. */
int cmd_print_runs (const char *path, const struct output *o);
/* Print and destroy. */
void cmd_table (struct textable *t, const struct output *o);

/* Progress until the last analysis job has ended, then the tables if it did
 * not write them. An exit status. */
int cmd_wait (struct sweepdir *d);

#endif
