/* SPDX-License-Identifier: MIT
 *
 * peers.h - whom the process talks to over sockets -> sums by peer
 *
 * In:  addresses, names that were looked up, finished calls
 * Out: events net_sums; the number and the text of a peer
 *
 * A table of its own for each process, made when there is a first socket.
 * Lock-free and async-signal-safe; functions may change errno.
 */
#pragma once

#include <netdb.h>
#include <sys/socket.h>

/* Numbers of a peer; 0: not known yet. */
enum peer_number {
    PEER_NONE = 0,
    PEER_OTHERS,  /* for which the table has no room */
    PEER_LOCAL,   /* sockets that are not of IP */
    PEER_UNKNOWN, /* of IP, and the address was not told */
    PEER_FIRST
};

enum {
    PEERS_MAX = 64,     /* peers of a process that have a row each */
    PEERS_HOSTS = 32,   /* names that were looked up */
    PEERS_HOST = 128,   /* bytes of a name, with its NUL */
    PEERS_LOOKED = 256, /* addresses of them */
    PEERS_TEXT = PEERS_HOST + 16
};

/* Whose ports are told: that of a peer which has accepted the connection, but
 * not the one that the kernel gave to a peer whose connection was accepted. */
enum peer_side { PEER_SERVES, PEER_ASKS };

/* Effects of a call: the columns of a row. */
#define PEER_SUMS(X)                 \
    X (connections, NET_CONNECTIONS) \
    X (failed, NET_FAILED)           \
    X (calls, NET_CALLS)             \
    X (sent, NET_SENT)               \
    X (received, NET_RECEIVED)       \
    X (answers, NET_ANSWERS)         \
    X (ticks, NET_TIME)              \
    X (first_ticks, NET_FIRST)

struct peer_sums {
#define PEER_SUM(NAME, KEY) uint64_t NAME;
    PEER_SUMS (PEER_SUM)
#undef PEER_SUM
};

/* The peer at an address of n bytes, which may be read. */
unsigned peers_at (const struct sockaddr *a, socklen_t n, enum peer_side side);

/* The peer of a connected descriptor, by the kernel's word; PEER_NONE: it is
 * not connected. */
unsigned peers_of_fd (int fd, enum peer_side side);

/* The program has looked up a name. Returns the peer that such lookups are
 * counted for; PEER_NONE: it was no name. */
unsigned peers_looked_up (const char *host, const struct addrinfo *found);
unsigned peers_looked_up_by (const char *host, const struct hostent *found);

/* "host:port", "[address]:port", "host:*" (its connection was accepted),
 * "host:lookup", "local", "unknown", "others". Returns its length. */
size_t peers_text (unsigned peer, char text[PEERS_TEXT]);

/* Add what a call has done, up to now. */
void peers_add (unsigned peer, const struct peer_sums *s, uint64_t now);

/* True once for each peer: this process has not named it before. */
int peers_first (unsigned peer);

/* The process ends, or this image of it: what was not written yet. */
void peers_write (void);

/* In a child of fork, which begins with zeros. */
void peers_forked (void);
