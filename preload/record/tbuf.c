/* SPDX-License-Identifier: MIT
 *
 * tbuf.c - records of one thread -> bytes of its chunk
 *
 * In:  struct record with ids of names_intern
 * Out: a chunk in the shard, self-contained: every name that a record uses
 *      is defined before it in the same chunk
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */

/* Design. A chunk is a shared mapping of space that fallocate promised. An
 * event is one encoding and one store of the chunk's commit word; the kernel
 * owns the page, so a SIGKILL at any instruction loses at most the record
 * that was not yet committed. File systems without fallocate get a chunk in
 * memory that is written when it is full, at thread end and at exit. */

#include "config.h"

#include <stdatomic.h>

#include "lib/base/sys.h"
#include "lib/format/lastword.h"
#include "lib/format/varint.h"
#include "preload/record/prof.h"
#include "preload/record/tbuf.h"
#include "preload/record/repeat.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"

enum {
    IDS_MAX = 2 + 2 * EVENT_ARGS_MAX,
    NAME_OVERHEAD = 16,
    GROWTH = 4,
    MANY = 256, /* threads */
    DATA_FIELDS = F_FD + F_FILE + F_SIZE + F_OFFSET
};

struct slot {
    uint32_t global, local;
};

struct tbuf {
    struct repeat s; /* first, for those who know no more of it */
    uint32_t alive;  /* 0 after a fork: the page is wiped */
    uint32_t wiped;  /* the kernel promised that */
    uint32_t seq;
    uint32_t capacity, capacity_max; /* of the next chunk */
    uint32_t lost;
    uint32_t profiles; /* it counts, and encodes nothing */
    uint32_t notes;    /* its chunk ends with struct lastword_regions */
    union {
        struct {
            struct shardfile_chunk chunk;
            struct recent recent;
            struct slot dict[TBUF_SLOTS];
        };
        struct prof prof;
    };
};
_Static_assert(offsetof (struct tbuf, s) == 0, "as repeat.h has it");
_Static_assert(sizeof (struct tbuf) <= TBUFMEM_BYTES, "a page, in each thread");

/* One page each in a shared file, where most processes will do little, and
 * where there are many threads: no pages to give back, for which they would
 * queue up at the file. */
static uint32_t first_capacity (void)
{
    static SYS_STATE _Atomic uint32_t
        made; /* also by those we were forked from */
    uint32_t n = atomic_load_explicit (&made, memory_order_relaxed);

    if (n < MANY)
        n = atomic_fetch_add_explicit (&made, 1, memory_order_relaxed);
    return n < MANY && !shardfile_is_shared () ? SHARD_CHUNK_MIN : SHARD_ALIGN;
}

/* NULL when memory is short. Its page is wiped in any child that does not
 * share our memory (MADV_WIPEONFORK), so that a fork we did not see cannot
 * make two processes write to one chunk. wiped: such a page, that of the
 * parent's thread, which is used again; or NULL. chunk_bytes 0: it makes a
 * profile instead of events. */
static struct tbuf *tbuf_create (uint32_t chunk_bytes, struct tbuf *wiped)
{
    int is_wiped = wiped != NULL;
    struct tbuf *t = wiped ? wiped : tbufmem_take (&is_wiped);

    if (!t)
        return NULL;
    t->wiped = (uint32_t)is_wiped;
    t->lost = 0;
    t->alive = 1;
    t->capacity = first_capacity ();
    t->capacity_max = chunk_bytes;
    t->profiles = chunk_bytes == 0;
    t->s.kind = t->profiles ? REPEAT_PROFILE : REPEAT_EVENTS;
    return t;
}

int tbuf_valid (const struct tbuf *t)
{
    return t->alive;
}

int tbuf_mapped (const struct tbuf *t)
{
    return !t->s.limit || t->chunk.mapped;
}

void tbuf_lose (struct tbuf *t)
{
    t->lost++;
}

/* -- runs (repeat.h) -- */

static unsigned char *put_wide (unsigned char *p, uint64_t v, int bytes)
{
    for (; bytes > 1; bytes--, v >>= 7)
        *p++ = (unsigned char)(v | 0x80);
    *p++ = (unsigned char)(v & 0x7f);
    return p;
}

