/* SPDX-License-Identifier: MIT
 *
 * site.h - options that the words of `dftrace site` share
 */
#ifndef DFT_CLI_SITE_H
#define DFT_CLI_SITE_H

#include "cli/site/siteask.h"

struct site_options {
    struct siteask ask;
    enum table_format format;
    int call_ns, keep_days;
    int days_said; /* ask.days is not the default */
    const char *output;
};

/* The words of `dftrace site`. operands follow the word; the table in
 * cmd_site.c has their number. Return an exit status. */
int site_job (const struct site_options *o, int count, char **operands);
int site_stats (const struct site_options *o, int count, char **operands);
int site_cost (const struct site_options *o, int count, char **operands);
int site_collect (const struct site_options *o, int count, char **operands);
int site_top (const struct site_options *o, int count, char **operands);
int site_worst (const struct site_options *o, int count, char **operands);
int site_history (const struct site_options *o, int count, char **operands);
int site_report (const struct site_options *o, int count, char **operands);
int site_openmetrics (const struct site_options *o, int count, char **operands);

#endif
