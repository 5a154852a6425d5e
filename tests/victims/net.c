/* SPDX-License-Identifier: MIT
 *
 * net.c - a program that talks over sockets, and knows what it has said
 *
 * net DIR: each way to make a connection and to move bytes over it; a line for
 * each, "PEER connections sent received", as it knows itself; peers that have
 * asked for their connection are one line.
 * net slow: another process answers 4 times, each after SLOW_MS; its port.
 * net killed: the same, and then SIGKILL; more than a second has passed.
 * net copy: standard input -> standard output, each of which may be a socket.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __recv_chk (int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk (int fd,
                        void *buf,
                        size_t n,
                        size_t room,
                        int flags,
                        struct sockaddr *from,
                        socklen_t *length);

enum { ANSWER = 100000, SHORT = 100, MESSAGES = 5, SLOW_MS = 300, SLOW = 4 };

static char data[ANSWER];
static struct {
    int connections;
    long sent, received;
} accepted, local;

static void die (const char *what)
{
    perror (what);
    exit (3);
}

static void check (int bad, const char *what)
{
    if (bad)
        die (what);
}

/* --- a server: reads requests of SHORT bytes, answers each ---------------- */

struct server {
    int fd, port, connections;
    size_t answer;
    pthread_t thread;
};

static void serve_one (const struct server *s, int fd)
{
    char request[SHORT];
    ssize_t n;

    while ((n = read (fd, request, sizeof (request))) > 0) {
        accepted.received += n;
        for (size_t at = 0; s->answer && n > 0 && at < s->answer;
             at += (size_t)n) {
            n = write (fd, data, s->answer - at);
            check (n <= 0, "answer");
            accepted.sent += n;
        }
    }
    (void)close (fd);
}

static void *serve (void *arg)
{
    struct server *s = arg;

    for (int i = 0; i < s->connections; i++) {
        int fd = i % 2 ? accept4 (s->fd, NULL, NULL, SOCK_CLOEXEC)
                       : accept (s->fd, NULL, NULL);

        check (fd < 0, "accept");
        accepted.connections++;
        serve_one (s, fd);
    }
    return NULL;
}

static void listen_at (struct server *s, struct sockaddr *a, socklen_t n)
{
    s->fd = socket (a->sa_family, SOCK_STREAM, 0);
    check (s->fd < 0 || bind (s->fd, a, n) < 0 || listen (s->fd, 8) < 0,
           "listen");
    check (getsockname (s->fd, a, &n) < 0, "getsockname");
    check (pthread_create (&s->thread, NULL, serve, s) != 0, "thread");
}

static struct sockaddr_in here (int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons ((uint16_t)port),
                                .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
}

static void begin (struct server *s, int connections, size_t answer)
{
    struct sockaddr_in a = here (0);

    *s = (struct server){.connections = connections, .answer = answer};
    listen_at (s, (struct sockaddr *)&a, sizeof (a));
    s->port = ntohs (a.sin_port);
}

static void end (struct server *s)
{
    (void)pthread_join (s->thread, NULL);
    (void)close (s->fd);
}

static int connected (int port)
{
    struct sockaddr_in a = here (port);
    int fd = socket (AF_INET, SOCK_STREAM, 0);

    check (fd < 0 || connect (fd, (struct sockaddr *)&a, sizeof (a)) < 0,
           "connect");
    return fd;
}

