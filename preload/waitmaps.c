/* SPDX-License-Identifier: MIT
 *
 * waitmaps.c - /proc/self/maps -> which library an address lies in
 *
 * In:  addresses of futexes and of stacks, from samples
 * Out: whether it is Python's own lock; the library that waits, likely
 */
#include "config.h"

#include <sys/uio.h>

#include "lib/base/text.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/record/recorder.h"
#include "preload/waitsample.h"

#define LOOK_NS ((uint64_t)10 * CLOCK_NS_PER_S)

enum {
    LIBRARIES = 256, /* more are not told apart */
    NAME_MAX_BYTES = 40,
    DATA = 16,   /* segments of Python */
    OWNERS = 64, /* of locks, that have a text */
    STACK_WORDS = 256
};

struct waitmaps_library {
    uint64_t start, end;
    uint32_t text; /* 0: not said yet */
    char name[NAME_MAX_BYTES];
};

struct waitmaps_line {
    uint64_t start, end;
    const char *perms, *name; /* name: behind the last slash; "" */
};

static struct waitmaps {
    struct waitmaps_library library[LIBRARIES];
    struct {
        uint64_t start, end;
    } data[DATA];
    unsigned libraries, datas;
    char line[4096];
} * maps;
static uint64_t looked_ns;

static uint64_t waitmaps_hex (const char **p)
{
    uint64_t n = 0;

    for (;; (*p)++) {
        unsigned c = (unsigned char)**p;

        if (c - '0' < 10u)
            n = n << 4 | (c - '0');
        else if (c - 'a' < 6u)
            n = n << 4 | (c - 'a' + 10);
        else
            return n;
    }
}

/* Libraries in which everybody waits. */
static int waitmaps_says_nothing (const char *name)
{
    static const char *const names[] = {"libc.so",   "libc-",      "libpthread",
                                        "ld-",       "libdftrace", "libstdc++",
                                        "libgcc_s.", "libm.so",    "[vdso]"};

    for (size_t i = 0; i < ITEMS (names); i++)
        if (strncmp (name, names[i], strlen (names[i])) == 0)
            return 1;
    return !text_contains (name, strlen (name), ".so"); /* the program itself */
}

static void waitmaps_add (const struct waitmaps_line *l, uint64_t *python)
{
    int is_python = strncmp (l->name, "libpython", 9) == 0 ||
                    strncmp (l->name, "python", 6) == 0;

    if (l->perms[1] == 'w' &&
        (is_python || (!*l->name && *python == l->start)) &&
        maps->datas < DATA) {
        maps->data[maps->datas].start = l->start;
        maps->data[maps->datas++].end = l->end;
        *python = l->end;
    }
    if (l->perms[2] == 'x' && !waitmaps_says_nothing (l->name) &&
        maps->libraries < LIBRARIES) {
        struct waitmaps_library *lib = &maps->library[maps->libraries++];
        size_t n = strnlen (l->name, sizeof (lib->name) - 1);

        *lib = (struct waitmaps_library){.start = l->start, .end = l->end};
        memcpy (lib->name, l->name, n);
    }
}

/* One line, NUL behind it. */
static void waitmaps_line (char *text, uint64_t *python)
{
    const char *p = text;
    struct waitmaps_line l = {.start = waitmaps_hex (&p), .name = ""};
    const char *slash = strchr (text, '/');

    if (*p != '-')
        return;
    p++;
    l.end = waitmaps_hex (&p);
    if (strnlen (p, 5) < 5)
        return;
    l.perms = p + 1;
    if (slash)
        l.name = strrchr (slash, '/') + 1;
    else if ((slash = strchr (text, '[')))
        l.name = slash;
    waitmaps_add (&l, python);
}

void waitmaps_look (uint64_t now)
{
    uint64_t python = 0;
    size_t used = 0;
    ssize_t n;
    int fd;

    if ((looked_ns && now - looked_ns < LOOK_NS) ||
        (!maps && !(maps = sys_memory (sizeof (*maps)))) ||
        (fd = highfd_open (AT_FDCWD, "/proc/self/maps", O_RDONLY, 0)) < 0)
        return;
    looked_ns = now;
    maps->libraries = maps->datas = 0;
    while ((n = sys_read (fd, maps->line + used,
                          sizeof (maps->line) - 1 - used)) > 0) {
        char *line = maps->line, *end;

        used += (size_t)n;
        maps->line[used] = '\0';
        for (; (end = strchr (line, '\n')); line = end + 1) {
            *end = '\0';
            waitmaps_line (line, &python);
        }
        used -= (size_t)(line - maps->line);
        if (used == sizeof (maps->line) - 1)
            used = 0; /* a name of some thousand bytes */
        memmove (maps->line, line, used);
    }
    (void)sys_close (fd);
}

int waitmaps_is_gil (uint64_t address)
{
    for (unsigned i = 0; maps && i < maps->datas; i++)
        if (address >= maps->data[i].start && address < maps->data[i].end)
            return 1;
    return 0;
}

static uint32_t waitmaps_text (struct waitmaps_library *lib)
{
    static const char under[] = "under ", likely[] = " (likely)";
    char text[sizeof (under) + sizeof (lib->name) + sizeof (likely)];
    size_t n = sizeof (under) - 1, length = strlen (lib->name);

    if (lib->text)
        return lib->text;
    memcpy (text, under, n);
    memcpy (text + n, lib->name, length);
    memcpy (text + n + length, likely, sizeof (likely));
    lib->text = names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text,
                              n + length + sizeof (likely) - 1);
    return lib->text;
}

uint32_t waitmaps_held (uint32_t tid)
{
    static const char held[] = "held by thread ";
    static struct {
        uint32_t tid, text;
    } said[OWNERS];
    char text[sizeof (held) + 10], digits[10];
    size_t n = sizeof (held) - 1;
    int i = 0, count = 0;

    while (i < OWNERS && said[i].tid && said[i].tid != tid)
        i++;
    if (i == OWNERS)
        return 0;
    if (said[i].tid)
        return said[i].text;
    said[i].tid = tid;
    memcpy (text, held, n);
    do
        digits[count++] = (char)('0' + tid % 10);
    while (tid /= 10);
    while (count)
        text[n++] = digits[--count];
    said[i].text = names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text, n);
    return said[i].text;
}

uint32_t waitmaps_under (uint64_t stack)
{
    uint64_t words[STACK_WORDS];
    struct iovec mine = {words, sizeof (words)};
    struct iovec other = {(void *)(uintptr_t)stack, sizeof (words)};
    long n = maps ? sys_call (SYS_process_vm_readv, sys_getpid (), &mine, 1,
                              &other, 1, 0)
                  : 0;

    for (long i = 0; i < n / (long)sizeof (*words); i++)
        for (unsigned k = 0; k < maps->libraries; k++)
            if (words[i] >= maps->library[k].start &&
                words[i] < maps->library[k].end)
                return waitmaps_text (&maps->library[k]);
    return 0;
}
