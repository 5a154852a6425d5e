/* SPDX-License-Identifier: MIT
 *
 * end_side.c - tasks that failed -> lines of shards/processes.HOST; a job that
 * left no trace -> one line of its output, why
 *
 * In:  the letter of the first task; shards/ of the job directory; how tasks
 *      have ended
 * Out: lines of that file; a line of the step's standard error
 *
 * Caveat: the directory is the user's, so a child that has become the user
 *         looks into it; nothing of what it reads is repeated.
 */
#include "config.h"

#include <grp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/settings/jobdir.h"
#include "lib/settings/notrace.h"
#include "spank/end_side.h"
#include "spank/letter.h"
#include "spank/spank_api.h"

enum {
    WAIT_MS = 5000, /* of a file system that does not answer */
    KILL_MS = 1000,
    POLL_MS = 5,
    NS_PER_MS = 1000000,
    FAILED_MAX = 256 /* tasks of a node that are named */
};

/* Tasks of this step on this node that failed. */
static struct {
    char text[FAILED_MAX][PROCLINE_ENDED_MAX];
    struct procline line[FAILED_MAX];
    size_t count;
} failed;

void end_side_start (void)
{
    failed.count = 0;
}

/* A task that ends with status 0 has recorded that itself. */
void end_side_task_ended (spank_t sp)
{
    struct procline *l;
    int status = 0;
    pid_t pid = 0;

    if (failed.count == FAILED_MAX ||
        spank_get_item (sp, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        spank_get_item (sp, S_TASK_PID, &pid) != ESPANK_SUCCESS ||
        status == 0 || pid <= 0)
        return;
    l = &failed.line[failed.count];
    *l = (struct procline){failed.text[failed.count++], PROCLINE_ENDED_MAX, 0};
    procline_ended (l, pid, status, PROCLINE_TASK);
}

/* In the child. */
static enum notrace end_side_look (const struct letter *letter, int dirfd)
{
    for (size_t i = 0; i < failed.count && dirfd >= 0; i++)
        (void)jobdir_append (dirfd, letter->host, &failed.line[i], NULL);
    if (letter->end == LETTER_END_QUIET)
        return NOTRACE_NO;
    return dirfd < 0 ? notrace_look_at (letter->dir)
                     : notrace_look_again (dirfd, letter->dir);
}

static int become (uid_t uid, gid_t gid)
{
    return geteuid () != 0 ||
           (setgroups (1, &gid) == 0 && setresgid (gid, gid, gid) == 0 &&
            setresuid (uid, uid, uid) == 0);
}

static enum notrace end_side_wait_for (pid_t pid)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};
    int status = 0;

    for (int left = WAIT_MS; left > 0; left -= POLL_MS) {
        if (waitpid (pid, &status, WNOHANG) == pid)
            return WIFEXITED (status) ? (enum notrace)WEXITSTATUS (status)
                                      : NOTRACE_NO;
        (void)nanosleep (&pause, NULL);
    }
    (void)kill (pid, SIGKILL);
    /* such a file system may keep it even so */
    for (int left = KILL_MS; left > 0; left -= POLL_MS) {
        if (waitpid (pid, NULL, WNOHANG) != 0)
            break;
        (void)nanosleep (&pause, NULL);
    }
    return NOTRACE_NO;
}

void end_side_say (const struct letter *letter, int dirfd, uid_t uid, gid_t gid)
{
    enum notrace found;
    pid_t pid;

    if (letter->end == LETTER_END_QUIET && !failed.count)
        return;
    pid = fork ();
    if (pid == 0)
        _exit (become (uid, gid) ? (int)end_side_look (letter, dirfd)
                                 : NOTRACE_NO);
    found = pid < 0 ? NOTRACE_NO : end_side_wait_for (pid);
    if (found != NOTRACE_NO)
        say (SAY_USER, "%s: job %u left no trace: %s", letter->host,
             letter->own_id, notrace_reason (found, letter->layers));
}
