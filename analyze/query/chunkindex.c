/* SPDX-License-Identifier: MIT
 *
 * chunkindex.c - what is in each chunk of a merged trace, from the file beside
 *                it
 *
 * In:  TRACE.index, which another user may have written
 * Out: struct chunkindex, to chunkskip.c
 */
#include "config.h"

#include "analyze/query/chunkindex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/query/chunkindexfile.h"
#include "analyze/scan/packer.h"
#include "lib/format/event.h"

char *chunkindex_path (const char *trace)
{
    char *path;

    return asprintf (&path, "%s.index", trace) < 0 ? NULL : path;
}

/* --- reading ---------------------------------------------------------------
 */

/* How many there are: no more than the bytes that say so. */
static size_t chunkindex_count (struct unpacker *u)
{
    uint64_t n = unpack_uint (u);

    if (!u->bad && n > (uint64_t)(u->limit - u->p))
        u->bad = 1;
    return u->bad ? 0 : (size_t)n;
}

static int chunkindex_room (void **list, size_t *room, size_t n, size_t each)
{
    size_t more = *room ? *room : 1024;
    void *all;

    if (n <= *room)
        return 0;
    while (more < n)
        more *= 2;
    if (!(all = reallocarray (*list, more, each)))
        return -1;
    *list = all;
    *room = more;
    return 0;
}

struct chunkindex_reader {
    struct unpacker u;
    struct chunkindex *x;
    uint32_t *number; /* of each name of the file: of the dictionary; owned */
    size_t numbers;
    size_t calls_room, names_room;
};

static int chunkindex_read_names (struct chunkindex_reader *r,
                                  struct dict *dict)
{
    size_t n = chunkindex_count (&r->u), length;

    if (!(r->number = calloc (n + 1, sizeof (*r->number))))
        return -1;
    for (size_t i = 1; i <= n && !r->u.bad; i++) {
        uint64_t kind = unpack_uint (&r->u), class = unpack_uint (&r->u);
        const char *text = unpack_text (&r->u, &length);

        if (!text || kind < SHARD_NAME_FILE || kind > SHARD_NAME_EVENT ||
            class > UINT8_MAX || length > EVENT_NAME_MAX) {
            r->u.bad = 1;
            break;
        }
        if (!(r->number[i] =
                  dict_number (dict, (enum shard_name_kind)kind,
                               (enum file_class) class, text, length)))
            return -1;
    }
    r->numbers = n + 1;
    return 0;
}

static int chunkindex_read_calls (struct chunkindex_reader *r,
                                  struct chunk_facts *c)
{
    struct chunkindex *x = r->x;
    size_t n = chunkindex_count (&r->u);
    uint64_t call = 0;

    r->u.bad |= n > CALL_MAX;
    if (r->u.bad)
        return 0;
    if (chunkindex_room ((void **)&x->call, &r->calls_room, x->calls + n,
                         sizeof (*x->call)) < 0)
        return -1;
    c->calls = (uint16_t)n;
    c->call_at = x->calls;
    for (size_t i = 0; i < n; i++) {
        call += unpack_uint (&r->u);
        r->u.bad |= call >= CALL_MAX;
        x->call[x->calls++] = r->u.bad ? 0 : (uint16_t)call;
    }
    return 0;
}

static int chunkindex_read_used (struct chunkindex_reader *r,
                                 struct chunk_facts *c)
{
    struct chunkindex *x = r->x;
    size_t n;
    uint64_t name = 0;

    if (unpack_uint (&r->u)) {
        c->names = CHUNKINDEX_MANY;
        return 0;
    }
    n = chunkindex_count (&r->u);
    r->u.bad |= n > CHUNKINDEX_NAMES_MAX;
    if (r->u.bad)
        return 0;
    if (chunkindex_room ((void **)&x->name, &r->names_room, x->names + n,
                         sizeof (*x->name)) < 0)
        return -1;
    c->names = (uint16_t)n;
    c->name_at = x->names;
    for (size_t i = 0; i < n; i++) {
        name += unpack_uint (&r->u);
        r->u.bad |= name >= r->numbers;
        x->name[x->names++] = r->u.bad ? 0 : r->number[name];
    }
    return 0;
}

static int chunkindex_read_chunk (struct chunkindex_reader *r,
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
    return chunkindex_read_calls (r, c) < 0 ? -1 : chunkindex_read_used (r, c);
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
    if (chunkindex_read_names (r, dict) < 0)
        return -1;
    n = chunkindex_count (&r->u);
    if (!(r->x->chunk = calloc (n + 1, sizeof (*r->x->chunk))))
        return -1;
    for (; !r->u.bad && r->x->chunks < n; r->x->chunks++)
        if (chunkindex_read_chunk (r, &r->x->chunk[r->x->chunks], &offset) < 0)
            return -1;
    if (!r->u.bad && unpack_ended (&r->u))
        return 0;
    errno = EBADMSG;
    return -1;
}

/* A regular file, no link. */
static FILE *chunkindex_open (const char *trace)
{
    char *path = chunkindex_path (trace);
    int fd =
        path ? open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    struct stat st;
    FILE *in;

    free (path);
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (in = fdopen (fd, "r")))
        return in;
    if (fd >= 0)
        (void)close (fd);
    return NULL;
}

struct chunkindex *chunkindex_read (const char *path, struct dict *dict)
{
    struct chunkindex_reader r = {.x = calloc (1, sizeof (*r.x))};
    FILE *in = r.x ? chunkindex_open (path) : NULL;
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
        (void)fclose (in);
    if (rc == 0)
        return r.x;
    chunkindex_destroy (r.x);
    errno = saved;
    return NULL;
}

struct chunkindex *
chunkindex_unpack (const void *bytes, size_t n, struct dict *dict)
{
    const unsigned char *p = bytes;
    struct chunkindex_reader r = {.u = {.p = p, .limit = p + n},
                                  .x = calloc (1, sizeof (*r.x))};
    int rc = r.x ? chunkindex_read_all (&r, dict) : -1, saved = errno;

    free (r.number);
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

    if (is && index)
        (void)unlink (index);
    free (index);
    if (in)
        (void)fclose (in);
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
