/* SPDX-License-Identifier: MIT
 *
 * state.c - what a program can see of itself, and the order of its end
 *
 * state FILE: I/O on FILE, then shows descriptors, limits, signals, mask,
 * locale, identity and what /proc/self/status says; at the end, who is called
 * in which order.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/victims/show.h"

static const char *path;

static void do_io (void)
{
    int fd = open (path, O_RDWR | O_CREAT | O_APPEND, 0666);
    char c;

    for (int i = 0; i < 5000; i++)
        (void)!(write (fd, "x", 1) + pread (fd, &c, 1, i));
    (void)close (fd);
}

static void descriptors (void)
{
    DIR *d = opendir ("/proc/self/fd");
    struct dirent *e;
    int n = 0;

    while ((e = readdir (d)))
        n += e->d_name[0] != '.' && atoi (e->d_name) != dirfd (d);
    (void)closedir (d);
    SHOW (n);
    SHOW (open (path, O_RDONLY));
    SHOW (dup (0));
    closefrom (3);
}

static void limits (void)
{
    struct rlimit rl;

    for (int i = 0; i < RLIM_NLIMITS; i++) {
        SHOW (getrlimit ((__rlimit_resource_t)i, &rl));
        (void)printf ("%d: %lu %lu\n", i, (unsigned long)rl.rlim_cur,
                      (unsigned long)rl.rlim_max);
    }
}

static void signals (void)
{
    struct sigaction sa;
    struct itimerval it;
    stack_t stack;
    sigset_t set;

    for (int i = 1; i < NSIG; i++) {
        if (sigaction (i, NULL, &sa) < 0)
            continue;
        (void)printf ("%d: %s %x\n", i,
                      sa.sa_handler == SIG_DFL   ? "default"
                      : sa.sa_handler == SIG_IGN ? "ignored"
                                                 : "handled",
                      (unsigned)sa.sa_flags);
    }
    (void)sigprocmask (SIG_SETMASK, NULL, &set);
    for (int i = 1; i < NSIG; i++)
        if (sigismember (&set, i) == 1)
            SHOW (i);
    (void)sigaltstack (NULL, &stack);
    SHOW (stack.ss_flags);
    (void)getitimer (ITIMER_REAL, &it);
    SHOW (it.it_value.tv_usec);
}

/* Lines of /proc/self/status that do not differ from run to run. */
static void status (void)
{
    static const char *const stable[] = {
        "Umask:",  "State:",   "TracerPid:",  "Uid:",     "Gid:",
        "Groups:", "Threads:", "SigPnd:",     "ShdPnd:",  "SigBlk:",
        "SigIgn:", "SigCgt:",  "CapInh:",     "CapPrm:",  "CapEff:",
        "CapBnd:", "CapAmb:",  "NoNewPrivs:", "Seccomp:", "Cpus_allowed:"};
    FILE *f = fopen ("/proc/self/status", "r");
    char line[4096];

    while (f && fgets (line, sizeof (line), f))
        for (size_t i = 0; i < sizeof (stable) / sizeof (stable[0]); i++)
            if (strncmp (line, stable[i], strlen (stable[i])) == 0)
                (void)fputs (line, stdout);
    if (f)
        (void)fclose (f);
}

static void surroundings (void)
{
    struct tm tm = {.tm_year = 126, .tm_mon = 2, .tm_mday = 5, .tm_wday = 4};
    char buf[4096];

    (void)printf ("%s\n", setlocale (LC_ALL, NULL));
    (void)printf ("%s\n", setlocale (LC_ALL, "") ? "set" : "not there");
    (void)printf ("%s %.2f\n", setlocale (LC_NUMERIC, NULL), 1234.5);
    (void)strftime (buf, sizeof (buf), "%A %B", &tm);
    (void)puts (buf);
    (void)puts (getcwd (buf, sizeof (buf)) ? buf : "nowhere");
    (void)prctl (PR_GET_NAME, buf);
    (void)puts (buf);
    SHOW (prctl (PR_GET_DUMPABLE));
    SHOW (prctl (PR_GET_PDEATHSIG, buf));
    SHOW (umask (0));
    SHOW (getpriority (PRIO_PROCESS, 0));
    SHOW (getpgrp () == getpid ());
    SHOW (waitpid (-1, NULL, WNOHANG));
    SHOW (rand ()); /* nobody took a number */
    SHOW (random ());
    SHOW (optind);
}

#define LATE(F, TEXT)                \
    static void F (void)             \
    {                                \
        do_io ();                    \
        (void)printf ("%s\n", TEXT); \
    }

LATE (first, "registered first")
LATE (second, "registered second")

static void with_status (int code, void *cookie)
{
    do_io ();
    (void)printf ("%s %d\n", (const char *)cookie, code);
}

__attribute__ ((constructor)) static void begin (void)
{
    (void)printf ("constructor\n");
}

__attribute__ ((destructor)) static void end (void)
{
    do_io ();
    (void)printf ("destructor\n");
}

int main (int argc, char **argv)
{
    if (argc != 2)
        return 2;
    path = argv[1];
    (void)atexit (first);
    (void)on_exit (with_status, (void *)(intptr_t) "on_exit");
    (void)atexit (second);
    do_io ();
    descriptors ();
    limits ();
    signals ();
    status ();
    surroundings ();
    do_io ();
    return 5;
}
