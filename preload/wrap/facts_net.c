/* SPDX-License-Identifier: MIT
 *
 * facts_net.c - finished calls on sockets -> sums by peer; events of layer net
 *
 * In:  connect, accept, the families of send and recv, getaddrinfo; reads,
 *      writes and copies of sockets whose bytes are not recorded as a file's
 * Out: peers.h; in a profile rows of these calls instead
 * Caveat: a peer that the kernel does not tell (a datagram of which nobody
 *         wants to know the sender) is "unknown".
 */
#include "config.h"

#include "preload/files.h"
#include "preload/libcio.h"
#include "preload/peers.h"
#include "preload/waits.h"
#include "preload/wrap/facts.h"

enum net_way { NET_NONE, NET_SENDS, NET_RECEIVES };

/* Count a call with its peer. */
struct net_call {
    uint64_t start, end; /* ticks */
    enum call call;
    int fd, err;
    unsigned peer;
    int64_t rc; /* bytes, or -1 */
    uint64_t size;
};

static int net_is_left (struct file f)
{
    return f.state == FILE_IGNORED && f.class == LEFTOUT_socket;
}

static int net_is_socket (struct file f)
{
    return net_is_left (f) ||
           (f.state == FILE_WANTED && f.class == FILE_CLASS_SOCKET);
}

static int net_is_accepted (struct file f)
{
    return net_is_left (f) && f.flags & FILE_ACCEPTED;
}

int facts_net_open (struct span *sp, int fd)
{
    struct file f;

    if (!span_active ())
        return 0;
    f = fdmap_peek (fd);
    if (f.state == FILE_UNKNOWN)
        f = span_file (fd);
    span_begin (sp, fd, f);
    sp->says = LASTWORD_LEFT + (unsigned)LEFTOUT_socket;
    return 1;
}

/* --- records -------------------------------------------------------------- */

static uint32_t net_name (unsigned peer, enum shard_name_kind kind)
{
    char text[PEERS_TEXT];

    return names_intern (kind, FILE_CLASS_SOCKET, text,
                         peers_text (peer, text));
}

static void net_record (const struct net_call *c)
{
    struct record r = {.start = c->start,
                       .end = c->end,
                       .call = (uint16_t)c->call,
                       .err = c->rc < 0 ? c->err : 0,
                       .fd = c->fd,
                       .offset = -1,
                       .size = c->size,
                       .ret = c->rc};

    if (filter_drops (&r) || !recorder_enter ())
        return;
    r.file = net_name (c->peer, SHARD_NAME_FILE);
    recorder_record (&r);
    if ((recorder_layers & LAYER_PROFILE) && peers_first (c->peer)) {
        r = (struct record){.start = c->end,
                            .end = c->end,
                            .call = CALL_net_sums,
                            .fd = -1,
                            .file = r.file,
                            .offset = -1};
        recorder_record (&r);
    }
    recorder_leave ();
}

/* Its thread has waited for the peer, or for anybody. */
static void net_waited (const struct net_call *c)
{
    struct record r = {.start = c->start,
                       .end = c->end,
                       .call = CALL_wait_net,
                       .fd = -1,
                       .offset = -1};

    uint64_t ns = clock_ns_of (c->end - c->start);

    if (!waits_wanted || ns < SPAN_WAIT_NS)
        return;
    if (c->peer == PEER_LOCAL) { /* as read () and write () of a pipe */
        if (c->call != CALL_accept && waits_has_place (CALL_wait_pipe, ns))
            span_wait (CALL_wait_pipe, ns, NULL, 0);
        return;
    }
    if (!recorder_enter ())
        return;
    if (c->call == CALL_accept)
        r.call = CALL_wait_poll;
    else
        r.file2 = net_name (c->peer, SHARD_NAME_TEXT);
    recorder_record (&r);
    recorder_leave ();
}

/* Sums of a profile are those of its rows. */
static void net_add (const struct net_call *c, const struct peer_sums *s)
{
    if (!(recorder_layers & LAYER_PROFILE)) {
        peers_add (c->peer, s, c->end);
        net_waited (c);
    }
    if (recorder_layers & (LAYER_NET | LAYER_PROFILE))
        net_record (c);
}

