/* SPDX-License-Identifier: MIT
 *
 * plantprocess.c - jobs of several processes, of the CPU, and with nothing to
 * find
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "plant.h"

extern char **environ;

static int rounds; /* for threads */

void job_compute (int n)
{
    for (int i = 0; i < n; i++) {
        begin ();
        work (10);
        end ();
    }
}

/* One thread that computes: in the rest of its time it waited for a CPU. A
 * limit of its cgroup is not in schedstat's delay. */
void job_spin (int n)
{
    struct timespec cpu;

    work (n * 10);
    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &cpu);
    own_share = 1 - ((double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9) / wall ();
}

/* Untraced, beside the job, on the same CPU. */
void job_hog (int n)
{
    (void)n;
    (void)printf ("ready\n");
    (void)fflush (stdout);
    for (;;)
        work (1000);
}

static void *work_thread (void *arg)
{
    work (rounds * 10);
    return arg;
}

void job_threads (int n)
{
    pthread_t t[2];

    rounds = n;
    for (int i = 0; i < 2; i++)
        thread (work_thread, NULL, &t[i]);
    for (int i = 0; i < 2; i++)
        (void)pthread_join (t[i], NULL);
}

enum { POOL = 4 };

static void *pool_thread (void *cpu)
{
    struct timespec ran;

    for (int i = 0; i < rounds; i++) {
        work (10);
        (void)!access ("pool", F_OK);
    }
    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ran);
    *(double *)cpu = (double)ran.tv_sec + (double)ran.tv_nsec / 1e9;
    return cpu;
}

/* The main thread waits for others; the part of the job that these had a CPU.
 */
static double pool (int threads)
{
    pthread_t t[POOL];
    double cpu[POOL], sum = 0;
    int fd = open_file ("pool", O_CREAT | O_WRONLY);

    (void)!write (fd, "x", 1);
    (void)close (fd);
    for (int i = 0; i < threads; i++)
        thread (pool_thread, &cpu[i], &t[i]);
    for (int i = 0; i < threads; i++) {
        (void)pthread_join (t[i], NULL);
        sum += cpu[i];
    }
    return sum / threads / wall ();
}

void job_pool (int n)
{
    rounds = n;
    own_share = pool (2);
}

void job_pool_crowd (int n)
{
    rounds = n;
    own_share = 1 - pool (POOL);
}

/* -- processes ---------------------------------------------------------------
 */

#define CROWD 4

/* Four processes that compute: each says how long it waited for a CPU. */
void job_crowd (int n)
{
    double *waited = shared (CROWD), sum = 0;

    for (int i = 0; i < CROWD; i++)
        if (fork () == 0) {
            work (n * 10);
            waited[i] = runq ();
            _exit (0);
        }
    while (wait (NULL) > 0)
        continue;
    for (int i = 0; i < CROWD; i++)
        sum += waited[i];
    own_share = sum / CROWD / wall ();
}

void job_starts (int n)
{
    char *argv[] = {(char *)"true", NULL};
    pid_t pid;

    for (int i = 0; i < n; i++) {
        work (0.2);
        begin ();
        if (posix_spawn (&pid, "/bin/true", NULL, NULL, argv, environ) == 0)
            (void)waitpid (pid, NULL, 0);
        end ();
    }
}

void job_child (int n)
{
    work (100);
    begin ();
    if (fork () == 0) {
        nap (n * 20);
        _exit (0);
    }
    (void)wait (NULL);
    end ();
}

/* Four equal workers, but the last writes five times as much. Planted is what
 * the others, and their parent, waited for it. */
void job_straggler (int n)
{
    double *ended = shared (CROWD), last = 0;
    char name[32];

    for (int i = 0; i < CROWD; i++)
        if (fork () == 0) {
            (void)snprintf (name, sizeof (name), "slow%d.bin", i);
            int fd = open_file (name, O_WRONLY | O_CREAT);
            for (int k = 0; k < (i == CROWD - 1 ? 5 * n : n); k++)
                (void)!write (fd, buf, PIECE);
            ended[i] = now ();
            _exit (0);
        }
    while (wait (NULL) > 0)
        continue;
    for (int i = 0; i < CROWD - 1; i++)
        last = ended[i] > last ? ended[i] : last;
    planted_s = ended[CROWD - 1] - last;
}

/* Two ranks with a barrier of two pipes; the second computes longer. Each says
 * at its end how long it waited. */
void job_rank (int n)
{
    int in, out, account, rank = atoi (getenv ("RANK"));

    if (sscanf (extra, "%d,%d,%d", &in, &out, &account) != 3)
        exit (99);
    for (int i = 0; i < n; i++) {
        work (rank ? 30 : 3);
        begin ();
        (void)!write (out, "x", 1);
        (void)!read (in, buf, 1);
        end ();
    }
    (void)!write (account, &planted_s, sizeof (planted_s));
    _exit (0);
}

static void start_rank (
    int rank, int n, const int in[2], const int out[2], const int account[2])
{
    char steps[16], fds[64];

    (void)setenv ("RANK", rank ? "1" : "0", 1);
    (void)setenv ("WORLD_SIZE", "2", 1);
    (void)snprintf (steps, sizeof (steps), "%d", n);
    (void)snprintf (fds, sizeof (fds), "%d,%d,%d", in[0], out[1], account[1]);
    if (fork () == 0) {
        (void)execl ("/proc/self/exe", "plant", "rank", steps, fds, NULL);
        _exit (99);
    }
}