/* Call, gap and length, so long that what follows is aligned. */
static unsigned char *
put_first (unsigned char *p, enum call call, uint64_t gap, uint64_t length)
{
    enum { TIME = 3 /* bytes of a time */, HEAD = 2 };
    _Static_assert(REPEAT_LONG + REPEAT_PAUSE < 1 << 7 * TIME, "three bytes");
    unsigned char *place = p + HEAD + 2 * TIME;
    int pad = (int)(-(uintptr_t)place % sizeof (uint64_t));

    *p++ = (unsigned char)call;
    *p++ = SHARD_HAS_OFFSET;
    p = put_wide (p, gap, TIME + pad);
    return put_wide (p, length, TIME);
}

int tbuf_run_next (struct tbuf *t,
                   const struct record *r,
                   int64_t position,
                   unsigned moves)
{
    struct repeat *s = &t->s;
    enum call call = (enum call)r->call;
    unsigned char *place;

    if (s->run.place)
        return repeat_go_on (s, call, r->start, r->end, r->fd, r->file, r->size,
                             moves);
    if (!repeat_fits (s, r->start, r->end, r->fd, r->file, r->size) ||
        r->start - s->st.end >= REPEAT_PAUSE || position < 0)
        return 0;
    place = put_first (s->p, call, r->end - s->st.end, r->end - r->start);
    s->st.end = r->end;
    s->st.next = -1;
    s->run = (struct repeat_run){.place = place,
                                 .from = position,
                                 .moved = (int64_t)r->size,
                                 .fd = r->fd,
                                 .left = REPEAT_RUN,
                                 .moves = moves};
    repeat_commit (s, put_wide (place, 0, sizeof (uint64_t)));
    return 1;
}

/* One store: who reads meanwhile has the offset, or that it is not known. */
int64_t tbuf_run_end (struct tbuf *t, int64_t now)
{
    struct repeat_run run = t->s.run;
    int64_t next = run.from + run.moved;
    unsigned char bytes[sizeof (uint64_t)];
    uint64_t word;

    t->s.run.place = NULL;
    if (now != next || (uint64_t)next >> 7 * sizeof (bytes))
        return next;
    (void)put_wide (bytes, (uint64_t)run.from + 1, sizeof (bytes));
    memcpy (&word, bytes, sizeof (word));
    __atomic_store_n ((uint64_t *)(void *)run.place, word, __ATOMIC_RELEASE);
    if (t->s.st.next < 0)
        t->s.st.next = next;
    return next;
}

static void tbuf_run_settle (struct tbuf *t)
{
    if (t->s.run.place && !recorder_aside)
        (void)tbuf_run_end (t, sys_call (SYS_lseek, t->s.run.fd, 0, SEEK_CUR));
    t->s.run.place = NULL;
}

/* Something else that says an offset: none is filled in before it any more. */
static inline void tbuf_run_leave (struct tbuf *t, const struct call_info *info)
{
    if (info->fields & F_OFFSET || info->ret == CALL_RET_OFFSET)
        t->s.run.place = NULL;
}

static void end_chunk (struct tbuf *t, int last)
{
    tbuf_run_settle (t);
    t->s.word = NULL;
    if (t->chunk.block)
        shardfile_chunk_end (&t->chunk, last);
    t->s.p = t->s.limit = NULL;
}

/* Seal what there is and free t; NULL is fine. */
static void tbuf_end (struct tbuf *t, int last)
{
    if (!t)
        return;
    if (t->alive && t->profiles)
        prof_end (&t->prof, last);
    else if (t->alive)
        end_chunk (t, last);
    if (!last) /* else the kernel does it in a moment */
        tbufmem_free (t);
}

struct tbuf *tbuf_drop (struct tbuf *t)
{
    if (!t || !t->alive)
        return t;
    if (t->profiles)
        prof_drop (&t->prof);
    else
        shardfile_chunk_drop (&t->chunk);
    tbufmem_free (t);
    return NULL;
}

void tbuf_before_fork (struct tbuf *t)
{
    if (t->wiped)
        tbufmem_advise (t, MADV_KEEPONFORK);
}

void tbuf_after_fork (struct tbuf *t)
{
    if (t->wiped)
        tbufmem_advise (t, MADV_WIPEONFORK);
}

void tbuf_leave (struct tbuf *t)
{
    if (t->profiles)
        prof_leave (&t->prof);
    else if (t->chunk.block &&
             !t->chunk.stays) /* else with its process block */
        sys_memory_at (t->chunk.block, t->chunk.capacity);
}

