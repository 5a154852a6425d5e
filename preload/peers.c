/* SPDX-License-Identifier: MIT
 *
 * peers.c - a table of peers, of names and of addresses
 *
 * Rows are only added, each by whoever finds its place free first; their sums
 * are taken out as they are written, so that an event has what came after the
 * one before it, and nothing is counted twice by whom it interrupts. Sums are
 * written when the process ends, and now and then before that: a process that
 * is killed has told all but the last second, or the last 1/16 of its time.
 */
#include "config.h"

#include <netinet/in.h>

#include "lib/base/clock.h"
#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/peers.h"
#include "preload/record/recorder.h"
#include "preload/record/usage.h"

enum peers_kind { KIND_FIXED, KIND_INET, KIND_INET6, KIND_HOST };

enum {
    PORT_NONE = 0,
    PORT_LOOKUP = 1 << 16, /* behind the ports that there are */
    ADDRESS_BYTES = 16,
    WRITE_NS = 1000000000, /* between two events of a peer, at least */
    WRITE_SHARE = 16
};

enum peers_state { FREE = 0, FILLING, READY };

struct peers_key {
    uint32_t kind, port;
    uint8_t address[ADDRESS_BYTES]; /* KIND_HOST: its number */
};

struct peers_row {
    uint32_t state, told; /* told: the process has named this peer */
    struct peers_key key;
    struct peer_sums sums;
};

struct peers_host {
    uint32_t state, length;
    char text[PEERS_HOST];
};

struct peers_looked {
    uint32_t state, host;
    struct peers_key key; /* port 0 */
};

struct peers_table {
    uint64_t began, due; /* ticks */
    struct peers_row row[PEERS_MAX];
    struct peers_host host[PEERS_HOSTS];
    struct peers_looked looked[PEERS_LOOKED];
};

static SYS_NEAR struct peers_table *table; /* NULL: no socket so far */

static struct peers_table *peers_table (void)
{
    struct peers_table *t = __atomic_load_n (&table, __ATOMIC_ACQUIRE);
    struct peers_table *none = NULL;

