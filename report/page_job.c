/* SPDX-License-Identifier: MIT
 *
 * page_job.c - a job directory -> its page
 */
#include "config.h"

#include "report/page.h"

int page_job (FILE *out, const char *dir, struct errtext *err)
{
    (void)out;
    return errf (err, "%s: no sweep directory (a manifest.json and a "
                 "plan.csv): nothing to show", dir);
}