/* Write a record of the clock, now and then. */
static unsigned char *
put_clock (struct tbuf *t, const struct clock_pair *pair, unsigned char *p)
{
    t->s.clock_due = pair->tick + clock_interval (pair);
    return p + event_encode_clock (&t->s.st, pair->tick, pair->ns,
                                   clock_hz (pair), p);
}

/* Its first, from which the ns of the base follow, too. */
static void start_clock (struct tbuf *t, struct shard_block *b, uint64_t base)
{
    struct clock_pair pair;

    b->base = b->base_ns = base;
    t->s.clock_due = UINT64_MAX;
    if (!clock_known ())
        return;
    pair = clock_pair ();
    b->base_ns = pair.ns - (uint64_t)((unsigned __int128)(pair.tick - base) *
                                      CLOCK_NS_PER_S / clock_hz (&pair));
    t->s.p = put_clock (t, &pair, t->s.p);
}

/* --- regions that this thread is in ----------------------------------------
 */

enum { REGIONS_MAX = 16 };

static _Thread_local struct {
    uint32_t depth;
    uint32_t told[LASTWORD_REGIONS]; /* names that are in the chunk's notes */
    struct {
        uint64_t start;
        uint32_t name;
    } open[REGIONS_MAX];
} regions __attribute__ ((tls_model ("initial-exec")));

static __attribute__ ((noinline)) void region_text (char *to, uint32_t name)
{
    size_t n = 0;
    const char *text = names_text (name, &n, NULL);

    n = text && n < LASTWORD_REGION_MAX ? n
        : text                          ? LASTWORD_REGION_MAX - 1
                                        : 0;
    if (n)
        memcpy (to, text, n);
    to[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!to[i])
            to[i] = '.';
}

/* Room for it, where need bytes are left. */
static __attribute__ ((noinline)) int region_room (struct tbuf *t, size_t need)
{
    if (!regions.depth || !t->s.word ||
        (size_t)(t->s.limit - t->s.p) < need + sizeof (struct lastword_regions))
        return 0;
    t->s.limit -= sizeof (struct lastword_regions);
    memset (t->s.limit, 0, sizeof (struct lastword_regions));
    ((struct lastword_regions *)(void *)t->s.limit)->mark =
        LASTWORD_REGION_MARK;
    memset (regions.told, 0, sizeof (regions.told));
    t->notes = 1;
    return 1;
}

static void region_tell (struct tbuf *t, size_t need)
{
    uint32_t n = regions.depth, slot = (n - 1) % LASTWORD_REGIONS;
    struct lastword_regions *note;

    if (!t->notes && !region_room (t, need))
        return;
    note = (struct lastword_regions *)(void *)t->s.limit;
    if (__builtin_expect (n && regions.told[slot] != regions.open[n - 1].name,
                          0)) {
        __atomic_store_n (&note->in, 0, __ATOMIC_RELEASE);
        regions.told[slot] = regions.open[n - 1].name;
        region_text (note->text[slot], regions.told[slot]);
    }
    __atomic_store_n (&note->in, n ? slot + 1 : 0, __ATOMIC_RELEASE);
}

static int region_is_told (const struct tbuf *t)
{
    return t && t->s.kind == REPEAT_EVENTS && t->s.word;
}

void recorder_region_enter (uint32_t name, uint64_t tick)
{
    struct tbuf *t = recorder_self.tbuf;

    if (regions.depth == REGIONS_MAX) /* most of them did not end here */
        regions.depth = 0;
    regions.open[regions.depth].start = tick;
    regions.open[regions.depth++].name = name;
    if (region_is_told (t))
        region_tell (t, EVENT_BYTES_MAX);
}

void recorder_region_leave (uint64_t tick)
{
    struct tbuf *t = recorder_self.tbuf;
    uint32_t n = regions.depth;

    while (n && regions.open[n - 1].start != tick)
        n--;
    if (!n)
        return;
    regions.depth = n - 1;
    if (region_is_told (t))
        region_tell (t, EVENT_BYTES_MAX);
}

void tbuf_regions_forked (void)
{
    regions.depth = 0;
}

/* The first one of a process may be smaller than asked for, and then stays
 * empty. */
