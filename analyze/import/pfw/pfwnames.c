/* SPDX-License-Identifier: MIT
 *
 * pfwnames.c - texts and hashes of a DFTracer trace -> names with a meaning
 * In:  names, paths and hashes, from pfwstore.c
 * Out: what a chunk's dictionary says of them
 */
#include "config.h"

#include <strings.h>

#include "analyze/import/pfw/pfwnames.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

struct pfw_names {
    struct strmap *number; /* key_of -> number - 1 */
    struct pfw_name *item; /* by number - 1 */
    size_t count, room;
    char key[PFW_KEY_MAX];
};

struct pfw_names *pfw_names_create (void)
{
    struct pfw_names *n = ZEROED (n, 1);

    n->number = strmap_create ();
    return n;
}

void pfw_names_destroy (struct pfw_names *n)
{
    int saved = errno;

    if (!n)
        return;
    for (size_t i = 0; i < n->count; i++)
        free (n->item[i].text);
    free (n->item);
    strmap_destroy (n->number);
    free (n);
    errno = saved;
}

struct pfw_name *pfw_names_get (const struct pfw_names *n, uint32_t number)
{
    return number && number <= n->count ? &n->item[number - 1] : NULL;
}

int pfw_names_is_definition (const struct pfw_line *l)
{
    return l->meta_name.p && l->meta_value.n && l->name.n == 2 &&
           l->name.p[1] == 'H' && strchr ("FHS", l->name.p[0]) && l->name.p[0];
}

/* --- what names mean -------------------------------------------------- */

static enum file_class class_of (const char *path)
{
    static const struct {
        const char *prefix;
        enum file_class class;
    } rows[] = {{"/dev/shm/", FILE_CLASS_SHM}, {"/memfd:", FILE_CLASS_SHM},
                {"/dev/", FILE_CLASS_DEVICE},  {"/proc/", FILE_CLASS_OTHER},
                {"/sys/", FILE_CLASS_OTHER},   {"pipe:", FILE_CLASS_PIPE},
                {"socket:", FILE_CLASS_SOCKET}};

    for (size_t i = 0; i < ITEMS (rows); i++)
        if (strncmp (path, rows[i].prefix, strlen (rows[i].prefix)) == 0)
            return rows[i].class;
    return FILE_CLASS_STORAGE;
}

/* "__fxstat64" -> "fstat", "pread64" -> "pread". In place. */
static void canonical (char *name)
{
    char *x;
    size_t n;

    if (strncmp (name, "__", 2) == 0)
        memmove (name, name + 2, strlen (name) - 1);
    n = strlen (name);
    if (n > 4 && strcmp (name + n - 4, "_chk") == 0)
        name[n -= 4] = '\0';
    if (n > 2 && strcmp (name + n - 2, "64") == 0)
        name[n -= 2] = '\0';
    if ((x = strstr (name, "xstat")))
        memmove (x, x + 1, strlen (x));
}

/* Calls of libc, and waits as dftrace exports them. */
static int is_call (const struct pfw_text *category)
{
    return (category->n == 5 && (strncasecmp (category->p, "POSIX", 5) == 0 ||
                                 strncasecmp (category->p, "STDIO", 5) == 0)) ||
           (category->n == 4 && memcmp (category->p, "WAIT", 4) == 0);
}

enum call pfw_names_call (const struct pfw_text *category,
                          const struct pfw_text *name)
{
    char plain[32];

    if (name->n >= sizeof (plain) || !is_call (category))
        return CALL_region;
    memcpy (plain, name->p, name->n);
    plain[name->n] = '\0';
    canonical (plain);
    for (int i = 0; plain[0] && i < CALL_MAX; i++)
        if (call_table[i].category != CALL_CATEGORY_APP &&
            strcmp (call_table[i].name, plain) == 0)
            return (enum call)i;
    return CALL_region;
}

/* --- numbers ---------------------------------------------------------- */

