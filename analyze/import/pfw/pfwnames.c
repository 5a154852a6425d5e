/* SPDX-License-Identifier: MIT
 *
 * pfwnames.c - texts and hashes of a DFTracer trace -> names with a meaning
 * In:  names, paths and hashes, from pfwtrace.c
 * Out: what a chunk's dictionary says of them
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/import/pfw/pfwnamesin.h"
#include "lib/format/event.h"
#include "lib/util/strmap.h"

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

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
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

static int is_libc (const struct pfw_text *category)
{
    return category->n == 5 && (strncasecmp (category->p, "POSIX", 5) == 0 ||
                                strncasecmp (category->p, "STDIO", 5) == 0);
}

enum call pfw_names_call (const struct pfw_text *category,
                          const struct pfw_text *name)
{
    char plain[32];

    if (name->n >= sizeof (plain) || !is_libc (category))
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

static int pfwnames_grow (struct pfw_names *n)
{
    size_t room = n->room ? 2 * n->room : 256;
    struct pfw_name *item;

    if (n->count + 1 < n->room)
        return 0;
    if (!(item = reallocarray (n->item, room, sizeof (*item))))
        return -1;
    n->item = item;
    n->room = room;
    return 0;
}

/* Takes text, which is malloc'd or NULL. */
static uint32_t pfwnames_add (struct pfw_names *n,
                              enum shard_name_kind kind,
                              char *text,
                              size_t length)
{
    struct pfw_name *name;

    if (!text || pfwnames_grow (n) < 0) {
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

static char *pfwnames_copy (const struct pfw_text *t, size_t *length)
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
    plain = pfwnames_copy (text, &length);
    number = pfwnames_add (n, kind, plain, length);
    strmap_set (n->number, (size_t)at, (void *)(uintptr_t)number);
    return number;
}

/* "category NUL name", unescaped; both are cut to a quarter of a name. */
static uint32_t pfwnames_event (struct pfw_names *n,
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
    return pfwnames_add (n, SHARD_NAME_EVENT, text, first + 1 + second);
}

uint32_t pfw_names_event (struct pfw_names *n,
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
    number = pfwnames_event (n, category, name);
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
    if ((number = pfwnames_add (n, SHARD_NAME_FILE, text, length)))
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
    return names_rename (old, pfwnames_copy (text, &length));
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
                       pfwnames_copy (&l->meta_name, &length))
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
