/* SPDX-License-Identifier: MIT
 *
 * counted.c - lines of processes -> images, by host, pid and start
 */
#include "config.h"

#include "analyze/facts/counted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/countedline.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"

static const char counted_kept[] = "counted.lines";

enum {
    IMAGES_MAX = 1 << 20, /* of a job; more are left out */
    NUMBERS = 5,
    BYTES_SENSIBLE = 60 /* less than 2^60 bytes in a number */
};

/* --- a line ----------------------------------------------------------------
 */

static int counted_bytes (const char *text, uint64_t *value)
{
    return parse_u64 (text, value) < 0 || *value >> BYTES_SENSIBLE ? -1 : 0;
}

static struct counted_pair *counted_word (struct counted_image *i,
                                          const char *word)
{
    static const char *const left[LEFTOUTS] = {
#define LEFTOUT(WORD, TITLE, HELP) #WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };
    const struct {
        const char *word;
        struct counted_pair *pair;
    } own[] = {{"all", &i->all},         {"own", &i->own},
               {"start", &i->start_all}, {"startown", &i->start_own},
               {"tracer", &i->tracer},   {"aio", &i->aio}};

    for (size_t k = 0; k < sizeof (own) / sizeof (own[0]); k++)
        if (strcmp (word, own[k].word) == 0)
            return own[k].pair;
    for (int k = 0; k < LEFTOUTS; k++)
        if (strcmp (word, left[k]) == 0)
            return &i->left[k];
    return NULL; /* of a later version */
}

/* WORD=READ,WRITTEN */
static int counted_take_word (struct counted_image *i, char *text)
{
    char *value = strchr (text, '='), *comma;
    struct counted_pair pair = {.known = 1}, *to;

    if (!value || !(comma = strchr (value, ',')))
        return -1;
    *value++ = *comma++ = '\0';
    if (counted_bytes (value, &pair.n[COUNTED_READ]) < 0 ||
        counted_bytes (comma, &pair.n[COUNTED_WRITTEN]) < 0)
        return -1;
    to = counted_word (i, text);
    if (to)
        *to = pair;
    return 0;
}

static void counted_add_line (struct counted_pair *p, size_t bytes)
{
    if (p->known)
        p->n[COUNTED_WRITTEN] += bytes;
}

static int counted_parse (struct counted_image *i, char *line)
{
    size_t bytes = strlen (line) + 1;
    uint64_t number[NUMBERS];
    char *save = NULL, *word = strtok_r (line, " ", &save);

    memset (i, 0, sizeof (*i));
    for (int k = 0; k < NUMBERS; k++, word = strtok_r (NULL, " ", &save))
        if (!word || parse_u64 (word, &number[k]) < 0)
            return -1;
    if (!word || number[0] > UINT32_MAX || number[1] > UINT32_MAX ||
        number[2] > UINT32_MAX)
        return -1;
    i->pid = (uint32_t)number[0];
    i->ppid = (uint32_t)number[1];
    i->sid = (uint32_t)number[2];
    i->start = number[3];
    i->end = number[4];
    i->exec = strcmp (word, "exec") == 0;
    while ((word = strtok_r (NULL, " ", &save)))
        if (counted_take_word (i, word) < 0)
            return -1;
    counted_add_line (&i->all, bytes);
    counted_add_line (&i->own, bytes);
    counted_add_line (&i->tracer, bytes);
    return i->all.known ? 0 : -1;
}

static int
counted_add (struct counted *c, const char *host, const struct counted_image *i)
{
    if (c->count >= IMAGES_MAX) {
        c->cut = 1;
        return 0;
    }
    if (c->count == c->room) {
        size_t room = c->room ? c->room * 2 : 64;
        void *image = realloc (c->image, room * sizeof (*c->image));

        if (!image)
            return -1;
        c->image = image;
        c->room = room;
    }
    c->image[c->count] = *i;
    c->image[c->count].order = c->count;
    c->image[c->count].host = strdup (host);
    return c->image[c->count++].host ? 0 : -1;
}

/* --- files -----------------------------------------------------------------
 */

/* Read a regular file, at most a line more than its limit; NULL: it is none. */
static char *counted_text (int dir, const char *name, int *cut)
{
    enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    size_t size = COUNTEDLINE_FILE_MAX + COUNTEDLINE_MAX, used = 0;
    int fd = openat (dir, name, FLAGS);
    struct stat st;
    char *text = NULL;
    ssize_t n;

    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode)) {
        *cut |= st.st_size >= COUNTEDLINE_FILE_MAX;
        if ((size_t)st.st_size < size)
            size = (size_t)st.st_size;
        text = malloc (size + 1);
    }
    while (text && used < size && (n = read (fd, text + used, size - used)) > 0)
        used += (size_t)n;
    if (text)
        text[used] = '\0';
    if (fd >= 0)
        (void)close (fd);
    return text;
}

