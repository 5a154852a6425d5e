/* SPDX-License-Identifier: MIT
 *
 * streams.c - buffers of FILEs, seen before and after calls -> bytes moved
 *
 * What a call brings in, or the program puts, is either still in the buffer or
 * has gone through it: nothing but differences of libc's pointers is needed.
 * The level of a stream is what waits to be written less what waits to be
 * read: it grows by each character that the program takes or puts.
 */
#include "config.h"

#include <stdio_ext.h>

#include "preload/wrap/streams.h"
#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/counted.h"
#include "preload/probe.h"
#include "preload/record/usage.h"
#include "preload/span.h"
#include "preload/wrap/facts.h"

enum {
    STREAMS_MAX = 4096, /* descriptors; of higher ones the characters between
                           recorded calls are not known */
    BACK_MAX = 64,      /* characters put back at a time, at most trusted */
    /* Bits of FILE._flags, part of the binary interface since glibc 2.0. */
    IS_FILE = (int)0xfbad0000,
    IS_FILE_MASK = (int)0xffff0000,
    NO_READS = 0x4,
    IN_BACKUP = 0x100,
    PUTTING = 0x800
};

static struct stream_state {
    FILE *f;       /* NULL: none */
    int64_t level; /* after the last recorded call */
    int64_t at;    /* position of the descriptor then; -1: not known */
} states[STREAMS_MAX];

static SYS_STATE int limit; /* highest descriptor ever + 1 */

static struct stream_state *state_of (int fd)
{
    return fd >= 0 && fd < STREAMS_MAX ? &states[fd] : NULL;
}

