/* SPDX-License-Identifier: MIT
 *
 * ranks.c - the object job of metrics.json -> ranks of a run
 *
 * Caveat: reads the first lines, as `dftrace analyze` writes them, and no more:
 *      status looks at every run. A text of a user has no line break in JSON.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/parse.h"
#include "sweep/results/ranks.h"

enum { HEAD_BYTES = 16 * 1024 /* a label has at most a path's length */ };

static int ranks_member (const char *text, const char *name, uint64_t *value)
{
    const char *at = strstr (text, name);
    char digits[24];
    size_t n;

    if (!at)
        return 0;
    at += strlen (name);
    n = strspn (at, "0123456789");
    if (n == 0 || n >= sizeof (digits))
        return 0;
    memcpy (digits, at, n);
    digits[n] = '\0';
    return parse_u64 (digits, value) == 0;
}

int ranks_read (const char *path, struct ranks *r)
{
    char text[HEAD_BYTES + 1];
    FILE *f = fopen (path, "re");
    size_t n;

    if (!f)
        return 0;
    n = fread (text, 1, HEAD_BYTES, f);
    (void)fclose (f);
    text[n] = '\0';
    return ranks_member (text, "\n    \"ranks\": ", &r->found) &&
           ranks_member (text, "\n    \"ranks_started\": ", &r->started);
}

int ranks_of (const struct sweepdir *d,
              struct run run,
              int attempt,
              struct ranks *r)
{
    if (attempt < 0 || run.control)
        return 0;
    return ranks_read (arena_format (d->arena, "%s/trace/metrics.json",
                                     sweepdir_attempt_path (d, run, attempt)),
                       r);
}

void ranks_print (FILE *out, struct sweepdir *d, const struct sweep_report *r)
{
    size_t fewer = 0;
    const char *first = "";

    for (size_t i = 0; i < r->count; i++) {
        const struct run_report *x = &r->run[i];
        struct ranks n;

        if (x->outcome != OUTCOME_DONE ||
            !ranks_of (d, x->run, x->attempt, &n) || n.found >= n.started)
            continue;
        if (fewer++ == 0)
            first = arena_format (d->arena, "%s r%d (%llu of %llu)",
                                  d->grid->point[x->run.point].label,
                                  x->run.repeat, (unsigned long long)n.found,
                                  (unsigned long long)n.started);
    }
    if (fewer)
        fprintf (
            out,
            "ranks: fewer left a trace than were started in %zu %s: %s%s\n",
            fewer, fewer == 1 ? "run" : "runs", first, fewer > 1 ? ", …" : "");
}