static size_t append_key (char *key, size_t at, const struct pfw_text *t)
{
    size_t length = t->n < EVENT_NAME_MAX ? t->n : EVENT_NAME_MAX;

    if (length)
        memcpy (key + at, t->p, length);
    return at + length;
}

/* Write the key of a name into key, which has room for PFW_KEY_MAX bytes: its
 * kind and raw text, or NONE and a hash. Returns its length. */
static size_t key_of (char *key,
                      enum shard_name_kind kind,
                      const struct pfw_text *text,
                      const struct pfw_text *second)
{
    size_t n = append_key (key, 1, text);

    key[0] = (char)kind;
    if (kind != SHARD_NAME_EVENT)
        return n;
    key[n] = '"'; /* can be in neither unescaped */
    return append_key (key, n + 1, second);
}

/* Give a name its text, which is malloc'd. */
static void names_set (struct pfw_name *name,
                       enum shard_name_kind kind,
                       char *text,
                       size_t length)
{
    free (name->text);
    *name = (struct pfw_name){
        .text = text, .length = (uint32_t)length, .kind = (uint8_t)kind};
    if (kind == SHARD_NAME_FILE)
        name->class = (uint8_t)class_of (text);
}

static char *copy (const struct pfw_text *t, size_t *length)
{
    char *text = xmalloc ((size_t)t->n + 1);

    *length = pfw_unescape (t, text, t->n);
    if (*length > EVENT_NAME_MAX)
        *length = EVENT_NAME_MAX;
    text[*length] = '\0';
    return text;
}

/* "category NUL name", unescaped; both are cut to a quarter of a name. */
static char *event_text (const struct pfw_text *category,
                         const struct pfw_text *name,
                         size_t *length)
{
    const size_t most = EVENT_NAME_MAX / 4;
    size_t room = category->n < most ? category->n : most;
    size_t more = name->n < most ? name->n : most;
    char *text = xmalloc (room + more + 2);
    size_t first, second;

    first = category->n ? pfw_unescape (category, text, room) : 0;
    text[first] = '\0';
    second = name->n ? pfw_unescape (name, text + first + 1, more) : 0;
    text[first + 1 + second] = '\0';
    *length = first + 1 + second;
    return text;
}

/* The name of a hash that nothing has explained. */
static char *hash_text (const struct pfw_text *hash, size_t *length)
{
    char *text = xmalloc (hash->n + (size_t)2);

    *length = hash->n + (size_t)1;
    text[0] = '#';
    memcpy (text + 1, hash->p, hash->n);
    text[*length] = '\0';
    return text;
}

/* The name with this key, without a text if it is new. */
static struct pfw_name *names_find (struct pfw_names *n,
                                    enum shard_name_kind kind,
                                    const struct pfw_text *text,
                                    const struct pfw_text *second)
{
    int64_t at = strmap_intern (n->number, n->key,
                                key_of (n->key, kind, text, second), NULL);

    GROW_ZEROED (n->item, n->room, (size_t)at + 1);
    n->count = strmap_count (n->number);
    return &n->item[at];
}

/* The number of the name with this key. */
static uint32_t names_number (struct pfw_names *n,
                              enum shard_name_kind kind,
                              const struct pfw_text *text,
                              const struct pfw_text *second)
{
    struct pfw_name *name = names_find (n, kind, text, second);
    int is_hash = kind == SHARD_NAME_NONE;
    size_t length;
    char *plain;

    if (!name->text) {
        plain = kind == SHARD_NAME_EVENT ? event_text (text, second, &length)
                : is_hash                ? hash_text (text, &length)
                                         : copy (text, &length);
        names_set (name, is_hash ? SHARD_NAME_FILE : kind, plain, length);
        name->undefined = (uint8_t)is_hash;
    }
    return (uint32_t)(name - n->item) + 1;
}

uint32_t pfw_names_text (struct pfw_names *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text)
{
    return names_number (n, kind, text, NULL);
}

