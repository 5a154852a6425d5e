/* SPDX-License-Identifier: MIT
 *
 * envlook.c - envp -> struct envlook
 */
#include "config.h"

#include <string.h>

#include "preload/record/recorder.h"
#include "lib/base/parse.h"
#include "preload/follow/envlook.h"
#include "preload/probe.h"

static const char preload[] = "LD_PRELOAD=";
static const char pythonpath[] = "PYTHONPATH=";
static const char enable[] = "DFTRACE_ENABLE=";
static const char asan[] = "ASAN_OPTIONS=";

enum { TEXT_MAX = 1 << 17 /* of one entry; more is E2BIG */ };

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

/* Whether all of it can be read. */
static int is_whole (struct probe *p, const char *text)
{
    return recorder_aside || probe_text (p, text, TEXT_MAX) >= 0;
}

/* 1: the text is of the variable, and can be read. -1: it cannot. */
static int
envlook_is_of (struct probe *p, const char *text, const char *variable)
{
    int is = begins (p, text, variable);

    return is > 0 && !is_whole (p, text) ? -1 : is;
}

static unsigned settings_bits (const char *text, int *is, struct probe *p)
{
    int on = 1;

    if ((*is = envlook_is_of (p, text, "DFTRACE_JOB_DIR=")))
        return *is > 0 ? ENVLOOK_JOB_DIR : 0;
    if ((*is = envlook_is_of (p, text, "DFTRACE_LAYERS=")))
        return *is > 0 ? ENVLOOK_LAYERS : 0;
    if ((*is = envlook_is_of (p, text, enable)) > 0)
        (void)parse_bool (text + sizeof (enable) - 1, &on);
    return on ? 0 : ENVLOOK_DISABLED;
}

static unsigned asan_bit (const char *text, int *is, struct probe *p)
{
    *is = envlook_is_of (p, text, asan);
    return *is > 0 && strstr (text, "verify_asan_link_order=0") ? ENVLOOK_ASAN
                                                                : 0;
}

/* 0 when the entry cannot be read. */
static int
envlook_entry (struct envlook *l, struct probe *p, const char *text, size_t i)
{
    int is = 0;

    if (!can_read (p, text))
        return 0;
    switch (text[0]) {
    case 'L':
        if ((is = envlook_is_of (p, text, preload)) > 0)
            l->preload = i;
        break;
    case 'P':
        if ((is = envlook_is_of (p, text, pythonpath)) > 0 &&
            l->python == SIZE_MAX)
            l->python = i;
        break;
    case 'D':
        l->has |= settings_bits (text, &is, p);
        break;
    case 'V':
        is = envlook_is_of (p, text, "VALGRIND_LAUNCHER=");
        l->has |= is > 0 ? ENVLOOK_VALGRIND : 0;
        break;
    case 'A':
        l->has |= asan_bit (text, &is, p);
        break;
    default:
        break;
    }
    return is >= 0;
}

int envlook_read (struct envlook *l, char *const envp[])
{
    struct probe vector = {0}, texts = {0};
    size_t i = 0;

    *l =
        (struct envlook){.envp = envp, .preload = SIZE_MAX, .python = SIZE_MAX};
    for (; envp; i++) {
        if (!can_read (&vector, envp + i) ||
            !can_read (&vector, (const char *)(envp + i + 1) - 1))
            return 0;
        if (!envp[i])
            break;
        if (!envlook_entry (l, &texts, envp[i], i))
            return 0;
    }
    l->count = i;
    if (l->preload == SIZE_MAX)
        l->preload = i;
    if (l->python == SIZE_MAX)
        l->python = i;
    return 1;
}

const char *envlook_preload (const struct envlook *l)
{
    return l->preload < l->count ? l->envp[l->preload] + sizeof (preload) - 1
                                 : NULL;
}

const char *envlook_python (const struct envlook *l)
{
    return l->python < l->count ? l->envp[l->python] + sizeof (pythonpath) - 1
                                : NULL;
}
