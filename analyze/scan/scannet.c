/* SPDX-License-Identifier: MIT
 *
 * scannet.c - calls on sockets and their sums -> totals of a peer
 *
 * In:  events net_sums; rows of calls in a profile, which has no sums
 * Out: the tally's peers, counts of the process
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/scan.h"
#include "lib/format/profile.h"

static int scannet_is_ip (const struct dict_entry *peer)
{
    static const char local[] = "local";

    return peer->length != sizeof (local) - 1 ||
           memcmp (peer->text, local, peer->length) != 0;
}

static int
scannet_add (const struct step *e, uint32_t name, struct peer_total *p)
{
    const struct dict_entry *peer =
        dict_entry_of (e->s->dict, name, SHARD_NAME_FILE);
    struct counts *n = &e->u->n;

    if (!peer)
        return 0;
    if (scannet_is_ip (peer)) {
        transfer_add (&n->net_sent,
                      &(struct transfer){p->calls, p->sent, p->ns});
        transfer_add (&n->net_first,
                      &(struct transfer){p->answers, 0, p->first_ns});
        n->net_received += p->received;
        n->net_connections += p->connections;
    }
    return tally_add_peer (&e->s->tally, peer->text, peer->length, p);
}

static uint64_t *scannet_sum (struct peer_total *p, unsigned usage)
{
    switch (usage) {
    case USAGE_NET_PROCESSES:
        return &p->processes;
    case USAGE_NET_CONNECTIONS:
        return &p->connections;
    case USAGE_NET_FAILED:
        return &p->failed;
    case USAGE_NET_CALLS:
        return &p->calls;
    case USAGE_NET_SENT:
        return &p->sent;
    case USAGE_NET_RECEIVED:
        return &p->received;
    case USAGE_NET_TIME:
        return &p->ns;
    case USAGE_NET_ANSWERS:
        return &p->answers;
    case USAGE_NET_FIRST:
        return &p->first_ns;
    default:
        return NULL;
    }
}

static int scannet_sums (const struct step *e)
{
    const struct batch *b = e->b;
    struct peer_total p = {0};

    for (uint32_t a = b->arg[e->i]; a < b->arg[e->i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        const struct dict_entry *key = dict_entry (e->s->dict, arg->key);
        uint64_t *to = NULL;

        if (key && key->key >= DICT_KEY_USAGE && arg->type == EVENT_ARG_INT &&
            arg->i > 0)
            to = scannet_sum (&p, key->key - (unsigned)DICT_KEY_USAGE);
        if (to)
            *to += (uint64_t)arg->i;
    }
    return scannet_add (e, b->name[e->i], &p);
}

int scannet_event (const struct step *e)
{
    enum call call = (enum call)e->b->call[e->i];
    struct call_total **total = &e->s->tally.call[call];

    if (call == CALL_net_sums)
        return scannet_sums (e);
    if (!*total && !(*total = calloc (1, sizeof (**total))))
        return -1;
    (*total)->bytes += e->b->bytes_read[e->i] | e->b->bytes_written[e->i];
    (*total)->errors += e->b->error[e->i] != 0;
    hist_add (&(*total)->time, e->end - e->start);
    return scan_keep_time (e);
}

int scannet_row (const struct step *e,
                 enum call call,
                 uint32_t name,
                 const uint64_t *n)
{
    uint64_t calls = n[PROFILE_calls];
    struct peer_total p = {0};

    if (call == CALL_net_sums)
        p.processes = calls;
    else if (call == CALL_connection)
        p.connections = calls;
    else if (call == CALL_first_byte) {
        p.answers = calls;
        p.first_ns = n[PROFILE_time];
    } else {
        p.calls = calls;
        p.ns = call == CALL_accept ? 0 : n[PROFILE_time];
        p.sent = call == CALL_send ? n[PROFILE_bytes] : 0;
        p.received = call == CALL_recv ? n[PROFILE_bytes] : 0;
        p.failed = call == CALL_connect ? n[PROFILE_errors] : 0;
    }
    return scannet_add (e, name, &p);
}
