/* SPDX-License-Identifier: MIT
 *
 * ownthread.c - a thread of our own in a process that may have one
 *
 * In:  credentials and the path of the program; requests to pause
 * Out: one thread with all signals blocked, detached, no descriptor open
 */
#include "config.h"

#include <linux/capability.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "lib/base/text.h"
#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/oldlibc.h"
#include "lib/base/sys.h"
#include "preload/ownthread.h"
#include "preload/real.h"
#include "preload/record/procinfo.h"

OLDLIBC (pthread_create);

enum {
    MASK_BYTES = 8, /* the kernel's sigset_t */
    NS_PER_MS = 1000000,
    REST_NS = 500000000,       /* after a pause */
    RESTS = 8,                 /* then it does not begin any more */
    STACK_BYTES = 1024 * 1024, /* ThreadSanitizer wants 902 KiB */
    ROOM_BYTES = 64 * 1024, /* of it, below the program's thread-local data */
    WAIT_NAPS = 40000,      /* 2 s; it ends within a millisecond */
    WAIT_NAP_NS = 50000,
    NONE = 0,
    STARTING = -1
};

static SYS_EVENT int thread_id; /* for the kernel */
static void *stack; /* of one thread after the other: not libc's, which it
                       would put into a hole that the program has left */

static SYS_EVENT uint64_t rested_ns; /* when it was last paused, 0: never */
static SYS_EVENT unsigned rests;
/* By what the program is: 0 not looked yet, -1 no. */
static SYS_EVENT int allowed;

/* The last part of the program's path, not terminated; *length 0: not known. */
static const char *ownthread_name (size_t *length)
{
    size_t n;
    const char *path = procinfo_path (&n);
    size_t folder = path ? text_folder (path, n) : 0;

    *length = path ? n - folder : 0;
    return path ? path + folder : NULL;
}

int ownthread_is_noticed (void)
{
    static const char python[] = "python3.";
    enum { QUIET = 12, HEAD = sizeof (python) - 1 };
    size_t n;
    const char *name = ownthread_name (&n);
    int minor = 0;

    if (n < HEAD - 2 || memcmp (name, python, HEAD - 2) != 0)
        return 0;
    if (n <= HEAD || memcmp (name, python, HEAD) != 0)
        return 1;
    for (size_t i = HEAD; i < n && name[i] >= '0' && name[i] <= '9'; i++)
        minor = minor * 10 + (name[i] - '0');
    return minor == 0 || minor >= QUIET;
}

/* Programs that start others and wait for them, or that change users, roots or
 * namespaces: a thread has nothing to see there, and may be in the way. */
static int ownthread_launches (void)
{
    static const char names[] =
        " sudo su runuser setpriv doas pkexec login unshare nsenter chroot "
        "bwrap newuidmap newgidmap apptainer singularity podman docker runc "
        "crun conmon enroot ch-run srun sbatch salloc slurmstepd mpirun "
        "mpiexec mpiexec.hydra mpiexec.mpich mpiexec.openmpi mpirun.openmpi "
        "orterun orted prterun prted prte hydra_pmi_proxy hydra_bstrap_proxy "
        "sshd ssh systemd systemd-run init dumb-init tini timeout env nohup "
        "setsid ";
    char name[32];
    size_t length;
    const char *base = ownthread_name (&length);

    if (length == 0 || length + 3 > sizeof (name))
        return 0;
    name[0] = ' ';
    memcpy (name + 1, base, length);
    memcpy (name + 1 + length, " ", 2);
    return text_contains (names, sizeof (names), name);
}

/* Other rights than those of its user. */
static int ownthread_privileged (void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct caps[2] = {{0}};
    uid_t user, now, saved;

    if (sys_call (SYS_getresuid, &user, &now, &saved) < 0 || user != now ||
        saved != now)
        return 1;
    return now != 0 && (sys_call (SYS_capget, &head, caps) < 0 ||
                        caps[0].permitted || caps[1].permitted);
}

