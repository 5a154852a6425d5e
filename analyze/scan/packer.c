/* SPDX-License-Identifier: MIT
 *
 * packer.c - numbers and texts <-> checked sections of a file
 *
 * In:  what partial.c has to say; the bytes of a file
 * Out: the file; what partialread.c wants to know
 */
#include "config.h"

#include "analyze/scan/packer.h"

#include "lib/base/array.h"
#include "lib/format/shard.h"
#include "lib/format/varint.h"
#include "lib/util/xalloc.h"

enum { SECTION_MAX = 1 << 30 };

struct section {
    uint64_t type, length, checksum;
};

/* --- packing ---------------------------------------------------------------
 */

static unsigned char *room_for (struct packer *p, size_t n)
{
    size_t room = p->room ? p->room : 4096;

    while (room < p->used + n)
        room *= 2;
    if (room > p->room)
        p->data = xreallocarray (p->data, p->room = room, 1);
    return p->data + p->used;
}

void pack_uint (struct packer *p, uint64_t value)
{
    unsigned char *at = room_for (p, VARINT_MAX);

    p->used += put_varint (at, value) - at;
}

void pack_int (struct packer *p, int64_t value)
{
    pack_uint (p, zigzag (value));
}

void pack_bytes (struct packer *p, const void *data, size_t n)
{
    unsigned char *at = room_for (p, n);

    if (n)
        memcpy (at, data, n);
    p->used += n;
}

void pack_text (struct packer *p, const char *text)
{
    size_t n = text ? strlen (text) : 0;

    pack_uint (p, n);
    pack_bytes (p, text, n);
}

int pack_section (struct packer *p, uint64_t type, FILE *out)
{
    struct section s = {type, p->used, 0};

    s.checksum = shard_checksum (p->data, p->used, type);
    if (fwrite (&s, sizeof (s), 1, out) != 1 ||
        (p->used && fwrite (p->data, p->used, 1, out) != 1))
        return -1;
    p->used = 0;
    return 0;
}

void packer_clear (struct packer *p)
{
    free (p->data);
    ZERO (p);
}

/* --- unpacking -------------------------------------------------------------
 */

static int bad_section (FILE *in)
{
    if (!ferror (in))
        errno = EBADMSG;
    return -1;
}

int unpack_section (struct unpacker *u, uint64_t *type, FILE *in)
{
    struct section s;
    size_t got = fread (&s, 1, sizeof (s), in);

    if (got == 0 && feof (in))
        return 0;
    if (got < sizeof (s) || s.length > SECTION_MAX)
        return bad_section (in);
    if (s.length >= u->room) {
        u->room = s.length + 1;
        u->data = xreallocarray (u->data, u->room, 1);
    }
    if (fread (u->data, 1, s.length, in) < s.length ||
        shard_checksum (u->data, s.length, s.type) != s.checksum)
        return bad_section (in);
    u->p = u->data;
    u->limit = u->data + s.length;
    u->bad = 0;
    *type = s.type;
    return 1;
}

uint64_t unpack_uint (struct unpacker *u)
{
    uint64_t value = 0;
    const unsigned char *p =
        u->bad ? NULL : get_varint (u->p, u->limit, &value);

    u->bad |= !p;
    if (!p)
        return 0;
    u->p = p;
    return value;
}

int64_t unpack_int (struct unpacker *u)
{
    return unzigzag (unpack_uint (u));
}

void unpack_bytes (struct unpacker *u, void *to, size_t n)
{
    if (u->bad || (size_t)(u->limit - u->p) < n) {
        u->bad = 1;
        memset (to, 0, n);
        return;
    }
    memcpy (to, u->p, n);
    u->p += n;
}

const char *unpack_text (struct unpacker *u, size_t *length)
{
    uint64_t n = unpack_uint (u);
    const char *text = (const char *)u->p;

    *length = 0;
    if (u->bad || (uint64_t)(u->limit - u->p) < n) {
        u->bad = 1;
        return NULL;
    }
    *length = n;
    u->p += n;
    return text;
}

char *unpack_string (struct unpacker *u)
{
    size_t n;
    const char *text = unpack_text (u, &n);

    return text ? xstrndup (text, n) : NULL;
}

int unpack_ended (const struct unpacker *u)
{
    return !u->bad && u->p == u->limit;
}

void unpacker_clear (struct unpacker *u)
{
    free (u->data);
    ZERO (u);
}
