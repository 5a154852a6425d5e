/* SPDX-License-Identifier: MIT
 *
 * chunk.c - events and their files -> a block of the trace
 *
 * A chunk is in memory and written now and then: header last, so that it never
 * says more than is there.
 */
#include "config.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kernel/chunk.h"
#include "lib/base/array.h"
#include "lib/format/shard.h"

enum {
    CHUNK_FIRST = 4096,
    CHUNK_MAX = 65536,
    CHUNK_GROWTH = 4,
    NAME_BYTES = EVENT_NAME_MAX + 16,
    KEY_BYTES = 64, /* of an argument's key */
    DICT_SLOTS = 1024
};

/* Names that the chunk has defined. Two names may share a slot: the later one
 * stays, and the other is defined again when it occurs again. */
struct chunk_dict {
    struct {
        uint32_t at; /* of its text; 0: none */
        uint32_t length;
        uint32_t id;
        uint32_t class;
    } slot[DICT_SLOTS];
};

static unsigned chunk_slot (const char *text, size_t n)
{
    return (unsigned)(shard_checksum (text, n, 0) >> 20) % DICT_SLOTS;
}

/* By enum usage_key. */
static const char *const chunk_keys[] = {
#define USAGE(NAME, KEY, HELP) KEY,
#include "lib/format/usage.def"
#undef USAGE
};

/* Memory for events and names of need bytes. */
static int chunk_begin (struct chunk *c, size_t need, uint64_t tick)
{
    uint32_t capacity = c->next_capacity ? c->next_capacity : CHUNK_FIRST;

    while (capacity < need + sizeof (struct shard_block))
        capacity *= 2;
    if (!c->dict && !(c->dict = malloc (sizeof (*c->dict))))
        return -1;
    c->bytes = calloc (1, capacity);
    if (!c->bytes)
        return -1;
    ZERO (c->dict);
    event_state_init (&c->state, tick);
    c->capacity = capacity;
    c->used = sizeof (struct shard_block);
    c->written = 0;
    c->events = 0;
    c->place = 0;
    c->base = tick;
    c->next_capacity = capacity * CHUNK_GROWTH;
    if (c->next_capacity > CHUNK_MAX)
        c->next_capacity = CHUNK_MAX;
    return 0;
}

static uint32_t chunk_define (struct chunk *c,
                              enum shard_name_kind kind,
                              const struct chunk_name *name)
{
    size_t n = MIN (name->length, EVENT_NAME_MAX);
    unsigned slot = chunk_slot (name->path, n);

    if (c->dict->slot[slot].at && c->dict->slot[slot].length == n &&
        c->dict->slot[slot].class == (uint32_t)name->class &&
        memcmp (c->bytes + c->dict->slot[slot].at, name->path, n) == 0)
        return c->dict->slot[slot].id;
    c->used += (uint32_t)event_encode_name (&c->state, kind, name->class,
                                            name->path, n, c->bytes + c->used);
    c->dict->slot[slot].at = c->used - (uint32_t)n;
    c->dict->slot[slot].length = (uint32_t)n;
    c->dict->slot[slot].class = name->class;
    c->dict->slot[slot].id = c->state.names;
    return c->state.names;
}

static size_t chunk_need (const struct chunk_name *name)
{
    return name->path ? (name->length < EVENT_NAME_MAX ? name->length + 16
                                                       : NAME_BYTES)
                      : 0;
}

/* Keys of arguments, from usage_key to their names here. */
static void chunk_define_keys (struct chunk *c, struct event *ev)
{
    for (unsigned i = 0; i < ev->nargs; i++) {
        const char *key = chunk_keys[ev->args[i].key];
        struct chunk_name name = {key, strlen (key), FILE_CLASS_UNKNOWN};

        ev->args[i].key = chunk_define (c, SHARD_NAME_KEY, &name);
    }
}

int chunk_put (struct chunk *c,
               struct event *ev,
               const struct chunk_name *file,
               const struct chunk_name *file2)
{
    size_t need = EVENT_BYTES_MAX + chunk_need (file) + chunk_need (file2) +
                  (size_t)ev->nargs * KEY_BYTES;

    if (c->bytes && c->capacity - c->used < need)
        return 1;
    if (!c->bytes && chunk_begin (c, need, ev->start) < 0)
        return -1;
    chunk_define_keys (c, ev);
    ev->file = file->path ? chunk_define (c, SHARD_NAME_FILE, file) : 0;
    ev->file2 = file2->path ? chunk_define (c, SHARD_NAME_FILE, file2) : 0;
    c->used += (uint32_t)event_encode (&c->state, ev, c->bytes + c->used);
    c->events++;
    return 0;
}

