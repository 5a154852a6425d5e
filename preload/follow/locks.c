/* SPDX-License-Identifier: MIT
 *
 * locks.c - calls that lock -> a flag; a look at files that drops no lock
 */
#include "config.h"

#include <sched.h>
#include <signal.h>

#include "lib/base/sys.h"
#include "preload/follow/locks.h"

enum { STACK = 32 * 1024, MASK_BYTES = 8 };

static SYS_STATE int held;

int locks_note (int command)
{
    if ((command == F_SETLK || command == F_SETLKW) && !held)
        held = 1;
    return 1;
}

void locks_inherit (void)
{
    held = 1;
}

void locks_atfork_child (void)
{
    if (held)
        held = 0;
}

int locks_held (void)
{
    return held;
}

struct locks_work {
    void (*step) (void *);
    void *cookie;
};

/* Ends by the system call: libc knows nothing of this thread. */
static int locks_thread (void *cookie)
{
    const struct locks_work *w = cookie;

    w->step (w->cookie);
    (void)sys_call (SYS_exit, 0);
    __builtin_unreachable ();
}

/* clone is the wrapper, which hands these flags on as they are. The caller is
 * stopped until the thread has ended (CLONE_VFORK), so that both may use the
 * same thread-local variables. */
int locks_apart (void (*step) (void *cookie), void *cookie)
{
    enum {
        FLAGS = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK
    };
    struct locks_work work = {step, cookie};
    uint64_t all = ~(uint64_t)0, mask;
    char *stack = sys_memory (STACK);
    int rc;

    if (!stack)
        return -1;
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, MASK_BYTES);
    rc = clone (locks_thread, stack + STACK, FLAGS, &work);
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, MASK_BYTES);
    (void)sys_munmap (stack, STACK);
    return rc < 0 ? -1 : 0;
}