/* A last line without an end was cut off, and is not known. host: NULL: that is
 * the first word of each line. */
static int
counted_file (struct counted *c, int dir, const char *name, const char *host)
{
    char *text = counted_text (dir, name, &c->cut), *line = text, *end, *own;
    struct counted_image i;
    int rc = 0;

    for (; line && rc == 0 && (end = strchr (line, '\n')); line = end + 1) {
        *end = '\0';
        own = host ? line : strchr (line, ' ');
        if (!own)
            continue;
        if (!host)
            *own++ = '\0';
        if (counted_parse (&i, own) == 0)
            rc = counted_add (c, host ? host : line, &i);
    }
    free (text);
    return rc;
}

static const char *counted_host (const struct dirent *e)
{
    size_t n = sizeof (COUNTEDLINE_FILE) - 1;

    return strncmp (e->d_name, COUNTEDLINE_FILE, n) == 0 ? e->d_name + n : NULL;
}

static int counted_compare (const struct counted_image *i,
                            const char *host,
                            uint32_t pid,
                            uint64_t start)
{
    int order = strcmp (i->host, host);

    if (order)
        return order;
    if (i->pid != pid)
        return i->pid < pid ? -1 : 1;
    return i->start == start ? 0 : i->start < start ? -1 : 1;
}

static int counted_order (const void *a, const void *b)
{
    const struct counted_image *x = a, *y = b;
    int order = counted_compare (x, y->host, y->pid, y->start);

    return order ? order : x->order < y->order ? -1 : 1;
}

/* An exec that failed, and a stage that was collected twice, repeat lines. */
static void counted_drop_repeated (struct counted *c)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        const struct counted_image *x = &c->image[i];

        if (i + 1 < c->count &&
            counted_compare (x, x[1].host, x[1].pid, x[1].start) == 0)
            free (x->host);
        else
            c->image[kept++] = *x;
    }
    c->count = kept;
}

int counted_load (struct counted *c, const char *job_dir)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int top = job_dir ? open (job_dir, FLAGS & ~O_NOFOLLOW) : -1;
    int fd = top < 0 ? -1 : openat (top, "shards", FLAGS), rc = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir (fd);
    const struct dirent *e;

    while (dir && rc == 0 && (e = readdir (dir)))
        if (counted_host (e))
            rc = counted_file (c, dirfd (dir), e->d_name, counted_host (e));
    if (top >= 0 && rc == 0 && !c->count)
        rc = counted_file (c, top, counted_kept, NULL);
    if (dir)
        (void)closedir (dir);
    else if (fd >= 0)
        (void)close (fd);
    if (top >= 0)
        (void)close (top);
    if (c->count) {
        qsort (c->image, c->count, sizeof (*c->image), counted_order);
        counted_drop_repeated (c);
    }
    return rc;
}

static void counted_keep_file (FILE *out, int dir, const struct dirent *e)
{
    int cut = 0;
    char *text = counted_text (dir, e->d_name, &cut), *line = text, *end;

    for (; line && (end = strchr (line, '\n')); line = end + 1)
        (void)fprintf (out, "%s %.*s\n", counted_host (e), (int)(end - line),
                       line);
    free (text);
}

int counted_keep (const char *job_dir)
{
    char *shards = path_join (job_dir, "shards");
    char *path = path_join (job_dir, counted_kept), *text = NULL;
    DIR *dir = shards ? opendir (shards) : NULL;
    const struct dirent *e;
    size_t size = 0;
    FILE *out = dir ? open_memstream (&text, &size) : NULL;
    int rc = 0;

    while (out && (e = readdir (dir)))
        if (counted_host (e))
            counted_keep_file (out, dirfd (dir), e);
    if (out && fclose (out) != 0)
        rc = -1;
    else if (out && size && path)
        rc = write_file (path, 0600, text, NULL);
    if (dir)
        (void)closedir (dir);
    free (text);
    free (path);
    free (shards);
    return rc;
}

void counted_clear (struct counted *c)
{
    for (size_t i = 0; i < c->count; i++)
        free (c->image[i].host);
    free (c->image);
    memset (c, 0, sizeof (*c));
}

/* --- questions -------------------------------------------------------------
 */

struct counted_image *counted_at (const struct counted *c,
                                  const char *host,
                                  uint32_t pid,
                                  uint64_t time)
{
    size_t low = 0, high = c->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (counted_compare (&c->image[middle], host, pid, time) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || c->image[low - 1].pid != pid ||
        strcmp (c->image[low - 1].host, host) != 0)
        return NULL;
    return &c->image[low - 1];
}

struct counted_image *counted_find (const struct counted *c,
                                    const char *host,
                                    uint32_t pid,
                                    uint64_t start)
{
    struct counted_image *i = counted_at (c, host, pid, start);

    return i && i->start == start ? i : NULL;
}