    if (t || recorder_aside)
        return t;
    if (!(t = sys_memory (sizeof (*t))))
        return NULL;
    t->began = clock_tick ();
    for (unsigned i = 0; i < PEER_FIRST; i++)
        t->row[i].state = READY;
    if (__atomic_compare_exchange_n (&table, &none, t, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return t;
    (void)sys_munmap (t, sizeof (*t));
    return none;
}

/* --- finding ------------------------------------------------------------ */

static int peers_is_ready (const uint32_t *state)
{
    return __atomic_load_n (state, __ATOMIC_ACQUIRE) == READY;
}

/* True if this place was free and is now the caller's to fill. */
static int peers_take (uint32_t *state)
{
    uint32_t is_free = FREE;

    return __atomic_compare_exchange_n (state, &is_free, FILLING, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void peers_fill (uint32_t *state)
{
    __atomic_store_n (state, READY, __ATOMIC_RELEASE);
}

static unsigned peers_hash (const struct peers_key *k)
{
    uint32_t h = k->kind * 31 + k->port;

    for (unsigned i = 0; i < ADDRESS_BYTES; i++)
        h = (h ^ k->address[i]) * 0x01000193u;
    return h ^ h >> 15;
}

static int peers_same (const struct peers_key *a, const struct peers_key *b)
{
    return memcmp (a, b, sizeof (*a)) == 0;
}

static unsigned peers_row (struct peers_table *t, const struct peers_key *k)
{
    unsigned rows = PEERS_MAX - PEER_FIRST, at = peers_hash (k) % rows;

    for (unsigned i = 0; i < rows; i++, at = (at + 1) % rows) {
        struct peers_row *r = &t->row[PEER_FIRST + at];

        if (peers_take (&r->state)) {
            r->key = *k;
            peers_fill (&r->state);
            return PEER_FIRST + at;
        }
        if (peers_is_ready (&r->state) && peers_same (&r->key, k))
            return PEER_FIRST + at;
    }
    return PEER_OTHERS;
}

/* Its place, made if need be; NULL: there is no room. */
static struct peers_looked *
peers_looked (struct peers_table *t, const struct peers_key *k, int make)
{
    unsigned at = peers_hash (k) % PEERS_LOOKED;

    for (unsigned i = 0; i < PEERS_LOOKED; i++, at = (at + 1) % PEERS_LOOKED) {
        struct peers_looked *l = &t->looked[at];

        if (peers_is_ready (&l->state)) {
            if (peers_same (&l->key, k))
                return l;
        } else if (!make && !__atomic_load_n (&l->state, __ATOMIC_RELAXED))
            return NULL;
        else if (make && peers_take (&l->state)) {
            l->key = *k;
            l->host = PEERS_HOSTS;
            peers_fill (&l->state);
            return l;
        }
    }
    return NULL;
}

/* Number of a name, PEERS_HOSTS: there is no room. */
static unsigned peers_host (struct peers_table *t, const char *text)
{
    size_t n = strnlen (text, PEERS_HOST);

    for (unsigned i = 0; n < PEERS_HOST && i < PEERS_HOSTS; i++) {
        struct peers_host *h = &t->host[i];

        if (peers_take (&h->state)) {
            memcpy (h->text, text, n);
            h->length = (uint32_t)n;
            peers_fill (&h->state);
            return i;
        }
        if (peers_is_ready (&h->state) && h->length == n &&
            memcmp (h->text, text, n) == 0)
            return i;
    }
    return PEERS_HOSTS;
}

/* --- addresses ---------------------------------------------------------- */

static void peers_key_of_host (struct peers_key *k, unsigned host)
{
    k->kind = KIND_HOST;
    memset (k->address, 0, sizeof (k->address));
    k->address[0] = (uint8_t)host;
}

/* -1: not of IP. An address of version 4 in one of version 6 is the former. */
static int
peers_key (struct peers_key *k, const struct sockaddr *a, socklen_t n)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
    const struct sockaddr_in *four = (const struct sockaddr_in *)a;

    memset (k, 0, sizeof (*k));
    if (a->sa_family == AF_INET && n >= sizeof (*four)) {
        k->kind = KIND_INET;
        k->port = ntohs (four->sin_port);
        memcpy (k->address, &four->sin_addr, sizeof (four->sin_addr));
        return 0;
    }
    if (a->sa_family != AF_INET6 ||
        n < offsetof (struct sockaddr_in6, sin6_scope_id))
        return -1;
    k->port = ntohs (six->sin6_port);
    k->kind = memcmp (&six->sin6_addr, mapped, sizeof (mapped)) == 0
                  ? KIND_INET
                  : KIND_INET6;
    memcpy (k->address,
            six->sin6_addr.s6_addr +
                (k->kind == KIND_INET ? sizeof (mapped) : 0),
            k->kind == KIND_INET ? 4 : ADDRESS_BYTES);
    return 0;
}

unsigned peers_at (const struct sockaddr *a, socklen_t n, enum peer_side side)
{
    struct peers_table *t = peers_table ();
    const struct peers_looked *l;
    struct peers_key k;
    uint32_t port, host = PEERS_HOSTS;

    if (!t || n < sizeof (a->sa_family))
        return PEER_NONE;
    if (peers_key (&k, a, n) < 0)
        return PEER_LOCAL;
    port = side == PEER_ASKS ? PORT_NONE : k.port;
    k.port = 0;
    if ((l = peers_looked (t, &k, 0)))
        host = __atomic_load_n (&l->host, __ATOMIC_RELAXED);
    if (host < PEERS_HOSTS)
        peers_key_of_host (&k, host);
    k.port = port;
    return peers_row (t, &k);
}

unsigned peers_of_fd (int fd, enum peer_side side)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof (a);

    if (recorder_aside || sys_call (SYS_getpeername, fd, &a, &n) < 0)
        return PEER_NONE;
    if (n < sizeof (a.ss_family)) /* a socket of AF_UNIX without a name */
        return PEER_LOCAL;
    return peers_at ((const struct sockaddr *)&a, n, side);
}

/* --- names -------------------------------------------------------------- */

/* Only digits and points, or a colon among them: that is an address. */
static int peers_is_name (const char *host)
{
    size_t n = strnlen (host, PEERS_HOST);
    int others = 0;

    for (size_t i = 0; i < n; i++) {
        if (host[i] == ':')
            return 0;
        others += host[i] != '.' && (host[i] < '0' || host[i] > '9');
    }
    return others && n < PEERS_HOST;
}

static unsigned peers_lookup_row (struct peers_table *t, unsigned host)
{
    struct peers_key k = {.kind = 0};

    if (host >= PEERS_HOSTS)
        return PEER_OTHERS;
    peers_key_of_host (&k, host);
    k.port = PORT_LOOKUP;
    return peers_row (t, &k);
}

static void
peers_found (struct peers_table *t, struct peers_key *k, unsigned host)
{
    struct peers_looked *l;

    k->port = 0;
    if (host < PEERS_HOSTS && (l = peers_looked (t, k, 1)))
        __atomic_store_n (&l->host, host, __ATOMIC_RELAXED);
}

unsigned peers_looked_up (const char *host, const struct addrinfo *found)
{
    struct peers_table *t = peers_is_name (host) ? peers_table () : NULL;
    unsigned number;
    struct peers_key k;

    if (!t)
        return PEER_NONE;
    number = peers_host (t, host);
    for (; found; found = found->ai_next)
        if (found->ai_addr &&
            peers_key (&k, found->ai_addr, found->ai_addrlen) == 0)
            peers_found (t, &k, number);
    return peers_lookup_row (t, number);
}

unsigned peers_looked_up_by (const char *host, const struct hostent *found)
{
    struct peers_table *t = peers_is_name (host) ? peers_table () : NULL;
    unsigned number;
    struct peers_key k;

    if (!t)
        return PEER_NONE;
    number = peers_host (t, host);
    for (char *const *a = found ? found->h_addr_list : NULL; a && *a; a++) {
        int length = found->h_length;

        memset (&k, 0, sizeof (k));
        k.kind = found->h_addrtype == AF_INET ? KIND_INET : KIND_INET6;
        if (length <= 0 || length > ADDRESS_BYTES)
            break;
        memcpy (k.address, *a, (size_t)length);
        peers_found (t, &k, number);
    }
    return peers_lookup_row (t, number);
}

/* --- texts -------------------------------------------------------------- */

static size_t peers_number (char *to, unsigned n, unsigned base, unsigned least)
{
    static const char digit[] = "0123456789abcdef";
    char text[16];
    size_t i = sizeof (text), count;

    do {
        text[--i] = digit[n % base];
        n /= base;
    } while (n || sizeof (text) - i < least);
    count = sizeof (text) - i;
    memcpy (to, text + i, count);
    return count;
}

static size_t peers_inet (char *to, const uint8_t *a)
{
    size_t n = 0;

    for (unsigned i = 0; i < 4; i++) {
        if (i)
            to[n++] = '.';
        n += peers_number (to + n, a[i], 10, 1);
    }
    return n;
}

static unsigned peers_group (const uint8_t *a, unsigned i)
{
    return (unsigned)a[2 * i] << 8 | a[2 * i + 1];
}

/* The longest run of zeros is "::", as RFC 5952 wants it. */
static size_t peers_inet6 (char *to, const uint8_t *a)
{
    unsigned best = 8, longest = 1;
    size_t n = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned end = i;

        while (end < 8 && !peers_group (a, end))
            end++;
        if (end - i > longest) {
            best = i;
            longest = end - i;
        }
    }
    to[n++] = '[';
    for (unsigned i = 0; i < 8; i++) {
        if (i == best) {
            to[n++] = ':';
            to[n++] = ':';
            i += longest - 1;
            continue;
        }
        if (i && i != best + longest)
            to[n++] = ':';
        n += peers_number (to + n, peers_group (a, i), 16, 1);
    }
    to[n++] = ']';
    return n;
}

static size_t peers_copy (char *to, const char *text)
{
    size_t n = strlen (text);

    memcpy (to, text, n);
    return n;
}

static size_t peers_host_text (const struct peers_table *t,
                               const struct peers_key *k,
                               char *to)
{
    const struct peers_host *h = &t->host[k->address[0] % PEERS_HOSTS];

    if (k->kind == KIND_INET)
        return peers_inet (to, k->address);
    if (k->kind == KIND_INET6)
        return peers_inet6 (to, k->address);
    memcpy (to, h->text, h->length);
    return h->length;
}

size_t peers_text (unsigned peer, char text[PEERS_TEXT])
{
    static const char fixed[PEER_FIRST][8] = {[PEER_NONE] = "unknown",
                                              [PEER_OTHERS] = "others",
                                              [PEER_LOCAL] = "local",
                                              [PEER_UNKNOWN] = "unknown"};
    const struct peers_table *t = __atomic_load_n (&table, __ATOMIC_ACQUIRE);
    const struct peers_key *k;
    size_t n;

    if (!t || peer < PEER_FIRST || peer >= PEERS_MAX)
        return peers_copy (text, fixed[peer < PEER_FIRST ? peer : PEER_NONE]);
    k = &t->row[peer].key;
    n = peers_host_text (t, k, text);
    text[n++] = ':';
    if (k->port == PORT_LOOKUP)
        return n + peers_copy (text + n, "lookup");
    if (k->port == PORT_NONE)
        return n + peers_copy (text + n, "*");
    return n + peers_number (text + n, k->port, 10, 1);
}

/* --- sums --------------------------------------------------------------- */

static int peers_any (const struct peers_row *r)
{
    return __atomic_load_n (&r->sums.calls, __ATOMIC_RELAXED) ||
           __atomic_load_n (&r->sums.connections, __ATOMIC_RELAXED) ||
           __atomic_load_n (&r->sums.failed, __ATOMIC_RELAXED);
}

static uint64_t peers_out (uint64_t *sum)
{
    return __atomic_load_n (sum, __ATOMIC_RELAXED)
               ? __atomic_exchange_n (sum, 0, __ATOMIC_RELAXED)
               : 0;
}

int peers_first (unsigned peer)
{
    struct peers_table *t = __atomic_load_n (&table, __ATOMIC_ACQUIRE);

    return t && peer < PEERS_MAX &&
           !__atomic_exchange_n (&t->row[peer].told, 1, __ATOMIC_RELAXED);
}

static void peers_write_row (struct peers_row *r, unsigned peer)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record event = {.call = CALL_net_sums, .fd = -1, .offset = -1};
    char text[PEERS_TEXT];
    uint32_t n = 0;
    uint64_t sum;

