/* SPDX-License-Identifier: MIT
 *
 * pfwline.c - events -> DFTracer's JSON lines (dialect of 2025)
 *
 * In:  records of events, from pfw.c
 * Out: lines, to pfw.c
 */
#include "config.h"

#include "analyze/export/pfw.h"
#include "lib/base/array.h"
#include "lib/util/json.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

/* --- records ----------------------------------------------------------- */

struct pfw_record *pfw_records_add (struct pfw_records *r)
{
    return APPEND (r->item, r->count, r->room);
}

struct pfw_record_arg *pfw_records_add_arg (struct pfw_records *r)
{
    return APPEND (r->arg, r->args, r->args_room);
}

void pfw_records_empty (struct pfw_records *r)
{
    r->count = r->args = r->texts.n = 0;
}

void pfw_records_clear (struct pfw_records *r)
{
    free (r->item);
    free (r->arg);
    outbuf_clear (&r->texts);
    ZERO (r);
}

void pfw_source_set (struct pfw_source *s,
                     uint32_t pid,
                     uint32_t tid,
                     const struct pfw_named *host)
{
    s->pid = pid;
    s->tid = tid;
    s->ids_length = FORMAT (
        s->ids, "\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":", pid, tid);
    s->host_length =
        FORMAT (s->host, ",\"ph\":\"X\",\"args\":{\"hhash\":\"%.*s\"",
                (int)PFW_HASH_TEXT, host->hash);
}

/* --- lines -------------------------------------------------------------- */

static void put_call_args (struct outbuf *out,
                           const struct pfw_record *r,
                           const struct call_info *info)
{
    if (r->file) {
        OUTBUF_PUT (out, ",\"fhash\":\"");
        outbuf_put (out, r->file->hash, PFW_HASH_TEXT);
        OUTBUF_PUT (out, "\"");
    }
    if (info->fields & F_FD) {
        OUTBUF_PUT (out, ",\"fd\":");
        outbuf_i64 (out, r->fd);
    }
    if (info->fields & F_SIZE) {
        OUTBUF_PUT (out, ",\"count\":");
        outbuf_u64 (out, r->size);
    }
    if (info->fields & F_OFFSET && r->offset >= 0) {
        OUTBUF_PUT (out, ",\"offset\":");
        outbuf_i64 (out, r->offset);
    }
    if (info->fields & F_FLAGS) {
        OUTBUF_PUT (out, ",\"flags\":");
        outbuf_u64 (out, r->flags);
    }
    OUTBUF_PUT (out, ",\"ret\":");
    outbuf_i64 (out, r->ret);
    if (r->err) {
        OUTBUF_PUT (out, ",\"errno\":");
        outbuf_i64 (out, r->err);
    }
}

static void put_app_args (struct outbuf *out,
                          const struct pfw_records *all,
                          const struct pfw_record *r)
{
    for (int i = 0; i < r->nargs; i++) {
        const struct pfw_record_arg *a = &all->arg[r->arg + (size_t)i];

        OUTBUF_PUT (out, ",\"");
        outbuf_put (out, a->key->text, a->key->length);
        OUTBUF_PUT (out, "\":");
        if (a->type == EVENT_ARG_INT)
            outbuf_i64 (out, a->i);
        else if (a->type == EVENT_ARG_DOUBLE)
            outbuf_double (out, a->d);
        else {
            OUTBUF_PUT (out, "\"");
            outbuf_escaped (out, all->texts.p + a->text, a->length);
            OUTBUF_PUT (out, "\"");
        }
    }
}

static void put_name (struct outbuf *out,
                      const struct pfw_record *r,
                      const struct call_info *info)
{
    const char *category = call_category_name (info->category);

    if (r->name) {
        outbuf_put (out, r->name->text, r->name->length);
        return;
    }
    outbuf_put (out, info->name, strlen (info->name));
    OUTBUF_PUT (out, "\",\"cat\":\"");
    outbuf_put (out, category, strlen (category));
}

/* Its process and thread. Of a wait the sampler mostly tells. */
static void put_ids (struct outbuf *out, const struct pfw_record *r)
{
    const struct pfw_source *s = r->source;
    uint32_t tid = call_is_wait (r->call) ? wait_tid (r->flags, s->tid) : 0;

    if (!tid || tid == s->tid) {
        outbuf_put (out, s->ids, s->ids_length);
        return;
    }
    OUTBUF_PUT (out, "\",\"pid\":");
    outbuf_u64 (out, s->pid);
    OUTBUF_PUT (out, ",\"tid\":");
    outbuf_u64 (out, tid);
    OUTBUF_PUT (out, ",\"ts\":");
}

static void pfwline_put_event (struct outbuf *out,
                               const struct pfw_records *all,
                               const struct pfw_record *r)
{
    const struct call_info *info = &call_table[r->call];

    OUTBUF_PUT (out, "{\"id\":");
    outbuf_u64 (out, r->id);
    OUTBUF_PUT (out, ",\"name\":\"");
    put_name (out, r, info);
    put_ids (out, r);
    outbuf_u64 (out, r->us);
    OUTBUF_PUT (out, ",\"dur\":");
    outbuf_u64 (out, r->duration);
    outbuf_put (out, r->source->host, r->source->host_length);
    if (info->category != CALL_CATEGORY_APP)
        put_call_args (out, r, info);
    put_app_args (out, all, r);
    OUTBUF_PUT (out, "}}\n");
}

void pfw_lines_put (struct outbuf *out, const struct pfw_records *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct pfw_record *line = &r->item[i];

        if (line->source)
            pfwline_put_event (out, r, line);
        else
            outbuf_put (out, r->texts.p + line->arg, line->length);
    }
}

