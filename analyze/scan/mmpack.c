/* SPDX-License-Identifier: MIT
 *
 * mmpack.c - struct mm_log <-> bytes
 */
#include "config.h"

#include "analyze/scan/mmpack.h"

/* The lists of struct mm_log, in the order of the bytes. */
#define LISTS                \
    LIST (uses, mm_use)      \
    LIST (looks, mm_look)    \
    LIST (faults, mm_seen)   \
    LIST (misses, mm_miss)   \
    LIST (parts, mm_part)    \
    LIST (watched, mm_watch) \
    LIST (sizes, mm_bytes_used)

struct mm_bytes_used {
    uint64_t bytes;
};

uint64_t mmlog_layout (void)
{
    uint64_t sum = 0;

#define LIST(FIELD, TYPE) sum = sum * 1000 + sizeof (struct TYPE);
    LISTS
#undef LIST
    return sum;
}

/* --- writing -------------------------------------------------------------- */

static void
mmpack_pack_list (struct packer *p, const struct mmlist *l, size_t n)
{
    pack_uint (p, l->count);
    pack_bytes (p, l->item, l->count * n);
}

static void pack_map (struct packer *p, const struct strmap *m)
{
    size_t count = m ? strmap_count (m) : 0, n;

    pack_uint (p, count);
    for (size_t i = 0; i < count; i++) {
        const char *key = strmap_key (m, i, &n);

        pack_uint (p, n);
        pack_bytes (p, key, n);
    }
}

void mmlog_pack (struct packer *p, const struct mm_log *log)
{
    pack_map (p, log->files);
    pack_map (p, log->ops);
#define LIST(FIELD, TYPE) \
    mmpack_pack_list (p, &log->FIELD, sizeof (struct TYPE));
    LISTS
#undef LIST
    pack_uint (p, log->mapped_at);
    pack_uint (p, log->sources);
    pack_uint (p, (uint64_t)log->perf_errno);
#define LOSS(FIELD, ROW) pack_uint (p, log->lost.FIELD);
#include "lib/format/mmlosses.def"
#undef LOSS
}

/* --- reading -------------------------------------------------------------- */

static int unpack_list (struct unpacker *u, struct mmlist *l, size_t n)
{
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        void *item = mmlist_add (l, n);

        if (!item)
            return -1;
        unpack_bytes (u, item, n);
    }
    return u->bad ? -1 : 0;
}

static int unpack_map (struct unpacker *u, struct strmap **m)
{
    uint64_t count = unpack_uint (u);
    int isnew;

    if (count && !u->bad && !(*m = strmap_create ()))
        return -1;
    for (uint64_t i = 0; i < count && !u->bad; i++) {
        size_t n;
        const char *key = unpack_text (u, &n);

        if (key && strmap_intern (*m, key, n, &isnew) < 0)
            return -1;
        if (key && !isnew)
            u->bad = 1;
    }
    return u->bad ? -1 : 0;
}

static int mmpack_known (uint32_t at, const struct strmap *m)
{
    return at == MM_NOBODY || (m && at < strmap_count (m));
}

#define CHECK(LIST, TYPE, FIELD, MAP)                                      \
    for (size_t i = 0; i < log->LIST.count; i++)                           \
        if (!mmpack_known (((const struct TYPE *)log->LIST.item)[i].FIELD, \
                           log->MAP))                                      \
            return 0;

/* Does every ordinal stand for something? */
static int makes_sense (const struct mm_log *log)
{
    CHECK (looks, mm_look, file, files)
    CHECK (faults, mm_seen, file, files)
    CHECK (misses, mm_miss, file, files)
    CHECK (parts, mm_part, op, ops)
    for (size_t i = 0; i < log->looks.count; i++)
        if (((const struct mm_look *)log->looks.item)[i].file == MM_NOBODY)
            return 0;
    for (size_t i = 0; i < log->parts.count; i++)
        if (((const struct mm_part *)log->parts.item)[i].op == MM_NOBODY)
            return 0;
    return log->sizes.count <= (log->ops ? strmap_count (log->ops) : 0);
}

int mmlog_unpack (struct unpacker *u, struct mm_log *log)
{
    if (!mmlog_empty (log)) {
        u->bad = 1;
        return -1;
    }
    if (unpack_map (u, &log->files) < 0 || unpack_map (u, &log->ops) < 0)
        return -1;
#define LIST(FIELD, TYPE)                                       \
    if (unpack_list (u, &log->FIELD, sizeof (struct TYPE)) < 0) \
        return -1;
    LISTS
#undef LIST
    log->mapped_at = unpack_uint (u);
    log->sources = (unsigned)unpack_uint (u);
    log->perf_errno = (int)unpack_uint (u);
#define LOSS(FIELD, ROW) log->lost.FIELD = unpack_uint (u);
#include "lib/format/mmlosses.def"
#undef LOSS
    if (!u->bad && !makes_sense (log))
        u->bad = 1;
    return u->bad ? -1 : 0;
}
