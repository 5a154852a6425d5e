/* SPDX-License-Identifier: MIT
 *
 * wholeio.c - all bytes or an error
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "etc/examples/minigpt/wholeio.h"

int whole_write (int fd, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        ssize_t n = write (fd, p, bytes);

        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

int whole_read (int fd, void *data, size_t bytes)
{
    char *p = data;

    while (bytes > 0) {
        ssize_t n = read (fd, p, bytes);

        if (n < 0 && errno != EINTR)
            return -1;
        if (n == 0) {
            errno = ENODATA;
            return -1;
        }
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}
