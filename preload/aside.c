/* SPDX-License-Identifier: MIT
 *
 * aside.c - prctl, seccomp -> the end of tracing, where it must end
 *
 * In:  arguments of the calls
 * Out: recorder_step_aside; an event; a line in the list of untraced programs
 */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/base/sys.h"
#include "preload/aside.h"
#include "preload/bpf.h"
#include "preload/others.h"
#include "preload/wrap/mountask.h"
#include "preload/probe.h"
#include "preload/span.h"
#include "preload/untraced.h"

enum { CACHESTAT = 451 /* has no name in older headers */ };

/* Flags of the event trace_stopped; numbers in traces. */
enum aside_reason {
    ASIDE_NOT = 0,
    ASIDE_STRICT = 1,
    ASIDE_FILTER = 2,
    ASIDE_CLOCK = 3
};

static const unsigned aside_ours[] = {
#define OURS(NAME) SYS_##NAME,
#include "preload/ours.def"
#undef OURS
    CACHESTAT, MOUNTASK_STATMOUNT};

static const char *aside_text (enum aside_reason reason)
{
    return reason == ASIDE_STRICT   ? "seccomp, strict"
           : reason == ASIDE_FILTER ? "seccomp filter"
                                    : "no time stamp counter";
}

/* All n bytes can be read. */
static int aside_readable (const void *at, size_t n)
{
    struct probe p = {0};
    const char *byte = at;

    for (size_t i = 0; i < n; i++)
        if (!probe_byte (&p, byte + i))
            return 0;
    return 1;
}

/* One that the kernel will refuse, for whatever reason, is none. */
static enum aside_reason aside_filter (unsigned long address)
{
    const struct sock_fprog *f = (const struct sock_fprog *)(uintptr_t)address;

    if (!aside_readable (f, sizeof (*f)) || f->len == 0 ||
        f->len > BPF_MAXINSNS ||
        !aside_readable (f->filter, f->len * sizeof (*f->filter)))
        return ASIDE_NOT;
    for (size_t i = 0; i < sizeof (aside_ours) / sizeof (aside_ours[0]); i++)
        if (!bpf_spares (f, aside_ours[i]))
            return ASIDE_FILTER;
    return ASIDE_NOT;
}

static void aside_event (enum aside_reason reason)
{
    struct span sp = {.call = CALL_trace_stopped};
    struct record r;

    if (!span_open (&sp))
        return;
    span_result (&sp, &r, 0, 0);
    r.flags = reason;
    span_write (&r);
}

/* all: other threads will have the filter, too. */
static int aside_step (enum aside_reason reason, int all)
{
    aside_event (reason);
    recorder_count_untraced ();
    untraced_self ("stopped: ", aside_text (reason));
    mm_stop (all);
    recorder_step_aside ();
    if (all)
        others_wait ();
    return 1;
}

static int aside_for (enum aside_reason reason, int all)
{
    int saved_errno = errno, rc = 0;

    if (reason && recorder_layers && process_is_ours ())
        rc = aside_step (reason, all);
    errno = saved_errno;
    return rc;
}

int aside_prctl (int option, unsigned long mode, unsigned long filter)
{
    enum aside_reason reason = ASIDE_NOT;

    if (!recorder_layers)
        return 0;
    if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV)
        reason = ASIDE_CLOCK;
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT)
        reason = ASIDE_STRICT;
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER)
        reason = aside_filter (filter);
    return aside_for (reason, 0);
}

int aside_seccomp (unsigned operation,
                   unsigned long flags,
                   unsigned long filter)
{
    enum aside_reason reason = ASIDE_NOT;

    if (!recorder_layers)
        return 0;
    if (operation == SECCOMP_SET_MODE_STRICT)
        reason = ASIDE_STRICT;
    if (operation == SECCOMP_SET_MODE_FILTER)
        reason = aside_filter (filter);
    return aside_for (reason, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
}

/* After a failed call the process stays listed and counted, since it was
 * tried. */
void aside_done (long rc)
{
    int saved_errno = errno;

    if (rc < 0) {
        recorder_step_back ();
        aside_event (ASIDE_NOT);
    }
    errno = saved_errno;
}
