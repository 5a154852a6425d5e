/* SPDX-License-Identifier: MIT
 *
 * become.c - root in a child process -> the user, for good
 *
 * In:  uid and gid, from root's marker
 * Out: a process that may do what the user may, and less
 * Caveat: slurmd starts the epilog with oom_score_adj -1000 and nearly no
 *         environment; neither is passed on.
 */
#include "config.h"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "spank/epilog/user_side.h"

enum { NICENESS = 10 }; /* behind the next job on the node */

/* Ours goes first: what is left undone can be done later. */
#define OOM_SCORE "500"

static void set_oom_score (void)
{
    int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (write (fd, OOM_SCORE, sizeof (OOM_SCORE) - 1) < 0)
            errno = 0; /* an old kernel or a container: not ours to mend */
        close (fd);
    }
}

/* RLIMIT_DATA and not RLIMIT_AS: each thread's allocator reserves far more
 * addresses than it uses. */
static int set_limits (unsigned long cpu_seconds, uint64_t memory)
{
    struct rlimit cpu = {cpu_seconds, cpu_seconds + 1};
    struct rlimit core = {0, 0}, data = {memory, memory};

    setpriority (PRIO_PROCESS, 0, NICENESS);
    return setrlimit (RLIMIT_CPU, &cpu) < 0 ||
                   (memory && setrlimit (RLIMIT_DATA, &data) < 0) ||
                   setrlimit (RLIMIT_CORE, &core) < 0
               ? -1
               : 0;
}

static int become_set_environment (const char *host)
{
    return clearenv () != 0 ||
                   setenv ("PATH", "/usr/local/bin:/usr/bin:/bin", 1) < 0 ||
                   setenv ("HOME", "/", 1) < 0 ||
                   setenv ("SLURMD_NODENAME", host, 1) < 0
               ? -1
               : 0;
}

/* Those of the job, which need no question to a name service; else those that
 * the user has here, and only his group where the node does not know him. */
static int set_groups (uid_t uid, gid_t gid, const struct marker_groups *groups)
{
    const struct passwd *pw;

    if (groups && groups->count)
        return setgroups (groups->count, groups->gid);
    pw = getpwuid (uid);
    return pw ? initgroups (pw->pw_name, gid) : setgroups (1, &gid);
}

static int set_ids (uid_t uid, gid_t gid)
{
    if (setresgid (gid, gid, gid) < 0 || setresuid (uid, uid, uid) < 0)
        return -1;
    if (uid != 0 && setuid (0) == 0) {
        errno = EPERM;
        return -1;
    }
    /* as after giving up root, but also where fs.suid_dumpable says else */
    if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return -1;
    return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int become_user (const struct become *to, struct errtext *err)
{
    set_oom_score ();
    umask (077);
    if (set_limits (to->cpu_seconds, to->memory) < 0 ||
        become_set_environment (to->host) < 0 ||
        set_groups (to->uid, to->gid, to->groups) < 0 ||
        set_ids (to->uid, to->gid) < 0 || chdir ("/") < 0)
        return errf (err, "uid %lu: cannot become: %s", (unsigned long)to->uid,
                     strerror (errno));
    return 0;
}
