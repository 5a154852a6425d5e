/* SPDX-License-Identifier: MIT
 *
 * pfwhash.c - names of a job -> their hashes and escaped texts
 *
 * In:  paths, hosts, names of events and keys, from pfwtake.c
 * Out: what JSON lines say of them
 */
#include "config.h"

#include "analyze/export/pfwhash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/md5.h"
#include "lib/util/json.h"
#include "lib/util/strmap.h"

struct pfw_hashes {
    struct strmap *names; /* kind and text -> struct pfw_named */
    char *key;
    size_t room;
};

struct pfw_hashes *pfw_hashes_create (void)
{
    struct pfw_hashes *h = calloc (1, sizeof (*h));

    if (h && !(h->names = strmap_create ())) {
        free (h);
        return NULL;
    }
    return h;
}

void pfw_hashes_destroy (struct pfw_hashes *h)
{
    if (!h)
        return;
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

/* Where the name is to be kept: its place in the map. -1: ENOMEM. */
static int64_t pfwhash_find (struct pfw_hashes *h,
                             const char *kind,
                             const char *text,
                             size_t n,
                             int *isnew)
{
    char *key;

    if (n + 2 > h->room) {
        if (!(key = realloc (h->key, 2 * n + 64)))
            return -1;
        h->key = key;
        h->room = 2 * n + 64;
    }
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

    if (at < 0)
        return NULL;
    if (!*isnew)
        return strmap_value (h->names, (size_t)at);
    if (!(named = malloc (sizeof (*named) + JSON_ESCAPE_MAX * n + 1)))
        return NULL;
    pfwhash_hash_text (text, n, named->hash);
    named->length = (uint32_t)json_escape_to (named->text, text, n);
    strmap_set (h->names, (size_t)at, named);
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

    if (at < 0)
        return NULL;
    if (!isnew)
        return strmap_value (h->names, (size_t)at);
    named = malloc (sizeof (*named) + JSON_ESCAPE_MAX * n + sizeof (between));
    if (!named)
        return NULL;
    memset (named->hash, 0, sizeof (named->hash));
    length = json_escape_to (named->text, text + n - name, name);
    memcpy (named->text + length, between, sizeof (between) - 1);
    length += sizeof (between) - 1;
    length += json_escape_to (named->text + length, text, category);
    named->length = (uint32_t)length;
    strmap_set (h->names, (size_t)at, named);
    return named;
}
