/* SPDX-License-Identifier: MIT
 *
 * scanfs.c - what an event of opening says of its file system -> mounts, file;
 *            who shares a file
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "analyze/scan/scanstep.h"
#include "lib/format/usagekeys.h"

/* Of the texts of an event, those that it has. */
struct scanfs_texts {
    const struct dict_entry *type, *point, *prefix;
};

static void scanfs_text (const char *from, size_t n, char *to, size_t room)
{
    if (n >= room)
        n = 0;
    memcpy (to, from, n);
    to[n] = '\0';
}

static int scanfs_mount (struct scanner *s,
                         const struct scanfs_texts *said,
                         uint64_t block)
{
    const struct dict_entry *prefix = said->prefix ? said->prefix : said->point;
    struct mount_entry m = {.block = block};

    scanfs_text (said->type->text, said->type->length, m.type, sizeof (m.type));
    if (said->point)
        scanfs_text (said->point->text, said->point->length, m.point,
                     sizeof (m.point));
    return prefix && prefix->length
               ? mounts_say (&s->tally.mounts, prefix->text, prefix->length, &m)
               : 0;
}

static void scanfs_larger (uint64_t *to, int64_t value)
{
    if (value > 0 && (uint64_t)value > *to)
        *to = (uint64_t)value;
}

/* What the recorder says of a file on Lustre. */
static void scanfs_file (struct file_total *f, unsigned key, int64_t value)
{
    if (key == USAGE_LUSTRE_STRIPES)
        scanfs_larger (&f->stripes, value);
    else if (key == USAGE_LUSTRE_STRIPE_SIZE)
        scanfs_larger (&f->stripe_bytes, value);
    else if (key == USAGE_LUSTRE_COMPONENTS)
        scanfs_larger (&f->components, value);
}

int scanfs_event (struct scanner *s,
                  const struct batch *b,
                  size_t i,
                  struct file_total *file)
{
    struct scanfs_texts said = {NULL, NULL, NULL};
    uint64_t block = 0;

    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        const struct dict_entry *key = dict_entry (s->dict, arg->key);
        unsigned usage = key ? key->key - (unsigned)DICT_KEY_USAGE : 0;

        if (!key || key->key < DICT_KEY_USAGE)
            continue;
        if (arg->type == EVENT_ARG_TEXT) {
            const struct dict_entry *text =
                dict_entry_of (s->dict, arg->text, SHARD_NAME_TEXT);

            if (usage == USAGE_FS_TYPE)
                said.type = text;
            else if (usage == USAGE_FS_MOUNT)
                said.point = text;
            else if (usage == USAGE_FS_PREFIX)
                said.prefix = text;
        } else if (arg->type == EVENT_ARG_INT && usage == USAGE_FS_BLOCK)
            block = arg->i > 0 ? (uint64_t)arg->i : 0;
        else if (arg->type == EVENT_ARG_INT && file)
            scanfs_file (file, usage, arg->i);
    }
    return said.type ? scanfs_mount (s, &said, block) : 0;
}

struct share *
scan_new_share (struct scanner *s, struct unit *u, struct scan_name *n)
{
    size_t before = u->shares.count;
    const struct dict_entry *file;
    int64_t at;

    if (!s->pairs ||
        __atomic_load_n (s->pairs, __ATOMIC_RELAXED) > 2 * SHARES_MAX)
        return NULL;
    file = dict_entry (s->dict, (uint32_t)(n - s->name));
    at = shares_at (&u->shares, shares_id (file->text, file->length));
    if (at < 0 || u->shares.count != before)
        (void)__atomic_fetch_add (s->pairs, at < 0 ? 2 * SHARES_MAX + 1 : 1,
                                  __ATOMIC_RELAXED);
    if (at < 0)
        return NULL;
    n->sharer = u;
    n->share = (uint32_t)at;
    return &u->shares.item[at];
}
