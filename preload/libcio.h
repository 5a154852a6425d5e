/* SPDX-License-Identifier: MIT
 *
 * libcio.h - what libc reads and writes for itself, inside of its functions
 *
 * In:  wrappers of functions that read files for their result (accounts, hosts,
 *      locales, time zones); the kernel's count of this thread around them
 * Out: sums of LEFTOUT_libc and LEFTOUT_dlopen
 *
 * Nothing of this is on the path of a recorded call. A look takes 4 us. Once it
 * is known that nothing more is read, or where nobody wants the kernel's count,
 * a call costs one comparison.
 */
#pragma once

#include <locale.h>
#include <stdint.h>

enum libcio_kind {
    LIBCIO_LOCALE = 0, /* locale.alias: once in a process */
    LIBCIO_ZONE,       /* the time zone: the first time */
    LIBCIO_USERS,      /* from here on each call; of later ones the mean of */
    LIBCIO_GROUPS,     /* those of its kind is taken */
    LIBCIO_HOSTS,
    LIBCIO_OTHERS,
    LIBCIO_KINDS
};

/* Looks that are left; 0: none. */
extern uint8_t libcio_left[LIBCIO_KINDS]
    __attribute__ ((visibility ("hidden")));

/* A program begins whose count is taken. From the constructor. */
void libcio_start (void);

/* Add the headers of libraries that were loaded since the start. May take the
 * loader's lock for a moment. */
void libcio_loaded (void);

/* False: nothing is looked at. Else call libcio_end after the call. Both keep
 * errno. */
int libcio_begin (enum libcio_kind kind);
void libcio_end (void);

/* newlocale looks at no name if its mask has other bits than these. */
enum { LIBCIO_MASK = (1 << (LC_IDENTIFICATION + 1)) - 1 };

/* The argument of setlocale is one that libc reads files for. */
int libcio_is_read (const char *locale);

static inline int libcio_open (enum libcio_kind kind)
{
    return __builtin_expect (libcio_left[kind] != 0, 0) && libcio_begin (kind);
}

static inline int libcio_open_locale (const char *locale)
{
    return __builtin_expect (libcio_left[LIBCIO_LOCALE] != 0, 0) &&
           libcio_is_read (locale) && libcio_begin (LIBCIO_LOCALE);
}