static void net_connected (unsigned peer, int fd, uint64_t now)
{
    const struct net_call c = {.start = now,
                               .end = now,
                               .call = CALL_connection,
                               .fd = fd,
                               .peer = peer};

    net_add (&c, &(struct peer_sums){.connections = 1});
}

/* The first bytes since something was sent; of whoever has asked for the
 * connection. */
static void net_answered (const struct net_call *c, struct peer_sums *s)
{
    struct net_call first = *c;

    first.start = fdmap_answered (c->fd);
    if (!first.start || first.start > c->end)
        return;
    s->answers = 1;
    s->first_ticks = c->end - first.start;
    first.call = CALL_first_byte;
    first.rc = 0;
    if (recorder_layers & (LAYER_NET | LAYER_PROFILE))
        net_record (&first);
}

static void
net_moved (const struct net_call *c, struct file f, enum net_way way)
{
    struct peer_sums s = {.calls = 1, .ticks = c->end - c->start};

    if (c->rc > 0 && way == NET_SENDS) {
        s.sent = (uint64_t)c->rc;
        if (!net_is_accepted (f))
            fdmap_asked (c->fd, c->end);
    } else if (c->rc > 0 && way == NET_RECEIVES) {
        s.received = (uint64_t)c->rc;
        net_answered (c, &s);
    }
    net_add (c, &s);
}

/* --- peers ---------------------------------------------------------------- */

/* The peer of a descriptor whose file is f; a: the address that the call itself
 * has told. One that is connected is remembered. */
static unsigned
net_peer (struct file f, int fd, const struct sockaddr *a, socklen_t n)
{
    enum peer_side side = net_is_accepted (f) ? PEER_ASKS : PEER_SERVES;
    unsigned peer = net_is_left (f) ? f.name : PEER_NONE;

    if (peer)
        return peer;
    if (a && n > 0)
        return peers_at (a, n, side);
    if (!(peer = peers_of_fd (fd, side)))
        return PEER_UNKNOWN;
    fdmap_set_peer (fd, peer);
    if (net_is_left (f) && !(f.flags & FILE_DATAGRAM))
        net_connected (peer, fd, clock_tick ());
    return peer;
}

static struct net_call
net_finished (const struct span *sp, int64_t rc, uint64_t size)
{
    return (struct net_call){.start = sp->start,
                             .end = clock_tick (),
                             .call = (enum call)sp->call,
                             .fd = sp->fd,
                             .err = errno,
                             .rc = rc,
                             .size = size};
}

/* --- sockets -------------------------------------------------------------- */

static int net_is_ip (int domain)
{
    return domain == AF_INET || domain == AF_INET6;
}

/* A new socket, which files_by_fd would say the same of. */
static void net_new (int fd, unsigned peer, unsigned flags)
{
    static const char name[] = "socket:[0]";

    if (filter_wants (FILE_CLASS_SOCKET, name, sizeof (name) - 1))
        fdmap_forget (fd);
    else
        fdmap_set_socket (fd, peer, flags);
}

void facts_socket (int fd, int domain, int type)
{
    enum { KINDS = 0xf };

    if (fd >= 0)
        net_new (fd, net_is_ip (domain) ? PEER_NONE : PEER_LOCAL,
                 (type & KINDS) == SOCK_STREAM ? 0 : FILE_DATAGRAM);
}

void facts_socketpair (int rc, const int fd[2])
{
    if (rc < 0)
        return;
    net_new (fd[0], PEER_LOCAL, 0);
    net_new (fd[1], PEER_LOCAL, 0);
}

/* Whether a call of connect with this result has read the address, which may be
 * an invalid pointer. */
static int net_has_tried (int rc, int err)
{
    return rc == 0 || err == EINPROGRESS || err == EINTR ||
           err == ECONNREFUSED || err == ETIMEDOUT || err == ENETUNREACH ||
           err == EHOSTUNREACH || err == ECONNRESET;
}

