/* SPDX-License-Identifier: MIT
 *
 * repeat.h - a transfer that goes on where the one before it ended -> bytes
 *
 * The shortest way to a record, inline in the wrappers: same thread, file,
 * descriptor and size as before, all bytes moved; nothing to say but when, and
 * where, if that is not where the last one ended. Whatever else there is to do
 * (room, a pair of the clock, a name, a child of fork) is left to
 * recorder_record.
 */
#pragma once

#include <string.h>

#include "lib/format/event.h"
#include "preload/record/recorder.h"
#include "lib/format/varint.h"

/* Ticks: a third of a millisecond to one. So long a call takes the other way,
 * which looks at what it waited for. */
enum { REPEAT_LONG = 1 << 20 };

/* Ticks: 3 us, less than two processes take to hand over to each other and
 * back: in a longer pause somebody else may have moved the position and put it
 * back. And the most transfers of a run. */
#if defined __aarch64__ /* 25 MHz to 1 GHz */
enum { REPEAT_PAUSE = 1 << 7 };
#else
enum { REPEAT_PAUSE = 1 << 13 };
#endif
enum { REPEAT_RUN = 64 };

/* Transfers of a thread at the position of a descriptor that others may move,
 * too. They are written as if they went on from an offset that is not known;
 * that of the first one is filled in at the end if the kernel says then that
 * nobody else moved it. */
struct repeat_run {
    unsigned char *place; /* of that offset, aligned; NULL: there is no run */
    int64_t from, moved;
    int fd;
    unsigned left;  /* transfers */
    unsigned moves; /* that were seen when it began */
};

enum repeat_kind { REPEAT_NONE = 0, REPEAT_EVENTS, REPEAT_PROFILE };

/* First member of a thread's struct tbuf, whose page is all zeros in a child of
 * fork: no room. */
struct repeat {
    unsigned char *p, *limit; /* of the chunk; NULL: there is none */
    uint64_t *commit;         /* word of its header */
    uint64_t committed;       /* what that is */
    uint64_t *word;           /* lastword.h; NULL: nowhere to store it */
    uint64_t clock_due;       /* tick at which it needs another pair */
    uint64_t note_due; /* tick at which all notes of paths are paid (span.c) */
    struct event_state st;
    uint32_t file; /* id of names_intern that st.file stands for */
    uint32_t kind; /* enum repeat_kind of the buffer */
    struct repeat_run run;
};

/* The call that this thread is in (lastword.h), 0: none; from a wrapper. No
 * signal handler may give the chunk back meanwhile. */
static inline __attribute__ ((always_inline)) void repeat_say (uint64_t word)
{
    struct recorder_thread *self = &recorder_self;
    struct repeat *s = (struct repeat *)self->tbuf;

    if (__builtin_expect (!s || self->busy, 0)) {
        if (self->busy)
            recorder_look_busy (recorder_stack ());
        return;
    }
    self->busy = recorder_mark ();
    __asm__ volatile("" ::: "memory");
    if (s->word)
        __atomic_store_n (s->word, word, __ATOMIC_RELAXED);
    __asm__ volatile("" ::: "memory");
    self->busy = 0;
}

/* Write word and n bytes of text, of the call that is about to begin, behind
 * the last record; of a long text its end, after "...". Return 1, or 0 where
 * there is no room. */
static inline int repeat_note (uint64_t word, const char *text, size_t n)
{
    enum { LEAST = 64, DOTS = 3, BESIDES = sizeof (word) + DOTS + 1 };
    struct recorder_thread *self = &recorder_self;
    struct repeat *s = (struct repeat *)self->tbuf;
    int done = 0;

    if (!s || self->busy)
        return 0;
    self->busy = recorder_mark ();
    __asm__ volatile("" ::: "memory");
    if (s->word && s->limit - s->p >= BESIDES + LEAST) {
        size_t room = (size_t)(s->limit - s->p) - BESIDES;
        size_t dots = n > room ? DOTS : 0, m = n > room ? room : n;
        unsigned char *p = s->p;

        memcpy (p, &word, sizeof (word));
        memset (p += sizeof (word), '.', dots);
        memcpy (p += dots, text + n - m, m);
        p[m] = '\0';
        done = 1;
    }
    __asm__ volatile("" ::: "memory");
    self->busy = 0;
    return done;
}

