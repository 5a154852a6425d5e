/* SPDX-License-Identifier: MIT
 *
 * crowd.c - very many threads, descriptors or processes at once
 *
 * crowd threads|files|fakes|forks|spawns|workers N FILE
 *
 * threads   N threads, all alive together; each writes 10 bytes 10 times
 * files     N open descriptors (or as many as may be), used, closed in ranges
 * names     N open files, the same
 * fakes     N descriptors of tests/victims/manyfds.c, which must be preloaded
 * forks     N children that do nothing, two at a time
 * spawns    N programs that do nothing
 * workers   N children that write once
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { EACH = 10, STACK = 16384, AT_ONCE = 2, LEFT = 20, FAKES = 1000 };

extern char **environ;

static const char *path;
static int n;

static int get_file (void)
{
    return open (path, O_WRONLY | O_APPEND);
}

static void put (int fd, int times)
{
    for (int i = 0; i < times; i++)
        if (write (fd, "0123456789", 10) != 10)
            SHOW (-1);
}

/* --- threads ---------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *thread (void *unused)
{
    int fd;

    (void)pthread_barrier_wait (&barrier);
    fd = get_file ();
    put (fd, EACH);
    (void)close (fd);
    (void)pthread_barrier_wait (&barrier);
    return NULL;
}

static void threads (void)
{
    pthread_t *t = calloc ((size_t)n, sizeof (*t));
    pthread_attr_t attr;
    int made = 0;

    (void)pthread_attr_init (&attr);
    (void)pthread_attr_setstacksize (&attr, STACK);
    (void)pthread_barrier_init (&barrier, NULL, (unsigned)n);
    while (made < n && pthread_create (&t[made], &attr, thread, NULL) == 0)
        made++;
    SHOW (made);
    if (made < n)
        exit (4);
    for (int i = 0; i < made; i++)
        (void)pthread_join (t[i], NULL);
    free (t);
}

/* --- descriptors ---------------------------------------------------------- */

static void files (void)
{
    struct rlimit rl;
    int last = 0, fd = -1, count = 0;

    (void)getrlimit (RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    if (rl.rlim_max < (rlim_t)n + LEFT) {
        struct rlimit more = {(rlim_t)n + LEFT, (rlim_t)n + LEFT};

        if (setrlimit (RLIMIT_NOFILE, &more) == 0)
            rl = more;
    }
    (void)setrlimit (RLIMIT_NOFILE, &rl);
    while (count < n && (fd = get_file ()) >= 0) {
        last = fd;
        count++;
    }
    SHOW (count);
    put (last, 1);
    put (last / 2, 1);
    put (LEFT, 1);
    SHOW (fcntl (LEFT + 1, F_DUPFD, last / 2) >= 0);
    SHOW (close_range (LEFT, (unsigned)last / 2, 0));
    SHOW (write (last / 2, "x", 1));
    put (last, 1);
    closefrom (LEFT);
    SHOW (write (last, "x", 1));
    fd = get_file ();
    SHOW (fd == LEFT);
    put (fd, EACH);
}

/* As many as may be, each of another file; then each is used again. */
static void names (void)
{
    int *fd = calloc ((size_t)n, sizeof (*fd)), count = 0;
    char name[4200];

    for (; count < n; count++) {
        (void)snprintf (name, sizeof (name), "%s.%d", path, count);
        fd[count] = open (name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd[count] < 0)
            break;
    }
    SHOW (count);
    for (int i = 0; i < count; i++)
        put (fd[i], 1);
    free (fd);
}

static void fakes (void)
{
    char name[32];
    int first = -1, fd = -1;

    for (int i = 0; i < n; i++) {
        (void)snprintf (name, sizeof (name), "/fake/%d", i % FAKES);
        fd = open (name, O_WRONLY);
        if (i == 0)
            first = fd;
        put (fd, 1);
    }
    SHOW (fd - first == n - 1);
    put (first, 1);
    put (first + n / 2, 1);
    put (fd, 1);
    for (int i = 0; i < n; i++)
        (void)close (first + i);
}

/* --- processes --------------------------------------------------------------
 */

static int bad;

static void reap (void)
{
    int status;

    if (wait (&status) < 0 || status != 0)
        bad++;
}

static void children (int (*begin) (pid_t *))
{
    pid_t pid;

    for (int i = 0; i < n + AT_ONCE; i++) {
        if (i >= AT_ONCE)
            reap ();
        if (i < n && begin (&pid) != 0)
            bad++;
    }
    SHOW (bad);
}

static int begin_fork (pid_t *pid)
{
    *pid = fork ();
    if (*pid == 0)
        _exit (0);
    return *pid < 0;
}

static int begin_worker (pid_t *pid)
{
    *pid = fork ();
    if (*pid == 0) {
        int fd = get_file ();

        put (fd, 1);
        _exit (0);
    }
    return *pid < 0;
}

static int begin_spawn (pid_t *pid)
{
    static char *argv[] = {(char *)(intptr_t) "true", NULL};

    return posix_spawn (pid, "/bin/true", NULL, NULL, argv, environ);
}

static void forks (void)
{
    children (begin_fork);
}

static void spawns (void)
{
    children (begin_spawn);
}

static void workers (void)
{
    children (begin_worker);
}

static const struct victim kinds[] = {
    {"threads", threads}, {"files", files}, {"names", names},
    {"fakes", fakes},     {"forks", forks}, {"spawns", spawns},
    {"workers", workers},
};

int main (int argc, char **argv)
{
    if (argc != 4)
        return 2;
    n = atoi (argv[2]);
    path = argv[3];
    (void)close (open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    return VICTIM_RUN (kinds, argv[1]);
}
