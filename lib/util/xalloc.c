/* SPDX-License-Identifier: MIT
 *
 * xalloc.c - memory for tools: where there is none, the program ends
 */
#include "config.h"

#include <setjmp.h>

#include "lib/util/log.h"
#include "lib/util/xalloc.h"

int xalloc_status = 1;

/* Of a thread, by a model that does not need a function of the loader: a wheel
 * of any Linux may not need the loader as a library. */
#define OF_THREAD \
    static __attribute__ ((tls_model ("initial-exec"))) _Thread_local

OF_THREAD jmp_buf *guard;
OF_THREAD int guard_error;
OF_THREAD char *guard_why; /* NULL: the text of guard_error */
OF_THREAD pthread_mutex_t *held[XALLOC_LOCKS_MAX];
OF_THREAD int held_count;

void xalloc_lock (pthread_mutex_t *lock)
{
    pthread_mutex_lock (lock);
    held[held_count++] = lock;
}

void xalloc_unlock (pthread_mutex_t *lock)
{
    held_count--;
    pthread_mutex_unlock (lock);
}

void xalloc_end (int error, const char *why)
{
    guard_error = error;
    free (guard_why);
    guard_why = guard && error != ENOMEM ? strdup (why) : NULL;
    if (guard)
        longjmp (*guard, 1);
    log_error ("%s", why);
    _exit (xalloc_status); /* other threads go on: no handlers of exit () */
}

void xalloc_die (void)
{
    xalloc_end (ENOMEM, "memory: there is not enough: allow the program more, "
                        "or ask for a part of the data (--where)");
}

const char *xalloc_why (void)
{
    return guard_why ? guard_why : strerror (guard_error);
}

void xalloc_forget (void)
{
    free (guard_why);
    guard_why = NULL;
}

static _Noreturn void die_of (int status, const char *fmt, va_list args)
{
    char *why = xvasprintf (fmt, args);

    if (guard) {
        free (guard_why);
        guard_why = why;
        guard_error = EINVAL;
        longjmp (*guard, 1);
    }
    log_error ("%s", why);
    exit (status);
}

void die (const char *fmt, ...)
{
    va_list args;

    va_start (args, fmt);
    die_of (EXIT_FAILURE, fmt, args);
}

void die_with (int status, const char *fmt, ...)
{
    va_list args;

    va_start (args, fmt);
    die_of (status, fmt, args);
}

int xalloc_guard (void (*work) (void *cookie), void *cookie)
{
    jmp_buf here;
    jmp_buf *volatile outer = guard;
    volatile int locks = held_count, rc = 0;

    if (setjmp (here) == 0) {
        guard = &here;
        work (cookie);
    } else {
        while (held_count > locks)
            xalloc_unlock (held[held_count - 1]);
        rc = -1;
    }
    guard = outer;
    if (rc < 0)
        errno = guard_error;
    return rc;
}

int xalloc_is_guarded (void)
{
    return guard != NULL;
}

void *xmalloc (size_t size)
{
    return xalloc_checked (malloc (size ? size : 1));
}

void *xcalloc (size_t n, size_t size)
{
    return xalloc_checked (calloc (n ? n : 1, size ? size : 1));
}

void *xreallocarray (void *p, size_t n, size_t size)
{
    return xalloc_checked (reallocarray (p, n ? n : 1, size ? size : 1));
}

char *xstrdup (const char *text)
{
    return xalloc_checked (strdup (text));
}

char *xstrndup (const char *text, size_t n)
{
    return xalloc_checked (strndup (text, n));
}

void *xmemdup (const void *p, size_t size)
{
    return memcpy (xmalloc (size), p, size);
}

char *xvasprintf (const char *fmt, va_list args)
{
    char *text;

    if (vasprintf (&text, fmt, args) < 0)
        xalloc_die ();
    return text;
}

char *xasprintf (const char *fmt, ...)
{
    va_list args;
    char *text;

    va_start (args, fmt);
    text = xvasprintf (fmt, args);
    va_end (args);
    return text;
}

FILE *xmemstream (char **text, size_t *size)
{
    return xalloc_checked (open_memstream (text, size));
}

void xmemstream_end (FILE *stream)
{
    if (fclose (stream) != 0)
        xalloc_die ();
}

/* ---- an arena ---- */

enum {
    ARENA_BLOCK = 64 * 1024, /* bytes; what is larger gets its own block */
    ARENA_ALIGN = 16,
};

static struct block {
    struct block *next; /* the one before it */
    size_t used, size;
    _Alignas(ARENA_ALIGN) char data[];
} * newest;

void *arena_alloc (size_t size)
{
    struct block *b = newest;
    size_t need = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

    if (size > SIZE_MAX / 2)
        xalloc_die ();
    if (!b || b->size - b->used < need) {
        size_t room = MAX (need, (size_t)ARENA_BLOCK);

        b = xcalloc (1, sizeof (*b) + room);
        b->size = room;
        b->next = newest;
        newest = b;
    }
    b->used += need;
    return b->data + b->used - need;
}

void arena_free (void *mark)
{
    char *at = mark;
    struct block *b;

    while ((b = newest) && (at < b->data || at >= b->data + b->used)) {
        newest = b->next;
        free (b);
    }
    if (b) {
        memset (at, 0, b->data + b->used - at);
        b->used = at - b->data;
    }
}

void *arena_array (size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow (count, size, &bytes))
        xalloc_die ();
    return arena_alloc (bytes);
}

char *arena_copy (const char *text, size_t length)
{
    return memcpy (arena_alloc (length + 1), text, length);
}

char *arena_text (const char *text)
{
    return arena_copy (text, strlen (text));
}

char *arena_format (const char *fmt, ...)
{
    va_list args;
    char *text, *copy;

    va_start (args, fmt);
    text = xvasprintf (fmt, args);
    va_end (args);
    copy = arena_text (text);
    free (text);
    return copy;
}

void *arena_grow (void *array, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return array; /* not a power of two: there is room */
    larger = arena_array (count ? count * 2 : 1, size);
    if (count)
        memcpy (larger, array, count * size);
    return larger;
}
