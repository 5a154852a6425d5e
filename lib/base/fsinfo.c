/* SPDX-License-Identifier: MIT
 *
 * fsinfo.c - lines of /proc/self/mountinfo, byte by byte
 *
 *     36 35 98:0 /root /mount/point rw,noatime master:1 - ext3 /dev/sda1 rw
 *      0  1   2     3       4          5       6 …      -   7
 *
 * Blanks in names are octal: \040.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/base/fsinfo.h"

enum { FIELD_ID = 0, FIELD_DEVICE = 2, FIELD_POINT = 4, FIELD_OPTIONS = 5 };

static const struct {
    uint32_t magic;
    const char *type;
} types[] = {
    {0x0bd00bd0, "lustre"},    {0x47504653, "gpfs"},
    {0x19830326, "beegfs"},    {0x6969, "nfs"},
    {0x517b, "smb"},           {0xff534d42, "cifs"},
    {0xfe534d42, "smb2"},      {0x00c36400, "ceph"},
    {0x65735546, "fuse"},      {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"},      {0xaad7aaea, "panfs"},
    {0x20030528, "orangefs"},  {0x5346414f, "afs"},
    {0x01021997, "9p"},        {0xef53, "ext4"},
    {0x58465342, "xfs"},       {0x9123683e, "btrfs"},
    {0xf2f52010, "f2fs"},      {0x2fc12fc1, "zfs"},
    {0x01021994, "tmpfs"},     {0x858458f6, "ramfs"},
    {0x958458f6, "hugetlbfs"}, {0x794c7630, "overlay"},
    {0x73717368, "squashfs"},  {0xe0f5e1e2, "erofs"},
    {0x9660, "iso9660"},       {0x4d44, "vfat"},
    {0x5346544e, "ntfs"},      {0x64626720, "debugfs"},
    {0x9fa0, "proc"},          {0x62656572, "sysfs"},
    {0x0027e0eb, "cgroup"},    {0x63677270, "cgroup2"},
};

const char *mountinfo_type_of (uint64_t magic)
{
    for (size_t i = 0; i < ITEMS (types); i++)
        if (types[i].magic == (uint32_t)magic)
            return types[i].type;
    return NULL;
}

/* A byte of a field that is kept; one that is too long is not known. */
static void
mountinfo_keep (struct mountinfo *m, char *text, size_t room, char c)
{
    if (m->used + 1 < room) {
        text[m->used++] = c;
        text[m->used] = '\0';
    } else if (room) {
        text[0] = '\0';
        m->used = room;
    }
}

static void mountinfo_end_field (struct mountinfo *m)
{
    if (m->field == FIELD_ID && m->id && m->number != m->id)
        m->left = 1; /* the rest of the line says nothing */
    if (m->field == FIELD_DEVICE && !m->id && m->number != m->minor)
        m->left = 1;
    if (m->dash == 2) { /* the type is there */
        m->left = 1;
        m->mount = m->line;
        m->found = 1;
    }
    m->field++;
    m->number = 0;
    m->used = 0;
    m->dash =
        m->dash == 1 ? 2 : 0; /* the field "-": the next one is the type */
}

static void mountinfo_byte (struct mountinfo *m, char c)
{
    if (m->escape) {
        m->number = m->number * 8 + (uint64_t)(c - '0');
        if (--m->escape == 0)
            mountinfo_keep (m, m->line.point, sizeof (m->line.point),
                            (char)(unsigned char)m->number);
        return;
    }
    if (c >= '0' && c <= '9' &&
        (m->field == FIELD_ID || m->field == FIELD_DEVICE)) {
        m->number = m->number * 10 + (uint64_t)(c - '0');
    } else if (m->field == FIELD_DEVICE && c == ':') {
        if (!m->id && m->number != m->major)
            m->left = 1;
        m->number = 0;
    } else if (m->field == FIELD_POINT && c == '\\') {
        m->escape = 3;
        m->number = 0;
    } else if (m->field == FIELD_POINT) {
        mountinfo_keep (m, m->line.point, sizeof (m->line.point), c);
    } else if (m->dash == 2) {
        mountinfo_keep (m, m->line.type, sizeof (m->line.type), c);
    } else if (m->field > FIELD_OPTIONS) {
        m->dash = m->used++ == 0 && c == '-';
    }
}

static void mountinfo_end_line (struct mountinfo *m)
{
    m->number = 0;
    m->field = m->dash = m->escape = m->left = 0;
    m->used = 0;
    m->line.point[0] = m->line.type[0] = '\0';
}