static int new_chunk (struct tbuf *t, uint32_t capacity, size_t need)
{
    for (int i = 0; i < 2; i++) {
        if (shardfile_chunk_begin (&t->chunk, capacity, 0) < 0)
            break;
        if (t->chunk.capacity >= need + sizeof (struct shard_block))
            return 0;
    }
    memset (&t->chunk, 0, sizeof (t->chunk));
    return -1;
}

/* A fresh chunk with room for at least `need` bytes of payload. */
static int begin_chunk (struct tbuf *t, size_t need, uint64_t base)
{
    struct shard_block *b;
    uint32_t capacity = t->capacity;

    while (capacity < need + sizeof (*b))
        capacity *= 2;
    end_chunk (t, 0);
    if (new_chunk (t, capacity, need) < 0)
        return -1;
    capacity = t->chunk.capacity;
    b = t->chunk.block;
    if (t->wiped && !t->chunk.stays)
        (void)sys_madvise (b, capacity, MADV_DONTFORK);
    b->type = SHARD_BLOCK_EVENTS;
    b->capacity = capacity;
    b->tid = (uint32_t)sys_gettid ();
    b->seq = t->seq++;
    b->lost = t->lost;
    t->s.p = (unsigned char *)(b + 1);
    t->s.limit = (unsigned char *)b + capacity;
    t->s.file = 0;
    t->lost = 0;
    memset (t->dict, 0, sizeof (t->dict));
    memset (&t->recent, 0, sizeof (t->recent));
    event_state_init (&t->s.st, base);
    start_clock (t, b, base);
    t->s.commit = &b->commit;
    t->s.word = filespace_kept && t->chunk.mapped ? &b->checksum : NULL;
    t->notes = 0;
    if (region_is_told (t))
        region_tell (t, need);
    t->s.committed = (uint64_t)(t->s.p - (unsigned char *)(b + 1));
    b->check = shard_block_check (b);
    __atomic_store_n (&b->magic, SHARD_MAGIC, __ATOMIC_RELEASE);
    shardlive_count (&shardlive ()->chunks, 1);
    if (t->capacity < t->capacity_max)
        t->capacity = t->capacity * GROWTH < t->capacity_max
                          ? t->capacity * GROWTH
                          : t->capacity_max;
    return 0;
}

/* The names a record uses, each at most once worth counting twice. */
static unsigned ids_of (const struct record *r, unsigned fields, uint32_t *ids)
{
    unsigned n = 0;

    if (fields & F_FILE)
        ids[n++] = r->file;
    if (fields & F_FILE2)
        ids[n++] = r->file2;
    for (unsigned i = 0; i < r->nargs; i++) {
        ids[n++] = r->args[i].key;
        if (r->args[i].type == EVENT_ARG_TEXT)
            ids[n++] = r->args[i].text;
    }
    return n;
}

/* Bytes the names need, at most: of one that this chunk has defined, none.
 * Of several all count, as defining one may push another out of its slot. */
static size_t names_need (const struct tbuf *t, const uint32_t *ids, unsigned n)
{
    size_t need = 0;

    if (n == 1 && t->dict[tbuf_slot (ids[0])].global == ids[0])
        return 0;
    for (unsigned i = 0; i < n; i++) {
        size_t length = 0;

        if (names_text (ids[i], &length, NULL))
            need += length + NAME_OVERHEAD;
    }
    return need;
}

/* Whether a record with n names fits behind t->s.p. */
static int
tbuf_fits (const struct tbuf *t, const uint32_t *ids, unsigned n, size_t *need)
{
    size_t room = (size_t)(t->s.limit - t->s.p);

    *need = EVENT_BYTES_MAX;
    if (room >= EVENT_BYTES_MAX + n * (EVENT_NAME_MAX + (size_t)NAME_OVERHEAD))
        return 1; /* however long they are */
    *need += names_need (t, ids, n);
    return room >= *need;
}

/* Define a name in this chunk; returns the byte behind it, NULL for an id that
 * nobody knows (any more). */
static unsigned char *define (struct tbuf *t, uint32_t id, unsigned char *p)
{
    uint32_t local = t->s.st.names + 1;
    struct event_state before = t->s.st;
    struct event_like like;
    enum file_class class;
    size_t length;
    const char *text = names_text (id, &length, &class);

    if (!text)
        return NULL;
    if (event_may_like (&t->s.st, length) &&
        recent_find (&t->recent, local, id, &like))
        p += event_encode_like (&t->s.st, &like, text, length, p);
    else
        p += event_encode_name (&t->s.st, names_kind (id), class, text, length,
                                p);
    if (!names_valid (id)) {
        t->s.st = before;
        return NULL;
    }
    recent_add (&t->recent, local, id);
    return p;
}

