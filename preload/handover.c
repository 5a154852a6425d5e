/* SPDX-License-Identifier: MIT
 *
 * handover.c - LD_PRELOAD without a library that is not there, PYTHONPATH with
 *              the directory that layer app needs
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/core/record/recorder.h"
#include "lib/core/settings/pathlist.h"
#include "lib/core/path/preloads.h"
#include "lib/core/sys.h"
#include "preload/handover.h"
#include "preload/probe.h"

static const char preload[] = "LD_PRELOAD=";
static const char pythonpath[] = "PYTHONPATH=";

enum {
    ENTRY_MAX = 512,   /* longer ones are left as they are */
    TEXT_MAX = 1 << 17 /* more is E2BIG */
};

/* Whether n bytes of a list are the path of a library of ours. */
static int handover_is_ours (const char *entry, size_t n)
{
    return n < ENTRY_MAX && memchr (entry, '/', n) &&
           preloads_has_name (entry, n) && !memchr (entry, '$', n);
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
        if (handover_is_ours (list, n) && is_missing (list, n)) {
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

static const char *python; /* NULL: none */

void handover_start (const char *directory)
{
    python = directory && directory[0] ? directory : NULL;
}

/* Whether the kernel can read it; but it cannot be asked any more. */
static int can_read (struct probe *p, const void *at)
{
    return recorder_aside || probe_byte (p, at);
}

/* Whether a text begins with the variable; -1 when it cannot be read. */
static int begins (struct probe *p, const char *text, const char *variable)
{
    for (size_t i = 0; variable[i]; i++) {
        if (!can_read (p, text + i))
            return -1;
        if (text[i] != variable[i])
            return 0;
    }
    return 1;
}

/* Which of the two variables a text is of. */
enum { OTHER = 0, PRELOAD, PYTHONPATH, UNREADABLE };

static int variable_of (struct probe *p, const char *text)
{
    int is = begins (p, text, preload);

    if (is)
        return is > 0 ? PRELOAD : UNREADABLE;
    is = python ? begins (p, text, pythonpath) : 0;
    return is > 0 ? PYTHONPATH : is < 0 ? UNREADABLE : OTHER;
}

/* Counts h->envp; true when there is LD_PRELOAD. What cannot be read is for
 * the kernel to refuse, not for us. */
static int look_through (struct handover *h)
{
    struct probe vector = {0}, texts = {0};
    int found = 0, has_python = 0, is;
    const char *text;

    for (h->count = 1;; h->count++) {
        char *const *at = h->envp + h->count - 1;

        if (!can_read (&vector, at) ||
            !can_read (&vector, (const char *)(at + 1) - 1))
            return 0;
        if (!(text = *at))
            break;
        if ((is = variable_of (&texts, text)) == UNREADABLE)
            return 0;
        if (is == PRELOAD)
            h->preload = h->count - 1;
        else if (is == PYTHONPATH && !has_python)
            h->python = h->count - 1;
        found |= is == PRELOAD;
        has_python |= is == PYTHONPATH;
    }
    if (!has_python)
        h->python = h->count - 1;
    if (!found || recorder_aside)
        return found;
    return probe_text (&texts, h->envp[h->preload], TEXT_MAX) > 0 &&
           (!has_python ||
            probe_text (&texts, h->envp[h->python], TEXT_MAX) > 0);
}

static const char *preload_list (const struct handover *h)
{
    return h->envp[h->preload] + sizeof (preload) - 1;
}

/* NULL: there is none yet. */
static const char *python_list (const struct handover *h)
{
    const char *text = h->envp[h->python];

    return text ? text + sizeof (pythonpath) - 1 : NULL;
}

/* Whether the list names our library. */
static int has_library (const char *list)
{
    size_t n;

    for (; *list; list += n + (list[n] != '\0')) {
        n = strcspn (list, ": ");
        if (handover_is_ours (list, n))
            return 1;
    }
    return 0;
}

static size_t python_length (const struct handover *h)
{
    const char *list = python_list (h);

    return sizeof (pythonpath) + strlen (python) + 1 +
           (list ? strlen (list) : 0);
}

int handover_needed (struct handover *h, char *const envp[])
{
    int saved_errno = errno;

    if (!(recorder_layers || recorder_aside) || !envp)
        return 0;
    *h = (struct handover){.envp = envp};
    if (!look_through (h))
        return 0;
    h->length = sizeof (preload) + filter (preload_list (h), NULL, &h->dropped);
    h->adds = python && h->dropped == 0 && has_library (preload_list (h)) &&
              !pathlist_has (python_list (h), python, PATHLIST_PYTHON);
    if (h->adds) {
        h->count += h->envp[h->python] == NULL;
        h->length += python_length (h);
    }
    errno = saved_errno;
    return h->dropped > 0 || h->adds;
}

static void make_preload (const struct handover *h, char *text)
{
    size_t dropped = 0, used;

    memcpy (text, preload, sizeof (preload) - 1);
    used = filter (preload_list (h), text + sizeof (preload) - 1, &dropped);
    text[sizeof (preload) - 1 + used] = '\0';
}

static void make_python (const struct handover *h, char *text)
{
    size_t n = sizeof (pythonpath) - 1;

    memcpy (text, pythonpath, n);
    (void)pathlist_add (python_list (h), python, PATHLIST_PYTHON, text + n,
                        python_length (h) - n);
}

char *const *handover_make (const struct handover *h, char **to, char *text)
{
    int saved_errno = errno;
    size_t old = h->count - (h->adds && !h->envp[h->python]);

    if (recorder_aside)
        recorder_count_untraced ();
    memcpy (to, h->envp, old * sizeof (*to));
    to[h->count - 1] = NULL;
    if (h->dropped) {
        make_preload (h, text);
        to[h->preload] = text;
    }
    if (h->adds) {
        make_python (h, text);
        to[h->python] = text;
    }
    errno = saved_errno;
    return to;
}