/* Commit the bytes written up to p. */
static inline __attribute__ ((always_inline)) void
repeat_commit (struct repeat *s, unsigned char *p)
{
    s->committed += ((uint64_t)1 << 32) + (uint64_t)(p - s->p);
    s->p = p;
    __atomic_store_n (s->commit, s->committed, __ATOMIC_RELEASE);
}

/* Call, no mask, gap and length as varints. Most have two bytes each. */
static inline __attribute__ ((always_inline)) unsigned char *
repeat_encode (unsigned char *p, enum call call, uint64_t gap, uint64_t length)
{
    enum { SHORTEST = 1 << 7, LONGEST = (1 << 14) - 1 };

    if (__builtin_expect (gap - SHORTEST <= LONGEST - SHORTEST, 1) &&
        __builtin_expect (length - SHORTEST <= LONGEST - SHORTEST, 1)) {
        uint64_t bytes = (uint64_t)call | (gap & 0x7f) << 16 | gap >> 7 << 24 |
                         (length & 0x7f) << 32 | length >> 7 << 40 |
                         (uint64_t)0x80 << 16 | (uint64_t)0x80 << 32;

        memcpy (p, &bytes, sizeof (bytes)); /* little-endian, as the format */
        return p + 6;
    }
    *p++ = (unsigned char)call;
    *p++ = 0;
    p = put_varint (p, gap);
    return put_varint (p, length);
}

/* A whole transfer that needs no more words than when. */
static inline __attribute__ ((always_inline)) int
repeat_fits (const struct repeat *s,
             uint64_t start,
             uint64_t end,
             int fd,
             uint32_t file,
             uint64_t size)
{
    return s->limit - s->p >= EVENT_BYTES_MAX && end < s->clock_due &&
           fd == s->st.fd && file == s->file && size == s->st.size &&
           (int64_t)(end - s->st.end) >= 0 && end - start < REPEAT_LONG;
}

/* 1 when it was recorded, else 0 and nothing has happened. call is a read or
 * write of DATA fields, size what it moved. */
static inline __attribute__ ((always_inline)) int repeat_put (struct repeat *s,
                                                              enum call call,
                                                              uint64_t start,
                                                              uint64_t end,
                                                              int fd,
                                                              uint32_t file,
                                                              uint64_t size,
                                                              int64_t offset)
{
    uint64_t gap = end - s->st.end, length = end - start;
    unsigned char *p;

    if (!repeat_fits (s, start, end, fd, file, size))
        return 0;
    p = repeat_encode (s->p, call, gap, length);
    if (offset != s->st.next) {
        s->p[1] = SHARD_HAS_OFFSET;
        p = put_varint (p, (uint64_t)offset + 1);
    }
    s->st.end = end;
    s->st.next = offset < 0 ? offset : offset + (int64_t)size;
    repeat_commit (s, p);
    return 1;
}

/* A run of another descriptor than fd is under way. */
static inline int repeat_runs (int fd)
{
    const struct repeat *s = (const struct repeat *)recorder_self.tbuf;

    return s && s->run.place && s->run.fd != fd;
}

/* As repeat_put, of a run that is under way; moves as it was when it began. */
static inline __attribute__ ((always_inline)) int
repeat_go_on (struct repeat *s,
              enum call call,
              uint64_t start,
              uint64_t end,
              int fd,
              uint32_t file,
              uint64_t size,
              unsigned moves)
{
    if (!s->run.place || s->run.fd != fd || s->st.next >= 0 || !s->run.left ||
        s->run.moves != moves || start - s->st.end >= REPEAT_PAUSE ||
        !repeat_put (s, call, start, end, fd, file, size, -1))
        return 0;
    s->run.left--;
    s->run.moved += (int64_t)size;
    return 1;
}

/* As repeat_put, called by a wrapper. */
static inline __attribute__ ((always_inline)) int repeat_record (enum call call,
                                                                 uint64_t start,
                                                                 uint64_t end,
                                                                 int fd,
                                                                 uint32_t file,
                                                                 uint64_t size,
                                                                 int64_t offset)
{
    struct recorder_thread *self = &recorder_self;
    struct repeat *s = (struct repeat *)self->tbuf;
    int done;

    if (__builtin_expect (!s || self->busy, 0))
        return 0;
    self->busy = recorder_mark ();
    __asm__ volatile("" ::: "memory");
    done = repeat_put (s, call, start, end, fd, file, size, offset);
    __asm__ volatile("" ::: "memory");
    self->busy = 0;
    return done;
}
