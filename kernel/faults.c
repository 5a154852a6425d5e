/* SPDX-License-Identifier: MIT
 *
 * faults.c - page faults of mapped files -> events of layer mmap
 *
 * With the source MM_KERNEL, which says that all of them that slept, or brought
 * bytes, are there: the analysis needs no other then.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "kernel/calls.h"
#include "lib/format/usagekeys.h"

static const struct chunk_name faults_no_name;

static void faults_put (struct event *ev, enum usage_key key, uint64_t value)
{
    ev->args[ev->nargs++] = (struct event_arg){
        .key = key, .type = EVENT_ARG_INT, .i = (int64_t)value};
}

static void
faults_source (struct calls *c, struct thread *h, const struct abi_fault *r)
{
    struct event ev;

    memset (&ev, 0, offsetof (struct event, args));
    ev.start = ev.end = r->head.time;
    ev.call = CALL_mm_sources;
    ev.fd = -1;
    ev.offset = -1;
    ev.flags = MM_KERNEL;
    procs_record (c->procs, h, &ev, &faults_no_name, &faults_no_name);
    h->proc->faults_told = 1;
}

void faults_take (struct calls *c, const struct abi_fault *r)
{
    struct thread *h = procs_thread (c->procs, &r->head);
    struct chunk_name name = faults_no_name;
    struct event ev;

    if (!h || !h->proc->wanted)
        return;
    if (r->file && !calls_name (c, h, r->file, r->number, &name))
        return; /* the trace itself, too */
    if (!h->proc->faults_told)
        faults_source (c, h, r);
    memset (&ev, 0, offsetof (struct event, args));
    ev.end = r->head.time;
    ev.start = ev.end - r->slept;
    ev.call = CALL_page_fault;
    ev.fd = -1;
    ev.offset = name.path ? (int64_t)r->offset : -1;
    ev.flags = r->head.tid;
    if (!r->major)
        faults_put (&ev, USAGE_MINOR, 1);
    if (r->bytes)
        faults_put (&ev, USAGE_READ, r->bytes);
    procs_record (c->procs, h, &ev, &name, &faults_no_name);
}