/* Id of a name in this chunk, defining it at *p if need be. */
static uint32_t local_id (struct tbuf *t, uint32_t id, unsigned char **p)
{
    struct slot *slot = &t->dict[tbuf_slot (id)];
    unsigned char *end;

    if (id == 0 || slot->global == id)
        return id ? slot->local : 0;
    end = define (t, id, *p);
    if (!end) {
        shardlive_count (&shardlive ()->lost_names, 1);
        return 0;
    }
    *p = end;
    slot->global = id;
    slot->local = t->s.st.names;
    return slot->local;
}

static void localize (struct tbuf *t,
                      const struct record *r,
                      unsigned fields,
                      struct event *ev,
                      unsigned char **p)
{
    ev->call = r->call;
    ev->start = r->start;
    ev->end = r->end;
    ev->err = r->err;
    ev->fd = r->fd;
    ev->size = r->size;
    ev->offset = r->offset;
    ev->ret = r->ret;
    ev->flags = r->flags;
    ev->nargs = r->nargs;
    ev->file = fields & F_FILE ? local_id (t, r->file, p) : 0;
    ev->file2 = fields & F_FILE2 ? local_id (t, r->file2, p) : 0;
    for (unsigned i = 0; i < r->nargs; i++) {
        ev->args[i].key = local_id (t, r->args[i].key, p);
        ev->args[i].type = r->args[i].type;
        ev->args[i].i = r->args[i].i;
        ev->args[i].d = r->args[i].d;
        ev->args[i].text = r->args[i].type == EVENT_ARG_TEXT
                               ? local_id (t, r->args[i].text, p)
                               : 0;
    }
}

int tbuf_record (struct tbuf *t, const struct record *r)
{
    unsigned fields = call_table[r->call].fields;
    uint32_t ids[IDS_MAX];
    unsigned n = ids_of (r, fields, ids);
    size_t need;
    unsigned char *p;
    struct event ev;

    if (t->profiles)
        return prof_record (&t->prof, r, (int)t->wiped);
    tbuf_run_leave (t, &call_table[r->call]);
    if (!tbuf_fits (t, ids, n, &need)) {
        memset (t->dict, 0, sizeof (t->dict)); /* a new chunk knows no names */
        need = EVENT_BYTES_MAX + names_need (t, ids, n);
        if (begin_chunk (t, need, r->start) < 0)
            return -1;
    }
    p = t->s.p;
    if (r->end >= t->s.clock_due) {
        struct clock_pair pair = clock_pair ();

        p = put_clock (t, &pair, p);
    }
    localize (t, r, fields, &ev, &p);
    p += event_encode (&t->s.st, &ev, p);
    if (fields & F_FILE && call_table[r->call].category != CALL_CATEGORY_APP)
        t->s.file = ev.file ? r->file : 0;
    if (r->call == CALL_metadata)
        t->chunk.block->flags |= SHARD_FACTS;
    repeat_commit (&t->s, p);
    return 0;
}

struct prof *tbuf_prof (struct tbuf *t)
{
    return t->profiles ? &t->prof : NULL;
}

/* A wiped buffer (a child's) has no room and so fails the first test. */
int tbuf_repeat (struct tbuf *t, const struct record *r)
{
    const struct call_info *info = &call_table[r->call];

    tbuf_run_leave (t, info);
    return info->fields == DATA_FIELDS && info->ret == CALL_RET_SIZE &&
           r->nargs == 0 && !r->err && r->ret == (int64_t)r->size &&
           repeat_put (&t->s, (enum call)r->call, r->start, r->end, r->fd,
                       r->file, r->size, r->offset);
}

/* ---- pages, wiped on fork -> buffers of threads, words of the process ---- */

struct first {
    struct recorder_wiped words;
    unsigned char tbuf[TBUFMEM_BYTES];
};
_Static_assert(sizeof (struct first) == SHARD_ALIGN, "a page");

static SYS_START struct first *first;
static SYS_STATE struct tbuf *spare; /* its buffer, if nobody has it */

