/* SPDX-License-Identifier: MIT
 *
 * facts_stream.c - finished calls on FILE streams -> events
 *
 * Caveat: libc moves the descriptor of a stream without our seeing it, so its
 * position is not known once the stream has been used.
 */
#include "config.h"

#include "preload/wrap/facts.h"
#include "preload/wrap/fsfacts.h"

static void stream (struct span *sp, int64_t rc, int err, uint64_t size)
{
    struct record r;

    span_result (sp, &r, rc, err);
    r.size = size;
    fdmap_set_position (sp->fd, -1);
    streams_write (sp, &r);
}

void facts_fopen (struct span *sp, FILE *f, const char *path, const char *mode)
{
    int saved_errno = errno;
    struct record_arg args[FSFACTS_ARGS];
    struct record r;

    span_result (sp, &r, f ? 0 : -1, saved_errno);
    sp->fd = f ? fileno (f) : -1;
    if (!path)
        sp->file = fdmap_get (sp->fd);
    else
        sp->file = facts_file (f ? 0 : -1, saved_errno, AT_FDCWD, path, sp->fd);
    place_note (sp->caller,
                !f                   ? PLACE_LOOK
                : strchr (mode, '+') ? PLACE_FILE
                : mode[0] == 'r'     ? PLACE_READ
                                     : PLACE_WRITE,
                sp->file.name);
    if (f && path && sp->file.state == FILE_WANTED && mode[0] == 'a')
        sp->file.flags |= FILE_APPEND;
    if (f && path)
        fdmap_set (sp->fd, sp->file, 0);
    if (f)
        streams_opened (sp->fd, f, path && mode[0] != 'a' ? 0 : -1);
    if (f && path)
        fsfacts_opened (&r, sp->fd, sp->file, args);
    r.fd = sp->fd;
    r.file = sp->file.name;
    span_write_path (sp->file, &r, AT_FDCWD, path);
    errno = saved_errno;
}

void facts_stream (struct span *sp, int64_t rc)
{
    int saved_errno = errno;

    stream (sp, rc, saved_errno, 0);
    errno = saved_errno;
}

void facts_items (
    struct span *sp, size_t items, size_t size, size_t asked, FILE *f)
{
    int saved_errno = errno;
    int failed = items == 0 && asked && size && ferror_unlocked (f);
    int64_t rc = failed ? -1 : (int64_t)(items * size);
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.size = (uint64_t)size * asked;
    fdmap_set_position (sp->fd, -1);
    if (items < asked && size > 1)
        streams_write_items (sp, &r, size);
    else
        streams_write (sp, &r);
    errno = saved_errno;
}

void facts_fseek (struct span *sp, int64_t rc, int64_t off, int whence)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.offset = whence == SEEK_SET ? off : -1;
    r.flags = (unsigned)whence;
    fdmap_set_position (sp->fd, -1);
    streams_write (sp, &r);
    errno = saved_errno;
}

void facts_text (struct span *sp, const char *s, int room, FILE *f)
{
    int saved_errno = errno;
    int64_t rc = 0; /* end of file */

    if (s)
        rc = (int64_t)strlen (s);
    else if (ferror_unlocked (f))
        rc = -1;
    stream (sp, rc, saved_errno, room > 0 ? (uint64_t)room - 1 : 0);
    errno = saved_errno;
}

void facts_puts (struct span *sp, int rc, const char *s)
{
    int saved_errno = errno;
    size_t n = strlen (s);

    stream (sp, rc < 0 ? -1 : (int64_t)n, saved_errno, n);
    errno = saved_errno;
}

void facts_line (struct span *sp, int64_t rc, FILE *f)
{
    int saved_errno = errno;

    if (rc < 0 && feof_unlocked (f))
        rc = 0;
    stream (sp, rc, saved_errno, rc > 0 ? (uint64_t)rc : 0);
    errno = saved_errno;
}

void facts_printed (struct span *sp, int rc)
{
    int saved_errno = errno;

    stream (sp, rc, saved_errno, rc > 0 ? (uint64_t)rc : 0);
    errno = saved_errno;
}

/* Without a stream: all is written. */
void facts_dprinted (struct span *sp, int rc)
{
    sp->stream = (struct stream_before){.unwritten = rc > 0 ? rc : 0};
    facts_printed (sp, rc);
}

void facts_ftell (struct span *sp, int64_t rc)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.offset = rc;
    streams_write (sp, &r);
    errno = saved_errno;
}

void facts_getpos (struct span *sp, int rc)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    streams_write (sp, &r);
    errno = saved_errno;
}

void facts_fdopen (struct span *sp, FILE *f)
{
    if (f)
        streams_opened (sp->fd, f, -1);
    facts_fd (sp, f ? 0 : -1);
}

void facts_fclose (struct span *sp, int rc)
{
    facts_getpos (sp, rc);
}

void facts_moved (struct span *sp, int failed, uint64_t n)
{
    int saved_errno = errno;

    stream (sp, failed ? -1 : (int64_t)n, saved_errno, n);
    errno = saved_errno;
}
