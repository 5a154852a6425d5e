/* SPDX-License-Identifier: MIT
 *
 * metric.c - the rows of metrics.def: names, units, digits, definitions
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/model/metric.h"

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    {                                                                          \
        #NAME,                                                                 \
        TITLE,                                                                 \
        UNIT,                                                                  \
        DIGITS,                                                                \
        METRIC_SECTION_##SECTION,                                              \
        METRIC_OF_##MADE_OF,                                                   \
        TEXT},
#include "lib/model/metrics.def"
#undef METRIC
};

int metric_in_study (enum metric m)
{
    return metric_table[m].section == METRIC_SECTION_IO ||
           metric_table[m].section == METRIC_SECTION_CHECKPOINT;
}

int metric_parse (const char *name)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (strcmp (metric_table[m].name, name) == 0)
            return m;
    return -1;
}

/* ---- the rows of bill.def, and which one a call or a region belongs to ----
 */

#define BILL_CALL(CLASS) (1u << CALL_CLASS_##CLASS)
#define BILL_KIND(KIND)  (1u << KIND_##KIND)
#define BILL_ROLE(ROLE)  (1u << ROLE_##ROLE)
#define BILL_WAIT(KIND)  (1u << CALL_wait_##KIND)
#define BILL_ANY         ((1u << KIND_COUNT) - 1)

const struct bill_info bill_table[BILL_COUNT] = {
#define BILL(NAME, TITLE, HEAD, CALLS, KINDS, ROLES, WAITS, NEED, HELP) \
    {#NAME, TITLE, HELP, CALLS, KINDS, ROLES, WAITS},
#include "lib/model/bill.def"
#undef BILL
};

/* An instant belongs to the first row that has a claim.
 * - A thread that had no CPU waited for that, whatever call or region it was
 * in.
 * - A checkpoint comes before all that is inside it, other calls before
 *   regions, since a region is around its calls. A call that has another one
 *   inside comes after it.
 * - The network comes before the regions that load data, but behind those that
 *   compute or exchange data: what they wait for is another rank. Compute
 *   regions count only their own time, without other regions inside them, so
 *   they come before those around them.
 * - Other waits come behind regions, and before the start and the end, which
 *   are what is left there.
 * BILL_other has the rest, BILL_between what no thread has. */
const enum bill bill_order[] = {
    BILL_cpu_wait, BILL_checkpoint, BILL_read,  BILL_write,    BILL_sync,
    BILL_open,     BILL_fault,      BILL_mpi,   BILL_format,   BILL_compute,
    BILL_ranks,    BILL_network,    BILL_spawn, BILL_decode,   BILL_loader,
    BILL_imports,  BILL_sleep,      BILL_lock,  BILL_gil,      BILL_pipe,
    BILL_blocked,  BILL_start,      BILL_end,   BILL_other_io, BILL_gpu,
    BILL_cpu,      BILL_threads};

const int bill_ordered = ITEMS (bill_order);

_Static_assert(ITEMS (bill_order) == BILL_COUNT - 2,
               "all rows but the rest and nobody's have a place in the order");

/* While the main thread is in one of bill_asks, the first row of bill_helps
 * that another thread or process of the rank has gets the instant. */
const unsigned bill_asks = 1u << BILL_loader;
const unsigned bill_helps = 1u << BILL_cpu_wait | 1u << BILL_fault |
                            1u << BILL_read | 1u << BILL_open |
                            1u << BILL_network | 1u << BILL_decode;

/* A flush of a stream is written by libc; it is no sync. */
#define BILL_CLASS(CATEGORY, CLASS)                     \
    (CALL_CATEGORY_##CATEGORY == CALL_CATEGORY_STDIO && \
             CALL_CLASS_##CLASS == CALL_CLASS_SYNC      \
         ? CALL_CLASS_WRITE                             \
         : CALL_CLASS_##CLASS)

static const uint8_t bill_class[CALL_MAX] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET) \
    [NUMBER] = BILL_CLASS (CATEGORY, CLASS),
#include "lib/format/calls.def"
#undef CALL
};

/* Whatever its file; nobody waits from the post of a request to its end. */
static enum bill bill_of_above (enum call call)
{
    if (above_is_request (call))
        return BILL_NONE;
    return call_table[call].category == CALL_CATEGORY_MPIIO ? BILL_mpi
                                                            : BILL_format;
}

static enum bill bill_of_wait (enum call call)
{
    for (int row = 0; row < BILL_COUNT; row++)
        if (bill_table[row].waits >> call & 1)
            return row;
    return BILL_NONE;
}

enum bill bill_of_call (enum call call, enum file_kind kind)
{
    unsigned class = 1u << bill_class[call];

    if (call_category_is_above (call_table[call].category))
        return bill_of_above (call);
    if (call == CALL_page_fault)
        return BILL_fault;
    if (call_table[call].category == CALL_CATEGORY_KERNEL)
        return BILL_NONE; /* inside of calls, or of nobody's */
    if (call_is_wait (call))
        return bill_of_wait (call);
    if (call == CALL_sync) /* of all files */
        kind = KIND_DATA;
    if (kind >= KIND_COUNT ||
        (call >= CALL_aio_submit && call <= CALL_aio_fsync))
        return BILL_NONE;
    for (int row = 0; row < BILL_COUNT; row++)
        if (bill_table[row].calls & class && bill_table[row].kinds >> kind & 1)
            return row;
    return BILL_NONE;
}

enum bill bill_of_role (enum role role)
{
    for (int row = 0; row < BILL_COUNT; row++)
        if (bill_table[row].roles >> role & 1)
            return row;
    return BILL_NONE;
}

/* ---- the rows of costs.def, and which one a call belongs to ---- */

const struct cost_info cost_table[COST_COUNT] = {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) \
    {#NAME, TITLE, HELP, MOVES},
#include "lib/model/costs.def"
#undef COST
};

enum cost cost_of_call (enum call call)
{
    static const struct {
        uint8_t category;
        unsigned classes;
    } rows[COST_COUNT] = {
#define COST(NAME, TITLE, CATEGORY, CLASSES, MOVES, HELP) \
    {CALL_CATEGORY_##CATEGORY, CLASSES},
#include "lib/model/costs.def"
#undef COST
    };
    const struct call_info *info = &call_table[call];

    if (call >= CALL_aio_submit && call <= CALL_aio_fsync)
        return COST_async;
    for (int row = 0; row < COST_COUNT; row++)
        if (rows[row].category == info->category &&
            rows[row].classes >> info->class & 1)
            return row;
    return COST_NONE;
}
