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

/* operands: what follows the word, as many as words.def names (… : one or
 * more). Exit status. */
#define SITE_WORD(WORD, FUNCTION, OPERANDS, HELP) \
    int FUNCTION (const struct site_options *o, int count, char **operands);
#include "cli/site/words.def"
#undef SITE_WORD

#endif
