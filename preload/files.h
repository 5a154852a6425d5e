/* SPDX-License-Identifier: MIT
 *
 * files.h - path or descriptor -> the file it is, and whether we want it
 */
#pragma once

#include "lib/format/shard.h"
#include "lib/settings/paths.h"
#include "preload/record/recorder.h"

/* -- path or descriptor -> the file it is, and whether we want it -- */

enum file_state {
    FILE_UNKNOWN = 0, /* nobody has looked yet */
    FILE_WANTED,      /* recorded; has a name id unless names ran out */
    FILE_IGNORED      /* no file, or filtered away */
};

enum file_flag {
    FILE_APPEND = 1,   /* writes go to the end */
    FILE_SHARED = 2,   /* its position may be moved by other descriptors, too:
                          of dup, of a child, of whoever sent it */
    FILE_DATAGRAM = 4, /* a socket without connections */
    FILE_ACCEPTED = 8  /* a socket whose peer has asked for the connection */
};

/* Eight bytes, so that one load or store is atomic. */
struct file {
    uint32_t name; /* names_intern */
    uint8_t state; /* enum file_state */
    uint8_t class; /* enum file_class; of one that is ignored enum leftout */
    uint8_t flags; /* sum of enum file_flag */
    uint8_t fs;    /* its file system (fsfacts.h); 0 not known */
};
_Static_assert(sizeof (struct file) == 8, "stored in one go");

/* The file that dirfd and path mean. fd is a descriptor open on it, -1 when
 * there is none (then its class is guessed from the path). path "" means
 * dirfd itself. Never FILE_UNKNOWN. May change errno. */
struct file files_by_path (int dirfd, const char *path, int fd);

/* Write the absolute path, as files_by_path takes it: bytes of buf, or -1: not
 * known, or too long. May change errno. */
ssize_t files_place (int dirfd, const char *path, char *buf, size_t room);

/* The file behind a descriptor, by the kernel's word. FILE_UNKNOWN when it is
 * not open. May change errno. */
struct file files_by_fd (int fd);

/* -- the lines of the program that name files, start programs, connect -- */

enum place_kind {
    PLACE_READ = O_RDONLY,
    PLACE_WRITE = O_WRONLY,
    PLACE_FILE = O_RDWR,
    PLACE_LOOK = O_ACCMODE, /* it opens nothing */
    PLACE_START,
    PLACE_CONNECT
};

/* A call returns to caller (NULL: not known); it was about a file of this name,
 * or none (0). The 1st, 2nd, 4th, 8th … call from there is looked at, and kept
 * if its series of files, whose names differ in digits, is new. Does nothing in
 * a program of the system or of Python, whose own hook knows more. Keeps errno;
 * async-signal-safe. */
void place_note (const void *caller, enum place_kind kind, uint32_t name);

/* What was kept, as words of a line `traced`, as far as it has room. */
struct procline;
void places_put (struct procline *l);

void places_forked (void);

/* -- which files are recorded -- */

/* Remember include, exclude and where our own files are. s must stay. */
void filter_start (const struct settings *s);

/* True when calls on this file are recorded. path need not end in NUL.
 * What is no file (pipe, socket, device, other) is recorded only when the
 * word for its class is in include. Thread safe, async-signal-safe. */
int filter_wants (enum file_class class, const char *path, size_t length);

/* Why filter_wants says no of this file. */
enum leftout
filter_reason (enum file_class class, const char *path, size_t length);

/* True when this program is traced at all. Of a shell, less is recorded. After
 * filter_start; argv ends with NULL. */
int filter_start_program (const char *exe,
                          size_t length,
                          const char *const *argv);

/* True when a program of this path would be traced; after filter_start. */
int filter_wants_program (const char *exe, size_t length);

/* Calls that are not recorded, or only from a size on: FILTER_*, in two bits
 * each. */
enum { FILTER_PACKED = 4, FILTER_BITS = 2, FILTER_MASK = 3 };
extern unsigned char filter_calls[CALL_MAX / FILTER_PACKED]
    __attribute__ ((visibility ("hidden")));
extern uint64_t filter_min_size;

static inline __attribute__ ((always_inline)) unsigned
filter_how (unsigned call)
{
    return filter_calls[call / FILTER_PACKED] >>
               call % FILTER_PACKED * FILTER_BITS &
           FILTER_MASK;
}

static inline int filter_drops (const struct record *r)
{
    unsigned how = filter_how (r->call);

    return __builtin_expect (how, 0) &&
           (how == FILTER_DROPPED || r->size < filter_min_size);
}