uint32_t pfw_names_hash (struct pfw_names *n, const struct pfw_text *hash)
{
    return names_number (n, SHARD_NAME_NONE, hash, NULL);
}

void pfw_names_define (struct pfw_names *n,
                       const struct pfw_text *hash,
                       const struct pfw_text *text)
{
    struct pfw_name *name = names_find (n, SHARD_NAME_NONE, hash, NULL);
    int late = name->text != NULL;
    size_t length;
    char *path;

    if (late && !name->undefined)
        return;
    path = copy (text, &length);
    names_set (name, SHARD_NAME_FILE, path, length);
    name->late = (uint8_t)late;
}

/* --- other files ------------------------------------------------------ */

static void tell (struct strmap *map, const char *hash, size_t n, char *text)
{
    int isnew;
    int64_t at = strmap_intern (map, hash, n, &isnew);

    if (isnew)
        strmap_set (map, (size_t)at, text);
    else
        free (text);
}

/* The hash that name i is of; NULL: of none. */
static const char *
names_of (const struct pfw_names *n, size_t i, size_t *length)
{
    const char *key = strmap_key (n->number, i, length);

    --*length;
    return key[0] == SHARD_NAME_NONE ? key + 1 : NULL;
}

void pfw_names_tell (const struct pfw_names *n, struct strmap *map)
{
    for (size_t i = 0; i < n->count; i++) {
        size_t length;
        const char *hash = names_of (n, i, &length);

        if (hash && !n->item[i].undefined)
            tell (map, hash, length, xstrdup (n->item[i].text));
    }
}

void pfw_names_tell_line (const struct pfw_line *l, struct strmap *map)
{
    size_t length;

    if (pfw_names_is_definition (l))
        tell (map, l->meta_value.p, l->meta_value.n,
              copy (&l->meta_name, &length));
}

/* Name i, if it is a hash that was not explained when it was used, and what map
 * says of it; NULL, NULL. */
static struct pfw_name *names_missing (const struct pfw_names *n,
                                       size_t i,
                                       const struct strmap *map,
                                       const char **text)
{
    struct pfw_name *name = &n->item[i];
    size_t length;
    const char *hash = names_of (n, i, &length);
    int64_t at = map && hash ? strmap_find (map, hash, length) : -1;

    *text = at < 0 ? NULL : strmap_value (map, (size_t)at);
    return (name->undefined || name->late) && (!map || *text) ? name : NULL;
}

size_t pfw_names_missing (const struct pfw_names *n, const struct strmap *map)
{
    size_t missing = 0;
    const char *text;

    for (size_t i = 0; i < n->count; i++)
        missing += names_missing (n, i, map, &text) != NULL;
    return missing;
}

void pfw_names_explain (struct pfw_names *n, const struct strmap *map)
{
    const char *text;

    for (size_t i = 0; i < n->count; i++) {
        struct pfw_name *name = names_missing (n, i, map, &text);

        if (name)
            names_set (name, SHARD_NAME_FILE, xstrdup (text), strlen (text));
    }
}

size_t pfw_names_undefined (const struct pfw_names *n)
{
    size_t some = 0;

    for (size_t i = 0; i < n->count; i++)
        some += n->item[i].undefined;
    return some;
}

void pfw_names_seal (struct pfw_names *n)
{
    strmap_destroy (n->number);
    n->number = NULL;
}

/* --- names of one block ------------------------------------------------------
 */

static int local_same (const struct pfw_text *a, const struct pfw_text *b)
{
    return a->n == b->n && (a->n == 0 || memcmp (a->p, b->p, a->n) == 0);
}

/* Up to eight bytes of a text, at its end or its begin. */
static inline uint64_t some_bytes (const struct pfw_text *t)
{
    uint64_t w = 0;
    uint32_t low, high;

    if (t->n >= 8) {
        memcpy (&w, t->p + t->n - 8, 8);
        return w;
    }
    if (t->n >= 4) {
        memcpy (&low, t->p, 4);
        memcpy (&high, t->p + t->n - 4, 4);
        return (uint64_t)high << 32 | low;
    }
    for (uint32_t i = 0; i < t->n; i++)
        w = w << 8 | (unsigned char)t->p[i];
    return w;
}

