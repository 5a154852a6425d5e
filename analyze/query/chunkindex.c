/* SPDX-License-Identifier: MIT
 *
 * chunkindex.c - content of each chunk of a merged trace <-> TRACE.index
 *
 * In:  chunks of a trace; TRACE.index, which another user may have written
 * Out: TRACE.index; struct chunkindex, to chunkskip.c
 */
#include "config.h"

#include "analyze/query/chunkindex.h"
#include "analyze/scan/evfilter.h"
#include "analyze/scan/packer.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

char *chunkindex_path (const char *trace)
{
    return xasprintf ("%s.index", trace);
}

/* --- reading ---------------------------------------------------------------
 */

/* How many there are: no more than the bytes that say so. */
static size_t chunkindex_count (struct unpacker *u)
{
    uint64_t n = unpack_uint (u);

    if (!u->bad && n > (uint64_t)(u->limit - u->p))
        u->bad = 1;
    return u->bad ? 0 : n;
}

struct chunkindex_reader {
    struct unpacker u;
    struct chunkindex *x;
    uint32_t *number; /* of each name of the file: of the dictionary; owned */
    size_t numbers;
    size_t calls_room, names_room;
};

static void chunkindex_read_names (struct chunkindex_reader *r,
                                   struct dict *dict)
{
    size_t n = chunkindex_count (&r->u), length;

    NEW (r->number, n + 1);
    for (size_t i = 1; i <= n && !r->u.bad; i++) {
        uint64_t kind = unpack_uint (&r->u), class = unpack_uint (&r->u);
        const char *text = unpack_text (&r->u, &length);

        if (!text || kind < SHARD_NAME_FILE || kind > SHARD_NAME_EVENT ||
            class > UINT8_MAX || length > EVENT_NAME_MAX) {
            r->u.bad = 1;
            break;
        }
        r->number[i] = dict_number (dict, kind, class, text, length);
    }
    r->numbers = n + 1;
}

static void chunkindex_read_calls (struct chunkindex_reader *r,
                                   struct chunk_facts *c)
{
    struct chunkindex *x = r->x;
    size_t n = chunkindex_count (&r->u);
    uint64_t call = 0;

    r->u.bad |= n > CALL_MAX;
    if (r->u.bad)
        return;
    GROW (x->call, r->calls_room, x->calls + n);
    c->calls = (uint16_t)n;
    c->call_at = x->calls;
    for (size_t i = 0; i < n; i++) {
        call += unpack_uint (&r->u);
        r->u.bad |= call >= CALL_MAX;
        x->call[x->calls++] = r->u.bad ? 0 : (uint16_t)call;
    }
}

static void chunkindex_read_used (struct chunkindex_reader *r,
                                  struct chunk_facts *c)
{
    struct chunkindex *x = r->x;
    size_t n;
    uint64_t name = 0;

    if (unpack_uint (&r->u)) {
        c->names = CHUNKINDEX_MANY;
        return;
    }
    n = chunkindex_count (&r->u);
    r->u.bad |= n > CHUNKINDEX_NAMES_MAX;
    if (r->u.bad)
        return;
    GROW (x->name, r->names_room, x->names + n);
    c->names = (uint16_t)n;
    c->name_at = x->names;
    for (size_t i = 0; i < n; i++) {
        name += unpack_uint (&r->u);
        r->u.bad |= name >= r->numbers;
        x->name[x->names++] = r->u.bad ? 0 : r->number[name];
    }
}

static void chunkindex_read_chunk (struct chunkindex_reader *r,
                                   struct chunk_facts *c,
                                   uint64_t *offset)
{
    c->offset = *offset += unpack_uint (&r->u);
    unpack_bytes (&r->u, &c->checksum, sizeof (c->checksum));
    c->events = (uint32_t)unpack_uint (&r->u);
    c->any = (uint16_t)unpack_uint (&r->u);
    c->all = (uint16_t)unpack_uint (&r->u);
    for (int n = 0; n < CHUNKINDEX_NUMBERS; n++)
        if (c->any >> n & 1) {
            c->least[n] = unpack_int (&r->u);
            c->most[n] = unpack_int (&r->u);
        }
    chunkindex_read_calls (r, c);
    chunkindex_read_used (r, c);
}

