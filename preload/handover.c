/* SPDX-License-Identifier: MIT
 *
 * handover.c - LD_PRELOAD without a library that is not there
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/core/record/recorder.h"
#include "lib/core/sys.h"
#include "preload/handover.h"
#include "preload/probe.h"

static const char variable[] = "LD_PRELOAD=";
static const char library[] = "libdftrace_preload.so";

enum {
    ENTRY_MAX = 512,   /* longer ones are left as they are */
    TEXT_MAX = 1 << 17 /* more is E2BIG */
};

/* Whether n bytes of a list are the path of our library. */
static int is_ours (const char *entry, size_t n)
{
    size_t tail = sizeof (library) - 1;

    return n > tail && n < ENTRY_MAX && entry[n - tail - 1] == '/' &&
           memcmp (entry + n - tail, library, tail) == 0 &&
           !memchr (entry, '$', n);
}

/* Or not to be started, where a system call of ours is the end. */
static int is_missing (const char *entry, size_t n)
{
    char path[ENTRY_MAX];

    if (recorder_aside)
        return 1;
    memcpy (path, entry, n);
    path[n] = '\0';
    return sys_call (SYS_faccessat, AT_FDCWD, path, R_OK) < 0 &&
           (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}

/* The loader separates by colons and blanks. Copies what stays to out, unless
 * that is NULL; returns its length, *dropped how many went. */
static size_t filter (const char *list, char *out, size_t *dropped)
{
    size_t n, used = 0;

    for (; *list; list += n + (list[n] != '\0')) {
        n = strcspn (list, ": ");
        if (is_ours (list, n) && is_missing (list, n)) {
            (*dropped)++;
            continue;
        }
        if (out && used > 0)
            out[used] = ':';
        used += used > 0;
        if (out)
            memcpy (out + used, list, n);
        used += n;
    }
    return used;
}

/* Whether the kernel can read it; but it cannot be asked any more. */
static int can_read (struct probe *p, const void *at)
{
    return recorder_aside || probe_byte (p, at);
}

/* Whether a text begins with the variable; -1 when it cannot be read. */
static int begins (struct probe *p, const char *text)
{
    for (size_t i = 0; i < sizeof (variable) - 1; i++) {
        if (!can_read (p, text + i))
            return -1;
        if (text[i] != variable[i])
            return 0;
    }
    return 1;
}

/* Counts h->envp; true when there is LD_PRELOAD, then at h->index. What cannot
 * be read is for the kernel to refuse, not for us. */
static int look_through (struct handover *h)
{
    struct probe vector = {0}, texts = {0};
    const char *text;
    int found = 0, is;

    for (h->count = 1;; h->count++) {
        char *const *at = h->envp + h->count - 1;

        if (!can_read (&vector, at) ||
            !can_read (&vector, (const char *)(at + 1) - 1))
            return 0;
        if (!(text = *at))
            break;
        if ((is = begins (&texts, text)) < 0)
            return 0;
        if (is)
            h->index = h->count - 1;
        found |= is;
    }
    return found && (recorder_aside ||
                     probe_text (&texts, h->envp[h->index], TEXT_MAX) > 0);
}

int handover_needed (struct handover *h, char *const envp[])
{
    int saved_errno = errno;
    size_t dropped = 0;

    if (!(recorder_layers || recorder_aside) || !envp)
        return 0;
    h->envp = envp;
    h->index = 0;
    if (!look_through (h))
        return 0;
    h->length = sizeof (variable) +
                filter (envp[h->index] + sizeof (variable) - 1, NULL, &dropped);
    errno = saved_errno;
    return dropped > 0;
}

char *const *handover_make (const struct handover *h, char **to, char *text)
{
    int saved_errno = errno;
    size_t dropped = 0, used;

    if (recorder_aside)
        recorder_count_untraced ();
    memcpy (text, variable, sizeof (variable) - 1);
    used = filter (h->envp[h->index] + sizeof (variable) - 1,
                   text + sizeof (variable) - 1, &dropped);
    text[sizeof (variable) - 1 + used] = '\0';
    memcpy (to, h->envp, h->count * sizeof (*to));
    to[h->index] = text;
    errno = saved_errno;
    return to;
}