static int chunk_write (struct chunk *c,
                        struct space *s,
                        const struct chunk_owner *owner,
                        unsigned flags)
{
    struct shard_block *b = (struct shard_block *)(void *)c->bytes;
    uint32_t from = c->written ? c->written : (uint32_t)sizeof (*b);

    if (!c->place && !(c->place = space_take (s, c->capacity)))
        return -1;
    *b = (struct shard_block){
        .magic = SHARD_MAGIC,
        .type = SHARD_BLOCK_EVENTS,
        .flags = (uint16_t)flags,
        .commit = (uint64_t)c->events << 32 | (c->used - sizeof (*b)),
        .capacity = c->capacity,
        .proc = owner->proc,
        .tid = owner->tid,
        .seq = c->seq,
        .base = c->base,
        .base_ns = c->base,
        .lost = owner->lost,
    };
    b->check = shard_block_check (b);
    if (flags & SHARD_SEALED)
        b->checksum = shard_events_sum (b, b + 1);
    if (space_write (s, c->bytes + from, c->used - from, c->place + from) < 0 ||
        space_write (s, b, sizeof (*b), c->place) < 0)
        return -1;
    c->written = c->used;
    return 0;
}

int chunk_flush (struct chunk *c,
                 struct space *s,
                 const struct chunk_owner *owner)
{
    return c->bytes && c->written != c->used ? chunk_write (c, s, owner, 0) : 0;
}

int chunk_seal (struct chunk *c,
                struct space *s,
                const struct chunk_owner *owner)
{
    int rc = 0;

    if (c->bytes)
        rc = chunk_write (c, s, owner, SHARD_SEALED);
    free (c->bytes);
    c->bytes = NULL;
    c->seq++;
    return rc;
}

void chunk_drop (struct chunk *c)
{
    free (c->bytes);
    free (c->dict);
    ZERO (c);
}

/* ---- places, bytes -> a trace file ---- */

enum { SPACE_MODE = 0600 };

void space_start (struct space *s, int dir, const char *name, uint64_t max)
{
    *s = (struct space){
        .dir = dir, .name = name, .fd = -1, .next = SHARD_ALIGN, .max = max};
}

uint64_t space_take (struct space *s, uint32_t size)
{
    uint64_t at = s->next;

    if (s->max && at + size > s->max)
        return 0;
    s->next += size;
    return at;
}

static int space_put (int fd, const char *p, size_t n, uint64_t at)
{
    while (n > 0) {
        ssize_t done = pwrite (fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        at += done;
        n -= done;
    }
    return 0;
}

static int space_put_node (struct space *s)
{
    struct {
        struct shard_block block;
        struct shard_node node;
    } head = {
        .block = {.magic = SHARD_MAGIC,
                  .type = SHARD_BLOCK_NODE,
                  .flags = SHARD_SEALED,
                  .commit = sizeof (struct shard_node),
                  .capacity = SHARD_ALIGN},
        .node = {.version = SHARD_VERSION, .number = 1, .next = s->next},
    };

    head.block.check = shard_block_check (&head.block);
    return space_put (s->fd, (const char *)&head, sizeof (head), 0);
}

static int space_make (struct space *s)
{
    enum {
        FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
    };

    s->fd = openat (s->dir, s->name, FLAGS, SPACE_MODE);
    return s->fd < 0 ? -1 : space_put_node (s);
}

int space_write (struct space *s, const void *bytes, size_t n, uint64_t at)
{
    if (s->fd < 0 && space_make (s) < 0)
        return -1;
    return space_put (s->fd, bytes, n, at);
}

void space_finish (struct space *s)
{
    if (s->fd < 0)
        return;
    s->next |= SHARD_CLOSED;
    space_put_node (s);
    close (s->fd);
    s->fd = -1;
}

/* ---- uid, gid, capabilities -> given up ---- */

static int drop_capabilities (void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

    ZERO (&none);
    return (int)syscall (SYS_capset, &head, none);
}

static int drop_user (const char *user)
{
    char *end;
    unsigned long uid = strtoul (user, &end, 10), gid;

    if (end == user || *end != ':')
        goto bad;
    user = end + 1;
    gid = strtoul (user, &end, 10);
    if (end == user || *end)
        goto bad;
    if (getuid () == uid && getgid () == gid && uid != 0)
        return 0;
    return setgroups (0, NULL) < 0 ||
                   setresgid ((gid_t)gid, (gid_t)gid, (gid_t)gid) < 0 ||
                   setresuid ((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0
               ? -1
               : 0;
bad:
    errno = EINVAL;
    return -1;
}

int drop_rights (const char *user, struct errtext *err)
{
    if ((user && drop_user (user) < 0) || drop_capabilities () < 0 ||
        prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return errf (err, "layer kernel: rights cannot be given up: %s",
                     strerror (errno));
    return 0;
}