static int chunkindex_read_all (struct chunkindex_reader *r, struct dict *dict)
{
    char magic[sizeof (CHUNKINDEX_MAGIC)] = "";
    uint64_t offset = 0;
    size_t n;

    unpack_bytes (&r->u, magic, sizeof (magic));
    if (r->u.bad || memcmp (magic, CHUNKINDEX_MAGIC, sizeof (magic)) != 0) {
        errno = EPROTO;
        return -1;
    }
    chunkindex_read_names (r, dict);
    n = chunkindex_count (&r->u);
    NEW (r->x->chunk, n + 1);
    for (; !r->u.bad && r->x->chunks < n; r->x->chunks++)
        chunkindex_read_chunk (r, &r->x->chunk[r->x->chunks], &offset);
    if (!r->u.bad && unpack_ended (&r->u))
        return 0;
    errno = EBADMSG;
    return -1;
}

/* A regular file, no link. */
static FILE *chunkindex_open (const char *trace)
{
    char *path = chunkindex_path (trace);
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    FILE *in;

    free (path);
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (in = fdopen (fd, "r")))
        return in;
    if (fd >= 0)
        close (fd);
    return NULL;
}

struct chunkindex *chunkindex_read (const char *path, struct dict *dict)
{
    struct chunkindex_reader r = {.x = ZEROED (r.x, 1)};
    FILE *in = chunkindex_open (path);
    uint64_t type = 0;
    int rc = in ? unpack_section (&r.u, &type, in) : -1, saved;

    if (rc >= 0) {
        errno = EBADMSG;
        rc = rc > 0 && type == CHUNKINDEX_SECTION
                 ? chunkindex_read_all (&r, dict)
                 : -1;
    }
    saved = errno;
    free (r.number);
    unpacker_clear (&r.u);
    if (in)
        fclose (in);
    if (rc == 0)
        return r.x;
    chunkindex_destroy (r.x);
    errno = saved;
    return NULL;
}

void chunkindex_remove (const char *path)
{
    char head[CHUNKINDEX_HEAD + sizeof (CHUNKINDEX_MAGIC)] = "";
    FILE *in = chunkindex_open (path);
    char *index = chunkindex_path (path);
    int is = in && fread (head, sizeof (head), 1, in) == 1 &&
             memcmp (head + CHUNKINDEX_HEAD, CHUNKINDEX_MAGIC,
                     sizeof (CHUNKINDEX_MAGIC)) == 0;

    if (is)
        unlink (index);
    free (index);
    if (in)
        fclose (in);
}

void chunkindex_destroy (struct chunkindex *x)
{
    if (!x)
        return;
    free (x->chunk);
    free (x->call);
    free (x->name);
    free (x);
}

/* --- asking ----------------------------------------------------------------
 */

