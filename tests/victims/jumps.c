/* SPDX-License-Identifier: MIT
 *
 * jumps.c - control that leaves a call in the middle
 *
 * jumps KIND FILE: writes 10 bytes to FILE (made new) at a time; "writes N" is
 * how many calls returned or were about to. A timer sends signals at moments
 * that differ from run to run, so only what does not differ is shown.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum {
    CHILDREN = 200,
    JUMPERS = 6,
    JUMPS =
        50, /* each: any may leave a chunk behind, of which a thread has 64 */
    THREADS = 60,
    EACH = 100,
    EVERY_NS = 60000, /* at most, to the next signal */
    SMALL = 16384     /* bytes of a stack: the least that libc takes */
};

static const char *path;
static int fd;
static volatile sig_atomic_t handled;
static volatile long calls;

static void put (int n)
{
    for (int i = 0; i < n; i++, calls++)
        (void)!write (fd, "0123456789", 10);
}

static timer_t timer;

static void begin_signals (void (*handler) (int), int flags)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

    (void)sigaction (SIGALRM, &sa, NULL);
    (void)timer_create (CLOCK_MONOTONIC, NULL, &timer);
}

/* The next signal comes soon, each time at another moment: not from a timer
 * that runs on, whose signals would come at once after a long handler. */
static void next_signal (void)
{
    static long last = -1;
    struct itimerspec soon = {{0, 0}, {0, 5000 + handled * 7919L % EVERY_NS}};

    if (last == handled)
        return;
    last = handled;
    (void)timer_settime (timer, 0, &soon, NULL);
}

/* --- fork in a handler -------------------------------------------------- */

static volatile sig_atomic_t bad;

/* The child has our code's state as it was in the middle of a record. */
static void fork_in_handler (int sig)
{
    int status, saved_errno = errno;
    pid_t pid;

    if (handled >= CHILDREN)
        return;
    pid = fork ();
    if (pid == 0) {
        calls = 0;
        put (3);
        _exit (calls == 3 ? 0 : 1);
    }
    if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        bad++;
    handled++;
    errno = saved_errno;
}

static void forks (void)
{
    begin_signals (fork_in_handler, SA_RESTART);
    while (handled < CHILDREN) {
        next_signal ();
        put (1);
    }
    SHOW (bad);
    (void)fprintf (stderr, "writes %ld\n", calls + 3 * CHILDREN);
}

/* The child goes on with what the signal interrupted. */
static volatile sig_atomic_t is_child;

static void fork_and_return (int sig)
{
    int status, saved_errno = errno;
    pid_t pid;

    if (is_child || handled >= CHILDREN)
        return;
    pid = fork ();
    if (pid == 0) {
        is_child = 1;
        return;
    }
    if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        bad++;
    handled++;
    errno = saved_errno;
}

static void returns (void)
{
    char c;

    begin_signals (fork_and_return, SA_RESTART);
    put (1);
    while (handled < CHILDREN && !is_child) {
        next_signal ();
        (void)!pread (fd, &c, 1, 0); /* our part of it is large */
    }
    if (is_child) {
        calls = 0;
        put (3);
        _exit (calls == 3 ? 0 : 1);
    }
    SHOW (bad);
    (void)fprintf (stderr, "writes %d\n", 1 + 3 * CHILDREN);
}

/* --- a jump out of a handler --------------------------------------------- */

static sigjmp_buf env;
static volatile sig_atomic_t may_jump;

static void jump (int sig)
{
    handled++;
    if (may_jump)
        siglongjmp (env, 1);
}

static void alarms (int how)
{
    sigset_t set;

    (void)sigemptyset (&set);
    (void)sigaddset (&set, SIGALRM);
    (void)pthread_sigmask (how, &set, NULL);
}

/* What was under way when we left may or may not have been done. */
static void *jumper (void *unused)
{
    volatile long jumped = 0;

    alarms (SIG_UNBLOCK);
    for (;;) {
        if (sigsetjmp (env, 1) != 0 && ++jumped == JUMPS)
            break;
        next_signal ();
        may_jump = 1;
        put (EACH);
        may_jump = 0;
    }
    return NULL;
}

/* One after the other; signals are for them alone. */
static void long_jumps (void)
{
    alarms (SIG_BLOCK);
    begin_signals (jump, 0);
    for (int i = 0; i < JUMPERS; i++) {
        pthread_t t;

        (void)pthread_create (&t, NULL, jumper, NULL);
        (void)pthread_join (t, NULL);
    }
    calls = 0;
    put (EACH);
    SHOW (calls);
}

