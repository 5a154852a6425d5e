/* SPDX-License-Identifier: MIT
 *
 * summary.c - any bytes as what the user's side tells root, and as a line that
 *             an epilog kept: no crash; what is taken can be read again
 *
 * make fuzz-summary
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/site/site.h"
#include "spank/epilog/tell.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A text without what would end it early; numbers that are numbers. */
static void check (const struct job_summary *s)
{
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        if (isinf (s->number[i]))
            abort ();
        if (i < (int)SUMMARY_FIELDS &&
            (!memchr (s->text[i], '\0', SUMMARY_TEXT_MAX) ||
             strpbrk (s->text[i], "\n\t\x1b")))
            abort ();
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *text = strndup ((const char *)data, size), *at = text;
    struct job_summary s;
    int part;

    if (!text)
        return 0;
    if (siteline_read (text, &s) == 0) {
        check (&s);
        if (isnan (s.number[SUMMARY_job]))
            abort ();
    }
    while (tell_next (&at, &s, &part)) {
        check (&s);
        if (!isnan (s.number[SUMMARY_uid]) || s.text[SUMMARY_user][0] ||
            part < 0 || part >= 1000)
            abort ();
    }
    free (text);
    return 0;
}
