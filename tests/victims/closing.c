/* SPDX-License-Identifier: MIT
 *
 * closing.c - descriptors closed by number beside threads that do I/O
 *
 * closing KIND FILE [ROUNDS]: two threads write to FILE 10 bytes at a time
 * through descriptors 10 and 11, while the main thread
 *
 * all       closes all others (closefrom, close_range) and opens again
 * one       alone: closes every number up to the limit, as daemons do
 *
 * and checks that its own stay open and stay its own.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { THREADS = 2, FIRST = 10, LOW = 3, SOME = 100 };

static const char *path;
static int rounds = 8000;
static atomic_int stop;
static atomic_long writes;

static void *writer (void *cookie)
{
    int fd = (int)(intptr_t)cookie;

    while (!stop) {
        if (write (fd, "0123456789", 10) == 10)
            writes++;
        else
            stop = 2; /* somebody closed it */
    }
    return NULL;
}

static void start (pthread_t *t)
{
    for (intptr_t i = 0; i < THREADS; i++) {
        (void)dup2 (open (path, O_WRONLY | O_APPEND), (int)(FIRST + i));
        (void)pthread_create (&t[i], NULL, writer, (void *)(FIRST + i));
    }
    closefrom (FIRST + THREADS);
    (void)close_range (LOW, FIRST - 1, 0);
}

static void end (pthread_t *t)
{
    int before = stop;

    stop = 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (t[i], NULL);
    SHOW (before);
    (void)fprintf (stderr, "writes %ld\n", (long)writes);
}

/* /dev/null, which is the same file for every descriptor of ours. */
static int is_null (int fd)
{
    struct stat st;

    return fstat (fd, &st) == 0 && S_ISCHR (st.st_mode);
}

static void all (void)
{
    pthread_t t[THREADS];
    int bad = 0;

    start (t);
    for (int i = 0; i < rounds; i++) {
        int fd;

        (void)close_range (LOW, FIRST - 1, 0);
        closefrom (FIRST + THREADS);
        fd = open ("/dev/null", O_RDONLY);
        for (int k = 0; k < 3; k++)
            bad += !is_null (fd);
        bad += close (fd) != 0;
    }
    end (t);
    SHOW (bad);
}

static void put (int n)
{
    int fd = open (path, O_WRONLY | O_APPEND);

    for (int i = 0; i < n; i++, writes++)
        (void)!write (fd, "0123456789", 10);
    (void)close (fd);
}

static void one (void)
{
    struct rlimit rl;
    int closed = 0;

    put (SOME);
    (void)getrlimit (RLIMIT_NOFILE, &rl);
    for (int fd = LOW; fd < (int)rl.rlim_cur; fd++)
        closed += close (fd) == 0;
    SHOW (closed);
    put (SOME);
    (void)close (STDIN_FILENO);
    put (SOME); /* through descriptor 0 */
    (void)open ("/dev/null", O_RDONLY);
    SHOW (close_range (LOW, ~0U, CLOSE_RANGE_UNSHARE));
    put (SOME);
    SHOW (close_range (LOW, ~0U, CLOSE_RANGE_CLOEXEC));
    put (SOME);
    (void)fprintf (stderr, "writes %ld\n", (long)writes);
}

static const struct victim kinds[] = {
    {"all", all},
    {"one", one},
};

int main (int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        return 2;
    if (argc > 3)
        rounds = atoi (argv[3]);
    path = argv[2];
    (void)close (open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    return VICTIM_RUN (kinds, argv[1]);
}