const struct chunk_facts *chunkindex_find (const struct chunkindex *x,
                                           const struct trace_chunk *c)
{
    size_t lo = 0, hi = x->chunks;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (x->chunk[mid].offset < c->offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->chunks && x->chunk[lo].offset == c->offset &&
                   x->chunk[lo].checksum == c->head.checksum &&
                   x->chunk[lo].events == c->events && c->present >= c->used
               ? &x->chunk[lo]
               : NULL;
}

const enum where_column chunkindex_column[CHUNKINDEX_NUMBERS] = {
    WHERE_time, WHERE_dur,   WHERE_size, WHERE_bytes, WHERE_offset,
    WHERE_ret,  WHERE_errno, WHERE_fd,   WHERE_flags};

/* A chunk, while it is read and then until all are written. */
struct indexed {
    struct chunk_facts facts;
    uint8_t call[CALL_MAX];   /* has it any? */
    uint32_t *name;           /* of the dictionary, as they came; owned */
    size_t names, names_room; /* more than CHUNKINDEX_NAMES_MAX: not known */
};

struct indexed_worker {
    struct column_source source;
    struct indexed *chunk; /* owned; the last one is being read */
    size_t chunks, room;
    uint32_t *seen; /* by name: the number of the chunk it was in last; owned */
    size_t seen_room;
};

struct indexed_work {
    struct pass pass;
    struct indexed_worker *worker; /* owned */
    struct indexed **all;          /* by offset; owned */
    size_t chunks;
    uint32_t *number; /* of the dictionary -> of the file, from 1; owned */
};

/* --- reading ---------------------------------------------------------------
 */

static void indexed_begin_chunk (struct indexed_worker *w,
                                 const struct batch *b)
{
    struct indexed *all = APPEND (w->chunk, w->chunks, w->room);

    all->facts.offset = b->chunk->offset;
    all->facts.checksum = b->chunk->head.checksum;
    all->facts.events = b->chunk->events;
    all->facts.all = (1 << CHUNKINDEX_NUMBERS) - 1;
}

static void
indexed_name (struct indexed_worker *w, struct indexed *c, uint32_t name)
{
    if (w->seen[name] == w->chunks || c->names > CHUNKINDEX_NAMES_MAX)
        return;
    w->seen[name] = (uint32_t)w->chunks;
    *APPEND (c->name, c->names, c->names_room) = name;
}

static void indexed_number (struct indexed_worker *w,
                            struct indexed *c,
                            const struct batch *b,
                            int n)
{
    int64_t value[BATCH_EVENTS], least = INT64_MAX, most = INT64_MIN;
    unsigned char has[BATCH_EVENTS];
    size_t any = 0;

    /* times of the node, which stay what they are when clocks are set right */
    evterm_numbers (chunkindex_column[n], &w->source, trace_real_ns (b->who, 0),
                    value, has);
    for (size_t i = 0; i < b->count; i++)
        if (has[i]) {
            any++;
            least = MIN (value[i], least);
            most = MAX (value[i], most);
        }
    if (any < b->count)
        c->facts.all &= (uint16_t) ~(1u << n);
    if (!any)
        return;
    if (!(c->facts.any >> n & 1) || least < c->facts.least[n])
        c->facts.least[n] = least;
    if (!(c->facts.any >> n & 1) || most > c->facts.most[n])
        c->facts.most[n] = most;
    c->facts.any |= (uint16_t)(1u << n);
}

static int indexed_take (void *cookie, int worker, const struct batch *b)
{
    struct indexed_work *work = cookie;
    struct indexed_worker *w = &work->worker[worker];
    struct indexed *c;

    if (b->begins) {
        if (column_source_begin (&w->source, b->who) < 0)
            return -1;
        indexed_begin_chunk (w, b);
    }
    column_source_batch (&w->source, b);
    GROW_ZEROED (w->seen, w->seen_room, dict_limit (work->pass.dict));
    c = &w->chunk[w->chunks - 1];
    for (int n = 0; n < CHUNKINDEX_NUMBERS; n++)
        indexed_number (w, c, b, n);
    for (size_t i = 0; i < b->count; i++) {
        c->call[b->call[i]] = 1;
        indexed_name (w, c, b->name[i]);
    }
    return 0;
}

/* --- numbers of names ------------------------------------------------------
 */

static int indexed_by_text (const void *a, const void *b, void *dict)
{
    const struct dict_entry *x = dict_entry (dict, *(const uint32_t *)a);
    const struct dict_entry *y = dict_entry (dict, *(const uint32_t *)b);
    size_t n = MIN (x->length, y->length);
    int order = memcmp (x->text, y->text, n);

    if (!order)
        order = ORDER (x->length, y->length);
    if (!order)
        order = x->kind - y->kind;
    return order ? order : x->class - y->class;
}

/* Names that are used in any chunk, by their texts; packed. */
static void indexed_pack_names (struct indexed_work *w, struct packer *p)
{
    size_t limit = dict_limit (w->pass.dict), n = 0;
    uint32_t *used = ZEROED (used, limit + 1);

    NEW (w->number, limit + 1);
    for (size_t i = 0; i < w->chunks; i++)
        for (size_t k = 0; k < w->all[i]->names; k++)
            if (w->all[i]->name[k])
                w->number[w->all[i]->name[k]] = 1;
    for (size_t i = 1; i < limit; i++)
        if (w->number[i])
            used[n++] = (uint32_t)i;
    qsort_r (used, n, sizeof (*used), indexed_by_text, w->pass.dict);
    pack_uint (p, n);
    for (size_t i = 0; i < n; i++) {
        const struct dict_entry *e = dict_entry (w->pass.dict, used[i]);

        w->number[used[i]] = (uint32_t)i + 1;
        pack_uint (p, e->kind);
        pack_uint (p, e->class);
        pack_uint (p, e->length);
        pack_bytes (p, e->text, e->length);
    }
    free (used);
}

/* --- writing ---------------------------------------------------------------
 */

static int indexed_by_number (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return ORDER (x, y);
}

static void indexed_pack_calls (struct packer *p, const struct indexed *c)
{
    uint64_t n = 0;
    int last = 0;

    for (int call = 0; call < CALL_MAX; call++)
        n += c->call[call];
    pack_uint (p, n);
    for (int call = 0; call < CALL_MAX; call++)
        if (c->call[call]) {
            pack_uint (p, call - last);
            last = call;
        }
}

static void
indexed_pack_used (struct indexed_work *w, struct packer *p, struct indexed *c)
{
    uint32_t last = 0;

    pack_uint (p, c->names > CHUNKINDEX_NAMES_MAX);
    if (c->names > CHUNKINDEX_NAMES_MAX)
        return;
    for (size_t k = 0; k < c->names; k++)
        c->name[k] = w->number[c->name[k]];
    if (c->names)
        SORT (c->name, c->names, indexed_by_number);
    pack_uint (p, c->names);
    for (size_t k = 0; k < c->names; k++) {
        pack_uint (p, c->name[k] - last);
        last = c->name[k];
    }
}

static void indexed_pack (struct indexed_work *w, struct packer *p)
{
    uint64_t offset = 0;

    pack_bytes (p, CHUNKINDEX_MAGIC, sizeof (CHUNKINDEX_MAGIC));
    indexed_pack_names (w, p);
    pack_uint (p, w->chunks);
    for (size_t i = 0; i < w->chunks; i++) {
        const struct chunk_facts *c = &w->all[i]->facts;

        pack_uint (p, c->offset - offset);
        offset = c->offset;
        pack_bytes (p, &c->checksum, sizeof (c->checksum));
        pack_uint (p, c->events);
        pack_uint (p, c->any);
        pack_uint (p, c->all);
        for (int n = 0; n < CHUNKINDEX_NUMBERS; n++)
            if (c->any >> n & 1) {
                pack_int (p, c->least[n]);
                pack_int (p, c->most[n]);
            }
        indexed_pack_calls (p, w->all[i]);
        indexed_pack_used (w, p, w->all[i]);
    }
}

static int indexed_order (const void *a, const void *b)
{
    const struct indexed *x = *(struct indexed *const *)a;
    const struct indexed *y = *(struct indexed *const *)b;

    return ORDER (x->facts.offset, y->facts.offset);
}

static void indexed_join (struct indexed_work *w)
{
    size_t n = 0;

    for (int i = 0; i < w->pass.workers; i++)
        n += w->worker[i].chunks;
    NEW (w->all, n + 1);
    for (int i = 0; i < w->pass.workers; i++)
        for (size_t k = 0; k < w->worker[i].chunks; k++)
            w->all[w->chunks++] = &w->worker[i].chunk[k];
    SORT (w->all, n, indexed_order);
}

static int indexed_read (struct indexed_work *w, const struct job *job)
{
    const struct pass_user user = {w, NULL, indexed_take, NULL, BATCH_ALL};

    pass_open (&w->pass, job, NULL, 0);
    NEW (w->worker, w->pass.workers);
    for (int i = 0; i < w->pass.workers; i++)
        w->worker[i].source.dict = w->pass.dict;
    return pass_run (&w->pass, &user, 1);
}

static void indexed_clear (struct indexed_work *w)
{
    int saved = errno;

    for (int i = 0; i < w->pass.workers; i++) {
        struct indexed_worker *one = &w->worker[i];

        for (size_t k = 0; k < one->chunks; k++)
            free (one->chunk[k].name);
        free (one->chunk);
        free (one->seen);
        column_source_clear (&one->source);
    }
    free (w->worker);
    free (w->all);
    free (w->number);
    pass_close (&w->pass);
    errno = saved;
}

static int
indexed_store (const char *path, struct packer *p, struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, CHUNKINDEX_MODE, err);

    if (!a)
        return -1;
    if (pack_section (p, CHUNKINDEX_SECTION, atomic_stream (a)) == 0)
        return atomic_commit (a, err);
    err_system (err, path, errno ? errno : EIO);
    atomic_abort (a);
    return -1;
}

static int indexed_make (struct packer *p, const struct job *job)
{
    struct indexed_work w = {.chunks = 0};
    int rc = indexed_read (&w, job);

    if (rc == 0) {
        indexed_join (&w);
        indexed_pack (&w, p);
    }
    indexed_clear (&w);
    return rc;
}

int chunkindex_write (const char *path, struct errtext *err)
{
    struct joblist trace = {0};
    struct packer p = {0};
    char *to = chunkindex_path (path);
    int rc = joblist_add (&trace, path, err);

    if (rc == 0)
        rc = job_open (&trace.item[0], err);
    if (rc == 0 && indexed_make (&p, &trace.item[0]) < 0)
        rc = errf (err, "%s: no index: %s", path, strerror (errno));
    if (rc == 0)
        rc = indexed_store (to, &p, err);
    if (rc < 0)
        chunkindex_remove (path);
    if (trace.count)
        job_close (&trace.item[0]);
    joblist_clear (&trace);
    packer_clear (&p);
    free (to);
    return rc;
}