/* --- cancelled at any instruction ------------------------------------------
 */

static atomic_long thread_calls;

static void *endless (void *unused)
{
    (void)pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) {
        (void)!write (fd, "0123456789", 10);
        thread_calls++;
    }
    return NULL;
}

static void cancels (void)
{
    int cancelled = 0;
    void *result;

    for (int i = 0; i < THREADS; i++) {
        pthread_t t;

        (void)pthread_create (&t, NULL, endless, NULL);
        (void)usleep ((useconds_t)(i * 37 % 1500));
        (void)pthread_cancel (t);
        (void)pthread_join (t, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    SHOW (cancelled);
    put (EACH);
    SHOW (calls);
    (void)fprintf (stderr, "writes %ld\n", thread_calls + calls);
}

/* --- interrupted calls ------------------------------------------------------
 */

static void count_signal (int sig)
{
    handled++;
}

/* A call that a signal ends says so; one that goes on does. The signals come
 * again and again: the first may come before we wait. */
static void interrupts (void)
{
    struct itimerspec soon = {{0, 20000000}, {0, 20000000}};
    struct sigaction sa = {.sa_handler = count_signal};
    int p[2];
    char c;

    (void)!pipe (p);
    (void)sigaction (SIGALRM, &sa, NULL);
    (void)timer_create (CLOCK_MONOTONIC, NULL, &timer);
    (void)timer_settime (timer, 0, &soon, NULL);
    SHOW (read (p[0], &c, 1));
    SHOW (open (path, O_RDONLY | O_CLOEXEC) >= 0);
    SHOW (pause ());
    sa.sa_flags = SA_RESTART;
    (void)sigaction (SIGALRM, &sa, NULL);
    if (fork () == 0) {
        (void)usleep (100000);
        (void)!write (p[1], "x", 1);
        _exit (0);
    }
    SHOW (read (p[0], &c, 1));
    SHOW (handled >= 3);
    (void)wait (NULL);
}

/* --- small stacks
 * -------------------------------------------------------------- */

static char long_path[4000];

static void use_all (void)
{
    char c;
    int f = open (path, O_RDWR | O_APPEND);

    (void)!write (f, "0123456789", 10);
    (void)!pread (f, &c, 1, 0);
    (void)close (f);
    f = open (long_path, O_RDONLY);
    (void)close (f);
}

static void on_small_stack (int sig)
{
    use_all ();
    handled++;
}

static void *on_small_thread (void *unused)
{
    use_all ();
    return NULL;
}

/* A stack of exactly this size, with nothing below it. */
static char *guarded (size_t size)
{
    char *p = mmap (NULL, size + SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);

    (void)mprotect (p + SMALL, size, PROT_READ | PROT_WRITE);
    return p + SMALL;
}

/* The first calls of a thread, a process, a descriptor: our longest ways. */
static void small_stacks (void)
{
    struct sigaction sa = {.sa_handler = on_small_stack,
                           .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_size = 8192};
    pthread_attr_t attr;
    pthread_t t;

    memset (long_path, 'x', sizeof (long_path) - 1);
    for (size_t i = 0; i < sizeof (long_path) - 1; i += 200)
        long_path[i] = '/';
    stack.ss_sp = guarded (stack.ss_size);
    SHOW (sigaltstack (&stack, NULL));
    (void)sigaction (SIGUSR1, &sa, NULL);
    (void)raise (SIGUSR1);
    SHOW (handled);
    (void)pthread_attr_init (&attr);
    SHOW (pthread_attr_setstack (&attr, guarded (SMALL), SMALL));
    SHOW (pthread_create (&t, &attr, on_small_thread, NULL));
    (void)pthread_join (t, NULL);
    if (fork () == 0) {
        (void)raise (SIGUSR1);
        SHOW (handled);
        exit (0);
    }
    (void)wait (NULL);
}

static const struct victim kinds[] = {
    {"forks", forks},           {"jumps", long_jumps},    {"cancels", cancels},
    {"interrupts", interrupts}, {"stacks", small_stacks}, {"returns", returns},
};

int main (int argc, char **argv)
{
    if (argc != 3)
        return 2;
    path = argv[2];
    fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    return VICTIM_RUN (kinds, argv[1]);
}
