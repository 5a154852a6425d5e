/* SPDX-License-Identifier: MIT
 *
 * textfile.c - directories -> the text of their files
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "etc/examples/minigpt/textfile.h"

/* Plain files too: zlib passes on what is not compressed. fd is closed. */
static size_t read_text (int fd, char *buf)
{
    gzFile in = gzdopen (fd, "rb");
    size_t n = 0;
    int got;

    if (!in) {
        (void)close (fd);
        return 0;
    }
    while (n < TEXT_MAX &&
           (got = gzread (in, buf + n, (unsigned)(TEXT_MAX - n))) > 0)
        n += (size_t)got;
    (void)gzclose (in);
    return n;
}

/* Control characters other than those of layout do not occur in text. */
static int is_text (const char *buf, size_t n)
{
    static const char layout[] = "\t\n\v\f\r\b\033";

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)buf[i] < 0x20 && !strchr (layout, buf[i]))
            return 0;
    return memchr (buf, '\0', n) == NULL;
}

static int by_name (const FTSENT **a, const FTSENT **b)
{
    return strcmp ((*a)->fts_name, (*b)->fts_name);
}

int textfile_walk (const char *dir,
                   int (*take) (void *cookie, const char *text, size_t bytes),
                   void *cookie)
{
    char *roots[] = {(char *)dir, NULL};
    char *buf = malloc (TEXT_MAX);
    FTS *fts =
        buf ? fts_open (roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name)
            : NULL;
    FTSENT *e;
    int rc = 0;

    while (rc == 0 && fts && (e = fts_read (fts))) {
        int fd;
        size_t n;

        if (e->fts_info != FTS_F || e->fts_statp->st_size < TEXT_MIN / 4)
            continue;
        fd = open (e->fts_accpath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        n = read_text (fd, buf);
        if (n >= TEXT_MIN && is_text (buf, n))
            rc = take (cookie, buf, n);
    }
    if (fts)
        (void)fts_close (fts);
    free (buf);
    return rc;
}