void facts_connect (struct span *sp,
                    int rc,
                    const struct sockaddr *to,
                    socklen_t n)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, rc, 0);
    struct peer_sums s = {.calls = 1, .ticks = c.end - c.start};
    int begun = rc == 0 || saved_errno == EINPROGRESS || saved_errno == EINTR;

    if (!net_is_socket (sp->file) || !net_has_tried (rc, saved_errno))
        return;
    if (to->sa_family == AF_UNSPEC) { /* no longer connected */
        fdmap_set_peer (sp->fd, PEER_NONE);
        errno = saved_errno;
        return;
    }
    c.peer = peers_at (to, n, PEER_SERVES);
    place_note (sp->caller, PLACE_CONNECT, 0);
    if (begun)
        fdmap_set_peer (sp->fd, c.peer);
    s.failed = (uint64_t)!begun;
    if (begun && (recorder_layers & LAYER_PROFILE))
        c.rc = 0;
    net_add (&c, &s);
    if (begun && !(net_is_left (sp->file) && sp->file.flags & FILE_DATAGRAM))
        net_connected (c.peer, sp->fd, c.end);
    errno = saved_errno;
}

/* The time until somebody came is nobody's. */
void facts_accept (struct span *sp, int fd)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, fd, 0);

    if (fd >= 0) {
        c.peer = peers_of_fd (fd, PEER_ASKS);
        net_new (fd, c.peer, FILE_ACCEPTED);
        net_add (&c, &(struct peer_sums){.calls = 1});
        net_connected (c.peer, fd, c.end);
    }
    errno = saved_errno;
}

void facts_shutdown (struct span *sp, int rc)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, rc, 0);

    if (net_is_socket (sp->file)) {
        c.peer = net_peer (sp->file, sp->fd, NULL, 0);
        net_moved (&c, sp->file, NET_NONE);
    }
    errno = saved_errno;
}

/* --- transfers ------------------------------------------------------------ */

void facts_send (struct span *sp,
                 ssize_t rc,
                 size_t size,
                 const struct sockaddr *to,
                 socklen_t n)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, rc, size);

    if (net_is_socket (sp->file)) {
        c.peer = net_peer (sp->file, sp->fd, rc < 0 ? NULL : to, n);
        net_moved (&c, sp->file, NET_SENDS);
    }
    errno = saved_errno;
}

/* Bytes that stay where they are, or were sent before, are not received. */
static int64_t net_taken (int64_t rc, int flags)
{
    return rc > 0 && flags & (MSG_PEEK | MSG_ERRQUEUE) ? 0 : rc;
}

void facts_recv (struct span *sp,
                 ssize_t rc,
                 size_t size,
                 int flags,
                 const struct sockaddr *from,
                 const socklen_t *n)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, net_taken (rc, flags), size);

    if (net_is_socket (sp->file)) {
        c.peer = net_peer (sp->file, sp->fd, rc < 0 ? NULL : from,
                           rc >= 0 && from && n ? *n : 0);
        net_moved (&c, sp->file, NET_RECEIVES);
    }
    errno = saved_errno;
}

void facts_sendmsg (struct span *sp, ssize_t rc, const struct msghdr *m)
{
    if (rc < 0)
        facts_send (sp, rc, 0, NULL, 0);
    else
        facts_send (sp, rc, iov_size (rc, m->msg_iov, (int)m->msg_iovlen),
                    m->msg_name, m->msg_namelen);
}

void facts_recvmsg (struct span *sp,
                    ssize_t rc,
                    const struct msghdr *m,
                    int flags)
{
    if (rc < 0)
        facts_recv (sp, rc, 0, flags, NULL, NULL);
    else
        facts_recv (sp, rc, iov_size (rc, m->msg_iov, (int)m->msg_iovlen),
                    flags, m->msg_name, &m->msg_namelen);
}

/* Several messages, each of which may have a peer of its own; the first has the
 * time of the call. */
static void net_messages (struct span *sp,
                          int count,
                          const struct mmsghdr *v,
                          int flags,
                          enum net_way way)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, count < 0 ? -1 : 0, 0);

    for (int i = 0; i < (count > 0 ? count : 1); i++) {
        const struct msghdr *m = count > 0 ? &v[i].msg_hdr : NULL;

        if (m) {
            c.rc = net_taken (v[i].msg_len, flags);
            c.size = iov_size (0, m->msg_iov, (int)m->msg_iovlen);
        }
        c.peer = net_peer (sp->file, sp->fd, m ? m->msg_name : NULL,
                           m ? m->msg_namelen : 0);
        net_moved (&c, sp->file, way);
        c.start = c.end;
    }
    errno = saved_errno;
}

void facts_sendmmsg (struct span *sp, int count, const struct mmsghdr *v)
{
    if (net_is_socket (sp->file))
        net_messages (sp, count, v, 0, NET_SENDS);
}