/* The place in the cache of recent names that a name may be in. */
static inline uint32_t *recent_of (struct pfw_locals *n,
                                   const struct pfw_local *want)
{
    uint64_t w = some_bytes (&want->text) + want->kind;

    if (want->second.n)
        w = w * 31 + some_bytes (&want->second) + want->second.n;
    w = (w + want->text.n) * 0x9e3779b97f4a7c15u;
    return &n->recent[w >> 40 & (PFW_RECENT - 1)];
}

static inline int is_like (const struct pfw_local *l,
                           const struct pfw_local *want)
{
    return l->kind == want->kind && local_same (&l->text, &want->text) &&
           local_same (&l->second, &want->second);
}

/* Number of the one that is like `want`; *isnew when it was not there. */
static uint32_t
intern (struct pfw_locals *n, const struct pfw_local *want, int *isnew)
{
    uint32_t *recent = recent_of (n, want);

    *isnew = 0;
    if (*recent && is_like (&n->item[*recent - 1], want))
        return *recent - 1;
    if (!n->number)
        n->number = strmap_create ();
    *recent = 1 + (uint32_t)strmap_intern (
                      n->number, n->key,
                      key_of (n->key, (enum shard_name_kind)want->kind,
                              &want->text, &want->second),
                      isnew);
    if (*isnew)
        *APPEND (n->item, n->count, n->room) = *want;
    return *recent - 1;
}

uint32_t pfw_locals_text (struct pfw_locals *n,
                          enum shard_name_kind kind,
                          const struct pfw_text *text)
{
    struct pfw_local want = {.text = *text, .kind = (uint8_t)kind};
    int isnew;

    return intern (n, &want, &isnew);
}

/* --- events ------------------------------------------------------------ */

static int is_any_case (const struct pfw_text *t, const char *word)
{
    return t->n == strlen (word) && strncasecmp (t->p, word, t->n) == 0;
}

static void explain (struct pfw_local *l)
{
    l->layer = is_any_case (&l->text, "POSIX")   ? LAYER_POSIX
               : is_any_case (&l->text, "STDIO") ? LAYER_STDIO
               : pfw_text_is (&l->text, "WAIT")  ? LAYER_NONE
                                                 : LAYER_APP;
    l->call = (uint8_t)pfw_names_call (&l->text, &l->second);
    if (pfw_text_is (&l->text, "dftracer"))
        l->own = pfw_text_is (&l->second, "start") ? PFW_OWN_START
                 : pfw_text_is (&l->second, "end") ? PFW_OWN_END
                                                   : PFW_OWN_NONE;
}

uint32_t pfw_locals_event (struct pfw_locals *n,
                           const struct pfw_text *category,
                           const struct pfw_text *name)
{
    struct pfw_local want = {
        .text = *category, .second = *name, .kind = SHARD_NAME_EVENT};
    int isnew;
    uint32_t at = intern (n, &want, &isnew);

    if (isnew)
        explain (&n->item[at]);
    return at;
}

uint32_t pfw_local_number (struct pfw_local *l, struct pfw_names *names)
{
    if (!l->number)
        l->number = names_number (names, (enum shard_name_kind)l->kind,
                                  &l->text, &l->second);
    return l->number;
}

/* --- all of them ------------------------------------------------------- */

void pfw_locals_empty (struct pfw_locals *n)
{
    n->count = 0;
    memset (n->recent, 0, sizeof (n->recent));
    if (n->number)
        strmap_clear (n->number);
}

void pfw_locals_clear (struct pfw_locals *n)
{
    free (n->item);
    strmap_destroy (n->number);
    memset (n, 0, sizeof (*n));
}
