/* SPDX-License-Identifier: MIT
 *
 * fsfacts.h - files that are opened -> what their file systems are, once each
 *
 * The first event that opens a file of a mount says of which type it is, and
 * where it is mounted; what a path begins with then tells that of the files
 * that come later. A path that leads elsewhere, over a symbolic link, is told,
 * too. Nothing here asks the file system, but for the striping of files on
 * Lustre, which the client knows of a file that is open: a server that has died
 * holds nobody up. Lock-free, async-signal-safe; may change errno.
 */
#pragma once

#include <sys/stat.h>

#include "lib/base/fsinfo.h"
#include "preload/record/recorder.h"

/* -- files that are opened -> what their file systems are, once each -- */

enum {
    FSFACTS_DEVICES = 32,   /* file systems of a process that are known */
    FSFACTS_PREFIXES = 64,  /* paths that are known to lie on one of them */
    FSFACTS_TEXT = 8 << 10, /* bytes of all these paths */
    FSFACTS_ARGS = 8        /* that one event gets, at most */
};

/* Number of the file system that st is of, for struct file; 0: no room. */
uint8_t fsfacts_device (const struct stat *st);

/* fd has just been opened and is f: what r should say of its file system. args
 * has room for FSFACTS_ARGS and must live until r is written. */
void fsfacts_opened (struct record *r,
                     int fd,
                     struct file f,
                     struct record_arg *args);

/* This process is a child that has just begun; by its only thread. */
void fsfacts_atfork_child (void);

/* -- an open file -> type and place of its mount -- */

/* statmount (Linux 6.8), which older headers do not name. */
enum { MOUNTASK_STATMOUNT = 457 };

/* Texts are "" where nobody knows. device is the file's st_dev. */
void mountask (struct mountinfo_mount *mount, int fd, uint64_t device);