static void streams_raise_limit (int fd)
{
    int old = __atomic_load_n (&limit, __ATOMIC_RELAXED);

    while (old <= fd &&
           !__atomic_compare_exchange_n (&limit, &old, fd + 1, 1,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void streams_opened (int fd, FILE *f, int64_t at)
{
    struct stream_state *s = state_of (fd);

    if (!s)
        return;
    *s = (struct stream_state){.f = f, .at = at};
    streams_raise_limit (fd);
}

void streams_forget (int fd)
{
    struct stream_state *s = state_of (fd);

    if (s)
        s->f = NULL;
}

/* With characters put back, the buffer is in two pieces. */
static int64_t unread (FILE *f)
{
    int64_t n;

    if (streams_are_musl ())
        return (int64_t)__freadahead (f);
    n = f->_IO_read_end - f->_IO_read_ptr;
    if (f->_mode > 0)
        return n + wide_unread (f, (f->_flags & IN_BACKUP) != 0);
    if (f->_flags & IN_BACKUP)
        n += f->_IO_save_end - f->_IO_save_base;
    return n;
}

static int64_t unwritten (FILE *f)
{
    if (streams_are_musl ())
        return (int64_t)__fpending (f);
    return f->_IO_write_ptr - f->_IO_write_base + wide_unwritten (f);
}

/* Bytes of the file that the buffer holds, read or not. */
static int64_t filled (FILE *f)
{
    const char *end = f->_IO_read_end;

    if (!f->_IO_buf_base || unwritten (f) > 0)
        return 0;
    if ((f->_flags & IN_BACKUP) && f->_mode <= 0)
        end = f->_IO_save_end;
    else if ((f->_flags & PUTTING) && f->_IO_write_ptr > end)
        end = f->_IO_write_ptr;
    return end - f->_IO_buf_base;
}

void streams_before (struct span *sp, FILE *f)
{
    struct stream_before *b = &sp->stream;
    struct stream_state *s = state_of (sp->fd);
    int64_t level;

    *b = (struct stream_before){.f = f};
    b->unread = unread (f);
    b->unwritten = unwritten (f);
    if (streams_are_musl ())
        b->writes = __fwriting (f);
    else {
        b->offset = f->_offset;
        b->filled = sp->call == CALL_fseek ? filled (f) : 0;
        b->writes = (f->_flags & PUTTING) != 0;
    }
    if (!s)
        return;
    level = b->unwritten - b->unread;
    if (s->f == f)
        b->chars = level - s->level;
    else if (s->f) /* two streams of one descriptor */
        s->at = -1;
    else {
        b->chars = level;
        s->at = -1;
        streams_raise_limit (sp->fd);
    }
    s->f = f;
    s->level = level;
}

/* Take the kernel's position: calls on wide characters give no result in
 * bytes. */
void streams_before_text (struct span *sp, FILE *f)
{
    streams_before (sp, f);
    sp->stream.place = sys_call (SYS_lseek, sp->fd, 0, SEEK_CUR);
}

int64_t streams_text (const struct span *sp, int64_t characters)
{
    const struct stream_before *b = &sp->stream;
    int64_t now = sys_call (SYS_lseek, sp->fd, 0, SEEK_CUR);
    int64_t held = call_table[sp->call].class == CALL_CLASS_WRITE
                       ? unwritten (b->f) - b->unwritten
                       : b->unread - unread (b->f);
    int64_t n = held + now - b->place;

    if ((sp->file.flags & FILE_APPEND) || b->place < 0 || n < 0)
        return characters > 0 ? characters : 0;
    return n;
}

void streams_before_close (struct span *sp, FILE *f)
{
    streams_before (sp, f);
    sp->stream.f = NULL;
    streams_forget (sp->fd);
}

void streams_cancel (struct span *sp)
{
    struct stream_state *s = state_of (sp->fd);

    if (s && s->f == sp->stream.f)
        s->level -= sp->stream.chars;
}

/* --- after the call --------------------------------------------------- */

/* An event of its own for the characters before this call. */
static void write_chars (const struct span *sp)
{
    const struct stream_before *b = &sp->stream;
    struct record r = {.start = sp->start,
                       .end = sp->start,
                       .call = b->writes ? CALL_fputc : CALL_fgetc,
                       .fd = sp->fd,
                       .file = sp->file.name,
                       .size = (uint64_t)b->chars,
                       .offset = -1,
                       .ret = b->chars};

    span_write (&r);
}

/* Bytes that libc moved for a call. */
struct moved {
    int64_t in, out;
};

static int64_t result_of (const struct record *r, enum call_class class)
{
    return call_table[r->call].class == class && r->ret > 0 ? r->ret : 0;
}

/* libc reads whole buffers at multiples of their size, so a seek to behind the
 * end of the file reads what is left of it, and keeps none of that. */
static int64_t read_behind_end (const FILE *f, int64_t target)
{
    int64_t room = f->_IO_buf_end - f->_IO_buf_base;
    struct stat st;

    if (room <= 1 || target % room == 0 || (f->_flags & NO_READS) ||
        sys_fstat (f->_fileno, &st) < 0 || !S_ISREG (st.st_mode) ||
        st.st_size >= target || st.st_size <= target - target % room)
        return 0;
    return st.st_size - (target - target % room);
}

/* A seek inside the buffer reads nothing; each other one fills the buffer
 * again, also where the descriptor ends up at the place it was. musl's reads
 * nothing. */
static int64_t read_by_seek (const struct stream_before *b)
{
    FILE *f = b->f;
    int64_t target;

    if (streams_are_musl ())
        return 0;
    target = f->_offset - unread (f);
    if (f->_offset < 0 || (b->offset >= 0 && target < b->offset &&
                           target >= b->offset - b->filled))
        return 0;
    if (f->_IO_read_end == f->_IO_buf_base)
        return read_behind_end (f, target);
    return f->_IO_read_end - f->_IO_buf_base;
}

/* A stream that was opened with "rm": libc has mapped its file, and reads no
 * byte. Buffers of malloc begin behind its head, and so never a page. */
static int is_mapped (const FILE *f)
{
    enum { WANTS_MAP = 1 /* of FILE._flags2 */ };

    return !streams_are_musl () && (f->_flags2 & WANTS_MAP) &&
           f->_IO_buf_base &&
           (uintptr_t)f->_IO_buf_base % (SYS_PAGE_LEAST + sys_page_bits) == 0;
}

static struct moved difference (const struct span *sp, const struct record *r)
{
    const struct stream_before *b = &sp->stream;
    FILE *f = b->f;
    enum call_class class = (enum call_class)call_table[r->call].class;
    struct moved m = {0, b->unwritten};

    if (f)
        m.out += result_of (r, CALL_CLASS_WRITE) - b->told - unwritten (f);
    else if (r->ret < 0)
        m.out = 0;
    if (b->writes && b->chars < 0)
        m.out -= b->chars; /* was flushed unseen */
    if (f && class == CALL_CLASS_READ)
        m.in = result_of (r, class) - b->told + unread (f) - b->unread;
    else if (f && r->call == CALL_fseek && r->ret == 0)
        m.in = read_by_seek (b);
    m.in = m.in > 0 && !is_mapped (f) ? m.in : 0;
    m.out = m.out > 0 ? m.out : 0;
    return m;
}

static void remember (const struct span *sp,
                      const struct record *r,
                      struct stream_state *s,
                      const struct moved *m,
                      int64_t back)
{
    FILE *f = sp->stream.f;

    if (!s || !f || s->f != f)
        return;
    s->level = unwritten (f) - unread (f) + back;
    if (r->call == CALL_fseek || r->call == CALL_fflush)
        s->at = !streams_are_musl () && f->_offset >= 0 ? f->_offset : -1;
    else if (s->at >= 0)
        s->at += m->in + m->out;
}

/* Characters put back that this call has taken again; *rest: those not. */
static int64_t
taken_again (const struct span *sp, const struct record *r, int64_t *rest)
{
    int64_t back = sp->stream.writes ? 0 : -sp->stream.chars;
    int64_t got = result_of (r, CALL_CLASS_READ);

    *rest = 0;
    if (back <= 0 || back > BACK_MAX)
        return 0;
    if (got > 0 && back > got) {
        *rest = back - got;
        return got;
    }
    return got ? back : 0;
}

static void
write_moved (struct span *sp, struct record *r, struct moved m, int64_t again)
{
    struct record_arg args[EVENT_ARGS_MAX];
    uint32_t n = 0;

    if (m.in)
        n = usage_put (args, n, USAGE_STDIO_READ, (uint64_t)m.in);
    if (m.out)
        n = usage_put (args, n, USAGE_STDIO_WRITTEN, (uint64_t)m.out);
    if (again)
        n = usage_put (args, n, USAGE_STDIO_AGAIN, (uint64_t)again);
    r->args = args;
    r->nargs = (uint8_t)n;
    span_write (r);
}

static void write_both (struct span *sp,
                        struct record *r,
                        struct stream_state *s,
                        struct moved m)
{
    int64_t rest, again = taken_again (sp, r, &rest);

    remember (sp, r, s, &m, rest);
    if (sums_stream (sp->file, r, m.in, m.out)) {
        span_write_of (sp->file, r);
        facts_net_stream (r, sp->file, m.in, m.out);
        return;
    }
    if (sp->stream.chars > 0)
        write_chars (sp);
    if (m.in || m.out || again)
        write_moved (sp, r, m, again);
    else
        span_write (r);
}

void streams_write (struct span *sp, struct record *r)
{
    struct stream_state *s = state_of (sp->fd);

    write_both (sp, r, s, difference (sp, r));
}

/* fread does not say what it has of an item that is not whole: the kernel
 * does. */
void streams_write_items (struct span *sp, struct record *r, size_t size)
{
    struct stream_state *s = state_of (sp->fd);
    struct moved m = difference (sp, r);

    if (s && s->f == sp->stream.f && s->at >= 0) {
        int64_t now = sys_call (SYS_lseek, sp->fd, 0, SEEK_CUR);
        int64_t more = now - s->at - m.in - m.out;

        if (more > 0 && (uint64_t)more < size)
            m.in += more;
    }
    write_both (sp, r, s, m);
}

/* --- what libc writes unasked --------------------------------------------- */

static uint64_t streams_settle_span (struct span *sp)
{
    struct stream_state *s = state_of (sp->fd);
    struct moved m = {.out = sp->stream.unwritten};
    struct record r;

    if (sp->stream.chars > 0 && sp->file.state == FILE_WANTED)
        write_chars (sp);
    if (s)
        s->level = -sp->stream.unread;
    if (m.out <= 0)
        return 0;
    sp->call = CALL_stdio_flush;
    span_result (sp, &r, 0, 0);
    if (!sums_stream (sp->file, &r, 0, m.out))
        write_moved (sp, &r, m, 0);
    else
        facts_net_stream (&r, sp->file, 0, m.out);
    return (uint64_t)m.out;
}

uint64_t streams_settle (int fd, FILE *f)
{
    struct span sp = {.fd = fd};

    return span_open_stream (&sp, f) ? streams_settle_span (&sp) : 0;
}

/* A stream may have been freed behind our back. */
static int is_stream (FILE *f, int fd)
{
    struct probe p = {0};

    if (!probe_byte (&p, f) || !probe_byte (&p, (char *)(f + 1) - 1))
        return 0;
    if (streams_are_musl ())
        return fileno (f) == fd;
    return (f->_flags & IS_FILE_MASK) == IS_FILE && f->_fileno == fd;
}

uint64_t streams_settle_all (void)
{
    uint64_t sum = 0;
    FILE *const standard[] = {stdin, stdout, stderr};
    int n = __atomic_load_n (&limit, __ATOMIC_RELAXED);

    for (int fd = 0; fd < n; fd++)
        if (states[fd].f && is_stream (states[fd].f, fd))
            sum += streams_settle (fd, states[fd].f);
    for (int i = 0; i < 3; i++)
        if (standard[i] && unwritten (standard[i]) > 0 &&
            fileno (standard[i]) >= n)
            sum += streams_settle (fileno (standard[i]), standard[i]);
    return sum;
}

/* --- wide characters in the buffer of a FILE -> their bytes in the file --- */

/* UTF-8; each of ASCII is one byte in all locales of libc. */
int64_t wide_bytes (const wchar_t *from, const wchar_t *end)
{
    int64_t n = end > from ? end - from : 0;

    if (n == 0 || MB_CUR_MAX == 1)
        return n;
    for (; from < end; from++) {
        uint32_t c = (uint32_t)*from;

        n += (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    }
    return n;
}

/* With characters put back, the buffer is in two pieces. */
int64_t wide_unread (const FILE *f, int in_backup)
{
    const struct wide_data *w = wide_data (f);
    int64_t n;

    if (!w)
        return 0;
    n = wide_bytes (w->read_ptr, w->read_end);
    if (in_backup)
        n += wide_bytes (w->save_base, w->save_end);
    return n;
}

int64_t wide_unwritten (const FILE *f)
{
    const struct wide_data *w = wide_data (f);

    return w ? wide_bytes (w->write_base, w->write_ptr) : 0;
}