/* All of the answer, by one of the ways to receive it. */
static long receive (int fd, int way, size_t size)
{
    static char buf[ANSWER];
    struct iovec v[2] = {{buf, 1000}, {buf + 1000, sizeof (buf) - 1000}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    size_t got = 0;

    while (got < size) {
        ssize_t n = way == 0   ? recv (fd, buf, sizeof (buf), 0)
                    : way == 1 ? read (fd, buf, sizeof (buf))
                    : way == 2 ? readv (fd, v, 2)
                    : way == 3 ? recvmsg (fd, &m, 0)
                    : way == 4
                        ? __recv_chk (fd, buf, sizeof (buf), sizeof (buf), 0)
                        : recvfrom (fd, buf, sizeof (buf), 0, NULL, NULL);

        check (n <= 0, "receive");
        got += (size_t)n;
    }
    return (long)got;
}

static void ask (int fd, int way)
{
    struct iovec v[2] = {{data, 10}, {data, SHORT - 10}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    ssize_t n = way == 0   ? send (fd, data, SHORT, 0)
                : way == 1 ? write (fd, data, SHORT)
                : way == 2 ? writev (fd, v, 2)
                : way == 3 ? sendmsg (fd, &m, 0)
                           : sendto (fd, data, SHORT, 0, NULL, 0);

    check (n != SHORT, "ask");
}

/* --- the ways ---------------------------------------------------------------
 */

static void ways (void)
{
    enum { WAYS = 6 };
    struct server s;

    begin (&s, WAYS, ANSWER);
    for (int way = 0; way < WAYS; way++) {
        int fd = connected (s.port);
        char peeked;

        ask (fd, way);
        check (recv (fd, &peeked, 1, MSG_PEEK) != 1, "peek");
        (void)receive (fd, way, ANSWER);
        (void)shutdown (fd, SHUT_RDWR);
        (void)close (fd);
    }
    end (&s);
    printf ("127.0.0.1:%d %d %d %d\n", s.port, WAYS, WAYS * SHORT,
            WAYS * ANSWER);
}

static void nonblocking (void)
{
    struct server s;
    struct sockaddr_in a;
    struct pollfd p = {.events = POLLOUT};

    begin (&s, 1, SHORT);
    a = here (s.port);
    p.fd = socket (AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check (connect (p.fd, (struct sockaddr *)&a, sizeof (a)) < 0 &&
               errno != EINPROGRESS,
           "connect");
    check (poll (&p, 1, -1) != 1, "poll");
    ask (p.fd, 0);
    p.events = POLLIN;
    check (poll (&p, 1, -1) != 1, "poll");
    (void)receive (p.fd, 0, SHORT);
    (void)close (p.fd);
    end (&s);
    printf ("127.0.0.1:%d 1 %d %d\n", s.port, SHORT, SHORT);
}

static void six (void)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6,
                             .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct server s = {.connections = 1, .answer = SHORT};
    int fd = socket (AF_INET6, SOCK_STREAM, 0);

    if (fd < 0 || bind (fd, (struct sockaddr *)&a, sizeof (a)) < 0)
        return; /* no such address here */
    (void)close (fd);
    listen_at (&s, (struct sockaddr *)&a, sizeof (a));
    fd = socket (AF_INET6, SOCK_STREAM, 0);
    check (connect (fd, (struct sockaddr *)&a, sizeof (a)) < 0, "connect");
    ask (fd, 0);
    (void)receive (fd, 0, SHORT);
    (void)close (fd);
    end (&s);
    printf ("[::1]:%d 1 %d %d\n", ntohs (a.sin6_port), SHORT, SHORT);
}

/* Without a connection; both ends are ours, and each has a port. */
static void datagrams (void)
{
    struct sockaddr_in a = here (0), b = here (0), from;
    struct iovec v[MESSAGES];
    struct mmsghdr m[MESSAGES] = {0};
    socklen_t n = sizeof (a);
    int one = socket (AF_INET, SOCK_DGRAM, 0);
    int two = socket (AF_INET, SOCK_DGRAM, 0);
    char buf[SHORT];

    check (bind (one, (struct sockaddr *)&a, n) < 0 ||
               bind (two, (struct sockaddr *)&b, n) < 0 ||
               getsockname (one, (struct sockaddr *)&a, &n) < 0 ||
               getsockname (two, (struct sockaddr *)&b, &n) < 0,
           "bind");
    check (sendto (one, data, SHORT, 0, (struct sockaddr *)&b, n) != SHORT,
           "sendto");
    check (recvfrom (two, buf, SHORT, 0, (struct sockaddr *)&from, &n) != SHORT,
           "recvfrom");
    check (sendto (one, data, 7, 0, (struct sockaddr *)&b, n) != 7, "sendto");
    check (__recvfrom_chk (two, buf, SHORT, SHORT, 0, (struct sockaddr *)&from,
                           &n) != 7,
           "recvfrom");
    check (connect (one, (struct sockaddr *)&b, n) < 0, "connect");
    for (int i = 0; i < MESSAGES; i++) {
        v[i] = (struct iovec){data, SHORT};
        m[i].msg_hdr.msg_iov = &v[i];
        m[i].msg_hdr.msg_iovlen = 1;
    }
    check (sendmmsg (one, m, MESSAGES, 0) != MESSAGES, "sendmmsg");
    for (int i = 0; i < MESSAGES; i++) {
        m[i].msg_hdr.msg_name = &from;
        m[i].msg_hdr.msg_namelen = sizeof (from);
    }
    check (recvmmsg (two, m, MESSAGES, MSG_WAITFORONE, NULL) != MESSAGES,
           "recvmmsg");
    printf ("127.0.0.1:%d 0 %d 0\n", ntohs (b.sin_port),
            SHORT * (MESSAGES + 1) + 7);
    printf ("127.0.0.1:%d 0 0 %d\n", ntohs (a.sin_port),
            SHORT * (MESSAGES + 1) + 7);
    (void)close (one);
    (void)close (two);
}

static void refused (void)
{
    struct sockaddr_in a = here (0);
    socklen_t n = sizeof (a);
    int held = socket (AF_INET, SOCK_STREAM, 0);
    int fd = socket (AF_INET, SOCK_STREAM, 0);

    check (bind (held, (struct sockaddr *)&a, n) < 0 ||
               getsockname (held, (struct sockaddr *)&a, &n) < 0,
           "bind");
    check (connect (fd, (struct sockaddr *)&a, n) == 0, "refused");
    printf ("127.0.0.1:%d 0 0 0\n", ntohs (a.sin_port));
    (void)close (held);
    (void)close (fd);
}

/* A descriptor that comes by another one. */
static int handed_on (int fd)
{
    int pair[2], got;
    char byte = 'x', space[CMSG_SPACE (sizeof (int))] = {0};
    struct iovec v = {&byte, 1};
    struct msghdr m = {.msg_iov = &v,
                       .msg_iovlen = 1,
                       .msg_control = space,
                       .msg_controllen = sizeof (space)};
    struct cmsghdr *c = CMSG_FIRSTHDR (&m);

    check (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) < 0, "socketpair");
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (sizeof (int));
    memcpy (CMSG_DATA (c), &fd, sizeof (int));
    check (sendmsg (pair[0], &m, 0) != 1, "sendmsg");
    check (recvmsg (pair[1], &m, 0) != 1, "recvmsg");
    memcpy (&got, CMSG_DATA (CMSG_FIRSTHDR (&m)), sizeof (int));
    local.sent++;
    local.received++;
    (void)close (pair[0]);
    (void)close (pair[1]);
    return got;
}

static void wait_for (pid_t pid)
{
    int status;

    check (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0, "child");
}

/* By dup, SCM_RIGHTS, fork: one connection; each asks once, has no answer. */
static void shared (void)
{
    struct server s;
    int fd, again, got;
    pid_t pid;

    begin (&s, 1, 0);
    fd = connected (s.port);
    again = dup (fd);
    got = handed_on (fd);
    ask (fd, 0);
    ask (again, 1);
    ask (got, 0);
    (void)fflush (stdout);
    pid = fork ();
    if (pid == 0) {
        ask (fd, 0);
        exit (0);
    }
    wait_for (pid);
    (void)close (fd);
    (void)close (again);
    (void)close (got);
    end (&s);
    /* that of SCM_RIGHTS is seen like an inherited one */
    printf ("127.0.0.1:%d 2 %d 0\n", s.port, 4 * SHORT);
}

/* A program that has inherited both ends of its copy. */
static void inherited (const char *self)
{
    struct server s;
    int fd;
    pid_t pid;

    begin (&s, 1, SHORT);
    fd = connected (s.port);
    (void)fflush (stdout);
    ask (fd, 0);
    pid = fork ();
    if (pid == 0) {
        (void)dup2 (fd, 0);
        (void)dup2 (fd, 1);
        (void)execl (self, self, "copy", NULL);
        _exit (4);
    }
    wait_for (pid);
    (void)receive (fd, 0, SHORT);
    (void)close (fd);
    end (&s);
    /* connections: this one, and the child's two descriptors */
    printf ("127.0.0.1:%d 3 %d %d\n", s.port, 2 * SHORT, 2 * SHORT);
}

static int copy (void)
{
    char buf[SHORT];
    ssize_t n = read (0, buf, sizeof (buf));

    return n <= 0 || write (1, buf, (size_t)n) != n;
}

/* Files and pipes into a socket; a stream of libc on one. */
static void copies (const char *dir)
{
    struct server s;
    char path[4096];
    int fd, file, ends[2];
    FILE *f;

    begin (&s, 1, 0);
    fd = connected (s.port);
    (void)snprintf (path, sizeof (path), "%s/file", dir);
    file = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check (file < 0 || write (file, data, SHORT) != SHORT || pipe (ends) < 0,
           "file");
    (void)lseek (file, 0, SEEK_SET);
    check (sendfile (fd, file, NULL, SHORT) != SHORT, "sendfile");
    check (write (ends[1], data, SHORT) != SHORT, "pipe");
    check (splice (ends[0], NULL, fd, NULL, SHORT, 0) != SHORT, "splice");
    f = fdopen (fd, "w");
    check (!f || fwrite (data, 1, SHORT, f) != SHORT || fclose (f) != 0,
           "stream");
    (void)close (file);
    (void)close (ends[0]);
    (void)close (ends[1]);
    end (&s);
    printf ("127.0.0.1:%d 1 %d 0\n", s.port, 3 * SHORT);
}

static void named (void)
{
    struct addrinfo *found,
        how = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct server s;
    char port[16];
    int fd;

    begin (&s, 1, SHORT);
    (void)snprintf (port, sizeof (port), "%d", s.port);
    if (getaddrinfo ("localhost", port, &how, &found) != 0)
        die ("getaddrinfo");
    fd = socket (AF_INET, SOCK_STREAM, 0);
    check (connect (fd, found->ai_addr, found->ai_addrlen) < 0, "connect");
    freeaddrinfo (found);
    ask (fd, 0);
    (void)receive (fd, 0, SHORT);
    (void)close (fd);
    end (&s);
    printf ("localhost:lookup 0 0 0\nlocalhost:%d 1 %d %d\n", s.port, SHORT,
            SHORT);
}

static void unix_sockets (const char *dir)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd, other, server = socket (AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf (a.sun_path, sizeof (a.sun_path), "%s/socket", dir);
    (void)unlink (a.sun_path);
    check (bind (server, (struct sockaddr *)&a, sizeof (a)) < 0 ||
               listen (server, 1) < 0,
           "bind");
    fd = socket (AF_UNIX, SOCK_STREAM, 0);
    check (connect (fd, (struct sockaddr *)&a, sizeof (a)) < 0, "connect");
    other = accept (server, NULL, NULL);
    local.connections += 2; /* both ends */
    ask (fd, 0);
    local.sent += SHORT;
    local.received += receive (other, 0, SHORT);
    (void)close (fd);
    (void)close (other);
    (void)close (server);
    printf ("local %d %ld %ld\n", local.connections, local.sent,
            local.received);
}

static void answer_slowly (int server)
{
    struct pollfd never = {.fd = -1};
    char request[SHORT];
    int fd = accept (server, NULL, NULL);

    while (read (fd, request, SHORT) > 0) {
        (void)poll (&never, 0, SLOW_MS);
        check (write (fd, data, SHORT) != SHORT, "answer");
    }
    _exit (0);
}

static int slow (int killed)
{
    struct sockaddr_in a = here (0);
    socklen_t n = sizeof (a);
    int fd, server = socket (AF_INET, SOCK_STREAM, 0);
    pid_t pid;

    check (bind (server, (struct sockaddr *)&a, n) < 0 ||
               listen (server, 1) < 0 ||
               getsockname (server, (struct sockaddr *)&a, &n) < 0,
           "listen");
    pid = fork ();
    if (pid == 0)
        answer_slowly (server);
    fd = connected (ntohs (a.sin_port));
    for (int i = 0; i < SLOW; i++) {
        struct pollfd p = {fd, POLLIN, 0};

        ask (fd, 0);
        check (i == 3 && poll (&p, 1, -1) != 1, "poll");
        (void)receive (fd, i % 2, SHORT);
    }
    printf ("%d\n", ntohs (a.sin_port));
    (void)fflush (stdout);
    if (killed)
        (void)kill (getpid (), SIGKILL);
    (void)close (fd);
    wait_for (pid);
    return 0;
}

int main (int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp (argv[1], "slow") == 0 || strcmp (argv[1], "killed") == 0)
        return slow (argv[1][0] == 'k');
    if (strcmp (argv[1], "copy") == 0)
        return copy ();
    ways ();
    nonblocking ();
    six ();
    datagrams ();
    refused ();
    shared ();
    inherited (argv[0]);
    copies (argv[1]);
    unix_sockets (argv[1]);
    named ();
    printf ("accepted %d %ld %ld\n", accepted.connections, accepted.sent,
            accepted.received);
    return 0;
}
