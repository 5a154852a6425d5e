/* SPDX-License-Identifier: MIT
 *
 * train.c - batches -> "training"
 *
 *   pipeline/train
 *     per step
 *       dataloader/fetch      per micro batch
 *       compute/step
 *         compute/forward     per micro batch
 *       checkpoint/capture
 *
 * Fetching and computing do not overlap in this process, so that waiting for
 * data and computing can be told apart; the workers go on meanwhile.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/checkpoint.h"
#include "etc/examples/minigpt/compute.h"
#include "etc/examples/minigpt/train.h"

struct run {
    const struct options *o;
    struct loader *loader;
    struct checkpoint checkpoint;
    struct mt19937 random; /* of the model; here only to be saved */
    struct train_result *result;
    uint64_t batch_tokens, batches; /* of a step of this rank */
    int64_t *tokens;                /* of a step: "on the device" */
    uint64_t step;
};

static void digest_tokens (uint64_t *digest, const int64_t *tokens, uint64_t n)
{
    uint64_t h = *digest;

    for (uint64_t i = 0; i < n; i++)
        h = (h ^ (uint64_t)tokens[i]) * 0x100000001b3u;
    *digest = h;
}

static int fetch (struct run *r, uint64_t micro, struct failure *f)
{
    dftrace_region_t region = dftrace_begin ("dataloader", "fetch");
    const int64_t *tokens = loader_next (r->loader, f);

    dftrace_arg_int (&region, "step", (int64_t)r->step);
    if (!tokens) {
        dftrace_end_failed (&region);
        return -1;
    }
    memcpy (r->tokens + micro * r->batch_tokens, tokens,
            r->batch_tokens * sizeof (*tokens));
    dftrace_end (&region);
    return 0;
}

static void forward (struct run *r, uint64_t micro)
{
    dftrace_region_t region = dftrace_begin ("compute", "forward");

    dftrace_arg_int (&region, "step", (int64_t)r->step);
    digest_tokens (&r->result->digest, r->tokens + micro * r->batch_tokens,
                   r->batch_tokens);
    compute_us (r->batch_tokens * r->o->compute_us_per_ktoken / 1000);
    dftrace_end (&region);
}

static int capture (struct run *r, struct failure *f)
{
    dftrace_region_t region = dftrace_begin ("checkpoint", "capture");
    int rc = checkpoint_save (&r->checkpoint, r->step, &r->random, f);

    dftrace_arg_int (&region, "step", (int64_t)r->step);
    if (rc < 0) {
        dftrace_end_failed (&region);
        return -1;
    }
    dftrace_end (&region);
    r->result->checkpoints++;
    return 0;
}

static int train_step (struct run *r, struct failure *f)
{
    dftrace_region_t region;

    for (uint64_t i = 0; i < r->batches; i++)
        if (fetch (r, i, f) < 0)
            return -1;
    region = dftrace_begin ("compute", "step");
    dftrace_arg_int (&region, "step", (int64_t)r->step);
    for (uint64_t i = 0; i < r->batches; i++)
        forward (r, i);
    compute_us (r->o->compute_us_per_step);
    dftrace_end (&region);
    r->result->steps++;
    r->result->samples += r->batches * r->o->micro_batch;
    if (r->o->save[0] && r->step % r->o->save_every == 0)
        return capture (r, f);
    return 0;
}

static int train_steps (struct run *r, struct failure *f)
{
    dftrace_region_t region = dftrace_begin ("pipeline", "train");
    int rc = 0;

    for (r->step = 1; rc == 0 && r->step <= r->o->steps; r->step++)
        rc = train_step (r, f);
    if (rc < 0)
        dftrace_end_failed (&region);
    else
        dftrace_end (&region);
    return rc;
}

int train (const struct options *o,
           struct dataset *d,
           struct train_result *result,
           struct failure *f)
{
    struct run r = {
        .o = o,
        .result = result,
        .checkpoint = {.dir = o->save,
                       .model_bytes = o->checkpoint_bytes,
                       .rank = (int)o->rank,
                       .world = (int)o->world},
        .batch_tokens = o->micro_batch * (o->sequence + 1),
        .batches = o->global_batch / o->world / o->micro_batch,
    };
    struct loader_options lo = {.workers = (int)o->workers,
                                .micro_batch = o->micro_batch,
                                .batches = r.batches * o->steps,
                                .rank = (int)o->rank,
                                .world = (int)o->world};
    int rc = -1;

    *result = (struct train_result){.digest = 0xcbf29ce484222325u};
    mt19937_seed (&r.random, (uint32_t)o->seed + (uint32_t)o->rank);
    r.tokens = calloc (r.batches * r.batch_tokens, sizeof (*r.tokens));
    if (!r.tokens)
        failf (f, "not enough memory for a step");
    else if ((r.loader = loader_create (d, &lo, f))) {
        rc = train_steps (&r, f);
        result->cost = loader_cost (r.loader);
    }
    loader_destroy (r.loader);
    free (r.tokens);
    return rc;
}