void facts_recvmmsg (struct span *sp,
                     int count,
                     const struct mmsghdr *v,
                     int flags)
{
    if (net_is_socket (sp->file))
        net_messages (sp, count, v, flags, NET_RECEIVES);
}

/* --- calls that files have, too ------------------------------------------- */

static void net_one_side (
    const struct span *sp, struct file f, int fd, enum net_way way, int64_t rc)
{
    struct net_call c = net_finished (sp, rc, rc > 0 ? (uint64_t)rc : 0);

    c.call = way == NET_SENDS ? CALL_send : CALL_recv;
    c.fd = fd;
    c.peer = net_peer (f, fd, NULL, 0);
    net_moved (&c, f, way);
}

/* The tick that was ns ago. */
static uint64_t net_ago (uint64_t ns)
{
    struct clock_pair now = clock_pair ();

    return now.tick -
           (uint64_t)((unsigned __int128)ns * clock_hz (&now) / CLOCK_NS_PER_S);
}

void facts_net_left (const struct span *sp, int sides, int64_t rc, uint64_t ns)
{
    struct span known = *sp;

    known.start = net_ago (ns);
    if (sp->call == CALL_splice)
        sides = CALL_READS | CALL_WRITES;
    facts_net_transfer (&known, sides, rc);
}

void facts_net_transfer (const struct span *sp, int sides, int64_t rc)
{
    int saved_errno = errno;
    int pair = sides == (CALL_READS | CALL_WRITES);

    if (sides & CALL_READS && net_is_socket (sp->file))
        net_one_side (sp, sp->file, sp->fd, NET_RECEIVES, rc);
    if (sides & CALL_WRITES && !pair && net_is_socket (sp->file))
        net_one_side (sp, sp->file, sp->fd, NET_SENDS, rc);
    if (pair && net_is_socket (sp->file2))
        net_one_side (sp, sp->file2, sp->fd2, NET_SENDS, rc);
    errno = saved_errno;
}

void facts_net_stream (const struct record *r,
                       struct file f,
                       int64_t in,
                       int64_t out)
{
    struct span sp = {
        .start = r->start, .call = r->call, .fd = r->fd, .file = f};
    int saved_errno = errno;

    if (!net_is_socket (f))
        return;
    if (out > 0)
        net_one_side (&sp, f, r->fd, NET_SENDS, out);
    if (in > 0)
        net_one_side (&sp, f, r->fd, NET_RECEIVES, in);
    errno = saved_errno;
}

int facts_net_polled (int fd, uint64_t ns)
{
    struct net_call c = {.start = net_ago (ns), .call = CALL_recv, .fd = fd};

    c.peer = net_peer (span_file (fd), fd, NULL, 0);
    if (c.peer == PEER_UNKNOWN)
        return 0;
    c.end = clock_tick ();
    if (!(recorder_layers & LAYER_PROFILE)) {
        peers_add (c.peer, &(struct peer_sums){.ticks = c.end - c.start},
                   c.end);
        net_waited (&c);
    }
    return 1;
}

/* --- names ---------------------------------------------------------------- */

int facts_lookup_open (struct span *sp, int looking)
{
    static const struct file none;

    sp->says = LASTWORD_NO_FD;
    sp->fd2 = looking;
    return span_active () ? span_begin (sp, -1, none) : looking;
}

static void net_looked_up (struct net_call *c, struct span *sp, unsigned peer)
{
    if (peer && span_active ()) {
        c->peer = peer;
        net_moved (c, sp->file, NET_NONE);
    }
}

void facts_lookup (struct span *sp,
                   int rc,
                   const char *host,
                   struct addrinfo *const *found)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, rc ? -1 : 0, 0);

    if (sp->fd2)
        libcio_end ();
    if (host && span_active ())
        net_looked_up (&c, sp, peers_looked_up (host, rc ? NULL : *found));
    errno = saved_errno;
}

void facts_lookup_by (struct span *sp,
                      const char *host,
                      const struct hostent *found)
{
    int saved_errno = errno;
    struct net_call c = net_finished (sp, found ? 0 : -1, 0);

    if (sp->fd2)
        libcio_end ();
    if (found && span_active ())
        net_looked_up (&c, sp, peers_looked_up_by (host, found));
    errno = saved_errno;
}
