/* SPDX-License-Identifier: MIT
 *
 * totalscache.c - totals of a job, its unions made <-> a file beside the trace
 *
 * In:  struct result; a file, which may be anything
 * Out: the file; totals and summary again
 *
 * Behind what it is about (answercache.h), the file has: the sources and what
 * is wrong with them (TOTALSCACHE_SOURCES), the summary (TOTALSCACHE_SUMMARY),
 * and the totals without the times of events, as tasks of a job pass them
 * (partial.h).
 */
#include "config.h"

#include "analyze/totalscache.h"

#include "analyze/partialrun.h"
#include "analyze/facts/summary.h"
#include "analyze/query/partial.h"
#include "analyze/warnings.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

enum { TOTALSCACHE_BYTES = 64 << 20 };

/* --- which ----------------------------------------------------------------
 */

/* Bars and maps, which are drawn beside all tables, are drawn from the events;
 * a database has more than tables. */
static int totalscache_may (const struct analyze_options *o)
{
    return !o->no_answers && !(o->draw && o->all_views) && !o->sqlite &&
           !o->baseline && !o->reduce && !o->tasks && !analyze_asks (o);
}

static char *totalscache_question (const struct analyze_options *o)
{
    char *asked = asked_question (o);
    char *text = xasprintf ("standard tables, layout %llx %llx\n%s",
                            (unsigned long long)partial_rules (&o->rules),
                            (unsigned long long)summarypack_layout (), asked);

    free (asked);
    return text;
}

/* --- sources --------------------------------------------------------------
 */

static void totalscache_pack_sources (struct packer *p, const struct result *r)
{
    const struct job *job = r->job;

    pack_uint (p, job->merged);
    pack_uint (p, job->ended);
    pack_uint (p, job->sources);
    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];

        /* from the job directory on; a single file is the job */
        pack_text (p, job->dir ? s->path + strlen (job->dir) : "");
        pack_uint (p, s->merged);
        pack_bytes (p, &s->lines, sizeof (s->lines));
        pack_bytes (p, &r->totals->health[i], sizeof (struct health));
    }
}

static int totalscache_unpack_source (struct unpacker *u,
                                      struct job *job,
                                      struct health *health)
{
    char *path = unpack_string (u);
    struct source *s;

    if (u->bad)
        return -1;
    if (job->dir)
        job_add_source (job, xasprintf ("%s%s", job->dir, path));
    free (path);
    s = &job->source[job->sources - 1];
    s->readable = 1;
    s->merged = unpack_uint (u) != 0;
    unpack_bytes (u, &s->lines, sizeof (s->lines));
    unpack_bytes (u, health, sizeof (*health));
    return u->bad ? -1 : 0;
}

/* In the place of those that were found. */
static int totalscache_unpack_sources (struct unpacker *u,
                                       struct job *job,
                                       struct totals *t)
{
    int merged = unpack_uint (u) != 0;
    uint64_t ended = unpack_uint (u), n = unpack_uint (u);

    if (u->bad || n > (size_t)(u->limit - u->p) / sizeof (struct health) ||
        (!job->dir && n != 1))
        return -1;
    NEW (t->health, (size_t)n + 1);
    job->ended = (uint32_t)ended;
    if (job->dir) {
        job_drop_sources (job);
        job->merged = merged;
        job->listed = 1;
    }
    for (uint64_t i = 0; i < n; i++, t->sources++)
        if (totalscache_unpack_source (u, job, &t->health[i]) < 0)
            return -1;
    return unpack_ended (u) ? 0 : -1;
}

/* --- reading --------------------------------------------------------------
 */

static int totalscache_section (struct unpacker *u, uint64_t want, FILE *in)
{
    uint64_t type;

    return unpack_section (u, &type, in) > 0 && type == want ? 0 : -1;
}

/* Totals are read first: the rest is about their processes. */
int totalscache_read (FILE *in,
                      struct job *job,
                      struct totals *t,
                      struct summary *s)
{
    struct unpacker sources = {0}, summary = {0};
    int rc = totalscache_section (&sources, TOTALSCACHE_SOURCES, in);

    if (rc == 0)
        rc = totalscache_section (&summary, TOTALSCACHE_SUMMARY, in);
    if (rc == 0)
        rc = partial_unpack_sums (in, t);
    if (rc == 0)
        rc = summary_unpack (&summary, s, t);
    if (rc == 0)
        rc = totalscache_unpack_sources (&sources, job, t);
    unpacker_clear (&sources);
    unpacker_clear (&summary);
    return rc;
}

int totalscache_find (struct totalscache *k,
                      struct job *job,
                      const struct analyze_options *o,
                      struct totals *t,
                      struct summary *s)
{
    FILE *in = NULL;

    ZERO (k);
    ZERO (t);
    ZERO (s);
    if (!totalscache_may (o))
        return 0;
    k->question = totalscache_question (o);
    answercache_make (&k->cache, job, k->question);
    k->cache.most = TOTALSCACHE_BYTES;
    if (!(in = answercache_open (&k->cache)))
        return 0;
    k->found = totalscache_read (in, job, t, s) == 0 &&
               summary_account (s, t, job) == 0;
    fclose (in);
    if (k->found) {
        log_debug ("%s: the tables were kept", job->label);
        return 1;
    }
    summary_clear (s);
    totals_clear (t);
    job_close (job); /* whoever reads it finds its files by itself */
    return 0;
}

/* --- writing --------------------------------------------------------------
 */

int totalscache_few (const struct analyze_options *o, const struct result *r)
{
    return o->few_tables &&
           (r->job->info.array_task_id >= 0 || summary_is_profile (r->summary));
}

void totalscache_note (struct totalscache *k,
                       const struct analyze_options *o,
                       const struct result *r)
{
    struct packer p = {0};
    FILE *out;
    int rc = -1;

    if (totalscache_few (o, r))
        return;
    if (r->job->doings) /* they are not in it */
        return;
    if (!k->cache.file || k->found || !o->write || !warn_is_quiet (r) ||
        !answercache_may (r->job) || !summary_packs (r->summary))
        return;
    out = xmemstream (&k->bytes, &k->n);
    totalscache_pack_sources (&p, r);
    if (pack_section (&p, TOTALSCACHE_SOURCES, out) == 0) {
        summary_pack (&p, r->summary, r->totals);
        if (pack_section (&p, TOTALSCACHE_SUMMARY, out) == 0)
            rc = partial_pack_sums (&p, out, r->totals);
    }
    packer_clear (&p);
    xmemstream_end (out);
    if (rc == 0)
        return;
    free (k->bytes);
    k->bytes = NULL;
}

void totalscache_put (struct totalscache *k, struct job *job)
{
    if (k->bytes)
        answercache_put_bytes (&k->cache, job, k->question, k->bytes, k->n);
    answercache_clear (&k->cache);
    free (k->question);
    free (k->bytes);
    ZERO (k);
}
