/* SPDX-License-Identifier: MIT
 *
 * spawns.c - children made by posix_spawn, clone, system, popen, exec in a
 * thread, each beside threads that do I/O
 *
 * spawns KIND FILE: the threads write 10 bytes at a time to FILE (made new);
 * "writes N" is how many of them returned
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { THREADS = 2, RUNS = 20, STACK = 1 << 17, AFTER = 50 };

extern char **environ;

static const char *path;
static atomic_int stop;
static atomic_long writes;
static pthread_t threads[THREADS];

static void put (int n)
{
    int fd = open (path, O_WRONLY | O_APPEND);

    for (int i = 0; i < n; i++) {
        (void)!write (fd, "0123456789", 10);
        writes++;
    }
    (void)close (fd);
}

static void *busy (void *unused)
{
    while (!stop)
        put (1);
    return NULL;
}

static void begin (void)
{
    for (int i = 0; i < THREADS; i++)
        (void)pthread_create (&threads[i], NULL, busy, NULL);
}

static void end (void)
{
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (threads[i], NULL);
    put (AFTER);
    (void)fprintf (stderr, "writes %ld\n", (long)writes);
}

static int status_of (pid_t pid)
{
    int status = -1;

    while (waitpid (pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    return status;
}

/* --- posix_spawn ------------------------------------------------------- */

/* Descriptors moved, closed and opened, signals, a group, in the child. */
static void spawns (void)
{
    static char *argv[] = {(char *)(intptr_t) "sh", (char *)(intptr_t) "-c",
                           (char *)(intptr_t) "read x <&5; echo got $x; "
                                              "test ! -e /proc/self/fd/6; "
                                              "kill -0 0; exit 7",
                           NULL};
    static char *none[] = {(char *)(intptr_t) "nosuch", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t set;
    pid_t pid;
    int p[2], results = 0;

    (void)posix_spawn_file_actions_init (&actions);
    (void)posix_spawnattr_init (&attr);
    (void)sigemptyset (&set);
    (void)sigaddset (&set, SIGUSR1);
    (void)posix_spawnattr_setsigmask (&attr, &set);
    (void)posix_spawnattr_setpgroup (&attr, 0);
    (void)posix_spawnattr_setflags (&attr, POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETPGROUP);
    (void)!pipe (p);
    (void)dup2 (p[0], 5);
    (void)dup2 (p[1], 6);
    (void)posix_spawn_file_actions_addclose (&actions, 6);
    (void)posix_spawn_file_actions_addopen (&actions, 9, "/dev/null", O_RDONLY,
                                            0);
    begin ();
    for (int i = 0; i < RUNS; i++) {
        (void)!write (6, "line\n", 5);
        if (posix_spawn (&pid, "/bin/sh", &actions, &attr, argv, environ) == 0)
            results += status_of (pid) == 7 << 8;
        results += 100 * (posix_spawnp (&pid, "nosuchprogram", NULL, NULL, none,
                                        environ) == ENOENT);
    }
    SHOW (results);
    end ();
}

/* --- clone --------------------------------------------------------------- */

static int child (void *cookie)
{
    int fd = *(int *)cookie;

    _exit (fcntl (fd, F_GETFD) < 0 ? 9 : 7);
}

/* With a copy of our memory; with our descriptors, or a copy of them. */
static void clones (void)
{
    static const int flags[] = {SIGCHLD,
                                SIGCHLD | CLONE_FS,
                                SIGCHLD | CLONE_FILES,
                                SIGCHLD | CLONE_VFORK,
                                SIGCHLD | CLONE_VM | CLONE_VFORK,
                                SIGCHLD | CLONE_VM | CLONE_VFORK | CLONE_FILES,
                                0};
    char *stack = mmap (NULL, STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    int fd = open (path, O_RDONLY), results = 0;

    begin ();
    for (int run = 0; run < RUNS; run++)
        for (size_t i = 0; i < sizeof (flags) / sizeof (flags[0]); i++)
            results += status_of (clone (child, stack + STACK, flags[i],
                                         &fd)) == 7 << 8;
    SHOW (results);
    end ();
}

/* --- shells ----------------------------------------------------------------
 */

static void shells (void)
{
    char line[100] = "";
    FILE *f;
    int results = 0;

    begin ();
    for (int i = 0; i < RUNS; i++) {
        results += system ("exit 7") == 7 << 8;
        f = popen ("echo line; exit 3", "r");
        results += 100 * (f && fgets (line, sizeof (line), f) != NULL);
        results += 10000 * (f && pclose (f) == 3 << 8);
    }
    SHOW (results);
    SHOW (strcmp (line, "line\n"));
    SHOW (system (NULL) != 0);
    end ();
}

/* --- vfork and exec in threads
 * ------------------------------------------------ */

static void vforks (void)
{
    volatile int results = 0;

    begin ();
    for (int i = 0; i < RUNS; i++) {
        pid_t pid = vfork ();

        if (pid == 0) {
            if (i % 2)
                (void)execl ("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
            (void)execlp ("nosuchprogram", "x", (char *)NULL);
            _exit (7);
        }
        results += status_of (pid) == 7 << 8;
    }
    SHOW (results);
    end ();
}

static void *exec_here (void *unused)
{
    put (AFTER);
    (void)execl ("/nosuch", "x", (char *)NULL);
    put (AFTER);
    (void)dprintf (STDERR_FILENO, "writes %ld\n", (long)writes);
    (void)execl ("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    return NULL;
}

/* All other threads end in the middle of whatever they do. */
static void execs (void)
{
    pthread_t t;

    begin ();
    (void)pthread_create (&t, NULL, exec_here, NULL);
    (void)pthread_join (t, NULL);
}

static const struct victim kinds[] = {
    {"spawns", spawns}, {"clones", clones}, {"shells", shells},
    {"vforks", vforks}, {"execs", execs},
};

int main (int argc, char **argv)
{
    if (argc != 3)
        return 2;
    path = argv[2];
    (void)close (open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    return VICTIM_RUN (kinds, argv[1]);
}
