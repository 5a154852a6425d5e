/* SPDX-License-Identifier: MIT
 *
 * xalloc.h - memory for tools: where there is none, the program ends
 *
 * The names are those of gnulib's xalloc. Nothing here returns NULL, so that
 * callers check nothing. Not for what runs in other people's processes
 * (lib/base, lib/format, lib/settings, preload, the plug-in of Slurm):
 * lib/base/array.h is for those. Thread safe.
 */
#pragma once

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/array.h"

/* Exit status of a program without memory: 1 unless it is set at the start. */
extern int xalloc_status;

/* Say that there is no memory and end the program, or the work of
 * xalloc_guard () that this thread is in. */
_Noreturn void xalloc_die (void);
/* As xalloc_die () for want of something else: an errno, and the message. */
_Noreturn void xalloc_end (int error, const char *why);

/* Write "dftrace: object: problem: next step" on standard error and end the
 * command with status 1 (die) or another one of enum exit_code. In the work of
 * xalloc_guard (), end that instead. Not for threads without a guard. */
_Noreturn void die (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));
_Noreturn void die_with (int status, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Call work (cookie). Where there is no memory in it, it does not go on; what
 * it had allocated stays allocated, and its locks stay locked but for those of
 * xalloc_lock (). 0, or -1 (ENOMEM, or the errno of xalloc_end ()). For
 * programs that are not ours, as an interpreter that loads us. */
int xalloc_guard (void (*work) (void *cookie), void *cookie);

/* Lock a mutex under which memory is needed: xalloc_guard () unlocks it. A
 * thread holds XALLOC_LOCKS_MAX of them at most, and unlocks the last first. */
enum { XALLOC_LOCKS_MAX = 8 };
void xalloc_lock (pthread_mutex_t *lock);
void xalloc_unlock (pthread_mutex_t *lock);

/* The message that ended the last such work of this thread. */
const char *xalloc_why (void);
/* Free that message, before a thread ends that had a guard. */
void xalloc_forget (void);

/* True in the work of xalloc_guard (). */
int xalloc_is_guarded (void);

/* The p of an allocation, which is NULL where there is no memory. */
static inline void *xalloc_checked (void *p)
{
    if (!p)
        xalloc_die ();
    return p;
}

/* As the functions without the x; to be freed. */
void *xmalloc (size_t size);
void *xcalloc (size_t n, size_t size);
void *xreallocarray (void *p, size_t n, size_t size);
char *xstrdup (const char *text);
char *xstrndup (const char *text, size_t n);
void *xmemdup (const void *p, size_t size);
char *xasprintf (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
char *xvasprintf (const char *fmt, va_list args)
    __attribute__ ((format (printf, 1, 0)));

/* As open_memstream (), and the end of such a stream, which then has its
 * text. */
FILE *xmemstream (char **text, size_t *size);
void xmemstream_end (FILE *stream);

/* Zeroed memory for n items of the type that p points to, to be freed. ZEROED
 * is for the declaration of p; NEW assigns. */
#define ZEROED(p, n) ((__typeof__ (p))xcalloc ((n), sizeof (*(p))))
#define NEW(p, n)    ((p) = ZEROED (p, n))

/* array_grow () that always succeeds: 0. */
static inline int
xgrow (void *array, size_t *room, size_t want, size_t size, int zero)
{
    if (array_grow (array, room, want, size, zero) < 0)
        xalloc_die ();
    return 0;
}

/* Give the array, a pointer to malloc'd items, room for `want` items. */
#define GROW(array, room, want) \
    ((want) <= (room)           \
         ? 0                    \
         : xgrow (&(array), &(room), (want), sizeof (*(array)), 0))
#define GROW_ZEROED(array, room, want) \
    ((want) <= (room)                  \
         ? 0                           \
         : xgrow (&(array), &(room), (want), sizeof (*(array)), 1))

/* The address of one more item, which is zeroed. */
#define APPEND(array, count, room)        \
    (GROW ((array), (room), (count) + 1), \
     (__typeof__ (array))memset (&(array)[(count)++], 0, sizeof (*(array))))

/* -- an arena: memory that nobody frees item by item -- */

/* One for the program, and not thread safe. Zeroed, aligned for any type; never
 * to be freed by free (). */
void *arena_alloc (size_t size);
void *arena_array (size_t count, size_t size);

char *arena_copy (const char *text, size_t length);
char *arena_text (const char *text);
char *arena_format (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));

/* Room for one more of `size` bytes after `count` elements: the array, moved
 * when it was full (capacities are powers of two, from the first call on). */
void *arena_grow (void *array, size_t count, size_t size);

/* Free mark, which is memory of the arena, and all that was allocated after it.
 * For loops that go on for days. */
void arena_free (void *mark);
