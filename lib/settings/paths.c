/* SPDX-License-Identifier: MIT
 *
 * paths.c - working directory, descriptor, path -> absolute text
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/base/sys.h"
#include "lib/settings/paths.h"

SYS_START int paths_of_thread;

static size_t parent (const char *out, size_t n)
{
    while (n > 0 && out[--n] != '/')
        ;
    return n;
}

ssize_t paths_append (char *out, size_t n, size_t room, const char *path)
{
    size_t length;

    for (;; path += length) {
        while (*path == '/')
            path++;
        if (*path == '\0')
            return (ssize_t)n;
        length = strchrnul (path, '/') - path;
        if (length == 1 && path[0] == '.')
            continue;
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            n = parent (out, n);
            continue;
        }
        if (length + 1 > room - n) {
            errno = ERANGE;
            return -1;
        }
        out[n] = '/';
        memcpy (out + n + 1, path, length);
        n += length + 1;
    }
}

/* --- directories without a path ------------------------------------------- */

/* Put text before the n bytes in out. */
static ssize_t paths_before (const char *text, char *out, size_t n, size_t room)
{
    size_t length = strlen (text);

    if (n + length > room) {
        errno = ERANGE;
        return -1;
    }
    memmove (out + length, out, n);
    memcpy (out, text, length);
    return (ssize_t)(n + length);
}

