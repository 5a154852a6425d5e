/* SPDX-License-Identifier: MIT
 *
 * wholeio.h - all bytes or an error, over short counts and EINTR
 */
#ifndef MINIGPT_WHOLEIO_H
#define MINIGPT_WHOLEIO_H

#include <stddef.h>

/* 0, or -1 with errno. whole_read: ENODATA when the file ends before (a pipe
 * whose writer has gone). */
int whole_write (int fd, const void *data, size_t bytes);
int whole_read (int fd, void *data, size_t bytes);

#endif