static struct tbuf *first_tbuf (void)
{
    return first ? (struct tbuf *)(void *)first->tbuf : NULL;
}

struct recorder_wiped *recorder_wiped (void)
{
    struct first *p = first ? NULL : sys_memory (sizeof (*p));

    if (p && sys_madvise (p, sizeof (*p), MADV_WIPEONFORK) == 0) {
        first = p;
        spare = first_tbuf ();
    } else if (p)
        (void)sys_munmap (p, sizeof (*p));
    return first ? &first->words : NULL;
}

struct tbuf *tbufmem_take (int *wiped)
{
    struct tbuf *t = __atomic_exchange_n (&spare, NULL, __ATOMIC_ACQUIRE);

    *wiped = 1;
    if (t)
        return t;
    t = sys_memory (TBUFMEM_BYTES);
    *wiped = t && sys_madvise (t, TBUFMEM_BYTES, MADV_WIPEONFORK) == 0;
    return t;
}

void tbufmem_free (struct tbuf *t)
{
    if (t != first_tbuf ()) {
        (void)sys_munmap (t, TBUFMEM_BYTES);
        return;
    }
    memset (t, 0, TBUFMEM_BYTES);
    __atomic_store_n (&spare, t, __ATOMIC_RELEASE);
}

void tbufmem_advise (struct tbuf *t, int advice)
{
    void *page = t == first_tbuf () ? (void *)first : t;

    (void)sys_madvise (page, SHARD_ALIGN, advice);
}

void tbufmem_forked (const struct tbuf *t)
{
    if (first && t != first_tbuf ())
        spare = first_tbuf ();
}

/* ---- buffers of threads that come and go ---- */

/* As many as a process has space for blocks of a page. */
enum { WAITING_MAX = PROFILE_BYTES_MAX / SHARD_ALIGN };

static struct tbuf *_Atomic waiting[WAITING_MAX];
static SYS_STATE _Atomic unsigned slots; /* of these, that were ever used */

static uint32_t threadbuf_capacity (const struct settings *s)
{
    uint64_t n = s->chunk;

    if (n < SHARD_CHUNK_MIN)
        n = SHARD_CHUNK_MIN;
    if (n > SHARD_CHUNK_MAX / 2)
        n = SHARD_CHUNK_MAX / 2;
    return (uint32_t)(n & ~(uint64_t)(SHARD_ALIGN - 1));
}

/* One that waits, or NULL. */
static struct tbuf *threadbuf_waiting (void)
{
    unsigned n = atomic_load_explicit (&slots, memory_order_acquire);

    for (unsigned i = 0; i < n; i++) {
        struct tbuf *t =
            atomic_load_explicit (&waiting[i], memory_order_relaxed);

        if (t && atomic_compare_exchange_strong (&waiting[i], &t, NULL))
            return t;
    }
    return NULL;
}

static int threadbuf_wait (struct tbuf *t)
{
    for (unsigned i = 0; i < WAITING_MAX; i++) {
        struct tbuf *none = NULL;
        unsigned n = atomic_load_explicit (&slots, memory_order_relaxed);

        if (!atomic_compare_exchange_strong (&waiting[i], &none, t))
            continue;
        while (n <= i && !atomic_compare_exchange_weak (&slots, &n, i + 1))
            continue;
        return 1;
    }
    return 0;
}

struct tbuf *
threadbuf_take (const struct settings *s, int profile, struct tbuf *wiped)
{
    struct tbuf *t;

    if (!profile)
        return tbuf_create (threadbuf_capacity (s), wiped);
    t = wiped ? NULL : threadbuf_waiting ();
    return t ? t : tbuf_create (0, wiped);
}

void threadbuf_end (struct tbuf *t, int last)
{
    if (t && !last && tbuf_valid (t) && tbuf_prof (t)) {
        prof_rest (tbuf_prof (t));
        if (threadbuf_wait (t))
            return;
    }
    tbuf_end (t, last);
    while (last && (t = threadbuf_waiting ()))
        tbuf_end (t, last);
}

void threadbuf_forked (void)
{
    unsigned n = atomic_exchange (&slots, 0);

    for (unsigned i = 0; i < n; i++)
        atomic_store_explicit (&waiting[i], NULL, memory_order_relaxed);
    prof_forked ();
}
