/* SPDX-License-Identifier: MIT
 *
 * plain.c - the usual calls on files, in a working directory of its own
 *
 * Built by tests, static and dynamic; THREADS read the file at the same time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 50, BYTES = 1000, THREADS = 3 };

static void *reader (void *arg)
{
    char buf[BYTES];
    int fd = open ("f.dat", O_RDONLY);

    (void)arg;
    for (int i = 0; i < TIMES; i++)
        (void)!pread (fd, buf, BYTES / 2, i * 7);
    (void)close (fd);
    return NULL;
}

static void transfers (int fd, char *buf)
{
    struct iovec v[2] = {{buf, 100}, {buf + 100, 200}};
    off_t at = 100;
    int out = open ("g.dat", O_WRONLY | O_CREAT, 0600);

    (void)!pwrite (fd, buf, 10, 5);
    (void)lseek (fd, 10, SEEK_SET);
    (void)!readv (fd, v, 2);
    (void)!preadv (fd, v, 2, 40);
    (void)!writev (fd, v, 2);
    (void)!sendfile (out, fd, &at, 3000);
    (void)lseek (fd, 0, SEEK_SET);
    (void)!copy_file_range (fd, NULL, out, NULL, 10, 0);
    (void)close (out);
}

static void names (int fd)
{
    struct stat st;
    void *map;
    int copy = dup (fd);

    (void)fstat (fd, &st);
    (void)stat ("f.dat", &st);
    (void)stat ("nope", &st);
    (void)!ftruncate (fd, 60000);
    map = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    (void)munmap (map, 4096);
    (void)close (copy);
    (void)!rename ("g.dat", "h.dat");
    (void)mkdir ("dir", 0700);
    (void)rmdir ("dir");
    (void)unlink ("h.dat");
    (void)!open ("missing/x", O_RDONLY);
}

int main (void)
{
    static char buf[BYTES];
    pthread_t thread[THREADS];
    int fd = open ("sub/../f.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
    pid_t child;

    for (int i = 0; i < TIMES; i++)
        if (write (fd, buf, BYTES) != BYTES)
            return 1;
    (void)fsync (fd);
    (void)lseek (fd, 0, SEEK_SET);
    for (int i = 0; i < TIMES + 10; i++)
        (void)!read (fd, buf, BYTES);
    transfers (fd, buf);
    names (fd);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create (&thread[i], NULL, reader, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (thread[i], NULL);
    child = fork ();
    if (child == 0)
        _exit (pread (fd, buf, 123, 0) == 123 ? 0 : 1);
    (void)waitpid (child, NULL, 0);
    return 0;
}
