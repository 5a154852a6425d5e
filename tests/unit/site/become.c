/* SPDX-License-Identifier: MIT
 *
 * become.c - test of spank/epilog/become.c: what is left of root is nothing
 */
#include "tests/unit/scratch.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "spank/epilog/user_side.h"

enum { UID = 54321, GID = 54322, CPU_SECONDS = 33 };

/* Bytes; so many that a sanitizer, too, can live with it. */
#define MEMORY ((uint64_t)1 << 50)

extern char **environ;

/* In a child of root: each line that does not hold is printed. */
#define HOLDS(WHAT)                                       \
    do {                                                  \
        if (!(WHAT)) {                                    \
            (void)fprintf (stderr, "# not: %s\n", #WHAT); \
            bad = 1;                                      \
        }                                                 \
    } while (0)

/* slurmd's is -1000: never to be killed; ours should go first. 0 when it is
 * still slurmd's. */
static int is_killable (void)
{
    char text[16] = "";
    int fd = open ("/proc/self/oom_score_adj", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text) - 1);

    if (fd >= 0)
        (void)close (fd);
    return n <= 0 || strtol (text, NULL, 10) >= 0;
}

static void as_slurmd (void)
{
    int fd = open ("/proc/self/oom_score_adj", O_WRONLY);

    if (fd >= 0) {
        (void)!write (fd, "-1000", 5); /* not in every container */
        (void)close (fd);
    }
}

/* Those that it was given; without, his own one where this node knows him. */
static int has_groups (const struct marker_groups *given)
{
    gid_t groups[8];
    int n = getgroups (8, groups);

    if (!given)
        return n == 0 || (n == 1 && groups[0] == GID);
    return n == (int)given->count &&
           memcmp (groups, given->gid, given->count * sizeof (gid_t)) == 0;
}

static int look (const struct marker_groups *given)
{
    uid_t r, e, s;
    gid_t rg, eg, sg;
    struct rlimit limit;
    char cwd[8] = "";
    int bad = 0, n;

    HOLDS (getresuid (&r, &e, &s) == 0 && r == UID && e == UID && s == UID);
    HOLDS (getresgid (&rg, &eg, &sg) == 0 && rg == GID && eg == GID &&
           sg == GID);
    HOLDS (has_groups (given));
    HOLDS (setuid (0) < 0 && seteuid (0) < 0 && setgid (0) < 0);
    HOLDS (prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    HOLDS (prctl (PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    HOLDS (umask (0) == 077);
    HOLDS (getcwd (cwd, sizeof (cwd)) && strcmp (cwd, "/") == 0);
    HOLDS (getrlimit (RLIMIT_CPU, &limit) == 0 &&
           limit.rlim_cur == CPU_SECONDS);
    HOLDS (getrlimit (RLIMIT_DATA, &limit) == 0 && limit.rlim_max == MEMORY);
    HOLDS (getrlimit (RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0);
    HOLDS (is_killable ());
    for (n = 0; environ[n];)
        n++;
    HOLDS (n == 3 && !getenv ("LD_PRELOAD") && !getenv ("DFT_TEST_EVIL"));
    HOLDS (getenv ("SLURMD_NODENAME") &&
           strcmp (getenv ("SLURMD_NODENAME"), "n1") == 0);
    return bad;
}

/* Root, and in a namespace that has these numbers? */
static int can_become (void)
{
    pid_t pid = fork ();
    int status;

    if (pid == 0)
        _exit (setgroups (0, NULL) < 0 || setresgid (GID, GID, GID) < 0 ||
               setresuid (UID, UID, UID) < 0);
    assert_int_equal (waitpid (pid, &status, 0), pid);
    if (status != 0)
        print_message ("# not run: cannot become another user here\n");
    return status == 0;
}

static void become_and_look (const struct marker_groups *given)
{
    const struct become user = {UID, GID, given, "n1", CPU_SECONDS, MEMORY};
    struct errtext err;
    pid_t pid;
    int status;

    if (!can_become ())
        return;
    pid = fork ();
    if (pid == 0) {
        const gid_t more[] = {0, 1, 2};

        as_slurmd ();
        (void)setgroups (3, more);
        (void)setenv ("DFT_TEST_EVIL", "1", 1);
        (void)umask (0);
        if (become_user (&user, &err) < 0) {
            (void)fprintf (stderr, "# %s\n", err.text);
            _exit (2);
        }
        _exit (look (given));
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
}

static void the_user_and_nobody_else (void **state)
{
    become_and_look (NULL);
}

static void with_the_groups_of_the_job (void **state)
{
    const struct marker_groups some = {.count = 2, .gid = {7, GID}};

    become_and_look (&some);
}

/* Who is not root cannot, and is told so. */
static void not_without_root (void **state)
{
    const struct become other = {UID + 1, GID, NULL, "n1", CPU_SECONDS, 0};
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        struct errtext err = {""};

        if (geteuid () == 0 && setresuid (UID, UID, UID) < 0)
            _exit (0); /* not even root may, here */
        _exit (become_user (&other, &err) == -1 &&
                       strstr (err.text, "cannot become")
                   ? 0
                   : 1);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (the_user_and_nobody_else),
        cmocka_unit_test (with_the_groups_of_the_job),
        cmocka_unit_test (not_without_root),
    };

    return tap_run (tests);
}
