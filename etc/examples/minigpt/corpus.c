/* SPDX-License-Identifier: MIT
 *
 * corpus.c - documents -> PREFIX.bin and PREFIX.idx
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etc/examples/minigpt/corpus.h"
#include "etc/examples/minigpt/idxfile.h"
#include "etc/examples/minigpt/tokenizer.h"
#include "etc/examples/minigpt/wholeio.h"

enum { BUFFER_TOKENS = 512 * 1024 };

struct corpus {
    char *bin, *idx, *bin_tmp, *idx_tmp;
    int fd; /* of bin_tmp, -1 none */
    uint16_t *buf;
    size_t buffered;
    int32_t *length; /* of each document */
    uint64_t documents, room, tokens;
};

static char *suffixed (const char *prefix, const char *suffix)
{
    char *path;

    return asprintf (&path, "%s%s", prefix, suffix) < 0 ? NULL : path;
}

struct corpus *corpus_create (const char *prefix, struct failure *f)
{
    struct corpus *c = calloc (1, sizeof (*c));

    if (!c) {
        failf (f, "not enough memory");
        return NULL;
    }
    c->fd = -1;
    c->bin = suffixed (prefix, ".bin");
    c->idx = suffixed (prefix, ".idx");
    c->bin_tmp = suffixed (prefix, ".bin.tmp");
    c->idx_tmp = suffixed (prefix, ".idx.tmp");
    c->buf = malloc (BUFFER_TOKENS * sizeof (*c->buf));
    if (!c->bin || !c->idx || !c->bin_tmp || !c->idx_tmp || !c->buf)
        failf (f, "not enough memory");
    else if ((c->fd = open (c->bin_tmp,
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) <
             0)
        failf (f, "%s: cannot write: %m", c->bin_tmp);
    else
        return c;
    corpus_destroy (c);
    return NULL;
}

void corpus_destroy (struct corpus *c)
{
    int saved_errno = errno;

    if (!c)
        return;
    if (c->fd >= 0)
        (void)close (c->fd);
    if (c->bin_tmp)
        (void)unlink (c->bin_tmp); /* gone when finished */
    if (c->idx_tmp)
        (void)unlink (c->idx_tmp);
    free (c->bin);
    free (c->idx);
    free (c->bin_tmp);
    free (c->idx_tmp);
    free (c->buf);
    free (c->length);
    free (c);
    errno = saved_errno;
}

static int flush (struct corpus *c, struct failure *f)
{
    size_t n = c->buffered;

    c->buffered = 0;
    if (whole_write (c->fd, c->buf, n * sizeof (*c->buf)) < 0)
        return failf (f, "%s: cannot write: %m", c->bin_tmp);
    return 0;
}

static int
put (struct corpus *c, const uint16_t *tokens, size_t n, struct failure *f)
{
    while (n > 0) {
        size_t part = BUFFER_TOKENS - c->buffered;

        if (part > n)
            part = n;
        memcpy (c->buf + c->buffered, tokens, part * sizeof (*tokens));
        c->buffered += part;
        tokens += part;
        n -= part;
        if (c->buffered == BUFFER_TOKENS && flush (c, f) < 0)
            return -1;
    }
    return 0;
}

int corpus_add (struct corpus *c,
                const uint16_t *tokens,
                size_t n,
                struct failure *f)
{
    static const uint16_t end = TOKEN_END;

    if (c->documents == c->room) {
        uint64_t room = c->room ? c->room * 2 : 4096;
        int32_t *more = realloc (c->length, room * sizeof (*more));

        if (!more)
            return failf (f, "not enough memory for the lengths");
        c->length = more;
        c->room = room;
    }
    if (put (c, tokens, n, f) < 0 || put (c, &end, 1, f) < 0)
        return -1;
    c->length[c->documents++] = (int32_t)n + 1;
    c->tokens += n + 1;
    return 0;
}

uint64_t corpus_documents (const struct corpus *c)
{
    return c->documents;
}

uint64_t corpus_tokens (const struct corpus *c)
{
    return c->tokens;
}

uint64_t corpus_bytes (const struct corpus *c)
{
    return c->tokens * sizeof (uint16_t);
}

static int write_idx (struct corpus *c, struct failure *f)
{
    int fd = open (c->idx_tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int rc;

    if (fd < 0)
        return failf (f, "%s: cannot write: %m", c->idx_tmp);
    rc = idxfile_write (fd, c->length, c->documents, f);
    if (rc == 0 && fsync (fd) < 0)
        rc = failf (f, "%s: cannot write: %m", c->idx_tmp);
    (void)close (fd);
    return rc;
}

/* An old .idx must not describe the new .bin, not for a moment. */
int corpus_finish (struct corpus *c, struct failure *f)
{
    if (flush (c, f) < 0 || write_idx (c, f) < 0)
        return -1;
    if (fsync (c->fd) < 0 || (unlink (c->idx) < 0 && errno != ENOENT) ||
        rename (c->bin_tmp, c->bin) < 0 || rename (c->idx_tmp, c->idx) < 0)
        return failf (f, "%s: cannot write: %m", c->bin);
    return 0;
}

int corpus_exists (const char *prefix,
                   uint64_t bytes,
                   uint64_t *documents,
                   uint64_t *tokens)
{
    char *bin = suffixed (prefix, ".bin"), *idx = suffixed (prefix, ".idx");
    struct failure ignored;
    struct idxfile x;
    struct stat st;
    int found = 0;

    if (bin && idx && stat (bin, &st) == 0 && (uint64_t)st.st_size >= bytes &&
        idxfile_open (&x, idx, (uint64_t)st.st_size, &ignored) == 0) {
        found = x.tokens * (uint64_t)idxfile_width (&x) == (uint64_t)st.st_size;
        *documents = x.sequences;
        *tokens = x.tokens;
        idxfile_close (&x);
    }
    free (bin);
    free (idx);
    return found;
}
