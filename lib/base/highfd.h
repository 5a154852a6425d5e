/* SPDX-License-Identifier: MIT
 *
 * highfd.h - descriptors that are out of the program's way
 *
 * A thread of the program may meanwhile close a range of numbers, and the
 * next open of another gets the lowest one: a number of ours among them would
 * be closed under us, taken, and then closed again by us under its owner.
 */
#pragma once

#include <sys/types.h>

/* As openat, close-on-exec, with a number above those that programs use where
 * the limit allows that. To be closed with sys_close. No cancellation point;
 * async-signal-safe. -1: errno says why. */
int highfd_open (int dirfd, const char *path, int flags, mode_t mode);

/* As highfd_open, but without a second try: -1 with EBADF if another thread
 * closed the number meanwhile. The file may have been created all the same. */
int highfd_try (int dirfd, const char *path, int flags, mode_t mode);

/* As highfd_open, for a descriptor that is closed soon: it has any number if
 * the process has one thread, since a high one needs a larger table in the
 * kernel. */
int highfd_brief (int dirfd, const char *path, int flags, mode_t mode);

/* Set the place in which libc says that the process has one thread only
 * (__libc_single_threaded, glibc 2.32); NULL, as at first: not known. */
void highfd_single_threaded (const char *flag);

/* True where it says that there is one thread. */
int highfd_one_thread (void);

/* Another number of the same kind for a descriptor, which stays. */
int highfd_dup (int fd);
