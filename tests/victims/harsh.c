/* SPDX-License-Identifier: MIT
 *
 * harsh.c - programs that end, or live, in rough ways
 *
 * harsh KIND FILE: writes 10 bytes to FILE (made new) at a time; how often is
 * printed last, as "writes N". What is printed must be the same traced and
 * untraced.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SOME = 100,
    MANY = 60000, /* more than fit into the first chunks */
    EACH = 10,
    STACK = 1 << 16,
    LIMIT = 1 << 16
};

static const char *path;
static atomic_int writes;

static void put (int fd, int n)
{
    for (int i = 0; i < n; i++, writes++)
        if (write (fd, "0123456789", 10) != 10)
            (void)printf ("write: %s\n", strerror (errno));
}

static int get_file (void)
{
    return open (path, O_WRONLY | O_APPEND);
}

static void do_io (int n)
{
    int fd = get_file ();

    put (fd, n);
    (void)close (fd);
}

static void say (void)
{
    (void)printf ("writes %d\n", (int)writes);
    (void)fflush (stdout);
}

/* --- ends ------------------------------------------------------------- */

static void late (void)
{
    do_io (1);
    say ();
}

static void end_exit (void)
{
    (void)atexit (late);
    do_io (SOME);
    exit (3);
}

static void end_at_once (void)
{
    do_io (SOME);
    say ();
    _exit (3);
}

static void end_quick (void)
{
    (void)at_quick_exit (late);
    do_io (SOME);
    quick_exit (3);
}

static void end_raw (void)
{
    do_io (SOME);
    say ();
    (void)syscall (SYS_exit_group, 3);
}

static void end_by_signal (int sig)
{
    struct rlimit none = {0, 0};

    (void)setrlimit (RLIMIT_CORE, &none);
    do_io (SOME);
    say ();
    (void)raise (sig);
}

static void end_kill (void)
{
    end_by_signal (SIGKILL);
}

static void end_term (void)
{
    end_by_signal (SIGTERM);
}

static void end_segv (void)
{
    end_by_signal (SIGSEGV);
}

static void end_abort (void)
{
    do_io (SOME);
    say ();
    abort ();
}

static void end_pipe (void)
{
    int p[2];

    do_io (SOME);
    say ();
    (void)!pipe (p);
    (void)close (p[0]);
    (void)!write (p[1], "x", 1); /* SIGPIPE */
}

