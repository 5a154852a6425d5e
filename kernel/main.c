/* SPDX-License-Identifier: MIT
 *
 * main.c - dftrace-kernel: records the processes that its parent starts
 *
 * In:  descriptor 3, a socket to the parent: one message says that it records
 *      (nothing in it, or KERNELSIDE_NOTE and what this kernel does not tell)
 * or why not; one that comes has the directory for the trace; its end is ours.
 * DFTRACE_* of the environment. -u UID:GID: who it becomes. --check: whether
 * its programs load here, exit status 0; or why not, on standard output Out:
 * HOST-PID-TIME.dft in that directory, if there is anything to record Caveat:
 * it is root only until its programs are in the kernel; whatever it opens, it
 * opens as the user.
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "kernel/calls.h"
#include "kernel/chunk.h"
#include "kernel/load.h"
#include "lib/base/array.h"
#include "lib/settings/kernelside.h"
#include "lib/base/clock.h"
#include "preload/record/shardpath.h"
#include "lib/settings/nodename.h"

enum {
    PARENT_FD = 3,
    LOOK_MS = 100,             /* between looks at the ring, if it is not
                                  full before */
    FLUSH_NS = CLOCK_NS_PER_S, /* what a killed recorder loses at most */
    NAME_MAX_BYTES = 4096
};

struct recorder {
    struct settings settings;
    struct space space;
    struct calls calls;
    struct load *load;
    char host[NODENAME_MAX];
    char name[NAME_MAX_BYTES];
};

static volatile sig_atomic_t told_to_end;

static void on_signal (int signal)
{
    told_to_end = 1;
}

static void main_set_signals (void)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction sa = {.sa_handler = on_signal};

    for (size_t i = 0; i < ITEMS (ends); i++)
        sigaction (ends[i], &sa, NULL);
    sa.sa_handler = SIG_IGN;
    sigaction (SIGPIPE, &sa, NULL);
    sigaction (SIGXFSZ, &sa, NULL);
}

static int say_parent (const char *text)
{
    return send (PARENT_FD, text, strlen (text) + 1, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int main_say_ready (const struct recorder *r)
{
    const char *lacks = load_lacks (r->load);
    char text[NAME_MAX_BYTES] = "";

    if (lacks[0])
        FORMAT (text, "%c%s", KERNELSIDE_NOTE, lacks);
    return say_parent (text);
}

/* Return the pid of our parent in our own namespace. */
static pid_t main_parent (struct errtext *err)
{
    struct ucred peer;
    socklen_t n = sizeof (peer);

    if (getsockopt (PARENT_FD, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 ||
        peer.pid <= 1)
        return errf (err, "dftrace-kernel: is started by dftrace run and by "
                          "Slurm's plugin, not by hand");
    return peer.pid;
}

/* --- steps ------------------------------------------------------------------
 */

static int main_settings (struct recorder *r, struct errtext *err)
{
    settings_init (&r->settings);
    if (settings_from_env (&r->settings, err) < 0)
        return -1;
    nodename_find (settings_environ, NULL, r->host);
    r->calls.settings = &r->settings;
    pathfilter_start (&r->calls.filter, &r->settings);
    pathfilter_calls (&r->settings, r->calls.how);
    return 0;
}

static int main_memory (struct recorder *r, struct errtext *err)
{
    struct shardfile_start start = {.real_ns = clock_ns (CLOCK_REALTIME),
                                    .pid = getpid ()};
    char path[NAME_MAX_BYTES];

    if (shardpath_make (path, sizeof (path), "/", r->host, &start) < 0)
        return errf (err, "layer kernel: name of the trace: %s",
                     strerror (errno));
    memcpy (r->name, shardpath_base (path), strlen (shardpath_base (path)) + 1);
    space_start (&r->space, -1, r->name, r->settings.max_bytes);
    r->calls.opens = opens_create ();
    r->calls.procs = procs_create (&r->space, &r->calls.filter, r->host);
    if (!r->calls.opens || !r->calls.procs)
        return errf (err, "layer kernel: out of memory");
    return 0;
}

static int main_load (struct recorder *r, struct errtext *err)
{
    pid_t parent = main_parent (err);

    if (parent < 0)
        return -1;
    r->load = load_start (&r->calls, parent, err);
    return r->load ? 0 : -1;
}

/* The directory, the first time. -1: the parent is gone. */
static int main_hear (struct recorder *r)
{
    union {
        char bytes[CMSG_SPACE (sizeof (int))];
        struct cmsghdr align;
    } control = {{0}};
    char text;
    struct iovec iov = {&text, 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof (control.bytes)};
    const struct cmsghdr *c;
    ssize_t n = recvmsg (PARENT_FD, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    int dir;

    if (n == 0)
        return -1;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    c = CMSG_FIRSTHDR (&msg);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
        c->cmsg_len != CMSG_LEN (sizeof (int)))
        return 0;
    memcpy (&dir, CMSG_DATA (c), sizeof (int));
    if (r->space.dir < 0)
        r->space.dir = dir;
    else
        close (dir);
    return 0;
}

/* Until the parent ends, or says so. */
static void main_record (struct recorder *r)
{
    struct pollfd fds[] = {{PARENT_FD, POLLIN, 0},
                           {load_fd (r->load), POLLIN, 0}};
    uint64_t flushed = clock_ns (CLOCK_MONOTONIC), now;

    while (!told_to_end) {
        int n = poll (fds, 2, LOOK_MS);

        if (n > 0 && fds[0].revents && main_hear (r) < 0)
            return;
        load_drain (r->load);
        now = clock_ns (CLOCK_MONOTONIC);
        if (now - flushed < FLUSH_NS)
            continue;
        procs_flush (r->calls.procs, now);
        flushed = now;
    }
}

static void main_end (struct recorder *r)
{
    load_detach (r->load);
    while (load_drain (r->load) == -EAGAIN)
        ;
    procs_finish (r->calls.procs,
                  load_lost (r->load) - r->calls.told + r->calls.unplaced);
    space_finish (&r->space);
    load_stop (r->load);
    procs_destroy (r->calls.procs);
    opens_destroy (r->calls.opens);
}

/* For `dftrace doctor`. */
static int main_check (struct recorder *r)
{
    struct errtext err = {""};

    if (main_settings (r, &err) < 0 ||
        !(r->load = load_start (&r->calls, getpid (), &err))) {
        puts (err.text);
        return 1;
    }
    if (load_lacks (r->load)[0])
        puts (load_lacks (r->load));
    load_stop (r->load);
    return 0;
}

int main (int argc, char **argv)
{
    static struct recorder r;
    const char *user =
        argc == 3 && strcmp (argv[1], "-u") == 0 ? argv[2] : NULL;
    struct errtext err = {""};

    if (argc == 2 && strcmp (argv[1], "--check") == 0)
        return main_check (&r);
    main_set_signals ();
    setsid ();
    if (main_settings (&r, &err) < 0 || main_memory (&r, &err) < 0 ||
        main_load (&r, &err) < 0 || drop_rights (user, &err) < 0) {
        say_parent (err.text);
        return 1;
    }
    if (main_say_ready (&r) == 0)
        main_record (&r);
    main_end (&r);
    return 0;
}
