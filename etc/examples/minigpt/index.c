/* SPDX-License-Identifier: MIT
 *
 * index.c - document lengths -> document, sample and shuffle index
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "etc/examples/minigpt/index.h"
#include "etc/examples/minigpt/mt19937.h"

enum {
    EXTRA = 1, /* the label of the last token */
    /* A last epoch of which less than this is used is shuffled apart, so that
     * no document comes up far more often than others. */
    LAST_EPOCH_PERCENT = 80
};

/* How often the data is gone through, and how it is cut. */
struct shape {
    uint64_t epoch_tokens, epochs, samples;
    uint64_t samples_before_last; /* epoch */
    int last_apart;
};

static void plan_epochs (struct shape *s,
                         uint64_t tokens,
                         uint64_t sequence,
                         uint64_t wanted)
{
    uint64_t need = wanted * sequence + EXTRA;

    s->epoch_tokens = tokens;
    s->epochs = 1;
    while (s->epochs * tokens < need)
        s->epochs++;
    s->samples = (s->epochs * tokens - EXTRA) / sequence;
    s->samples_before_last = s->samples;
    s->last_apart = 0;
    if (s->epochs > 1) {
        uint64_t before = ((s->epochs - 1) * tokens - EXTRA) / sequence;
        uint64_t per_epoch = (tokens - EXTRA) / sequence;

        s->samples_before_last = before;
        s->last_apart = wanted - before < per_epoch * LAST_EPOCH_PERCENT / 100;
    }
}

/* n documents, `epochs` times, in one shuffle. */
static void fill_documents (uint32_t *out,
                            uint64_t n,
                            uint64_t epochs,
                            struct mt19937 *random)
{
    for (uint64_t i = 0; i < n * epochs; i++)
        out[i] = (uint32_t)(i % n);
    mt19937_shuffle (random, out, n * epochs);
}

static void build_document (struct index *x,
                            const struct shape *s,
                            uint64_t n,
                            struct mt19937 *random)
{
    if (!s->last_apart) {
        fill_documents (x->document, n, s->epochs, random);
        return;
    }
    fill_documents (x->document, n, s->epochs - 1, random);
    fill_documents (x->document + n * (s->epochs - 1), n, 1, random);
}

/* Walk over the documents, one sample further each time; a sample ends in the
 * token with which the next begins. */
static void
build_sample (struct index *x, const int32_t *length, uint64_t sequence)
{
    uint64_t at = 0;    /* entry of document */
    int64_t offset = 0; /* token in it */

    x->sample[0] = 0;
    x->sample[1] = 0;
    for (uint64_t i = 1; i <= x->samples; i++) {
        int64_t left = (int64_t)sequence + EXTRA;

        while (left > 0) {
            int64_t have = length[x->document[at]] - offset;

            left -= have;
            if (left <= 0)
                offset += left + have - EXTRA;
            else {
                at++;
                offset = 0;
            }
        }
        x->sample[2 * i] = (uint32_t)at;
        x->sample[2 * i + 1] = (uint32_t)offset;
    }
}

static void
build_shuffle (struct index *x, const struct shape *s, struct mt19937 *random)
{
    uint64_t first = s->last_apart ? s->samples_before_last : x->samples;

    for (uint64_t i = 0; i < x->samples; i++)
        x->shuffle[i] = (uint32_t)i;
    mt19937_shuffle (random, x->shuffle, first);
    mt19937_shuffle (random, x->shuffle + first, x->samples - first);
}

static uint64_t count_tokens (const int32_t *length, uint64_t n)
{
    uint64_t tokens = 0;

    for (uint64_t i = 0; i < n; i++)
        tokens += (uint64_t)length[i];
    return tokens;
}

int index_build (struct index *x,
                 const int32_t *length,
                 uint64_t n,
                 uint64_t sequence,
                 uint64_t wanted,
                 uint32_t seed,
                 struct failure *f)
{
    uint64_t tokens = count_tokens (length, n);
    struct mt19937 random;
    struct shape s;

    *x = (struct index){.document = NULL};
    if (sequence == 0 || wanted == 0 || tokens <= sequence + EXTRA) {
        errno = EINVAL;
        return failf (f, "%llu tokens are too few for samples of %llu",
                      (unsigned long long)tokens, (unsigned long long)sequence);
    }
    plan_epochs (&s, tokens, sequence, wanted);
    x->epochs = s.epochs;
    x->documents = n * s.epochs;
    x->samples = s.samples;
    if (x->documents >= UINT32_MAX || x->samples >= UINT32_MAX / 2) {
        errno = EOVERFLOW;
        return failf (f, "too many documents or samples for 32 bits");
    }
    x->document = malloc (x->documents * sizeof (*x->document));
    x->sample = malloc ((x->samples + 1) * 2 * sizeof (*x->sample));
    x->shuffle = malloc (x->samples * sizeof (*x->shuffle));
    if (!x->document || !x->sample || !x->shuffle) {
        index_free (x);
        return failf (f, "not enough memory for the indices");
    }
    mt19937_seed (&random, seed);
    build_document (x, &s, n, &random);
    build_sample (x, length, sequence);
    build_shuffle (x, &s, &random);
    return 0;
}

void index_free (struct index *x)
{
    int saved_errno = errno;

    free (x->document);
    free (x->sample);
    free (x->shuffle);
    *x = (struct index){.document = NULL};
    errno = saved_errno;
}
