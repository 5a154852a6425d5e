/* SPDX-License-Identifier: MIT
 *
 * plantstorage.c - jobs whose cause is storage or page faults
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "plant.h"

/* -- storage ------------------------------------------------------------- */

/* Untraced, before the jobs that read: file slow.bin. */
void job_file (int n)
{
    int fd = open_file ("slow.bin", O_WRONLY | O_CREAT);

    (void)n;
    memset (buf, 'x', sizeof (buf));
    for (int i = 0; i < PIECES; i++)
        if (write (fd, buf, PIECE) != PIECE)
            die ("write");
    (void)close (fd);
}

void job_reads (int n)
{
    int fd = open_file ("slow.bin", O_RDONLY);

    for (int i = 0; i < n; i++) {
        work (2);
        begin ();
        (void)!pread (fd, buf, PIECE, (off_t)(i % PIECES) * PIECE);
        end ();
    }
    (void)close (fd);
}

void job_stdio_reads (int n)
{
    FILE *f = fopen ("slow.bin", "re");

    for (int i = 0; f && i < n; i++) {
        work (2);
        begin ();
        (void)!fread (buf, 1, 65536, f);
        end ();
    }
    if (f)
        (void)fclose (f);
}

void job_small_reads (int n)
{
    int fd = open_file ("slow.bin", O_RDONLY);

    for (int i = 0; i < n; i++) {
        if (i % 10 == 0)
            work (1);
        begin ();
        (void)!read (fd, buf, 512);
        end ();
    }
    (void)close (fd);
}

void job_random_reads (int n)
{
    int fd = open_file ("slow.bin", O_RDONLY);
    unsigned int place = 1;

    for (int i = 0; i < n; i++) {
        if (i % 10 == 0)
            work (1);
        place = place * 1664525 + 1013904223;
        begin ();
        (void)!pread (fd, buf, 4096, (off_t)(place >> 11 & 0x3ff) * 4096);
        end ();
    }
    (void)close (fd);
}

void job_rereads (int n)
{
    job_reads (n * PIECES);
}

/* The file is in the page cache: copying memory, no storage. */
void job_cached (int n)
{
    int fd = open_file ("slow.bin", O_RDONLY);

    for (int i = 0; i < n; i++) {
        work (1);
        begin ();
        for (int k = 0; k < PIECES * 4; k++)
            (void)!pread (fd, buf, PIECE, (off_t)(k % PIECES) * PIECE);
        end ();
    }
    (void)close (fd);
}

void job_seeks (int n)
{
    int fd = open_file ("one.dat", O_RDWR | O_CREAT);

    for (int i = 0; i < n; i++) {
        work (0.1);
        begin ();
        for (int k = 0; k < 1000; k++)
            (void)lseek (fd, k, SEEK_SET);
        end ();
    }
    (void)close (fd);
}

void job_writes (int n)
{
    int fd = open_file ("slow.out.bin", O_WRONLY | O_CREAT);

    for (int i = 0; i < n; i++) {
        work (2);
        begin ();
        (void)!write (fd, buf, PIECE);
        end ();
    }
    (void)close (fd);
}

void job_copies (int n)
{
    int in = open_file ("slow.bin", O_RDONLY);
    int out = open_file ("copy.bin", O_WRONLY | O_CREAT);

    for (int i = 0; i < n; i++) {
        off64_t at = 0, to = 0;

        work (2);
        begin ();
        (void)!copy_file_range (in, &at, out, &to, PIECE, 0);
        end ();
    }
    (void)close (in);
    (void)close (out);
}

void job_syncs (int n)
{
    int fd = open_file ("slow.db", O_WRONLY | O_CREAT);

    for (int i = 0; i < n; i++) {
        work (1);
        (void)!write (fd, buf, 4096);
        begin ();
        (void)fsync (fd);
        end ();
    }
    (void)close (fd);
}

void job_msyncs (int n)
{
    int fd = open_file ("slow.bin", O_RDWR);
    char *p =
        mmap (NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)0);

    for (int i = 0; p != MAP_FAILED && i < n; i++) {
        work (2);
        p[i % PIECE] = 'y';
        begin ();
        (void)msync (p, PIECE, MS_SYNC);
        end ();
    }
    (void)close (fd);
}

void job_creates (int n)
{
    char name[32];

    for (int i = 0; i < n; i++) {
        work (1);
        (void)snprintf (name, sizeof (name), "slow%d.rec", i);
        begin ();
        int fd = open_file (name, O_WRONLY | O_CREAT);
        (void)!write (fd, buf, 512);
        (void)close (fd);
        end ();
    }
}

void job_opens (int n)
{
    for (int i = 0; i < n; i++) {
        work (1);
        begin ();
        int fd = open_file ("slow.bin", O_RDONLY);
        (void)!read (fd, buf, 4096);
        (void)close (fd);
        end ();
    }
}

