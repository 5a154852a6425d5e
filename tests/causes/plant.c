/* SPDX-License-Identifier: MIT
 *
 * plant.c - jobs with one known cause each, timed by themselves
 *
 * In:  the name of a job below, its rounds, and an argument of some (a port)
 * Out: the job's own account as a line of JSON: seconds it ran (wall), seconds
 *      in what was planted without waiting for a CPU (planted), its part of the
 *      job's bill (share: several main threads share each instant), seconds in
 *      which the thread waited for a CPU (runq)
 *
 * Files whose names begin with slow are made slow by slow.c.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "plant.h"

#define PIECES 16

extern char **environ;

double planted_s;
double own_share = -1;
char buf[PIECE];
const char *extra = "";

static double start_s, begin_s, begin_runq_s;

void die (const char *what)
{
    perror (what);
    exit (99);
}

double now (void)
{
    struct timespec t;

    (void)clock_gettime (CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double wall (void)
{
    return now () - start_s;
}

/* Seconds in which this thread was runnable, but on no CPU; 0 if the kernel
 * does not say. */
double runq (void)
{
    unsigned long long on_cpu, waited = 0;
    FILE *f = fopen ("/proc/thread-self/schedstat", "re");

    if (!f)
        return 0;
    if (fscanf (f, "%llu %llu", &on_cpu, &waited) != 2)
        waited = 0;
    (void)fclose (f);
    return (double)waited / 1e9;
}

void nap (int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep (&t, &t) < 0)
        continue;
}

void work (double ms)
{
    static volatile unsigned int sum = 1;
    double until = now () + ms / 1000;

    do
        for (int i = 0; i < 20000; i++)
            sum = sum * 1664525 + 1013904223;
    while (now () < until);
}

void begin (void)
{
    begin_runq_s = runq ();
    begin_s = now ();
}

void end (void)
{
    double t = now () - begin_s;

    if (t > 0.001)
        t -= runq () - begin_runq_s;
    planted_s += t > 0 ? t : 0;
}

static void report (void)
{
    double seconds = wall ();

    (void)printf ("{\"wall\": %.6f, \"planted\": %.6f, \"share\": %.4f, "
                  "\"runq\": %.6f}\n",
                  seconds, planted_s,
                  own_share >= 0 ? own_share : planted_s / seconds, runq ());
}

/* Memory that children share, for their accounts. */
double *shared (size_t n)
{
    double *p = mmap (NULL, n * sizeof (*p), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        die ("mmap");
    return p;
}

int open_file (const char *name, int flags)
{
    int fd = open (name, flags | O_CLOEXEC, 0600);

    if (fd < 0)
        die (name);
    return fd;
}

void thread (void *(*run) (void *), void *arg, pthread_t *t)
{
    if (pthread_create (t, NULL, run, arg))
        die ("pthread_create");
}

int listener (int type, struct sockaddr_in *at, int backlog)
{
    int fd = socket (AF_INET, type | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof (*at);

    memset (at, 0, sizeof (*at));
    at->sin_family = AF_INET;
    at->sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    if (fd < 0 || bind (fd, (struct sockaddr *)at, len) < 0 ||
        (type == SOCK_STREAM && listen (fd, backlog) < 0) ||
        getsockname (fd, (struct sockaddr *)at, &len) < 0)
        die ("listener");
    return fd;
}

static const struct {
    const char *name;
    void (*run) (int rounds);
} jobs[] = {
#define PLANT(name) {#name, job_##name},
#include "plants.def"
};

int main (int argc, char **argv)
{
    int n = argc > 2 ? atoi (argv[2]) : 1;

    start_s = now ();
    extra = argc > 3 ? argv[3] : "";
    for (size_t i = 0; argc > 1 && i < sizeof (jobs) / sizeof (jobs[0]); i++)
        if (strcmp (argv[1], jobs[i].name) == 0) {
            jobs[i].run (n);
            if (jobs[i].run != job_file)
                report ();
            return 0;
        }
    (void)fprintf (stderr, "usage: plant JOB [ROUNDS [ARGUMENT]]\n");
    return 2;
}
