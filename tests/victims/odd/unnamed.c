/* SPDX-License-Identifier: MIT
 *
 * unnamed.c - files in directories whose path nobody can tell
 *
 * unnamed deep|removed: below the working directory, 10 writes of 1000 bytes
 * to "leaf", in a directory whose path is longer than PATH_MAX; or to "beside",
 * by a working directory that has been removed, and a read of it
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 21, LENGTH = 200, WRITES = 10, SIZE = 1000 };

static char data[SIZE];

static int writes (const char *name)
{
    int fd = open (name, O_CREAT | O_TRUNC | O_RDWR, 0666);

    if (fd < 0)
        return 1;
    for (int i = 0; i < WRITES; i++)
        if (write (fd, data, SIZE) != SIZE)
            return 1;
    return close (fd) != 0;
}

static int deep (void)
{
    char name[LENGTH + 1] = "";

    memset (name, 'd', LENGTH);
    for (int i = 0; i < DEPTH; i++)
        if (mkdir (name, 0777) < 0 || chdir (name) < 0)
            return 1;
    return writes ("leaf");
}

static int removed_dir (void)
{
    int dir, fd;

    if (mkdir ("gone", 0777) < 0 || chdir ("gone") < 0 || rmdir ("../gone") < 0)
        return 1;
    if (writes ("../beside"))
        return 1;
    dir = open (".", O_PATH);
    fd = openat (dir, "../beside", O_RDONLY);
    return read (fd, data, SIZE) != SIZE || close (fd) != 0;
}

int main (int argc, char **argv)
{
    if (argc != 2)
        return 2;
    return strcmp (argv[1], "deep") == 0 ? deep () : removed_dir ();
}