    if (peers_first (peer))
        n = usage_put (args, n, USAGE_NET_PROCESSES, 1);
#define PEER_SUM(NAME, KEY)                                   \
    if ((sum = peers_out (&r->sums.NAME)))                    \
        n = usage_put (args, n, USAGE_##KEY,                  \
                       USAGE_##KEY == USAGE_NET_TIME ||       \
                               USAGE_##KEY == USAGE_NET_FIRST \
                           ? clock_ns_of (sum)                \
                           : sum);
    PEER_SUMS (PEER_SUM)
#undef PEER_SUM
    event.start = event.end = clock_tick ();
    event.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_SOCKET, text,
                               peers_text (peer, text));
    event.args = args;
    event.nargs = (uint8_t)n;
    recorder_record (&event);
}

/* Sockets of the node alone are no reason for a file. */
static void peers_write_all (struct peers_table *t)
{
    unsigned only = recorder_has_file () ? PEER_NONE : PEER_LOCAL;

    if (!recorder_enter ())
        return;
    for (unsigned i = 0; i < PEERS_MAX; i++)
        if (i != only && peers_is_ready (&t->row[i].state) &&
            peers_any (&t->row[i]))
            peers_write_row (&t->row[i], i);
    recorder_leave ();
}

void peers_write (void)
{
    struct peers_table *t = __atomic_load_n (&table, __ATOMIC_ACQUIRE);

    if (t && recorder_layers)
        peers_write_all (t);
}

