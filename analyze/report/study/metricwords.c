/* SPDX-License-Identifier: MIT
 *
 * metricwords.c - the name of a metric -> words for a figure or a column
 */
#include "config.h"

#include "analyze/report/study/metricwords.h"

#include <string.h>

#include "lib/model/bill.h"
#include "lib/util/fsutil.h"

/* "bill_sync_time", "bill_sync" -> the row; -1: neither. */
static int metricwords_bill (const char *metric)
{
    static const char bill[] = "bill_";
    const char *row = metric + sizeof (bill) - 1;

    for (int i = 0;
         i < BILL_COUNT && strncmp (metric, bill, sizeof (bill) - 1) == 0;
         i++) {
        size_t n = strlen (bill_table[i].name);

        if (strncmp (row, bill_table[i].name, n) == 0 &&
            (!row[n] || strcmp (row + n, "_time") == 0))
            return i;
    }
    return -1;
}

static char *metricwords_prefix (const char *metric)
{
    static const struct {
        const char *prefix, *word;
    } words[] = {{"io_", "I/O "}, {"posix_", "POSIX "}};

    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++) {
        size_t n = strlen (words[i].prefix);

        if (strncmp (metric, words[i].prefix, n) == 0)
            return text_format ("%s%s", words[i].word, metric + n);
    }
    return strdup (metric);
}

char *metricwords (const char *metric)
{
    int bill = metricwords_bill (metric);
    char *text;

    if (bill >= 0)
        return text_format ("ranks' time: %s", bill_table[bill].title);
    text = metricwords_prefix (metric);
    for (char *p = text; p && (p = strchr (p, '_'));)
        *p = ' ';
    return text;
}
