/* SPDX-License-Identifier: MIT
 *
 * others.c - /proc/self/task -> threads that wait for a processor, perhaps in
 * our code
 *
 * Caveat: where /proc is not to be had, it is a millisecond. A thread that
 * sleeps inside of our code (its page is being read) is not waited for.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/others.h"

enum {
    NAP_NS = 1000000,
    NAPS = 200,
    RUN_NS = 200000, /* after which a thread is out of our code */
    OTHERS_MAX = 64,
    NAMES_BYTES = 2048,
    NAME_BYTES = 32
};

struct other {
    char name[NAME_BYTES]; /* of its directory */
    uint64_t ran;          /* ns at the first look */
};

struct others {
    int dir;
    unsigned count;
    struct other all[OTHERS_MAX];
};

/* Read a file of a thread below /proc; 0 if the thread has gone. */
static ssize_t
others_read (int dir, const char *name, const char *file, char *buf, size_t n)
{
    char path[NAME_BYTES * 2];
    size_t length = strlen (name);
    ssize_t got;
    int fd;

    memcpy (path, name, length);
    memcpy (path + length, file, strlen (file) + 1);
    fd = highfd_brief (dir, path, O_RDONLY, 0);
    if (fd < 0)
        return 0;
    got = sys_read (fd, buf, n - 1);
    (void)sys_close (fd);
    buf[got > 0 ? got : 0] = '\0';
    return got > 0 ? got : 0;
}

/* It has a processor, or waits for one. */
static int others_runs (int dir, const char *name)
{
    char buf[256];
    const char *p;

    if (!others_read (dir, name, "/stat", buf, sizeof (buf)))
        return 0;
    p = strrchr (buf, ')');
    return p && p[1] == ' ' && p[2] == 'R';
}

/* ns on a processor so far. */
static uint64_t others_ran (int dir, const char *name)
{
    char buf[96];
    uint64_t ns = 0;

    if (!others_read (dir, name, "/schedstat", buf, sizeof (buf)))
        return 0;
    for (const char *p = buf; *p >= '0' && *p <= '9'; p++)
        ns = ns * 10 + (uint64_t)(*p - '0');
    return ns;
}

static void others_add (struct others *o, const char *name, const char *self)
{
    struct other *t = &o->all[o->count];

    if (name[0] == '.' || strcmp (name, self) == 0 || o->count >= OTHERS_MAX ||
        strlen (name) >= NAME_BYTES / 2 || !others_runs (o->dir, name))
        return;
    memcpy (t->name, name, strlen (name) + 1);
    t->ran = others_ran (o->dir, name);
    o->count += t->ran > 0; /* else it is not known */
}

/* Those that run. */
static void others_list (struct others *o, const char *self)
{
    char buf[NAMES_BYTES] __attribute__ ((aligned (8)));
    long n;

    while ((n = sys_call (SYS_getdents64, o->dir, buf, sizeof (buf))) > 0) {
        for (long at = 0; at < n;) {
            const struct dirent64 *d = (const void *)(buf + at);

            others_add (o, d->d_name, self);
            at += d->d_reclen;
        }
    }
}

static int others_all_out (struct others *o)
{
    while (o->count > 0) {
        const struct other *t = &o->all[o->count - 1];

        if (others_runs (o->dir, t->name) &&
            others_ran (o->dir, t->name) < t->ran + RUN_NS)
            return 0;
        o->count--;
    }
    return 1;
}

static void others_name (char *to, pid_t tid)
{
    char digits[NAME_BYTES / 2];
    char *p = digits + sizeof (digits) - 1;

    *p = '\0';
    do
        *--p = (char)('0' + tid % 10);
    while ((tid /= 10) > 0);
    memcpy (to, p, strlen (p) + 1);
}

void others_wait (void)
{
    struct others o = {.count = 0};
    char self[NAME_BYTES];

    others_name (self, sys_gettid ());
    o.dir =
        highfd_brief (AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    sys_nap (NAP_NS);
    if (o.dir < 0)
        return;
    others_list (&o, self);
    for (int i = 0; i < NAPS && !others_all_out (&o); i++)
        sys_nap (NAP_NS);
    (void)sys_close (o.dir);
}
