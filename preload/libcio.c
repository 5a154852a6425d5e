/* SPDX-License-Identifier: MIT
 *
 * libcio.c - the kernel's count around functions of libc -> sums
 *
 * Caveat: what a plug-in of the name service moves by calls that are wrapped is
 *         counted there, and not here once more (sums_inner).
 */
#include "config.h"

#include <link.h>

#include "lib/base/sys.h"
#include "preload/counted.h"
#include "preload/libcio.h"
#include "preload/process.h"
#include "preload/wrap/streams.h"

enum {
    LOCALE_LOOKS = 3, /* until one finds that something is read */
    LOOKS = 64
};

/* The loader reads so much of each library: struct filebuf of glibc, buf in
 * map_library of musl. */
static int64_t libcio_header (void)
{
    return streams_are_musl () ? 960 : sizeof (void *) == 8 ? 832 : 512;
}

SYS_STATE uint8_t libcio_left[LIBCIO_KINDS];

/* Sums of all looks of a kind. */
static struct sums mean[LIBCIO_KINDS];

static SYS_START struct {
    uint64_t loaded; /* libraries that are in the sums, or were at the start */
    pid_t pid;       /* of the process that began then */
} libcio;

/* A look of this thread. */
static _Thread_local struct {
    struct kernelio before;
    uint64_t loaded;
    uint64_t start; /* ns of CLOCK_MONOTONIC */
    enum libcio_kind kind;
} look __attribute__ ((tls_model ("initial-exec")));

_Thread_local struct sums_inner sums_inner
    __attribute__ ((tls_model ("initial-exec")));

/* --- libraries ---------------------------------------------------------------
 */

static int libcio_first (struct dl_phdr_info *o, size_t size, void *loads)
{
    if (size >= offsetof (struct dl_phdr_info, dlpi_subs))
        *(uint64_t *)loads = o->dlpi_adds;
    return 1;
}

/* How many there have been; 0 in a child of fork, where a thread of the parent
 * may have had the loader's lock. */
static uint64_t libcio_loads (void)
{
    uint64_t loads = 0;

    if (libcio.pid == sys_moved.pid)
        (void)dl_iterate_phdr (libcio_first, &loads);
    return loads;
}

void libcio_loaded (void)
{
    uint64_t loads = libcio_loads ();

    if (loads <= libcio.loaded)
        return;
    sums_add_read (LEFTOUT_dlopen,
                   (int64_t)(loads - libcio.loaded) * libcio_header ());
    libcio.loaded = loads;
}

/* --- locales -----------------------------------------------------------------
 */

static int libcio_is_named (const char *locale)
{
    return *locale && strcmp (locale, "C") != 0 &&
           strcmp (locale, "POSIX") != 0;
}

static int libcio_environ_has (void)
{
    int has = 0;

    for (char **e = environ; e && *e; e++) {
        const char *value = (*e)[0] == 'L' ? strchr (*e, '=') : NULL;

        if (!value)
            continue;
        if (strncmp (*e, "LC_ALL=", sizeof ("LC_ALL=") - 1) == 0 && value[1])
            return libcio_is_named (value + 1);
        if (strncmp (*e, "LC_", 3) == 0 || strncmp (*e, "LANG=", 5) == 0)
            has |= libcio_is_named (value + 1);
    }
    return has;
}

int libcio_is_read (const char *locale)
{
    return locale &&
           (*locale ? libcio_is_named (locale) : libcio_environ_has ());
}

/* --- looks -------------------------------------------------------------------
 */

void libcio_start (void)
{
    libcio_left[LIBCIO_LOCALE] = LOCALE_LOOKS;
    libcio_left[LIBCIO_ZONE] = 1;
    for (int kind = LIBCIO_USERS; kind < LIBCIO_KINDS; kind++)
        libcio_left[kind] = LOOKS + 1;
    libcio.pid = sys_moved.pid;
    libcio.loaded = libcio_loads ();
}

static void libcio_add_mean (const struct sums *of)
{
    sums_add_read (LEFTOUT_libc, (int64_t)(of->read / LOOKS));
    sums_add_written (LEFTOUT_libc, (int64_t)(of->written / LOOKS));
}

int libcio_begin (enum libcio_kind kind)
{
    int saved_errno = errno, looks = 0;

    if (sums_inner.looking || !recorder_layers || !process_has_begun () ||
        !process_is_ours ())
        goto out;
    if (kind >= LIBCIO_USERS && libcio_left[kind] == 1) {
        libcio_add_mean (&mean[kind]);
        goto out;
    }
    look.loaded = libcio_loads ();
    (void)kernelio_now (&look.before);
    looks = look.before.known;
    if (!looks)
        goto out;
    look.kind = kind;
    sums_inner = (struct sums_inner){.looking = 1};
    look.start = clock_ns (CLOCK_MONOTONIC);
out:
    errno = saved_errno;
    return looks;
}

static void libcio_looked (enum libcio_kind kind, uint64_t read)
{
    if (kind == LIBCIO_LOCALE && read)
        libcio_left[kind] = 0;
    else if (libcio_left[kind] > (kind >= LIBCIO_USERS))
        libcio_left[kind]--;
}

void libcio_end (void)
{
    int saved_errno = errno;
    struct kernelio now;
    uint64_t ns = clock_ns (CLOCK_MONOTONIC) - look.start;
    uint64_t asked = kernelio_now (&now);
    int64_t read, written;

    sums_inner.looking = 0;
    sums_add_call (LEFTOUT_libc, ns > sums_inner.ns ? ns - sums_inner.ns : 0);
    if (now.known) {
        read =
            (int64_t)(now.read - asked - look.before.read - sums_inner.read) -
            (int64_t)(libcio_loads () - look.loaded) * libcio_header ();
        written =
            (int64_t)(now.written - look.before.written - sums_inner.written);
        sums_add_read (LEFTOUT_libc, read);
        sums_add_written (LEFTOUT_libc, written);
        mean[look.kind].read += read > 0 ? (uint64_t)read : 0;
        mean[look.kind].written += written > 0 ? (uint64_t)written : 0;
        libcio_looked (look.kind, read > 0);
    }
    errno = saved_errno;
}
