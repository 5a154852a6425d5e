/* SPDX-License-Identifier: MIT
 *
 * untracedlist.c - lines of shards/untraced.HOST -> rows
 *
 * In:  "pid path reason @ns" a line, %XX in path and reason; ~ns where the
 *      parent wrote it; without a time in traces of before
 * Out: struct untraced
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/parse.h"
#include "lib/format/untracedlist.h"
#include "lib/format/untracedline.h"

enum {
    FILE_MAX = 1 << 20, /* bytes of a file; the library writes 64 KiB */
    FILES_MAX = 100000, /* hosts */
    LINES_MAX = 200000, /* rows; more are counted as cut */
    FIELDS = 4,         /* pid, path, reason, time */
    SLACK_S = 60,       /* between a line and the start of its process */
    LIST_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

#define SLACK_NS ((uint64_t)SLACK_S * 1000000000u)

/* --- a line ----------------------------------------------------------------
 */

static int untracedlist_hex (char c)
{
    const char *at = c ? strchr ("0123456789abcdef", c) : NULL;

    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* %XX -> byte, in place. Anything else stays. */
static void untracedlist_decode (char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        int high = *p == '%' ? untracedlist_hex (p[1]) : -1;
        int low = high >= 0 ? untracedlist_hex (p[2]) : -1;

        if (low >= 0 && high + low > 0) {
            *to++ = (char)(high << 4 | low);
            p += 2;
        } else
            *to++ = *p;
    }
    *to = '\0';
}

/* The words of a line, in place; how many, FIELDS + 1 for more. */
static int untracedlist_split (char *line, char *field[FIELDS])
{
    int n = 0;

    for (char *at = line; at; n++) {
        char *blank = strchr (at, ' ');

        if (n == FIELDS)
            return FIELDS + 1;
        field[n] = at;
        if (blank)
            *blank++ = '\0';
        at = blank;
    }
    return n;
}

static int
untracedlist_take_line (struct untraced *u, const char *host, char *line)
{
    struct untraced_program row = {.count = 1};
    char *field[FIELDS];
    int n = untracedlist_split (line, field);
    uint64_t pid;

    if (n < FIELDS - 1 || n > FIELDS || parse_u64 (field[0], &pid) < 0 ||
        pid > UINT32_MAX || !*field[1] || !*field[2])
        return 0;
    if (n == FIELDS) {
        row.child = *field[3] == '~';
        if ((!row.child && *field[3] != '@') ||
            parse_u64 (field[3] + 1, &row.time) < 0)
            return 0;
    }
    untracedlist_decode (field[1]);
    untracedlist_decode (field[2]);
    row.host = (char *)(uintptr_t)host;
    row.exe = field[1];
    row.reason = field[2];
    row.pid = (uint32_t)pid;
    return untracedlist_add (u, &row);
}

/* --- rows --------------------------------------------------------------- */

int untracedlist_add (struct untraced *u, const struct untraced_program *row)
{
    struct untraced_program p = *row;

    u->lines += p.count;
    if (u->count >= LINES_MAX) {
        u->cut = 1;
        return 0;
    }
    if (u->count == u->room) {
        size_t room = u->room ? u->room * 2 : 16;
        void *item = realloc (u->item, room * sizeof (*u->item));

        if (!item)
            return -1;
        u->item = item;
        u->room = room;
    }
    p.host = strdup (row->host);
    p.exe = strdup (row->exe);
    p.reason = strdup (row->reason);
    u->item[u->count++] = p;
    if (!p.host || !p.exe || !p.reason)
        return -1;
    u->item[u->count - 1].exe_length = strlen (p.exe);
    u->item[u->count - 1].kind = programkind_of_reason (p.reason);
    return 0;
}

static void untracedlist_free (struct untraced_program *p)
{
    free (p->host);
    free (p->exe);
    free (p->reason);
}

void untracedlist_clear (struct untraced *u)
{
    for (size_t i = 0; i < u->count; i++)
        untracedlist_free (&u->item[i]);
    free (u->item);
    memset (u, 0, sizeof (*u));
}

/* --- files -------------------------------------------------------------- */

/* The file's text, at most FILE_MAX bytes; NULL: there is none. */
static char *untracedlist_text (int dirfd, const char *name, int *cut)
{
    int fd =
        openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    struct stat st;
    size_t n = 0;
    ssize_t got;

    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (text = malloc (FILE_MAX + 1)))
        while (n < FILE_MAX && (got = read (fd, text + n, FILE_MAX - n)) > 0)
            n += (size_t)got;
    if (fd >= 0)
        (void)close (fd);
    if (!text)
        return NULL;
    text[n] = '\0';
    /* the library writes whole lines, and none where the file is that long */
    *cut |= n >= UNTRACEDLINE_FILE_MAX || (n && text[n - 1] != '\n');
    return text;
}

static int untracedlist_take_file (struct untraced *u,
                                   int dirfd,
                                   const char *name,
                                   const char *host)
{
    char *text = untracedlist_text (dirfd, name, &u->cut);
    char *save = NULL;
    int rc = 0;

    u->files += text != NULL;
    for (char *line = text ? strtok_r (text, "\n", &save) : NULL; line && !rc;
         line = strtok_r (NULL, "\n", &save))
        rc = untracedlist_take_line (u, host, line);
    free (text);
    return rc;
}

