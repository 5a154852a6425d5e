/* SPDX-License-Identifier: MIT
 *
 * departure.c - name, envp -> kind, environment, a line and an event of what is
 *               not traced
 */
#include "config.h"

#include "lib/settings/paths.h"
#include "lib/format/event.h"
#include "lib/base/sys.h"
#include "preload/counted.h"
#include "preload/follow/departure.h"
#include "preload/kernelsay.h"
#include "preload/peers.h"
#include "preload/span.h"
#include "preload/untraced.h"

int departure_plan (struct departure *d,
                    const struct program_name *name,
                    char *const envp[])
{
    enum program_kind kind = PROGRAM_UNKNOWN;
    int can_look;

    d->name = *name;
    d->spare = (struct spare){NULL, 0};
    d->ours = recorder_layers && process_is_ours ();
    d->starts = 0;
    d->o.kind = PROGRAM_UNKNOWN;
    if (!outfit_is_active ())
        return 0;
    can_look = outfit_look (&d->o, envp);
    if (!recorder_aside &&
        (recorder_layers || (can_look && !outfit_carries (&d->o))))
        kind = program_kind (name, &d->starts);
    d->o.kind = kind;
    return can_look && outfit_plan (&d->o, kind);
}

char *const *departure_make (struct departure *d, void *stack)
{
    int saved_errno = errno;
    void *memory = stack ? stack : spare_take (&d->spare, d->o.room);

    errno = saved_errno;
    return memory ? outfit_make (&d->o, memory) : NULL;
}

/* --- programs that are not traced --------------------------------------- */

static __attribute__ ((noinline)) void
list_untraced (pid_t pid, const struct program_name *t, enum program_kind kind)
{
    char path[PATH_MAX];
    ssize_t n = 0;

    if (t->search && !strchr (t->name, '/'))
        program_search (t->name, path, sizeof (path));
    else if (strncmp (t->name, "/proc/self/fd/", 14) == 0 &&
             (n = sys_readlink (t->name, path, sizeof (path) - 1)) > 0)
        path[n] = '\0';
    else {
        untraced_program (pid, t->dirfd, t->name, programkind_reason (kind));
        return;
    }
    untraced_program (pid, AT_FDCWD, path, programkind_reason (kind));
}

/* In a child of vfork no event, as that would be the parent's: no more than
 * one addition in its memory, and a line in a file. */
void departure_note (struct departure *d, pid_t pid)
{
    struct span sp = {.call = CALL_exec_untraced};
    enum program_kind kind = d->o.kind;
    const char *name = d->name.name;
    int saved_errno = errno;
    struct record r;

    if (!recorder_layers || kind == PROGRAM_UNKNOWN || d->starts <= 0 ||
        kernelsay_sees ())
        return;
    if (!programkind_is_wish (kind))
        recorder_count_untraced ();
    list_untraced (pid, &d->name, kind);
    if (d->ours && span_open (&sp)) {
        span_result (&sp, &r, 0, 0);
        r.file = names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, name,
                               strnlen (name, EVENT_NAME_MAX));
        r.flags = kind;
        span_write (&r);
    }
    errno = saved_errno;
}

/* --- exec ---------------------------------------------------------------- */

void departure_exec (struct departure *d)
{
    int saved_errno = errno;

    departure_note (d, sys_getpid ());
    if (d->ours) {
        mm_flush ();
        peers_write ();
        recorder_exec (1);
        recorder_thread_end ();
        if (d->starts >= 0) /* shells try one directory after the other */
            counted_exec ();
    } else
        spare_leave (&d->spare);
    errno = saved_errno;
}

int departure_failed (struct departure *d, int rc)
{
    if (d->ours)
        recorder_exec (0);
    spare_free (&d->spare);
    return rc;
}

int departure_too_large (struct departure *d)
{
    if (!d->o.adds || d->o.kind != PROGRAM_UNKNOWN)
        return 0;
    d->o.kind = PROGRAM_TOO_LARGE;
    return 1;
}

void departure_end (struct departure *d)
{
    spare_free (&d->spare);
}
