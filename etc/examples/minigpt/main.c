/* SPDX-License-Identifier: MIT
 *
 * main.c - minigpt: the input and output of a GPT training
 *
 * In:  a token corpus in Megatron's format, options or environment
 * Out: checkpoints; one line with what was read:
 *        minigpt: steps=6 samples=384 parts=1012 bytes=786816 checkpoints=2
 *                 digest=0123456789abcdef rank=0/2
 *      parts is the number of document parts, which is the number of reads of
 *      the .bin under --access=direct; digest is that of all tokens in the
 *      order of their use, equal for both ways of access. --access=mock is the
 *      same training without a corpus: what it takes less is the loader's.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/options.h"
#include "etc/examples/minigpt/train.h"

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

static void describe_run (const struct options *o)
{
    char text[32];

    dftrace_metadata ("workload", "minigpt");
    dftrace_metadata ("access", o->access);
    (void)snprintf (text, sizeof (text), "%llu",
                    (unsigned long long)o->sequence);
    dftrace_metadata ("sequence_length", text);
    (void)snprintf (text, sizeof (text), "%llu",
                    (unsigned long long)o->global_batch);
    dftrace_metadata ("global_batch_size", text);
}

static enum access_mode access_of (const char *word)
{
    if (strcmp (word, "mock") == 0)
        return ACCESS_MOCK;
    return strcmp (word, "direct") == 0 ? ACCESS_DIRECT : ACCESS_MMAP;
}

static int
run (const struct options *o, struct train_result *r, struct failure *f)
{
    struct dataset_options want = {
        .prefix = o->data,
        .access = access_of (o->access),
        .key = {.dir = o->cache,
                .sequence = o->sequence,
                .samples = o->steps * o->global_batch,
                .seed = (uint32_t)o->seed},
        .rank = (int)o->rank,
    };
    struct dataset d;
    char *cache = NULL;
    int rc;

    if (!o->cache[0]) {
        if (asprintf (&cache, "%s.cache", o->data) < 0)
            return failf (f, "not enough memory");
        want.key.dir = cache;
    }
    rc = dataset_open (&d, &want, f);
    if (rc == 0) {
        if (!o->index_only)
            rc = train (o, &d, r, f);
        dataset_close (&d);
    }
    free (cache);
    return rc;
}

static void print_result (const struct options *o, const struct train_result *r)
{
    (void)printf (
        "minigpt: steps=%llu samples=%llu parts=%llu bytes=%llu "
        "checkpoints=%llu digest=%016llx rank=%llu/%llu\n",
        (unsigned long long)r->steps, (unsigned long long)r->samples,
        (unsigned long long)r->cost.parts, (unsigned long long)r->cost.bytes,
        (unsigned long long)r->checkpoints, (unsigned long long)r->digest,
        (unsigned long long)o->rank, (unsigned long long)o->world);
}

int main (int argc, char **argv)
{
    struct failure f;
    struct train_result r;
    struct options o;
    int rc = options_parse (&o, argc, argv, &f);

    if (rc > 0) {
        options_print_help (stdout);
        return STATUS_OK;
    }
    if (rc < 0) {
        (void)fprintf (stderr, "minigpt: %s\n", f.text);
        return STATUS_USAGE;
    }
    (void)signal (SIGPIPE, SIG_IGN); /* a dead worker is an error, not ours */
    describe_run (&o);
    if (run (&o, &r, &f) < 0) {
        (void)fprintf (stderr, "minigpt: %s\n", f.text);
        return STATUS_FAILED;
    }
    if (!o.index_only)
        print_result (&o, &r);
    return fflush (stdout) == 0 ? STATUS_OK : STATUS_FAILED;
}