int mountinfo_take (struct mountinfo *m, const char *text, size_t n)
{
    const char *end = text + n;

    while (text < end && !m->found) {
        if (m->left) {
            const char *line = memchr (text, '\n', end - text);

            if (!line)
                return 0;
            text = line;
        }
        if (*text == '\n')
            mountinfo_end_line (m);
        else if (*text == ' ')
            mountinfo_end_field (m);
        else
            mountinfo_byte (m, *text);
        text++;
    }
    return m->found != 0;
}

const struct mountinfo_mount *mountinfo_found (const struct mountinfo *m)
{
    return m->found ? &m->mount : NULL;
}

/* ---- lov_user_md_v1, _v3, lov_comp_md_v1 -> struct lustrelayout ---- */

enum {
    MAGIC_V1 = 0x0BD10BD0,
    MAGIC_V3 = 0x0BD30BD0,
    MAGIC_COMPOSITE = 0x0BD60BD0,
    MAGIC_SPECIFIC = 0x0BD50BD0, /* v3 with chosen targets */
    PLAIN_BYTES = 32,
    HEAD_BYTES = 32,
    ENTRY_BYTES = 48,
    HAS_OBJECTS = 0x10,         /* LCME_FL_INIT */
    RELEASED = (int)0x80000000, /* LOV_PATTERN_F_RELEASED */
    ALL_TARGETS = 0xffff        /* stripe_count of -1 */
};

static uint32_t lustrelayout_u32 (const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint32_t lustrelayout_u16 (const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static int lustrelayout_is_plain (uint32_t magic)
{
    return magic == MAGIC_V1 || magic == MAGIC_V3 || magic == MAGIC_SPECIFIC;
}

static int lustrelayout_bad (int error)
{
    errno = error;
    return -1;
}

static int
lustrelayout_plain (struct lustrelayout *l, const unsigned char *p, size_t n)
{
    uint32_t count;

    if (n < PLAIN_BYTES)
        return lustrelayout_bad (EOVERFLOW);
    if (!lustrelayout_is_plain (lustrelayout_u32 (p)))
        return lustrelayout_bad (EINVAL);
    count = lustrelayout_u16 (p + 28);
    l->stripes = count == ALL_TARGETS ? 0 : count;
    l->stripe_size = lustrelayout_u32 (p + 24);
    l->released = (lustrelayout_u32 (p + 4) & (uint32_t)RELEASED) != 0;
    l->components = 1;
    return 0;
}

/* Is b, with objects or without, the one to tell of? */
static int lustrelayout_beats (const struct lustrelayout *b,
                               uint32_t objects,
                               const struct lustrelayout *a,
                               uint32_t before)
{
    if (objects != before)
        return objects > before;
    return b->stripes > a->stripes;
}

static int lustrelayout_composite (struct lustrelayout *l,
                                   const unsigned char *p,
                                   size_t n)
{
    uint32_t entries, objects = 0, found = 0;

    if (n < HEAD_BYTES)
        return lustrelayout_bad (EOVERFLOW);
    entries = lustrelayout_u16 (p + 14);
    for (uint32_t i = 0; i < entries && i < LUSTRELAYOUT_COMPONENTS; i++) {
        const unsigned char *e = p + HEAD_BYTES + i * ENTRY_BYTES;
        struct lustrelayout one = {0};
        uint32_t at, has;

        if ((size_t)(e - p) + ENTRY_BYTES > n)
            return lustrelayout_bad (EOVERFLOW);
        at = lustrelayout_u32 (e + 24);
        has = (lustrelayout_u32 (e + 4) & HAS_OBJECTS) != 0;
        if (at > n)
            return lustrelayout_bad (EOVERFLOW);
        if (lustrelayout_plain (&one, p + at, n - at) < 0)
            return -1;
        if (!found++ || lustrelayout_beats (&one, has, l, objects)) {
            *l = one;
            objects = has;
        }
    }
    if (!found)
        return lustrelayout_bad (EINVAL);
    l->components = entries;
    l->mirrors = lustrelayout_u16 (p + 16) + 1;
    return 0;
}

int lustrelayout_parse (struct lustrelayout *l, const void *bytes, size_t n)
{
    ZERO (l);
    if (n < 4)
        return lustrelayout_bad (EOVERFLOW);
    if (lustrelayout_u32 (bytes) == MAGIC_COMPOSITE)
        return lustrelayout_composite (l, bytes, n);
    return lustrelayout_plain (l, bytes, n);
}
