/* SPDX-License-Identifier: MIT
 *
 * exportmore.c - exports that are made of more than the events as they come
 *
 * In:  an open job, or its path
 * Out: metrics as OpenMetrics; a Parquet file, by pyarrow
 */
#include "config.h"

#include "analyze/exportmore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cmd.h"
#include "analyze/tables/jobpage.h"
#include "lib/settings/settings.h"
#include "lib/util/places.h"

int exportmore_metrics (FILE *out,
                        struct job *job,
                        const struct where *where,
                        struct errtext *err)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    int rc = -1;

    if (totals_load (&totals, job, NULL, where->terms ? where : NULL, 0, err) ==
            0 &&
        summary_make (&summary, &totals, job, err) == 0) {
        jobmetrics_write (out, &r);
        rc = 0;
    }
    summary_clear (&summary);
    totals_clear (&totals);
    return rc;
}

/* --- Parquet ----------------------------------------------------------------
 */

enum { EXPORTMORE_WORDS = 7 }; /* before the conditions */

/* The Python of PATH: the one of an environment with pyarrow. */
static const char exportmore_python[] = "python3";
static const char exportmore_program[] =
    "import sys; sys.path.insert (0, sys.argv[1]); "
    "from dftrace._parquet import main; sys.exit (main (sys.argv[2:]))";

static int exportmore_become (const char *package,
                              const char *path,
                              const char *output,
                              const struct opt_list *conditions,
                              struct errtext *err)
{
    const char **word =
        calloc ((size_t)conditions->count + EXPORTMORE_WORDS, sizeof (*word));
    int n = 0;

    if (!word)
        return errf (err, "%s", strerror (ENOMEM));
    word[n++] = exportmore_python;
    word[n++] = "-c";
    word[n++] = exportmore_program;
    word[n++] = package;
    word[n++] = output;
    word[n++] = path;
    for (int i = 0; i < conditions->count; i++)
        word[n++] = conditions->item[i];
    (void)execvp (exportmore_python, (char **)(uintptr_t)word);
    free (word);
    return errf (err, "--format parquet: %s: %s: Parquet is written by pyarrow",
                 exportmore_python, strerror (errno));
}

int exportmore_parquet (const char *path,
                        const char *output,
                        const struct opt_list *conditions,
                        struct errtext *err)
{
    struct settings settings;
    char *package;

    settings_init (&settings);
    if (settings_from_env (&settings, err) < 0)
        return EXIT_USAGE;
    if ((package = places_python (&settings)))
        (void)exportmore_become (package, path, output, conditions, err);
    else
        (void)errf (err, "--format parquet: the Python package is not "
                         "installed: set DFTRACE_PYTHON to its directory");
    free (package);
    return EXIT_FAILED;
}
