/* SPDX-License-Identifier: MIT
 *
 * self.c - what exec was given -> path of the program; does valgrind run it
 *
 * In:  the name that the kernel hands on, links on the way
 * Out: what /proc/self/exe says. Looking there takes 30 us, as the kernel makes
 *      entries for a process and takes them away again at its end; a look at
 *      each component takes one. Only where they may differ it is asked: the
 *      interpreter of a script, a descriptor, a file that is gone.
 */
#include "config.h"

#include <link.h>
#include <sys/auxv.h>

#include "lib/base/sys.h"
#include "lib/settings/paths.h"
#include "preload/process.h"

enum {
    STEPS_MAX = 200, /* components and links */
    WORDS_MAX = 8,   /* in front of a script's name */
    ROOM = 1024      /* bytes: of longer ones the kernel is asked */
};

/* An interpreter gets the name of its script as a word. */
static int self_is_script (const char *name, const char *const *argv)
{
    if (!argv || !argv[0])
        return 1;
    for (int i = 1; i < WORDS_MAX && argv[i]; i++)
        if (strcmp (argv[i], name) == 0)
            return 1;
    return 0;
}

/* A link there says something, but leads elsewhere. */
static int self_is_magic (const char *path)
{
    return strncmp (path, "/proc/", 6) == 0;
}

/* A link's text before what was left behind it; -1: too long. */
static int self_put_before (char *rest, const char *link, size_t n)
{
    size_t left = strlen (rest) + 1;

    if (n + left > ROOM)
        return -1;
    memmove (rest + n, rest, left);
    memcpy (rest, link, n);
    return 0;
}

/* One component more behind the n bytes of path, which have no links. rest is
 * what comes behind it. Returns the new length, or -1. */
static ssize_t
self_step (char *path, size_t n, size_t size, const char *part, char *rest)
{
    char link[ROOM];
    ssize_t now = paths_append (path, n, size - 1, part), length;

    if (now <= (ssize_t)n)
        return now; /* ".", "..", or too long */
    path[now] = '\0';
    if (self_is_magic (path))
        return -1;
    length = sys_readlink (path, link, sizeof (link));
    if (length < 0)
        return errno == EINVAL ? now : -1; /* no link */
    if (self_put_before (rest, link, (size_t)length) < 0)
        return -1;
    return link[0] == '/' ? 0 : (ssize_t)n;
}

/* Cut the first component off rest, into part; 0: there is none. */
static int self_cut (char *rest, char *part)
{
    const char *begin = rest, *end;

    while (*begin == '/')
        begin++;
    end = strchrnul (begin, '/');
    memcpy (part, begin, (size_t)(end - begin));
    part[end - begin] = '\0';
    memmove (rest, end, strlen (end) + 1);
    return part[0] != '\0';
}

static ssize_t self_resolve (char *path, size_t size, const char *name)
{
    char rest[ROOM], part[ROOM];
    ssize_t n = name[0] == '/' ? 0 : paths_cwd (path, size);
    size_t length = strlen (name);

    if (length >= sizeof (rest) || (n > 0 && path[0] != '/'))
        return -1;
    memcpy (rest, name, length + 1);
    for (int i = 0; n >= 0 && self_cut (rest, part); i++)
        n = i < STEPS_MAX ? self_step (path, (size_t)n, size, part, rest) : -1;
    return n;
}

ssize_t self_path (char *path, size_t size, const char *const *argv)
{
    int saved_errno = errno;
    unsigned long at = getauxval (AT_EXECFN);
    const char *name = (const char *)(uintptr_t)at;
    ssize_t n = -1;

    if (name && !self_is_script (name, argv))
        n = self_resolve (path, size, name);
    if (n <= 0)
        n = sys_readlink ("/proc/self/exe", path, size);
    errno = saved_errno;
    return n;
}

extern ElfW (Dyn) _DYNAMIC[] __attribute__ ((visibility ("hidden")));
extern struct r_debug _r_debug __attribute__ ((weak));

/* It puts a library of its own in front of all others. */
int self_in_valgrind (void)
{
    static const char core[] = "/vgpreload_core";
    static SYS_STATE signed char known; /* 1: it does, -1: it does not */
    const struct link_map *m = &_r_debug ? _r_debug.r_map : NULL;
    signed char is = -1;

    if (known)
        return known > 0;
    for (; m && m->l_ld != _DYNAMIC; m = m->l_next)
        for (const char *p = m->l_name; p && *p; p++)
            if (*p == '/' && strncmp (p, core, sizeof (core) - 1) == 0)
                is = 1;
    known = is;
    return is > 0;
}
