/* SPDX-License-Identifier: MIT
 *
 * darshanrecord.c - bytes of a record, of any version -> counters by number
 */
#include "config.h"

#include "analyze/import/darshan/darshanrecord.h"

#define BITS(FIRST, COUNT) ((((uint64_t)1 << (COUNT)) - 1) << (FIRST))

static const struct darshan_layout {
    enum darshan_module module;
    uint32_t version;
    int counters, times;
    uint64_t missing, missing_times;
    int others_at, others;
} layouts[] = {
#define LAYOUT(MODULE, VERSION, COUNTERS, TIMES, MISSING, MISSING_TIMES, AT, \
               OTHERS)                                                       \
    {MODULE, VERSION, COUNTERS, TIMES, MISSING, MISSING_TIMES, AT, OTHERS},
#include "analyze/import/darshan/darshanmodules.def"
#undef LAYOUT
};

/* Where their times stand among those of the others. */
static const int stdio_time[] = {
    DARSHAN_META_TIME,   DARSHAN_WRITE_TIME,  DARSHAN_READ_TIME,
    DARSHAN_OPEN_START,  DARSHAN_CLOSE_START, DARSHAN_WRITE_START,
    DARSHAN_READ_START,  DARSHAN_OPEN_END,    DARSHAN_CLOSE_END,
    DARSHAN_WRITE_END,   DARSHAN_READ_END,    DARSHAN_FASTEST_TIME,
    DARSHAN_SLOWEST_TIME};
static const int h5f_time[] = {DARSHAN_OPEN_START, DARSHAN_CLOSE_START,
                               DARSHAN_OPEN_END, DARSHAN_CLOSE_END,
                               DARSHAN_META_TIME};
static const int pnetcdf_time[] = {DARSHAN_OPEN_START, DARSHAN_CLOSE_START,
                                   DARSHAN_READ_START, DARSHAN_OPEN_END,
                                   DARSHAN_CLOSE_END,  DARSHAN_READ_END,
                                   DARSHAN_META_TIME,  DARSHAN_READ_TIME};

#define TIMES(OF) OF, (int)(sizeof (OF) / sizeof ((OF)[0]))

/* -1: nobody asks for it. */
static int darshan_time_at (enum darshan_module module, int i)
{
    static const struct {
        enum darshan_module module;
        const int *at;
        int count;
    } orders[] = {{DARSHAN_STDIO, TIMES (stdio_time)},
                  {DARSHAN_H5F, TIMES (h5f_time)},
                  {DARSHAN_PNETCDF_FILE, TIMES (pnetcdf_time)}};

    for (size_t k = 0; k < sizeof (orders) / sizeof (orders[0]); k++)
        if (orders[k].module == module)
            return i < orders[k].count ? orders[k].at[i] : -1;
    return i;
}

static const struct darshan_layout *
darshan_layout_of (enum darshan_module module, uint32_t version)
{
    for (size_t i = 0; i < sizeof (layouts) / sizeof (layouts[0]); i++)
        if (layouts[i].module == module && layouts[i].version == version)
            return &layouts[i];
    return NULL;
}

size_t darshan_record_bytes (enum darshan_module module, uint32_t version)
{
    const struct darshan_layout *y = darshan_layout_of (module, version);

    if (!y)
        return 0;
    return 8 * (size_t)(2 + y->counters + y->times + y->others -
                        __builtin_popcountll (y->missing) -
                        __builtin_popcountll (y->missing_times));
}

static int darshan_lacks (uint64_t missing, int i)
{
    return i < 64 && (missing >> i & 1);
}

/* What no job does is not known. */
static int64_t darshan_count (int64_t n)
{
    return n >= 0 && n <= DARSHAN_COUNT_MAX ? n : -1;
}

void darshan_record_read (const struct darshan_log *l,
                          enum darshan_module module,
                          const unsigned char *p,
                          struct darshan_record *r)
{
    const struct darshan_layout *y =
        darshan_layout_of (module, l->module_version[module]);

    for (int i = 0; i < DARSHAN_COUNTERS; i++)
        r->n[i] = -1;
    for (int i = 0; i < DARSHAN_TIMES; i++)
        r->t[i] = -1;
    r->id = darshan_u64 (l, p);
    r->rank = darshan_i64 (l, p + 8);
    p += 16;
    r->file = y->others == 1 ? darshan_u64 (l, p) : 0;
    for (int i = 0; i < y->counters; i++) {
        if (y->others && i == y->others_at)
            p += 8 * y->others;
        if (darshan_lacks (y->missing, i))
            continue;
        r->n[i] = darshan_count (darshan_i64 (l, p));
        p += 8;
    }
    for (int i = 0; i < y->times; i++) {
        int at = darshan_time_at (module, i);

        if (darshan_lacks (y->missing_times, i))
            continue;
        if (at >= 0)
            r->t[at] = darshan_f64 (l, p);
        p += 8;
    }
}