static void end_exec (void)
{
    do_io (SOME);
    (void)execl ("/no/such/program", "x", (char *)NULL);
    do_io (SOME);
    say ();
    (void)execl ("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
}

/* --- threads ------------------------------------------------------------ */

static pthread_key_t key;

static void destructor (void *value)
{
    intptr_t round = (intptr_t)value;

    do_io (1);
    if (round > 1)
        (void)pthread_setspecific (key, (void *)(round - 1));
}

static void *worker (void *unused)
{
    (void)pthread_setspecific (key, (void *)(intptr_t)3);
    do_io (EACH);
    pthread_exit (NULL);
}

static void threads_of (int n)
{
    pthread_t *t = calloc ((size_t)n, sizeof (*t));
    pthread_attr_t attr;

    (void)pthread_attr_init (&attr);
    (void)pthread_attr_setstacksize (&attr, STACK);
    for (int i = 0; i < n; i++)
        if (pthread_create (&t[i], &attr, worker, NULL) != 0)
            (void)printf ("no thread\n");
    for (int i = 0; i < n; i++)
        (void)pthread_join (t[i], NULL);
    free (t);
    say ();
}

/* I/O in destructors of thread-specific data, three rounds of them. */
static void live_destructors (void)
{
    (void)pthread_key_create (&key, destructor);
    threads_of (EACH);
}

static void cleanup (void *unused)
{
    do_io (1);
}

static void *endless (void *cookie)
{
    int fd = get_file ();
    char c;

    pthread_cleanup_push (cleanup, NULL);
    if (cookie)
        (void)!read (*(int *)cookie, &c, 1); /* waits for ever */
    for (;;)
        put (fd, 1);
    pthread_cleanup_pop (0);
    return NULL;
}

/* Cancelled while waiting, and while writing. */
static void live_cancel (void)
{
    pthread_t t[2 * EACH];
    int p[2], cancelled = 0;
    void *result;

    (void)!pipe (p);
    for (int i = 0; i < 2 * EACH; i++)
        (void)pthread_create (&t[i], NULL, endless, i % 2 ? p : NULL);
    (void)usleep (20000);
    for (int i = 0; i < 2 * EACH; i++)
        (void)pthread_cancel (t[i]);
    for (int i = 0; i < 2 * EACH; i++) {
        (void)pthread_join (t[i], &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    (void)printf ("cancelled %d\n", cancelled);
    (void)fprintf (stderr, "writes %d\n", (int)writes);
}

/* --- limits -------------------------------------------------------------- */

static void live_long (void)
{
    do_io (MANY);
    say ();
}

/* Our growth, not the program's, meets the limit: no SIGXFSZ. */
static void live_fsize (void)
{
    struct rlimit rl = {LIMIT, LIMIT};
    int fd = open (path, O_RDWR);
    char c;

    put (fd, 1);
    (void)setrlimit (RLIMIT_FSIZE, &rl);
    for (int i = 0; i < MANY; i++)
        if (pread (fd, &c, 1, 0) != 1)
            (void)printf ("pread\n");
    say ();
    (void)ftruncate (fd, 0);
    (void)printf ("%d\n", (int)pwrite (fd, "x", 1, LIMIT - 1));
    (void)signal (SIGXFSZ, SIG_IGN);
    (void)printf ("%d\n", (int)pwrite (fd, "x", 1, LIMIT));
}

/* Every descriptor is the program's. */
static void live_nofile (void)
{
    struct rlimit rl = {8, 8};
    int fd, last = -1;

    (void)setrlimit (RLIMIT_NOFILE, &rl);
    while ((fd = get_file ()) >= 0)
        put (last = fd, 1);
    (void)printf ("last %d: %s\n", last, strerror (errno));
    for (int i = 0; i < MANY; i++)
        put (last, 1);
    say ();
}

/* --- elsewhere ----------------------------------------------------------- */

static void live_setuid (void)
{
    int fd = get_file ();

    put (fd, SOME);
    (void)printf ("%d\n", setgid (65534) + setuid (65534));
    put (fd, MANY);
    say ();
}

static void live_chroot (void)
{
    char *slash = strrchr (path, '/');

    do_io (SOME);
    *slash = '\0';
    (void)printf ("%d\n", chroot (path) + chdir ("/"));
    *slash = '/';
    path = slash;
    do_io (MANY);
    say ();
}

/* The place where the trace is goes away. */
static void live_vanish (void)
{
    const char *dir = getenv ("VANISH");

    do_io (SOME);
    if (dir && fork () == 0) {
        (void)unsetenv ("LD_PRELOAD");
        (void)execlp ("rm", "rm", "-rf", dir, (char *)NULL);
    }
    (void)wait (NULL);
    do_io (MANY);
    say ();
}

static void live_dlopen (void)
{
    const char *library = getenv ("LIBRARY");

    for (int i = 0; i < SOME; i++) {
        void *p = dlopen (library, RTLD_NOW);

        do_io (1);
        if (!p || dlclose (p) != 0)
            (void)printf ("%s\n", dlerror ());
    }
    say ();
}

static const struct {
    const char *kind;
    void (*function) (void);
} kinds[] = {
    {"exit", end_exit},      {"_exit", end_at_once},
    {"quick", end_quick},    {"raw", end_raw},
    {"kill", end_kill},      {"term", end_term},
    {"segv", end_segv},      {"abort", end_abort},
    {"sigpipe", end_pipe},   {"exec", end_exec},
    {"cancel", live_cancel}, {"destructors", live_destructors},
    {"long", live_long},     {"fsize", live_fsize},
    {"nofile", live_nofile}, {"setuid", live_setuid},
    {"chroot", live_chroot}, {"vanish", live_vanish},
    {"dlopen", live_dlopen},
};

int main (int argc, char **argv)
{
    if (argc != 3)
        return 2;
    path = argv[2];
    (void)close (open (path, O_WRONLY | O_CREAT | O_TRUNC, 0666));
    for (size_t i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++) {
        if (strcmp (argv[1], kinds[i].kind) != 0)
            continue;
        kinds[i].function ();
        return 5;
    }
    return 2;
}