/* --- names of a job -> their hashes and escaped texts -----------------------
 */

struct pfw_hashes {
    struct strmap *names; /* kind and text -> struct pfw_named */
    char *key;
    size_t room;
};

struct pfw_hashes *pfw_hashes_create (void)
{
    struct pfw_hashes *h = ZEROED (h, 1);

    h->names = strmap_create ();
    return h;
}

void pfw_hashes_destroy (struct pfw_hashes *h)
{
    for (size_t i = 0; i < strmap_count (h->names); i++)
        free (strmap_value (h->names, i));
    strmap_destroy (h->names);
    free (h->key);
    free (h);
}

/* As dftracer makes them: bytes 0, 2, … 14 of the MD5, in hex. */
static void
pfwhash_hash_text (const char *text, size_t n, char hash[PFW_HASH_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[MD5_BYTES];

    md5 (text, n, digest);
    for (int i = 0; i < MD5_BYTES / 2; i++) {
        hash[2 * i] = digits[digest[2 * i] >> 4];
        hash[2 * i + 1] = digits[digest[2 * i] & 15];
    }
}

/* Return the place of the name in the map, new if need be. */
static int64_t pfwhash_find (struct pfw_hashes *h,
                             const char *kind,
                             const char *text,
                             size_t n,
                             int *isnew)
{
    GROW (h->key, h->room, n + 2);
    memcpy (h->key, kind, 2);
    if (n)
        memcpy (h->key + 2, text, n);
    return strmap_intern (h->names, h->key, n + 2, isnew);
}

const struct pfw_named *pfw_hashes_text (struct pfw_hashes *h,
                                         const char *kind,
                                         const char *text,
                                         size_t n,
                                         int *isnew)
{
    int64_t at = pfwhash_find (h, kind, text, n, isnew);
    struct pfw_named *named;

    if (!*isnew)
        return strmap_value (h->names, at);
    named = xmalloc (sizeof (*named) + JSON_ESCAPE_MAX * n + 1);
    pfwhash_hash_text (text, n, named->hash);
    named->length = (uint32_t)json_escape_to (named->text, text, n);
    strmap_set (h->names, at, named);
    return named;
}

const struct pfw_named *
pfw_hashes_event (struct pfw_hashes *h, const char *text, size_t n)
{
    static const char between[] = "\",\"cat\":\"";
    size_t category = strnlen (text, n), length;
    size_t name = category < n ? n - category - 1 : 0;
    int isnew;
    int64_t at = pfwhash_find (h, "ev", text, n, &isnew);
    struct pfw_named *named;

    if (!isnew)
        return strmap_value (h->names, at);
    named = xmalloc (sizeof (*named) + JSON_ESCAPE_MAX * n + sizeof (between));
    ZERO (&named->hash);
    length = json_escape_to (named->text, text + n - name, name);
    memcpy (named->text + length, between, sizeof (between) - 1);
    length += sizeof (between) - 1;
    length += json_escape_to (named->text + length, text, category);
    named->length = (uint32_t)length;
    strmap_set (h->names, at, named);
    return named;
}

/* --- MD5 (RFC 1321), for the hashes of DFTracer's format only ---------------
 */

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t md5_turn (uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* The function of a step, and the word of the block it takes. */
static uint32_t
md5_mix (unsigned i, uint32_t b, uint32_t c, uint32_t d, unsigned *word)
{
    switch (i / 16) {
    case 0:
        *word = i;
        return (b & c) | (~b & d);
    case 1:
        *word = (5 * i + 1) % 16;
        return (d & b) | (~d & c);
    case 2:
        *word = (3 * i + 5) % 16;
        return b ^ c ^ d;
    default:
        *word = 7 * i % 16;
        return c ^ (b | ~d);
    }
}

static void add_block (uint32_t state[4], const unsigned char *p)
{
    static const unsigned char turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3];

    memcpy (w, p, sizeof (w)); /* little-endian machines only */
    for (unsigned i = 0; i < 64; i++) {
        unsigned word;
        uint32_t sine = (uint32_t)(fabs (sin (i + 1)) * 0x1p32);
        uint32_t f = md5_mix (i, b, c, d, &word) + a + sine + w[word];

        a = d;
        d = c;
        c = b;
        b += md5_turn (f, turns[i / 16][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md5 (const void *data, size_t n, unsigned char digest[MD5_BYTES])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const unsigned char *p = data;
    unsigned char last[2 * BLOCK] = {0};
    size_t rest = n % BLOCK, blocks = rest < LENGTH_AT ? 1 : 2;
    uint64_t bits = (uint64_t)n * 8;

    for (size_t i = 0; i < n / BLOCK; i++)
        add_block (state, p + i * BLOCK);
    if (rest)
        memcpy (last, p + n - rest, rest);
    last[rest] = 0x80;
    memcpy (last + blocks * BLOCK - sizeof (bits), &bits, sizeof (bits));
    for (size_t i = 0; i < blocks; i++)
        add_block (state, last + i * BLOCK);
    memcpy (digest, state, MD5_BYTES);
}
