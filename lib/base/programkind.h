/* SPDX-License-Identifier: MIT
 *
 * programkind.h - path of a program -> can it be traced, and why not
 *
 * Looks at the file as the kernel will: #! lines, the path, the bits. System
 * calls only, no state; fit for a child of vfork.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

/* Numbers are in traces: flags of exec_untraced. */
enum program_kind {
    PROGRAM_UNKNOWN = 0,  /* nothing speaks against it, or it does not start */
    PROGRAM_STATIC,       /* no dynamic loader: nothing is preloaded */
    PROGRAM_SECURE,       /* setuid or setgid: the loader leaves us out */
    PROGRAM_MACHINE,      /* of another machine, or of 32 bits */
    PROGRAM_NO_LIBRARY,   /* we are not where LD_PRELOAD says: a container */
    PROGRAM_GO,           /* dynamic, but with system calls of its own */
    PROGRAM_NO_DIRECTORY, /* no way to the job directory: a container */
    PROGRAM_LIBC,         /* neither GNU's nor musl */
    PROGRAM_CAPABILITIES, /* the file gives some: as setuid */
    PROGRAM_NOEXEC,       /* our file system is mounted with noexec */
    PROGRAM_OTHER_USER,   /* it writes nothing into this user's job */
    PROGRAM_ENVIRONMENT,  /* its environment did not have us */
    PROGRAM_OWN_REQUEST,  /* DFTRACE_ENABLE=0, follow=no */
    PROGRAM_EXCLUDED,     /* include_exe, exclude_exe */
    PROGRAM_TOO_LARGE,    /* no room for us in its environment */
    PROGRAM_SANITIZER,    /* it starts with its own runtime first only */
    PROGRAM_NOT_KNOWN,    /* nobody said why */
    PROGRAM_ADDRESSES,    /* its limit of address space is too low for us */
    PROGRAM_NO_ROOM,      /* what it did found no room on the file system */
    PROGRAM_KINDS
};

/* Whether the user wanted it so: such a process does not make a job
 * incomplete. */
int programkind_is_wish (enum program_kind kind);

/* Why it cannot be traced, in a word or two, as in job.json; "" for
 * PROGRAM_UNKNOWN. And whole, after "NAME: ". Static. */
const char *programkind_reason (enum program_kind kind);
const char *programkind_explain (enum program_kind kind);

/* The kind that a reason is of; PROGRAM_UNKNOWN for any other text. */
enum program_kind programkind_of_reason (const char *reason);

/* Return 1 if the loader treats the program as secure, since its ids change. */
int programkind_is_secure (const struct stat *st);

/* n bytes of the begin of an ELF file. */
enum program_kind programkind_of_head (const char *head, size_t n);

/* The program at path, relative to dirfd; opens and reads it. */
enum program_kind programkind_look (int dirfd, const char *path);

/* The first file of that name in list, as of PATH, that may be executed, into
 * path[size]; "" when there is none. */
void programkind_search (const char *list,
                         const char *file,
                         char *path,
                         size_t size);

/* Whether the program headers (count of them, where the kernel has put them)
 * are of a Go program. */
int programkind_is_go (const void *headers, size_t count);