static int untracedlist_order (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = (x->pid > y->pid) - (x->pid < y->pid);
    return order ? order : (x->time > y->time) - (x->time < y->time);
}

int untracedlist_read_at (struct untraced *u, int shards, const char *prefix)
{
    int fd = openat (shards, ".", LIST_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    size_t n = strlen (prefix);
    const struct dirent *e;
    int rc = 0;

    while (d && rc == 0 && u->files < FILES_MAX && (e = readdir (d)))
        if (strncmp (e->d_name, prefix, n) == 0)
            rc = untracedlist_take_file (u, fd, e->d_name, e->d_name + n);
    if (d)
        (void)closedir (d);
    else if (fd >= 0)
        (void)close (fd);
    if (rc == 0 && u->count)
        qsort (u->item, u->count, sizeof (*u->item), untracedlist_order);
    return rc;
}

int untracedlist_read (struct untraced *u, const char *job_dir)
{
    int dirfd = job_dir ? open (job_dir, LIST_DIRECTORY) : -1;
    int fd = dirfd < 0 ? -1 : openat (dirfd, "shards", LIST_DIRECTORY);
    int rc = fd < 0 ? 0 : untracedlist_read_at (u, fd, UNTRACEDLINE_FILE);

    if (fd >= 0)
        (void)close (fd);
    if (dirfd >= 0)
        (void)close (dirfd);
    return rc;
}

/* --- traced after all ---------------------------------------------------- */

/* Reasons that a line has before exec, and not in the program itself. */
static int untracedlist_of_exec (enum program_kind kind)
{
    return kind != PROGRAM_UNKNOWN && kind != PROGRAM_GO &&
           kind != PROGRAM_NOT_KNOWN && kind != PROGRAM_OWN_REQUEST &&
           kind != PROGRAM_EXCLUDED;
}

static int untracedlist_is_it (const struct untraced_program *p,
                               const struct untraced_seen *who)
{
    uint64_t from = p->time - (p->child || !p->pid ? SLACK_NS : 0);

    if (p->traced || !p->time || strcmp (p->host, who->host) != 0)
        return 0;
    if (!p->pid && strcmp (p->exe, who->exe) != 0)
        return 0;
    if (!who->start) /* it ended in order, and was traced then */
        return who->end > p->time && untracedlist_of_exec (p->kind);
    if (who->start >= from && who->start < p->time + SLACK_NS)
        return 1;
    /* it went on: exec had failed */
    return p->pid && !p->child && !who->exec && who->start < p->time &&
           who->end > p->time && untracedlist_of_exec (p->kind);
}

/* The first row of a host and pid, or where it would be. */
static size_t
untracedlist_find (const struct untraced *u, const char *host, uint32_t pid)
{
    size_t low = 0, high = u->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp (u->item[middle].host, host);

        if (!order)
            order = u->item[middle].pid < pid ? -1 : 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int untracedlist_mark (struct untraced *u,
                              const struct untraced_seen *who,
                              uint32_t pid)
{
    for (size_t i = untracedlist_find (u, who->host, pid);
         i < u->count && u->item[i].pid == pid &&
         strcmp (u->item[i].host, who->host) == 0;
         i++)
        if (untracedlist_is_it (&u->item[i], who)) {
            u->item[i].traced = 1;
            return 1;
        }
    return 0;
}

void untracedlist_seen (struct untraced *u, const struct untraced_seen *who)
{
    if (who->pid && !untracedlist_mark (u, who, who->pid) && *who->exe)
        (void)untracedlist_mark (u, who, 0);
}

static int untracedlist_by_name (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = strcmp (x->exe, y->exe);
    if (!order)
        order = strcmp (x->reason, y->reason);
    return order ? order : untracedlist_order (a, b);
}

void untracedlist_settle (struct untraced *u)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->count; i++)
        if (u->item[i].traced) {
            u->traced += u->item[i].count;
            untracedlist_free (&u->item[i]);
        } else
            u->item[kept++] = u->item[i];
    u->count = kept;
    if (kept)
        qsort (u->item, kept, sizeof (*u->item), untracedlist_by_name);
}

void untracedlist_fold (struct untraced *u)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->count; i++) {
        struct untraced_program *p = &u->item[i];
        struct untraced_program *last = kept ? &u->item[kept - 1] : NULL;

        if (last && !strcmp (last->host, p->host) &&
            !strcmp (last->exe, p->exe) && !strcmp (last->reason, p->reason)) {
            last->count += p->count;
            untracedlist_free (p);
        } else
            u->item[kept++] = *p;
    }
    u->count = kept;
}

int untracedlist_is_wish (const struct untraced_program *p)
{
    return programkind_is_wish (p->kind);
}

uint64_t untracedlist_sum (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        sum += u->item[i].count;
    return sum;
}

uint64_t untracedlist_wishes (const struct untraced *u)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < u->count; i++)
        if (untracedlist_is_wish (&u->item[i]))
            sum += u->item[i].count;
    return sum;
}
