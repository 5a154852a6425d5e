/* SPDX-License-Identifier: MIT
 *
 * compatversion.h - which DFAnalyzer is reproduced, and by what rules
 */
#ifndef DFT_ANALYZE_COMPATVERSION_H
#define DFT_ANALYZE_COMPATVERSION_H

#include "analyze/compat/layerset.h"

enum compat_rule {
    /* The time of a layer in the process view is that of the thread with the
     * longest one, not of all threads together. */
    COMPAT_LONGEST = 1,
    /* All events count in the totals, also those that are left out of the
     * layers; processes are process ids; files and nodes are counted. */
    COMPAT_TOTALS = 2,
    /* Calls of a name on a file by a thread are one row for each second (of
     * the clock) that their middle is in; the row belongs to the second, from
     * the first event of the trace, in which its first call begins. */
    COMPAT_MIDDLE = 4,
    /* A hash that is a number stands for nothing. */
    COMPAT_TEXT_HASHES = 8,
    /* What is 0 is a dash. */
    COMPAT_DASHES = 16,
    /* Whatever has posix or stdio in its category carries what its path says;
     * bytes have only these two themselves. */
    COMPAT_PARTS = 32,
    /* More names are left out. */
    COMPAT_MORE = 64,
};

struct compat_version {
    const char *name, *release;
    enum layer_preset dlio, ai;
    unsigned rules; /* set of enum compat_rule */
    const char *bytes;
};

/* "dfanalyzer", which is the first row, or "dfanalyzer@0.0.9". NULL: no such
 * version; text NULL: the first row. */
const struct compat_version *compat_version_find (const char *text);

/* What --compat takes, with | between, as help shows it. */
extern const char compat_version_words[];

#endif
