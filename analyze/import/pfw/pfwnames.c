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
#include "lib/format/event.h"
#include "lib/format/calls.h"
#include "lib/util/strmap.h"

enum { KEY_MAX = 2 * EVENT_NAME_MAX + 2 };

struct pfw_names {
    struct strmap *number; /* kind and raw text -> number */
    struct strmap *hash;   /* hash as written -> number */
    struct pfw_name *item; /* [1 … count] */
    size_t count, room;
    char key[KEY_MAX];
};

struct pfw_names *pfw_names_create (void)
{
    struct pfw_names *n = calloc (1, sizeof (*n));

    if (!n || !(n->number = strmap_create ()) ||
        !(n->hash = strmap_create ())) {
        pfw_names_destroy (n);
        errno = ENOMEM;
        return NULL;
    }
    return n;
}

void pfw_names_destroy (struct pfw_names *n)
{
    int saved = errno;

    if (!n)
        return;
    for (size_t i = 1; i <= n->count; i++)
        free (n->item[i].text);
    free (n->item);
    strmap_destroy (n->number);
    strmap_destroy (n->hash);
    free (n);
    errno = saved;
}

struct pfw_name *pfw_names_get (const struct pfw_names *n, uint32_t number)
{
    return number && number <= n->count ? &n->item[number] : NULL;
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

static int names_grow (struct pfw_names *n)
{
    return GROW (n->item, n->room, n->count + 2);
}

/* Takes text, which is malloc'd or NULL. */
static uint32_t names_add (struct pfw_names *n,
                           enum shard_name_kind kind,
                           char *text,
                           size_t length)
{
    struct pfw_name *name;

    if (!text || names_grow (n) < 0) {
        free (text);
        errno = ENOMEM;
        return 0;
    }
    name = &n->item[++n->count];
    *name = (struct pfw_name){
        .text = text, .length = (uint32_t)length, .kind = (uint8_t)kind};
    if (kind == SHARD_NAME_FILE)
        name->class = (uint8_t)class_of (text);
    return (uint32_t)n->count;
}

static char *copy (const struct pfw_text *t, size_t *length)
{
    char *text = malloc ((size_t)t->n + 1);

    if (!text)
        return NULL;
    *length = pfw_unescape (t, text, t->n);
    if (*length > EVENT_NAME_MAX)
        *length = EVENT_NAME_MAX;
    text[*length] = '\0';
    return text;
}

static size_t
append_key (struct pfw_names *n, size_t at, const struct pfw_text *t)
{
    size_t length = t->n < EVENT_NAME_MAX ? t->n : EVENT_NAME_MAX;

    if (length)
        memcpy (n->key + at, t->p, length);
    return at + length;
}

uint32_t pfw_names_text (struct pfw_names *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text)
{
    size_t length = append_key (n, 1, text);
    int64_t at;
    int isnew;
    uint32_t number;
    char *plain;

    n->key[0] = (char)kind;
    if ((at = strmap_intern (n->number, n->key, length, &isnew)) < 0)
        return 0;
    if (!isnew)
        return (uint32_t)(uintptr_t)strmap_value (n->number, (size_t)at);
    plain = copy (text, &length);
    number = names_add (n, kind, plain, length);
    strmap_set (n->number, (size_t)at, (void *)(uintptr_t)number);
    return number;
}

/* "category NUL name", unescaped; both are cut to a quarter of a name. */
static uint32_t names_event (struct pfw_names *n,
                             const struct pfw_text *category,
                             const struct pfw_text *name)
{
    enum { ROOM = EVENT_NAME_MAX / 4 };
    char *text = malloc (2 * ROOM + 2);
    size_t first, second;

    if (!text)
        return 0;
    first = category->n ? pfw_unescape (category, text, ROOM) : 0;
    text[first] = '\0';
    second = name->n ? pfw_unescape (name, text + first + 1, ROOM) : 0;
    text[first + 1 + second] = '\0';
    return names_add (n, SHARD_NAME_EVENT, text, first + 1 + second);
}

/* Category and name of an event. */
static uint32_t pfw_names_event (struct pfw_names *n,
                                 const struct pfw_text *category,
                                 const struct pfw_text *name)
{
    size_t length = append_key (n, 1, category);
    int64_t at;
    int isnew;
    uint32_t number;

    n->key[0] = SHARD_NAME_EVENT;
    n->key[length++] = '"'; /* can be in neither unescaped */
    length = append_key (n, length, name);
    if ((at = strmap_intern (n->number, n->key, length, &isnew)) < 0)
        return 0;
    if (!isnew)
        return (uint32_t)(uintptr_t)strmap_value (n->number, (size_t)at);
    number = names_event (n, category, name);
    strmap_set (n->number, (size_t)at, (void *)(uintptr_t)number);
    return number;
}

uint32_t pfw_names_hash (struct pfw_names *n, const struct pfw_text *hash)
{
    int isnew;
    int64_t at = strmap_intern (n->hash, hash->p, hash->n, &isnew);
    uint32_t number;
    size_t length = hash->n + 1u;
    char *text;

    if (at < 0)
        return 0;
    if (!isnew)
        return (uint32_t)(uintptr_t)strmap_value (n->hash, (size_t)at);
    if ((text = malloc (length + 1))) {
        text[0] = '#';
        memcpy (text + 1, hash->p, hash->n);
        text[length] = '\0';
    }
    if ((number = names_add (n, SHARD_NAME_FILE, text, length)))
        n->item[number].undefined = 1;
    strmap_set (n->hash, (size_t)at, (void *)(uintptr_t)number);
    return number;
}

/* Takes text, which is malloc'd or NULL. */
static int names_rename (struct pfw_name *name, char *text)
{
    if (!text)
        return -1;
    free (name->text);
    *name = (struct pfw_name){.text = text,
                              .length = (uint32_t)strlen (text),
                              .kind = SHARD_NAME_FILE,
                              .class = (uint8_t)class_of (text),
                              .late = 1};
    return 0;
}

int pfw_names_define (struct pfw_names *n,
                      const struct pfw_text *hash,
                      const struct pfw_text *text)
{
    int isnew;
    int64_t at = strmap_intern (n->hash, hash->p, hash->n, &isnew);
    struct pfw_name *old;
    uint32_t number;
    size_t length;

    if (at < 0)
        return -1;
    if (isnew) {
        number = pfw_names_text (n, SHARD_NAME_FILE, text);
        strmap_set (n->hash, (size_t)at, (void *)(uintptr_t)number);
        return number ? 0 : -1;
    }
    number = (uint32_t)(uintptr_t)strmap_value (n->hash, (size_t)at);
    old = pfw_names_get (n, number);
    if (!old || !old->undefined)
        return 0;
    return names_rename (old, copy (text, &length));
}

/* --- other files ------------------------------------------------------ */

static int tell (struct strmap *map, const char *hash, size_t n, char *text)
{
    int isnew;
    int64_t at = text ? strmap_intern (map, hash, n, &isnew) : -1;

    if (at >= 0 && isnew)
        strmap_set (map, (size_t)at, text);
    else
        free (text);
    return at < 0 ? -1 : 0;
}

int pfw_names_tell (const struct pfw_names *n, struct strmap *map)
{
    for (size_t i = 0; i < strmap_count (n->hash); i++) {
        uint32_t number = (uint32_t)(uintptr_t)strmap_value (n->hash, i);
        size_t length;
        const char *hash = strmap_key (n->hash, i, &length);

        if (number && number <= n->count && !n->item[number].undefined &&
            tell (map, hash, length, strdup (n->item[number].text)) < 0)
            return -1;
    }
    return 0;
}

int pfw_names_tell_line (const struct pfw_line *l, struct strmap *map)
{
    size_t length;

    return pfw_names_is_definition (l)
               ? tell (map, l->meta_value.p, l->meta_value.n,
                       copy (&l->meta_name, &length))
               : 0;
}

/* The name of hash i that was not explained when it was used, and what map says
 * of it; NULL, NULL. */
static struct pfw_name *names_missing (const struct pfw_names *n,
                                       size_t i,
                                       const struct strmap *map,
                                       const char **text)
{
    uint32_t number = (uint32_t)(uintptr_t)strmap_value (n->hash, i);
    struct pfw_name *name = pfw_names_get (n, number);
    size_t length;
    const char *hash = strmap_key (n->hash, i, &length);
    int64_t at = map ? strmap_find (map, hash, length) : -1;

    *text = at < 0 ? NULL : strmap_value (map, (size_t)at);
    return name && (name->undefined || name->late) && (!map || *text) ? name
                                                                      : NULL;
}

size_t pfw_names_missing (const struct pfw_names *n, const struct strmap *map)
{
    size_t missing = 0;
    const char *text;

    for (size_t i = 0; i < strmap_count (n->hash); i++)
        missing += names_missing (n, i, map, &text) != NULL;
    return missing;
}

int pfw_names_explain (struct pfw_names *n, const struct strmap *map)
{
    const char *text;

    for (size_t i = 0; i < strmap_count (n->hash); i++) {
        struct pfw_name *name = names_missing (n, i, map, &text);

        if (name && names_rename (name, strdup (text)) < 0)
            return -1;
    }
    return 0;
}

size_t pfw_names_undefined (const struct pfw_names *n)
{
    size_t some = 0;

    for (size_t i = 1; i <= n->count; i++)
        some += n->item[i].undefined;
    return some;
}

void pfw_names_seal (struct pfw_names *n)
{
    strmap_destroy (n->number);
    strmap_destroy (n->hash);
    n->number = n->hash = NULL;
}

/* --- names of one block ------------------------------------------------------
 */

enum { FIRST_SLOTS = 256 };

static uint64_t local_mix (uint64_t h, uint64_t w)
{
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t local_hash_text (uint64_t h, const struct pfw_text *t)
{
    const char *p = t->p;
    size_t n = t->n;
    uint64_t w;

    h = local_mix (h, n);
    for (; n >= 8; p += 8, n -= 8) {
        memcpy (&w, p, 8);
        h = local_mix (h, w);
    }
    w = 0;
    if (n)
        memcpy (&w, p, n);
    return local_mix (h, w);
}

static int local_same (const struct pfw_text *a, const struct pfw_text *b)
{
    return a->n == b->n && (a->n == 0 || memcmp (a->p, b->p, a->n) == 0);
}

/* --- the table --------------------------------------------------------- */

static int local_grow (struct pfw_locals *n)
{
    size_t room = n->room ? 2 * n->room : FIRST_SLOTS / 2;
    struct pfw_local *item = reallocarray (n->item, room, sizeof (*item));
    uint32_t *slot;

    if (!item)
        return -1;
    n->item = item;
    if (!(slot = calloc (2 * room, sizeof (*slot))))
        return -1;
    free (n->slot);
    n->slot = slot;
    n->room = room;
    n->slots = 2 * room;
    for (size_t i = 0; i < n->count; i++) {
        size_t at = n->item[i].hash & (n->slots - 1);

        while (slot[at])
            at = (at + 1) & (n->slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    return 0;
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
    return l->kind == want->kind && l->is_hash == want->is_hash &&
           local_same (&l->text, &want->text) &&
           local_same (&l->second, &want->second);
}

/* Number of the one that is like `want`; *isnew when it was not there. */
static int64_t
local_find (struct pfw_locals *n, struct pfw_local *want, int *isnew)
{
    size_t at;

    if (n->count == n->room && local_grow (n) < 0)
        return -1;
    want->hash = local_hash_text (want->kind | (unsigned)want->is_hash << 8,
                                  &want->text);
    if (want->second.n)
        want->hash = local_hash_text (want->hash, &want->second);
    for (at = want->hash & (n->slots - 1); n->slot[at];
         at = (at + 1) & (n->slots - 1)) {
        const struct pfw_local *l = &n->item[n->slot[at] - 1];

        if (l->hash == want->hash && is_like (l, want))
            return (int64_t)n->slot[at] - 1;
    }
    *isnew = 1;
    n->item[n->count] = *want;
    n->slot[at] = (uint32_t)++n->count;
    return (int64_t)n->count - 1;
}

static int64_t intern (struct pfw_locals *n, struct pfw_local *want, int *isnew)
{
    uint32_t *recent = recent_of (n, want);
    int64_t number;

    *isnew = 0;
    if (*recent && is_like (&n->item[*recent - 1], want))
        return (int64_t)*recent - 1;
    number = local_find (n, want, isnew);
    *recent = (uint32_t)(number + 1);
    return number;
}

int64_t pfw_locals_text (struct pfw_locals *n,
                         enum shard_name_kind kind,
                         const struct pfw_text *text)
{
    struct pfw_local want = {.text = *text, .kind = (uint8_t)kind};
    int isnew;

    return intern (n, &want, &isnew);
}

int64_t pfw_locals_hash (struct pfw_locals *n, const struct pfw_text *hash)
{
    struct pfw_local want = {
        .text = *hash, .kind = SHARD_NAME_FILE, .is_hash = 1};
    int isnew;

    return intern (n, &want, &isnew);
}

/* --- events ------------------------------------------------------------ */

static int is (const struct pfw_text *t, const char *word)
{
    return t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

static int is_any_case (const struct pfw_text *t, const char *word)
{
    return t->n == strlen (word) && strncasecmp (t->p, word, t->n) == 0;
}

static void explain (struct pfw_local *l)
{
    l->layer = is_any_case (&l->text, "POSIX")   ? LAYER_POSIX
               : is_any_case (&l->text, "STDIO") ? LAYER_STDIO
               : is (&l->text, "WAIT")           ? LAYER_NONE
                                                 : LAYER_APP;
    l->call = (uint8_t)pfw_names_call (&l->text, &l->second);
    if (is (&l->text, "dftracer"))
        l->own = is (&l->second, "start") ? PFW_OWN_START
                 : is (&l->second, "end") ? PFW_OWN_END
                                          : PFW_OWN_NONE;
}

int64_t pfw_locals_event (struct pfw_locals *n,
                          const struct pfw_text *category,
                          const struct pfw_text *name)
{
    struct pfw_local want = {
        .text = *category, .second = *name, .kind = SHARD_NAME_EVENT};
    int isnew;
    int64_t at = intern (n, &want, &isnew);

    if (at >= 0 && isnew)
        explain (&n->item[at]);
    return at;
}

uint32_t pfw_local_number (struct pfw_local *l, struct pfw_names *names)
{
    if (!l->number)
        l->number = l->kind == SHARD_NAME_EVENT
                        ? pfw_names_event (names, &l->text, &l->second)
                    : l->is_hash
                        ? pfw_names_hash (names, &l->text)
                        : pfw_names_text (names, (enum shard_name_kind)l->kind,
                                          &l->text);
    return l->number;
}

/* --- all of them ------------------------------------------------------- */

void pfw_locals_empty (struct pfw_locals *n)
{
    n->count = 0;
    memset (n->recent, 0, sizeof (n->recent));
    if (n->slots)
        memset (n->slot, 0, n->slots * sizeof (*n->slot));
}

void pfw_locals_clear (struct pfw_locals *n)
{
    free (n->item);
    free (n->slot);
    memset (n, 0, sizeof (*n));
}