void job_ranks (int n)
{
    int a[2], b[2], account[2];
    double waited[2] = {0};

    if (pipe (a) < 0 || pipe (b) < 0 || pipe (account) < 0)
        die ("pipe");
    start_rank (0, n, a, b, account);
    start_rank (1, n, b, a, account);
    while (wait (NULL) > 0)
        continue;
    (void)!read (account[0], waited, sizeof (waited));
    own_share = (waited[0] + waited[1]) / 2 / wall ();
}

/* -- nothing to find
 * ----------------------------------------------------------- */

static void *checkpoint_thread (void *arg)
{
    int fd = open_file ("slow_checkpoint", O_WRONLY | O_CREAT);

    for (int i = 0; i < rounds / 2; i++)
        (void)!write (fd, buf, PIECE);
    (void)close (fd);
    return arg;
}

void job_hidden_checkpoint (int n)
{
    pthread_t t;

    rounds = n;
    thread (checkpoint_thread, NULL, &t);
    begin ();
    work (n * 10);
    end ();
    (void)pthread_join (t, NULL);
}

static void *read_ahead_thread (void *arg)
{
    int fd = open_file ("slow.bin", O_RDONLY);
    static char mine[PIECE];

    for (int i = 0; i < rounds / 3; i++)
        (void)!pread (fd, mine, PIECE, (off_t)(i % PIECES) * PIECE);
    (void)close (fd);
    return arg;
}

void job_hidden_reads (int n)
{
    pthread_t t;

    rounds = n;
    thread (read_ahead_thread, NULL, &t);
    begin ();
    work (n * 10);
    end ();
    (void)pthread_join (t, NULL);
}

static int asked[2], answered;

static void *answer_thread (void *arg)
{
    int fd = open_file ("slow.bin", O_RDONLY);
    static char mine[PIECE];
    uint64_t one = 1;
    char c;

    for (off_t i = 0; read (asked[0], &c, 1) == 1; i++) {
        (void)!pread (fd, mine, PIECE, i % PIECES * PIECE);
        (void)!write (answered, &one, sizeof (one));
    }
    (void)close (fd);
    return arg;
}

/* As node.js: a thread of a pool reads, the main thread waits for events. */
void job_polled_reads (int n)
{
    struct epoll_event event = {.events = EPOLLIN};
    int events = epoll_create1 (EPOLL_CLOEXEC);
    uint64_t count;
    pthread_t t;

    answered = eventfd (0, EFD_CLOEXEC);
    if (pipe (asked) < 0 || answered < 0 ||
        epoll_ctl (events, EPOLL_CTL_ADD, answered, &event) < 0)
        die ("epoll");
    thread (answer_thread, NULL, &t);
    for (int i = 0; i < n; i++) {
        begin ();
        (void)!write (asked[1], "x", 1);
        while (epoll_wait (events, &event, 1, -1) < 1)
            continue;
        end ();
        (void)!read (answered, &count, sizeof (count));
        work (3);
    }
    (void)close (asked[1]);
    (void)pthread_join (t, NULL);
}

static void on_quit (int signal)
{
    (void)signal;
}

static void *reads_thread (void *arg)
{
    int fd = open_file ("slow.bin", O_RDONLY);

    for (int i = 0; i < rounds; i++) {
        begin ();
        (void)!pread (fd, buf, PIECE, (off_t)(i % PIECES) * PIECE);
        end ();
        work (3);
    }
    (void)close (fd);
    return arg;
}

/* As Java: a thread with a signal blocked, whose handler is another's, does all
 * the work; the main thread waits for its end. */
void job_joined_reads (int n)
{
    pthread_t t;
    sigset_t quit;

    rounds = n;
    (void)signal (SIGQUIT, on_quit);
    (void)sigemptyset (&quit);
    (void)sigaddset (&quit, SIGQUIT);
    (void)pthread_sigmask (SIG_BLOCK, &quit, NULL);
    thread (reads_thread, NULL, &t);
    (void)pthread_sigmask (SIG_UNBLOCK, &quit, NULL);
    (void)pthread_join (t, NULL);
}

static sem_t ended;

static void *child_thread (void *arg)
{
    begin ();
    for (int i = 0; i < rounds; i++) {
        if (fork () == 0) {
            nap (600);
            _exit (0);
        }
        (void)wait (NULL);
    }
    end ();
    (void)sem_post (&ended);
    return arg;
}

/* As a workflow that has a thread for each command: the main thread waits for
 * that one. */
void job_joined_child (int n)
{
    pthread_t t;

    rounds = n;
    (void)sem_init (&ended, 0, 0);
    (void)close (open_file ("out.bin", O_WRONLY | O_CREAT));
    thread (child_thread, NULL, &t);
    (void)sem_wait (&ended);
    (void)pthread_join (t, NULL);
}

void job_write_back (int n)
{
    int fd = open_file ("out.bin", O_WRONLY | O_CREAT);

    begin ();
    for (int i = 0; i < n; i++) {
        work (10);
        (void)!write (fd, buf, 65536);
    }
    end ();
    (void)close (fd);
}

/* A service that waits for its socket, beside a process that computes. */
void job_service (int n)
{
    struct sockaddr_in at;
    pid_t pid = fork ();

    if (pid == 0) {
        struct pollfd wait = {.fd = listener (SOCK_STREAM, &at, 1),
                              .events = POLLIN};
        (void)poll (&wait, 1, 60000);
        _exit (0);
    }
    begin ();
    work (n * 10);
    end ();
    (void)kill (pid, SIGTERM);
    (void)waitpid (pid, NULL, 0);
}

void job_short (int n)
{
    (void)n;
}