int ownthread_may (void)
{
    int saved_errno = errno;

    if (!allowed)
        allowed = ownthread_launches () || ownthread_privileged () ? -1 : 1;
    errno = saved_errno;
    if (allowed < 0 || rests > RESTS)
        return 0;
    return !rested_ns || clock_ns (CLOCK_MONOTONIC) - rested_ns >= REST_NS;
}

void ownthread_rest (int often)
{
    rested_ns = clock_ns (CLOCK_MONOTONIC);
    rests += !often;
    allowed = 0; /* its rights may be others */
}

static int ownthread_none (void)
{
    __atomic_store_n (&thread_id, NONE, __ATOMIC_RELEASE);
    return -1;
}

static void *ownthread_main (void *run)
{
    __atomic_store_n (&thread_id, sys_gettid (), __ATOMIC_RELEASE);
    if ((uintptr_t)__builtin_frame_address (0) - (uintptr_t)stack < ROOM_BYTES)
        return NULL;
    (void)sys_call (SYS_prctl, PR_SET_NAME, "dftrace", 0, 0, 0);
    ((void (*) (void))run) ();
    return NULL;
}

static int ownthread_is_there (void)
{
    int id = __atomic_load_n (&thread_id, __ATOMIC_ACQUIRE);

    if (id == NONE || id == STARTING)
        return id == STARTING;
    if (sys_call (SYS_tgkill, sys_getpid (), id, 0) == 0 || errno != ESRCH)
        return 1;
    (void)ownthread_none ();
    return 0;
}

int ownthread_start (void (*run) (void))
{
    pthread_attr_t attr;
    pthread_t thread;
    uint64_t all = UINT64_MAX, before;
    int rc;

    if (!OLDLIBC_HAS (pthread_create) || ownthread_is_there () ||
        (!stack && !(stack = sys_memory (STACK_BYTES))))
        return -1;
    __atomic_store_n (&thread_id, STARTING, __ATOMIC_RELEASE);
    if (LATER (pthread_attr_init) (&attr) != 0)
        return ownthread_none ();
    (void)LATER (pthread_attr_setdetachstate) (&attr, PTHREAD_CREATE_DETACHED);
    (void)LATER (pthread_attr_setstack) (&attr, stack, STACK_BYTES);
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, MASK_BYTES);
    rc = pthread_create (&thread, &attr, ownthread_main, (void *)run);
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, MASK_BYTES);
    (void)LATER (pthread_attr_destroy) (&attr);
    return rc == 0 ? 0 : ownthread_none ();
}

void ownthread_wait (void)
{
    for (int i = 0; i < WAIT_NAPS && ownthread_is_there (); i++)
        sys_nap (WAIT_NAP_NS);
}

void ownthread_sleep (const uint32_t *word, uint32_t value, uint64_t ms)
{
    struct timespec ts = {(time_t)(ms / 1000), (long)(ms % 1000) * NS_PER_MS};

    (void)sys_call (SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &ts, NULL, 0);
}

void ownthread_wake (uint32_t *word)
{
    (void)sys_call (SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The state of the main thread and the number of threads, behind the name in
 * parentheses: ") S … 15 more … N". */
int ownthread_is_alone (void)
{
    char buf[1024];
    int fd = highfd_open (AT_FDCWD, "/proc/self/stat", O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_read (fd, buf, sizeof (buf) - 1);
    const char *p;

    if (fd >= 0)
        (void)sys_close (fd);
    if (n <= 0)
        return 0;
    buf[n] = '\0';
    p = strrchr (buf, ')');
    if (!p || p[1] != ' ' || p[2] != 'Z')
        return 0;
    for (int field = 2; p && field < 20; field++)
        p = strchr (p + 1, ' ');
    return p && strncmp (p, " 2 ", 3) == 0;
}

void ownthread_atfork_child (void)
{
    if (thread_id)
        thread_id = NONE;
    if (rests || allowed) {
        rests = 0;
        rested_ns = 0;
        allowed = 0;
    }
}
