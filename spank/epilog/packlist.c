/* SPDX-License-Identifier: MIT
 *
 * packlist.c - the shards of a host in a directory that can be packed
 */
#include "config.h"

#include "spank/epilog/packlist.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/tracefile.h"

enum { BLOCK_BYTES = 512 /* of st_blocks */ };

static int packlist_has_suffix (const char *text, const char *suffix)
{
    size_t n = strlen (text), m = strlen (suffix);

    return n >= m && strcmp (text + n - m, suffix) == 0;
}

int pack_is_shard (const char *name, const char *host, long *pid)
{
    size_t n = strlen (host);
    const char *digits;

    if (strncmp (name, host, n) != 0 || name[n] != '-' ||
        !packlist_has_suffix (name, ".dft"))
        return 0;
    digits = name + n + 1;
    name = digits + strspn (digits, "0123456789");
    if (name == digits || *name != '-' || strchr (name + 1, '-'))
        return 0;
    *pid = strtol (digits, NULL, 10);
    return 1;
}

void packlist_clear (struct packlist *names)
{
    for (size_t i = 0; i < names->count; i++)
        free (names->item[i]);
    free (names->item);
    free (names->bytes);
    *names = (struct packlist){0};
}

static int
packlist_add (struct packlist *names, const char *name, uint64_t bytes)
{
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        char **item = reallocarray (names->item, room, sizeof (*item));
        uint64_t *sizes;

        if (!item)
            return -1;
        names->item = item;
        sizes = reallocarray (names->bytes, room, sizeof (*sizes));
        if (!sizes)
            return -1;
        names->bytes = sizes;
        names->room = room;
    }
    names->item[names->count] = strdup (name);
    if (!names->item[names->count])
        return -1;
    names->bytes[names->count++] = bytes;
    return 0;
}

static int packlist_ended (long pid)
{
    return kill ((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* One of many processes has pid 0. */
static int all_have_ended (int dirfd, const char *name)
{
    struct tracefile *f = tracefile_openat (dirfd, name, NULL);
    int ended = 1;

    for (size_t i = 0; f && ended && i < tracefile_processes (f); i++) {
        const struct shard_process *p = &tracefile_process (f, i)->p;

        ended = p->end_ns != 0 || packlist_ended (p->pid);
    }
    tracefile_close (f);
    return ended;
}

/* From now on nobody begins to write to a file that the processes of a node
 * share; who would, makes the next. Whoever takes a place between the two calls
 * has it for himself. */
static void close_shared (int dirfd, const char *name)
{
    struct {
        struct shard_block b;
        struct shard_node node;
    } head;
    int fd = openat (dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && pread (fd, &head, sizeof (head), 0) == sizeof (head) &&
        head.b.magic == SHARD_MAGIC && head.b.type == SHARD_BLOCK_NODE) {
        head.node.next |= SHARD_CLOSED;
        (void)!pwrite (fd, &head.node.next, sizeof (head.node.next),
                       sizeof (head.b) + offsetof (struct shard_node, next));
    }
    if (fd >= 0)
        (void)close (fd);
}

static int packlist_can_go (int dirfd, const char *name, long pid, int all)
{
    if (pid != 0)
        return all || packlist_ended (pid);
    if (!all && !all_have_ended (dirfd, name))
        return 0;
    close_shared (dirfd, name);
    return all || all_have_ended (dirfd, name);
}

DIR *packlist_open (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);

    if (!d && fd >= 0)
        (void)close (fd);
    return d;
}

int packlist_shards (const struct pack *p,
                     const char *path,
                     struct packlist *names)
{
    DIR *d = packlist_open (path);
    const struct dirent *entry;
    struct stat st;
    long pid;
    int rc = d ? 0 : -1;

    while (rc == 0 && (entry = readdir (d))) {
        if (!pack_is_shard (entry->d_name, p->host, &pid) ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG (st.st_mode))
            continue;
        if (packlist_can_go (dirfd (d), entry->d_name, pid, p->all))
            rc = packlist_add (names, entry->d_name,
                               (uint64_t)st.st_blocks * BLOCK_BYTES);
    }
    if (d)
        (void)closedir (d);
    return rc;
}