void job_stats (int n)
{
    struct stat st;
    char name[32];

    for (int i = 0; i < n; i++) {
        if (i % 10 == 0)
            work (2);
        (void)snprintf (name, sizeof (name), "slow%d.rec", i % 50);
        begin ();
        (void)stat (name, &st);
        (void)access (name, R_OK);
        end ();
    }
}

void job_lists (int n)
{
    (void)mkdir ("slowdir", 0700);
    for (int i = 0; i < n; i++) {
        work (2);
        begin ();
        DIR *d = opendir ("slowdir");
        while (d && readdir (d))
            continue;
        if (d)
            (void)closedir (d);
        end ();
    }
}

void job_moves (int n)
{
    for (int i = 0; i < n; i++) {
        int fd = open_file ("fresh.rec", O_WRONLY | O_CREAT);

        (void)close (fd);
        work (2);
        begin ();
        (void)rename ("fresh.rec", "slow.rec");
        (void)unlink ("slow.rec");
        end ();
    }
}

/* As on NFS, where close waits for the data. */
void job_closes (int n)
{
    for (int i = 0; i < n; i++) {
        int fd = open_file ("slow.out.bin", O_WRONLY | O_CREAT);

        work (2);
        (void)!write (fd, buf, 65536);
        begin ();
        (void)close (fd);
        end ();
    }
}

void job_log (int n)
{
    FILE *f = fopen ("slow.log", "ae");

    for (int i = 0; f && i < n; i++) {
        work (0.5);
        begin ();
        (void)fprintf (f, "step %d\n", i);
        (void)fflush (f);
        end ();
    }
    if (f)
        (void)fclose (f);
}

void job_checkpoint (int n)
{
    char name[32];

    for (int i = 0; i < n; i++) {
        work (50);
        (void)snprintf (name, sizeof (name), "slow_checkpoint_%d", i);
        begin ();
        int fd = open_file (name, O_WRONLY | O_CREAT);
        for (int k = 0; k < 4; k++)
            (void)!write (fd, buf, PIECE);
        (void)fsync (fd);
        (void)close (fd);
        end ();
    }
}

/* Where opening and renaming the file take the time. */
void job_checkpoint_names (int n)
{
    char name[32];

    for (int i = 0; i < n; i++) {
        work (50);
        (void)snprintf (name, sizeof (name), "slow_checkpoint_%d", i);
        begin ();
        int fd = open_file ("slow_checkpoint.tmp", O_WRONLY | O_CREAT);
        (void)!write (fd, buf, PIECE);
        (void)close (fd);
        (void)rename ("slow_checkpoint.tmp", name);
        end ();
    }
}

/* A page of a file that is mapped and not in the cache, at random. */
void job_mapped (int n)
{
    int fd = open_file ("slow.bin", O_RDONLY);
    unsigned int place = 1;
    unsigned char *p;
    volatile unsigned int sum = 0;

    (void)fdatasync (fd);
    (void)posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
    p = mmap (NULL, PIECES * PIECE, PROT_READ, MAP_SHARED, fd, (off_t)0);
    if (p == MAP_FAILED)
        die ("mmap");
    (void)madvise (p, PIECES * PIECE, MADV_RANDOM);
    for (int i = 0; i < n; i++) {
        begin ();
        for (int k = 0; k < 64; k++) {
            place = place * 1664525 + 1013904223;
            sum += p[(place >> 11 & 0x3ff) * 4096];
        }
        (void)sum;
        end ();
        if (i % 16 == 15) {
            (void)munmap (p, PIECES * PIECE);
            (void)posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
            p = mmap (NULL, PIECES * PIECE, PROT_READ, MAP_SHARED, fd,
                      (off_t)0);
            (void)madvise (p, PIECES * PIECE, MADV_RANDOM);
        }
    }
    (void)close (fd);
}

/* -- page faults: a thread that gives each page 5 ms later ------------------
 */

static void *give_pages (void *arg)
{
    struct uffd_msg msg;
    int fd = *(int *)arg;

    while (read (fd, &msg, sizeof (msg)) == sizeof (msg)) {
        struct uffdio_copy copy = {.dst = msg.arg.pagefault.address & ~4095ULL,
                                   .src = (unsigned long)buf,
                                   .len = 4096};
        nap (5);
        (void)ioctl (fd, UFFDIO_COPY, &copy);
    }
    return NULL;
}

void job_faults (int n)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
    size_t size = (size_t)n * 4096;
    int fd = (int)syscall (SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    char *p = mmap (NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t t;

    range.range.start = (unsigned long)p;
    range.range.len = size;
    if (fd < 0 || ioctl (fd, UFFDIO_API, &api) < 0 ||
        ioctl (fd, UFFDIO_REGISTER, &range) < 0)
        exit (77);
    thread (give_pages, &fd, &t);
    for (int i = 0; i < n; i++) {
        work (1);
        begin ();
        ((volatile char *)p)[i * 4096] = 1;
        end ();
    }
}
