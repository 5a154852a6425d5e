/* SPDX-License-Identifier: MIT
 *
 * records.c - records of a chunk -> columns
 *
 * In:  checked payloads, from batch.c; still hostile
 * Out: events of a batch
 * Caveat: the same rules as lib/format's decoder, which gives one event at a
 *         time; tests/unit/batchsame.c compares the two.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analyze/trace/batchread.h"

enum { NUMBERS_MAX = 7 + 1 /* behind the times */ };

/* How many bits are set in numbers below 128. */
#define RECORDS_2(N) (N), (N) + 1, (N) + 1, (N) + 2
#define RECORDS_4(N) \
    RECORDS_2 (N), RECORDS_2 ((N) + 1), RECORDS_2 ((N) + 1), RECORDS_2 ((N) + 2)
#define RECORDS_6(N) \
    RECORDS_4 (N), RECORDS_4 ((N) + 1), RECORDS_4 ((N) + 1), RECORDS_4 ((N) + 2)
static const uint8_t records_numbers[128] = {RECORDS_6 (0), RECORDS_6 (1)};

/* One argument; NULL: damage. */
static const unsigned char *records_arg (struct batch_reader *r,
                                         struct batch_arg *a,
                                         const unsigned char *p)
{
    const unsigned char *limit = r->decoder.limit;
    uint32_t names = r->decoder.st.names;
    uint64_t v;

    if (!(p = get_varint (p, limit, &v)) || v > names || p >= limit)
        return NULL;
    a->key = r->number[v];
    a->type = *p++;
    if (a->type == EVENT_ARG_DOUBLE) {
        if (limit - p < (ptrdiff_t)sizeof (a->d))
            return NULL;
        memcpy (&a->d, p, sizeof (a->d));
        return p + sizeof (a->d);
    }
    if (!(p = get_varint (p, limit, &v)))
        return NULL;
    if (a->type == EVENT_ARG_INT)
        a->i = unzigzag (v);
    else if (a->type == EVENT_ARG_TEXT && v <= names)
        a->text = r->number[v];
    else
        return NULL;
    return p;
}

/* Those of event i, which begin at args[*used]. NULL: damage, or ENOMEM. */
static const unsigned char *
records_args (struct batch_reader *r, uint32_t *used, const unsigned char *p)
{
    unsigned n;

    if (p >= r->decoder.limit || (n = *p++) > EVENT_ARGS_MAX)
        return NULL;
    if (batch_args_room (r, *used) < 0)
        return NULL;
    for (; p && n; n--)
        p = records_arg (r, &r->batch.args[(*used)++], p);
    return p;
}

/* The numbers behind the times, as many as the masks say. NULL: damage. */
static inline const unsigned char *records_fields (const unsigned char *p,
                                                   const unsigned char *limit,
                                                   unsigned mask,
                                                   unsigned mask2,
                                                   uint64_t *v)
{
    unsigned numbers = records_numbers[mask & ~(unsigned)SHARD_HAS_MORE] +
                       (mask2 & SHARD_HAS_FILE2);

    for (unsigned i = 0; p && i < numbers; i++)
        p = get_varint (p, limit, &v[i]);
    return p;
}

/* Event i, whose call stands before p. NULL: damage, or ENOMEM, which is then
 * errno. */
static inline const unsigned char *records_event (struct batch_reader *r,
                                                  struct event_state *st,
                                                  size_t i,
                                                  const unsigned char *p,
                                                  const unsigned char *limit)
{
    unsigned call = p[-1], mask, mask2 = 0;
    uint32_t used = r->column.arg[i];
    uint64_t step, length, v[NUMBERS_MAX];

    if (limit - p < 2)
        return NULL;
    mask = *p++;
    if (mask & SHARD_HAS_MORE) {
        mask2 = *p++;
        if (mask2 & ~(unsigned)(SHARD_HAS_FILE2 | SHARD_HAS_ARGS))
            return NULL; /* their bytes could not be stepped over */
    }
    if (!(p = get_varint (p, limit, &step)) ||
        !(p = get_varint (p, limit, &length)) ||
        (mask && !(p = records_fields (p, limit, mask, mask2, v))) ||
        batch_put (r, st, i, call, (enum batch_kind)batch_rules[call].kind,
                   mask, mask2, step, length, v, 1) < 0 ||
        (mask2 & SHARD_HAS_ARGS && !(p = records_args (r, &used, p))))
        return NULL;
    r->column.arg[i + 1] = used;
    return p;
}

/* A name or a pair of the clock, whose first byte stands before r->decoder.p.
 */
static int records_other (struct batch_reader *r, unsigned first)
{
    return decoder_other (&r->decoder, first) < 0 ? -1 : batch_new_names (r);
}

void batch_read_records (struct batch_reader *r)
{
    struct decoder *d = &r->decoder;
    struct event_state st = d->st;
    const unsigned char *p = d->p, *limit = d->limit;
    size_t n = 0, most = r->events_max;

    errno = EBADMSG; /* unless memory is short */
    while (n < most) {
        unsigned first;

        if (p >= limit || (first = *p++) == SHARD_RECORD_END) {
            r->failed = ENODATA;
            break;
        }
        if (first < CALL_MAX) {
            if (!(p = records_event (r, &st, n, p, limit))) {
                r->failed = errno;
                break;
            }
            n++;
            continue;
        }
        d->st = st;
        d->p = p;
        if (records_other (r, first) < 0) {
            r->failed = errno;
            break;
        }
        errno = EBADMSG;
        p = d->p;
        st = d->st;
    }
    r->batch.count = n;
    d->st = st;
    d->p = p;
}