/* Digits of n, at the end of text; returns the first. */
static char *paths_digits (char *end, uint64_t n)
{
    *--end = '\0';
    do {
        *--end = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return end;
}

/* A descriptor, or AT_FDCWD. */
static ssize_t paths_by_inode (int fd, char *out, size_t room)
{
    char digits[24], *number;
    struct stat st;
    size_t n;

    if (sys_call (SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) < 0)
        return -1;
    number = paths_digits (digits + sizeof (digits), st.st_ino);
    n = strlen (number);
    if (n > room) {
        errno = ERANGE;
        return -1;
    }
    memcpy (out, number, n);
    return paths_before ("/(too long)/", out, n, room);
}

static ssize_t paths_read_link (const char *name, char *out, size_t room)
{
    ssize_t n = sys_readlink (name, out, room);

    if (n >= 0 && (size_t)n == room) {
        errno = ERANGE;
        return -1;
    }
    return n;
}

/* The kernel has its last path, with a word behind it. */
static ssize_t paths_removed_cwd (char *out, size_t room)
{
    static const char word[] = " (deleted)";
    ssize_t n = paths_read_link (paths_of_thread ? "/proc/thread-self/cwd"
                                                 : "/proc/self/cwd",
                                 out, room);
    ssize_t before = n - (ssize_t)(sizeof (word) - 1);

    if (before > 0 && memcmp (out + before, word, sizeof (word) - 1) == 0)
        return before;
    return n;
}

/* --- what the kernel says ------------------------------------------------- */

ssize_t paths_cwd (char *out, size_t room)
{
    long n = sys_call (SYS_getcwd, out, room); /* counts the NUL */

    if (n < 1 && errno == ENOENT)
        n = paths_removed_cwd (out, room) + 1;
    if (n < 1)
        return errno == ERANGE ? -1 : paths_by_inode (AT_FDCWD, out, room);
    n--;
    while (n > 0 && out[n - 1] == '/')
        n--;
    return n > 0 && out[0] != '/' ? paths_before ("/", out, n, room) : n;
}

ssize_t paths_of_fd (int fd, char *out, size_t room)
{
    static const char prefix[] = "/proc/self/fd/",
                      thread[] = "/proc/thread-self/fd/";
    const char *folder = paths_of_thread ? thread : prefix;
    size_t length = strlen (folder);
    char name[sizeof (thread) + 12], *p;
    ssize_t n;

    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    p = paths_digits (name + sizeof (name), fd) - length;
    memcpy (p, folder, length);
    n = paths_read_link (p, out, room);
    return n < 0 && errno == ENAMETOOLONG ? paths_by_inode (fd, out, room) : n;
}

/* ---- settings, path -> recorded or not ---- */

/* --- calls ---------------------------------------------------------------- */

static int moves_bytes (enum call call)
{
    return call_table[call].class == CALL_CLASS_READ ||
           call_table[call].class == CALL_CLASS_WRITE ||
           call_table[call].class == CALL_CLASS_COPY;
}

static unsigned char start_call (const struct settings *s, enum call call)
{
    return calls_has (SETTING_TEXT (s, exclude_calls), call) ? FILTER_DROPPED
           : s->min_size && moves_bytes (call)               ? FILTER_BY_SIZE
                                                             : FILTER_RECORDED;
}

void pathfilter_calls (const struct settings *s, unsigned char how[CALL_MAX])
{
    memset (how, FILTER_RECORDED, CALL_MAX);
    if (!SETTING_TEXT (s, exclude_calls)[0] && !s->min_size)
        return;
    for (int call = 1; call < CALL_MAX; call++)
        how[call] = start_call (s, call);
}

/* --- paths ---------------------------------------------------------------- */

static void start_lists (struct pathfilter *f, const struct settings *s)
{
    const char *exclude = SETTING_TEXT (s, exclude);
    int all, given = (s->given >> SETTING_ID_exclude & 1) != 0;

    f->include = SETTING_TEXT (s, include);
    all = list_has_prefix (f->include, "all", 3);
    f->include_all = all || f->include[0] == '\0';
    f->patterns = given || !all ? exclude : "";
    f->unwanted = given || f->include[0] == '\0' ? exclude : "";
}

void pathfilter_start (struct pathfilter *f, const struct settings *s)
{
    const char *stage = SETTING_TEXT (s, stage);

    f->settings = s;
    f->own_dir = stage[0] ? stage : s->job_dir;
    f->own_length = strnlen (f->own_dir, SETTING_TEXT_MAX - 1);
    while (f->own_length > 0 && f->own_dir[f->own_length - 1] == '/')
        f->own_length--;
    start_lists (f, s);
}

/* Glob with '*' only. */
static int
glob (const char *p, const char *p_end, const char *t, const char *t_end)
{
    const char *star = NULL, *retry = t;

    while (t < t_end) {
        if (p < p_end && *p == '*') {
            star = p++;
            retry = t;
        } else if (p < p_end && *p == *t) {
            p++;
            t++;
        } else if (star) {
            p = star + 1;
            t = ++retry;
        } else
            return 0;
    }
    while (p < p_end && *p == '*')
        p++;
    return p == p_end;
}

int pathfilter_has_pattern (const char *list, const char *path, size_t length)
{
    const char *base = path + text_folder (path, length);
    const char *end;

    for (; *list; list = *end ? end + 1 : end) {
        end = strchrnul (list, ':');
        if (*list == '*' && glob (list, end, base, path + length))
            return 1;
    }
    return 0;
}

static int
pathfilter_is_own (const struct pathfilter *f, const char *path, size_t length)
{
    static const char tail[] = "/shards";
    size_t n = f->own_length + sizeof (tail) - 1;

    return length >= n && memcmp (path, f->own_dir, f->own_length) == 0 &&
           memcmp (path + f->own_length, tail, sizeof (tail) - 1) == 0 &&
           (length == n || path[n] == '/');
}

/* Memory without a place in the tree: no path setting can name it. */
static int is_memfd (const char *path, size_t length)
{
    static const char prefix[] = "/memfd:";
    size_t n = sizeof (prefix) - 1;

    return length >= n && memcmp (path, prefix, n) == 0;
}

/* The job's own output, by its whole path. */
static int
is_output (const struct pathfilter *f, const char *path, size_t length)
{
    const char *list = SETTING_TEXT (f->settings, output), *end;

    for (; *list; list = *end ? end + 1 : end) {
        end = strchrnul (list, ':');
        if ((size_t)(end - list) == length && memcmp (list, path, length) == 0)
            return 1;
    }
    return 0;
}

int pathfilter_wants (const struct pathfilter *f,
                      enum file_class class,
                      const char *path,
                      size_t length)
{
    const char *word = file_class_name (class);

    if (class == FILE_CLASS_PIPE || class == FILE_CLASS_SOCKET ||
        class == FILE_CLASS_DEVICE || class == FILE_CLASS_OTHER ||
        is_memfd (path, length))
        return list_has_prefix (f->include, word, strlen (word));
    if (pathfilter_is_own (f, path, length) || is_output (f, path, length))
        return 0;
    if (!f->include_all && !list_has_prefix (f->include, path, length))
        return 0;
    return !pathfilter_has_pattern (f->patterns, path, length) &&
           !list_has_prefix (f->unwanted, path, length);
}

static int begins_with (const char *path, size_t length, const char *prefix)
{
    size_t n = strlen (prefix);

    return length >= n && memcmp (path, prefix, n) == 0;
}

static enum leftout device_reason (const char *path, size_t length)
{
    return begins_with (path, length, "/dev/pts/") ||
                   begins_with (path, length, "/dev/tty") ||
                   begins_with (path, length, "/dev/console")
               ? LEFTOUT_terminal
               : LEFTOUT_device;
}

/* By the default of exclude. */
static enum leftout default_reason (const char *path, size_t length)
{
    static const char *const system[] = {"/proc", "/sys", "/dev", "/etc",
                                         "/run"};

    for (size_t i = 0; i < ITEMS (system); i++)
        if (begins_with (path, length, system[i]))
            return LEFTOUT_system;
    return LEFTOUT_library;
}

enum leftout pathfilter_reason (const struct pathfilter *f,
                                enum file_class class,
                                const char *path,
                                size_t length)
{
    if (class == FILE_CLASS_PIPE)
        return LEFTOUT_pipe;
    if (class == FILE_CLASS_SOCKET)
        return LEFTOUT_socket;
    if (class == FILE_CLASS_DEVICE)
        return device_reason (path, length);
    if (class == FILE_CLASS_OTHER)
        return LEFTOUT_system;
    if (is_memfd (path, length))
        return LEFTOUT_memory;
    if (pathfilter_is_own (f, path, length))
        return LEFTOUT_trace;
    if (is_output (f, path, length))
        return LEFTOUT_output;
    if ((f->settings->given >> SETTING_ID_exclude & 1) ||
        (!f->include_all && !list_has_prefix (f->include, path, length)))
        return LEFTOUT_excluded;
    return class == FILE_CLASS_SHM ? LEFTOUT_memory
                                   : default_reason (path, length);
}

/* Class of a file by the start of its path; the first match counts. */
static const struct {
    const char *prefix;
    enum file_class class;
} kinds[] = {
    {"/dev/shm/", FILE_CLASS_SHM}, {"/memfd:", FILE_CLASS_SHM},
    {"/dev/", FILE_CLASS_DEVICE},  {"/proc/", FILE_CLASS_OTHER},
    {"/sys/", FILE_CLASS_OTHER},   {"/", FILE_CLASS_STORAGE},
    {"pipe:", FILE_CLASS_PIPE},    {"socket:", FILE_CLASS_SOCKET},
};

enum file_class pathfilter_class (const char *path, size_t length)
{
    for (size_t i = 0; i < ITEMS (kinds); i++) {
        size_t n = strlen (kinds[i].prefix);

        if (length >= n && memcmp (path, kinds[i].prefix, n) == 0)
            return kinds[i].class;
    }
    return FILE_CLASS_OTHER;
}

/* --- programs ------------------------------------------------------------- */

static int is_listed (const char *list, const char *exe, size_t length)
{
    return list_has_prefix (list, exe, length) ||
           pathfilter_has_pattern (list, exe, length);
}

int pathfilter_program (const struct pathfilter *f,
                        const char *exe,
                        size_t length)
{
    const char *wanted = SETTING_TEXT (f->settings, include_exe);

    return (wanted[0] == '\0' || strcmp (wanted, "all") == 0 ||
            is_listed (wanted, exe, length)) &&
           !is_listed (SETTING_TEXT (f->settings, exclude_exe), exe, length);
}