/* Ticks until the next events: more as there were more of them. */
static uint64_t peers_interval (const struct peers_table *t, uint64_t now)
{
    struct clock_pair pair = clock_pair ();
    uint64_t least = clock_known () > 0 ? clock_hz (&pair) : WRITE_NS;
    uint64_t share = now > t->began ? (now - t->began) / WRITE_SHARE : 0;

    return share > least ? share : least;
}

static void peers_now_and_then (struct peers_table *t, uint64_t now)
{
    uint64_t due = __atomic_load_n (&t->due, __ATOMIC_RELAXED);

    if (now < due)
        return;
    if (!__atomic_compare_exchange_n (&t->due, &due,
                                      now + peers_interval (t, now), 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    if (due)
        peers_write_all (t);
}

void peers_add (unsigned peer, const struct peer_sums *s, uint64_t now)
{
    struct peers_table *t = peers_table ();
    struct peers_row *r;

    if (!t || peer >= PEERS_MAX)
        return;
    r = &t->row[peer ? peer : PEER_UNKNOWN];
#define PEER_SUM(NAME, KEY) \
    if (s->NAME)            \
        (void)__atomic_fetch_add (&r->sums.NAME, s->NAME, __ATOMIC_RELAXED);
    PEER_SUMS (PEER_SUM)
#undef PEER_SUM
    peers_now_and_then (t, now);
}

void peers_forked (void)
{
    struct peers_table *t = table;

    if (!t)
        return;
    for (unsigned i = 0; i < PEERS_MAX; i++) {
        t->row[i].sums = (struct peer_sums){0};
        t->row[i].told = 0;
    }
    t->began = clock_tick ();
    t->due = 0;
}
