/* SPDX-License-Identifier: MIT
 *
 * proffind.c - call and file -> the record that counts them, in this thread's
 *              blocks
 *
 * In:  ids of names_intern, from prof.c
 * Out: rows, places and groups of histograms, made when they are new
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */
#include "config.h"

#include <stdatomic.h>

#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/record/prof.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"

enum {
    INDEX_MIN = 1024, /* slots: a page */
    PROF_IDS = 512,   /* names that are known by their ids: a page */
    PROF_VALUES = PROF_WHATS * (PROF_CACHED + 1)
};

/* --- the index ------------------------------------------------------------ */

static void *prof_at (const struct prof *p, prof_ref ref)
{
    const struct shardfile_chunk *c = &p->chunk[(ref - 1) >> PROF_REF_BITS];

    return (unsigned char *)c->block +
           (size_t)((ref - 1) & ((1u << PROF_REF_BITS) - 1)) * PROFILE_ALIGN;
}

static uint32_t prof_mix (uint64_t h)
{
    h *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static uint32_t prof_hash_head (const struct profile_head *h)
{
    return prof_mix (
        prof_mix ((uint64_t)h->type << 40 | (uint64_t)h->kind << 32 | h->call) ^
        ((uint64_t)h->number << 32 | h->number2));
}

/* Return the hash of a name by its text. */
static uint32_t prof_hash_name (const struct profile_head *h, const char *text)
{
    return prof_mix (shard_checksum (text, h->call, h->kind) ^ h->class);
}

static int same_head (const struct profile_head *a,
                      const struct profile_head *b)
{
    return a->type == b->type && a->kind == b->kind && a->call == b->call &&
           a->number == b->number && a->number2 == b->number2;
}

/* The slot of a record, or the empty one where it would be. The file may be
 * written to by others: what a record says is compared, never followed. */
static prof_ref *prof_slot (const struct prof *p,
                            const struct profile_head *like,
                            const char *text)
{
    uint32_t mask = p->slots - 1;
    uint32_t at = text ? prof_hash_name (like, text) : prof_hash_head (like);

    for (at &= mask; p->index[at]; at = (at + 1) & mask) {
        const struct profile_head *h = prof_at (p, p->index[at]);
        const struct shardfile_chunk *c =
            &p->chunk[(p->index[at] - 1) >> PROF_REF_BITS];
        size_t room = (size_t)((const unsigned char *)c->block + c->capacity -
                               (const unsigned char *)(h + 1));

        if (!text ? same_head (h, like)
                  : h->type == PROFILE_NAME && h->kind == like->kind &&
                        h->class == like->class && h->call == like->call &&
                        like->call <= room &&
                        memcmp (h + 1, text, like->call) == 0)
            break;
    }
    return &p->index[at];
}

/* Records of a block, which this thread has written, into a larger index. */
static void index_block (struct prof *p, uint32_t chunk)
{
    struct shard_block *b = p->chunk[chunk].block;
    size_t n = (uint32_t)b->commit,
           room = p->chunk[chunk].capacity - sizeof (*b);

    for (size_t at = 0; at + PROFILE_ALIGN <= n && n <= room;) {
        const struct profile_head *h =
            (const void *)((const unsigned char *)(b + 1) + at);
        const char *text =
            h->type == PROFILE_NAME ? (const char *)(h + 1) : NULL;

        if (!h->bytes || (text && h->call > n - at - sizeof (*h)))
            break; /* not by us */
        *prof_slot (p, h, text) =
            (chunk << PROF_REF_BITS |
             (uint32_t)((at + sizeof (*b)) / PROFILE_ALIGN)) +
            1;
        at += (size_t)h->bytes * PROFILE_ALIGN;
    }
}

static size_t index_bytes (uint32_t slots)
{
    return slots * sizeof (prof_ref) + PROF_IDS * sizeof (uint64_t) +
           PROF_VALUES * sizeof (struct prof_values);
}

static int grow_index (struct prof *p, int wiped)
{
    uint32_t slots = p->slots ? 2 * p->slots : INDEX_MIN;
    prof_ref *index = sys_memory (index_bytes (slots)), *old = p->index;
    uint64_t *ids = (uint64_t *)(void *)(index + slots);
    uint32_t before = p->slots;

    if (!index)
        return -1;
    if (wiped)
        (void)sys_madvise (index, index_bytes (slots), MADV_DONTFORK);
    if (old)
        memcpy (ids, p->ids, index_bytes (0));
    p->index = index;
    p->ids = ids;
    p->values = (struct prof_values *)(void *)(ids + PROF_IDS);
    p->slots = slots;
    for (uint32_t i = 0; i < p->chunks; i++)
        index_block (p, i);
    if (old)
        (void)sys_munmap (old, index_bytes (before));
    return 0;
}

/* Room for one more. */
static int prof_index_room (struct prof *p, int wiped)
{
    return 2 * (p->records + 1) <= p->slots ? 0 : grow_index (p, wiped);
}

/* The record that is like this one; NULL: there is none yet. */
static void *find_record (const struct prof *p,
                          const struct profile_head *like,
                          const char *text)
{
    prof_ref ref = p->slots ? *prof_slot (p, like, text) : 0;

    return ref ? prof_at (p, ref) : NULL;
}

static void *make_record (struct prof *p,
                          const struct profile_head *like,
                          const char *text,
                          uint32_t bytes,
                          int wiped)
{
    struct profile_head *h;

    if (prof_index_room (p, wiped) < 0 ||
        !(h = prof_append (p, like, bytes, wiped)))
        return NULL;
    if (text)
        memcpy (h + 1, text, like->call);
    *prof_slot (p, like, text) = prof_commit (p, h);
    p->records++;
    return h;
}

void *prof_find_or_make (struct prof *p,
                         const struct profile_head *like,
                         uint32_t bytes,
                         int wiped)
{
    void *h = find_record (p, like, NULL);

    return h ? h : make_record (p, like, NULL, bytes, wiped);
}

void *prof_make (struct prof *p,
                 const struct profile_head *like,
                 const void *content,
                 uint32_t bytes,
                 int wiped)
{
    struct profile_head *h;

    if (prof_index_room (p, wiped) < 0 ||
        !(h = prof_append (p, like, (uint32_t)sizeof (*h) + bytes, wiped)))
        return NULL;
    memcpy (h + 1, content, bytes);
    *prof_slot (p, like, NULL) = prof_commit (p, h);
    p->records++;
    return h;
}

/* --- names ---------------------------------------------------------------- */

static const struct profile_head *make_name (struct prof *p,
                                             struct profile_head *like,
                                             const char *text,
                                             int wiped)
{
    like->number = p->names + 1;
    if (!make_record (p, like, text, (uint32_t)sizeof (*like) + like->call,
                      wiped))
        return NULL;
    p->names++;
    return like;
}

/* Number of a name in this thread, by its text; 0: it has none, or no room for
 * it. */
static uint32_t text_number (struct prof *p, uint32_t id, int wiped)
{
    struct profile_head like = {.type = PROFILE_NAME};
    enum file_class class = FILE_CLASS_UNKNOWN;
    char folded[EVENT_NAME_MAX];
    const struct profile_head *h;
    size_t length = 0;
    const char *text = id ? names_text (id, &length, &class) : NULL;
    enum prof_fold how;

    if (!text || length > sizeof (folded))
        return 0;
    like.kind = (uint8_t)names_kind (id);
    like.class = (uint8_t) class;
    like.call = (uint16_t)length;
    if ((h = find_record (p, &like, text)))
        return h->number;
    how = like.kind == SHARD_NAME_FILE ? prof_fold_now () : PROF_FOLD_NOT;
    for (; how <= PROF_FOLD_ALL; how++) {
        like.call = (uint16_t)prof_fold (how, text, length, folded);
        like.flags = how ? PROFILE_FOLDED : 0;
        if (!names_valid (id))
            break;
        if ((h = find_record (p, &like, folded)) ||
            (h = make_name (p, &like, folded, wiped)))
            return h->number;
    }
    shardlive_count (&shardlive ()->lost_names, 1);
    return 0;
}

/* Return the number of a recent id, without its text: ids are used again only
 * after 4 GiB of names. */
static uint32_t name_number (struct prof *p, uint32_t id, int wiped)
{
    uint32_t at = prof_mix (id) % PROF_IDS, number;

    if (!id)
        return 0;
    if (p->ids && p->ids[at] >> 32 == id)
        return (uint32_t)p->ids[at];
    number = text_number (p, id, wiped);
    if (p->ids && number)
        p->ids[at] = (uint64_t)id << 32 | number;
    return number;
}

/* --- rows ----------------------------------------------------------------- */

/* Whether its offsets say where the process is in the file: a call of MPI-IO
 * has those of POSIX inside. */
static int has_place (const struct call_info *info)
{
    return info->fields & F_OFFSET && info->category == CALL_CATEGORY_POSIX &&
           (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE);
}

static unsigned storage_of (const struct record *r, uint32_t id, uint32_t id2)
{
    const struct call_info *info = &call_table[r->call];
    enum file_class class = FILE_CLASS_UNKNOWN;
    unsigned storage = 0;

    if (info->category != CALL_CATEGORY_POSIX &&
        info->category != CALL_CATEGORY_STDIO)
        return 0;
    if (id && names_text (id, NULL, &class) && class == FILE_CLASS_STORAGE)
        storage |= PROF_STORAGE;
    if (id2 && names_text (id2, NULL, &class) && class == FILE_CLASS_STORAGE)
        storage |= PROF_STORAGE2;
    return storage;
}

/* Reset the place of the last access, which belongs to the thread that had the
 * block before. */
static void begin_place (const struct prof *p, struct profile_file *f)
{
    if (f->before >> PROFILE_BEFORE_SHIFT == p->turn)
        return;
    f->before = (uint64_t)p->turn << PROFILE_BEFORE_SHIFT;
    f->ends[0] = f->ends[1] = 0;
}

static int find_rows (struct prof *p,
                      const struct record *r,
                      uint32_t id2,
                      int wiped,
                      struct prof_cache *c)
{
    struct profile_head like = {.type = PROFILE_ROW, .call = r->call};

    like.number = name_number (p, c->id, wiped);
    like.number2 = name_number (p, id2, wiped);
    c->row = prof_find_or_make (p, &like, sizeof (*c->row), wiped);
    c->file = NULL;
    if (!c->row && like.number) { /* without its file, at least */
        like.number = like.number2 = 0;
        c->row = prof_find_or_make (p, &like, sizeof (*c->row), wiped);
    }
    if (!c->row)
        return -1;
    like.type = PROFILE_FILE;
    like.call = 0;
    if (like.number && has_place (&call_table[r->call]))
        c->file = prof_find_or_make (p, &like, sizeof (*c->file), wiped);
    if (c->file)
        begin_place (p, c->file);
    return 0;
}

struct prof_cache *prof_find (struct prof *p,
                              const struct record *r,
                              uint32_t id,
                              uint32_t id2,
                              int wiped,
                              struct prof_cache *pair)
{
    struct prof_cache *c = &p->cache[prof_cache_slot (id, r->call)];

    pair->id = id;
    pair->call = r->call;
    pair->storage = (uint8_t)storage_of (r, id, id2);
    pair->values = 0; /* records are looked for when they are needed */
    if (find_rows (p, r, id2, wiped, pair) < 0)
        return NULL;
    if (id2)
        c = pair;
    else
        *c = *pair;
    return c;
}

void *prof_has (const struct prof *p, const struct profile_head *like)
{
    return find_record (p, like, NULL);
}

/* --- ends ----------------------------------------------------------------- */

static void index_drop (struct prof *p)
{
    if (p->index)
        (void)sys_munmap (p->index, index_bytes (p->slots));
}

void prof_end (struct prof *p, int last)
{
    prof_end_blocks (p, last);
    if (last)
        return;
    index_drop (p);
    memset (p, 0, sizeof (*p));
}

void prof_drop (struct prof *p)
{
    for (uint32_t i = 0; i < p->chunks; i++)
        shardfile_chunk_drop (&p->chunk[i]);
    index_drop (p);
    memset (p, 0, sizeof (*p));
}

void prof_leave (struct prof *p)
{
    for (uint32_t i = 0; i < p->chunks; i++)
        if (!p->chunk[i].stays)
            sys_memory_at (p->chunk[i].block, p->chunk[i].capacity);
    if (p->index)
        sys_memory_at (p->index, index_bytes (p->slots));
}

/* ---- space for the records of a thread's profile ---- */

enum {
    CHUNK_MAX = 128 << 10,
    FILES_BYTES = 2 << 20, /* taken by a process: from there on names are */
    DIRS_BYTES = FILES_BYTES + (FILES_BYTES >> 2), /* folded, more and more */
    GROWTH_BYTES = 3 << 20 /* the rest is for first blocks of threads */
};

static SYS_STATE _Atomic uint64_t taken; /* bytes of blocks of this process */

void prof_forked (void)
{
    atomic_store_explicit (&taken, 0, memory_order_relaxed);
}

uint64_t prof_taken (void)
{
    return atomic_load_explicit (&taken, memory_order_relaxed);
}

enum prof_fold prof_fold_now (void)
{
    uint64_t now = prof_taken ();

    return now < FILES_BYTES    ? PROF_FOLD_NOT
           : now < DIRS_BYTES   ? PROF_FOLD_DIGITS
           : now < GROWTH_BYTES ? PROF_FOLD_DIR
                                : PROF_FOLD_ALL;
}

static uint32_t next_capacity (const struct prof *p)
{
    unsigned twice = p->chunks / 2; /* so that little of it stays empty */
    uint64_t n = (uint64_t)SHARD_ALIGN << (twice > 5 ? 5 : twice);

    return (uint32_t)(n > CHUNK_MAX ? CHUNK_MAX : n);
}

/* Space of the process's; the first block of a thread may use what is left. */
static int take_bytes (const struct prof *p, uint32_t capacity)
{
    uint64_t limit = p->chunks ? GROWTH_BYTES : PROFILE_BYTES_MAX;
    uint64_t now = atomic_load_explicit (&taken, memory_order_relaxed);

    do {
        if (now + capacity > limit)
            return -1;
    } while (!atomic_compare_exchange_weak (&taken, &now, now + capacity));
    return 0;
}

/* The first one of a process may be smaller than asked for. */
static int begin_block (struct prof *p, uint32_t bytes, int wiped)
{
    struct shardfile_chunk *c = &p->chunk[p->chunks];
    uint32_t capacity = next_capacity (p);
    struct shard_block *b;

    while (capacity < bytes + sizeof (*b))
        capacity *= 2;
    if (p->chunks == PROF_CHUNKS || take_bytes (p, capacity) < 0)
        return -1;
    if (shardfile_chunk_begin (c, capacity, 1) < 0) {
        atomic_fetch_sub (&taken, capacity);
        memset (c, 0, sizeof (*c));
        return -1;
    }
    b = c->block;
    if (wiped && !c->stays)
        (void)sys_madvise (b, c->capacity, MADV_DONTFORK);
    b->type = SHARD_BLOCK_PROFILE;
    b->capacity = c->capacity;
    /* That of the first one, also where a later thread goes on with them: names
     * count through all blocks of a thread. */
    b->tid = p->chunks ? p->chunk[0].block->tid : (uint32_t)sys_gettid ();
    b->seq = p->chunks++;
    b->base = p->base;
    b->base_ns = p->base_ns;
    b->check = shard_block_check (b);
    p->p = (unsigned char *)(b + 1);
    p->limit = (unsigned char *)b + c->capacity;
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
    shardlive_count (&shardlive ()->chunks, 1);
    return 0;
}

/* A record of so many bytes, zeros but for *head; it counts once
 * prof_commit says so. NULL: no room. */
void *prof_append (struct prof *p,
                   const struct profile_head *head,
                   uint32_t bytes,
                   int wiped)
{
    uint32_t size = (bytes + PROFILE_ALIGN - 1) & -(uint32_t)PROFILE_ALIGN;
    struct profile_head *h;

    for (int i = 0; (size_t)(p->limit - p->p) < size; i++)
        if (i == 2 || begin_block (p, size, wiped) < 0)
            return NULL;
    h = (struct profile_head *)(void *)p->p;
    *h = *head;
    h->bytes = (uint16_t)(size / PROFILE_ALIGN);
    return h;
}

prof_ref prof_commit (struct prof *p, const void *record)
{
    const struct profile_head *h = record;
    struct shard_block *b = p->chunk[p->chunks - 1].block;
    uint32_t at = (uint32_t)(p->p - (unsigned char *)b) / PROFILE_ALIGN;

    p->p += (uint32_t)h->bytes * PROFILE_ALIGN;
    __atomic_store_n (&b->commit, (uint64_t)(p->p - (unsigned char *)(b + 1)),
                      __ATOMIC_RELEASE);
    return ((uint32_t)(p->chunks - 1) << PROF_REF_BITS | at) + 1;
}

/* Give the blocks of a thread back, so that the next thread can use them. */
void prof_end_blocks (struct prof *p, int last)
{
    for (uint32_t i = 0; i < p->chunks; i++) {
        struct shardfile_chunk *c = &p->chunk[i];
        uint32_t pages = shardhead_pages ((uint32_t)c->block->commit +
                                          (uint32_t)sizeof (*c->block));

        if (!last && pages < c->capacity)
            atomic_fetch_sub (&taken, c->capacity - pages);
        shardfile_chunk_end (c, last);
    }
}
