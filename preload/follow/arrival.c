/* SPDX-License-Identifier: MIT
 *
 * arrival.c - envp of a program that has just been started -> settings that it
 *             was told; envp as it was given
 *
 * Caveat: between us and who added the entries there may have been a static
 *         program, which does not take them out: it may have moved them, made
 *         one LD_PRELOAD of two, or put libraries of its own into it.
 */
#include "config.h"

#include <elf.h>
#include <linux/prctl.h>

#include "lib/base/sys.h"
#include "lib/settings/preloads.h"
#include "lib/settings/settings.h"
#include "preload/follow/arrival.h"
#include "preload/follow/locks.h"
#include "preload/follow/told.h"

static const char preload[] = "LD_PRELOAD=";

static SYS_START const char *libraries = "";

/* An environment that is looked through. */
struct arrival {
    char **envp;
    size_t count;   /* entries */
    size_t told;    /* the last DFTRACE_TOLD; SIZE_MAX: none */
    size_t preload; /* the last LD_PRELOAD, which the loader took; SIZE_MAX */
    unsigned preloads;
};

static void arrival_look (struct arrival *a, char **envp)
{
    static const char told[] = TOLD_VARIABLE;

    *a = (struct arrival){.envp = envp, .told = SIZE_MAX, .preload = SIZE_MAX};
    for (; envp && envp[a->count]; a->count++) {
        const char *text = envp[a->count];

        if (text[0] == 'L' &&
            strncmp (text, preload, sizeof (preload) - 1) == 0) {
            a->preload = a->count;
            a->preloads++;
        } else if (text[0] == 'D' &&
                   strncmp (text, told, sizeof (told) - 1) == 0)
            a->told = a->count;
    }
}

/* --- our libraries -----------------------------------------------------------
 */

/* By hand: strcspn and memchr are a page fault each, where nobody else calls
 * them. */
static size_t arrival_length (const char *list, int *expands)
{
    size_t n = 0;

    *expands = 0;
    for (; list[n] && list[n] != ':' && list[n] != ' '; n++)
        *expands |= list[n] == '$';
    return n;
}

static void arrival_find_libraries (const char *list)
{
    static char far[2 * PATH_MAX];
    static SYS_NEAR char near[256];
    char *out = strlen (list) < sizeof (near) ? near : far;
    size_t n, used = 0;
    int expands;

    libraries = out;
    for (; *list; list += n + (list[n] != '\0')) {
        n = arrival_length (list, &expands);
        if (list[0] != '/' || expands || !preloads_has_name (list, n) ||
            used + n + 2 > sizeof (far))
            continue;
        if (used)
            out[used++] = ':';
        memcpy (out + used, list, n);
        used += n;
        out[used] = '\0';
    }
}

const char *arrival_libraries (void)
{
    return libraries;
}

/* --- taking out --------------------------------------------------------------
 */

/* Cut our libraries out of a list, where it stands. */
static void arrival_cut (char *list)
{
    size_t n, length = strlen (list);
    char *to = list;
    int expands;

    for (const char *from = list; *from; from += n + (from[n] != '\0')) {
        n = arrival_length (from, &expands);
        if (preloads_has_name (from, n))
            continue;
        if (to > list)
            *to++ = ':';
        memmove (to, from, n);
        to += n;
        if (!from[n])
            break;
    }
    memset (to, 0, (size_t)(list + length - to));
}

/* Whether the entry of LD_PRELOAD goes; if it stays, without ours. */
static int arrival_drops (const struct arrival *a, unsigned flags)
{
    char *list;

    if (a->preload == SIZE_MAX)
        return 0;
    if (flags & TOLD_PRELOAD && a->preloads > 1)
        return 1; /* their own is in front of it */
    list = a->envp[a->preload] + sizeof (preload) - 1;
    if (!(flags & TOLD_OURS))
        arrival_cut (list);
    return !(flags & TOLD_PRELOAD) && !*list;
}

static void arrival_remove (char **envp, size_t i)
{
    for (; envp[i]; i++)
        envp[i] = envp[i + 1];
}

/* Between the new end and the auxiliary vector, gap places are free. Who walks
 * from one to the other must find a vector: pairs. */
static void arrival_pad (char **envp, size_t count, size_t gap)
{
    if (gap == 1 && count > 0) {
        envp[count] = envp[0]; /* twice is the lesser evil */
        envp[count + 1] = NULL;
        return;
    }
    for (size_t i = 1; i + 1 <= gap; i += 2) {
        envp[count + i] = (char *)(uintptr_t)AT_IGNORE;
        envp[count + i + 1] = NULL;
    }
}

/* Returns how many entries went. */
static size_t arrival_clear (struct arrival *a, int drops)
{
    size_t first = a->told, second = SIZE_MAX, gap = 1;

    if (drops) {
        first = a->told > a->preload ? a->told : a->preload;
        second = a->told > a->preload ? a->preload : a->told;
        gap = 2;
    }
    arrival_remove (a->envp, first);
    if (second != SIZE_MAX)
        arrival_remove (a->envp, second);
    a->count -= gap;
    return gap;
}

/* The environment has moved already: somebody's constructor has set a
 * variable. */
static void arrival_take_moved (char **envp, unsigned flags)
{
    struct arrival a;

    arrival_look (&a, envp);
    if (a.told != SIZE_MAX)
        (void)arrival_clear (
            &a, a.preload != SIZE_MAX &&
                    (flags & TOLD_PRELOAD
                         ? a.preloads > 1
                         : !a.envp[a.preload][sizeof (preload) - 1]));
}

static struct environend_text arrival_text (char *text)
{
    return (struct environend_text){text, text ? strlen (text) + 1 : 0};
}

void arrival_take (char **envp)
{
    struct environend_text told, list = {NULL, 0};
    const char *variables;
    struct arrival a;
    unsigned flags;
    size_t gap;
    int drops;

    arrival_look (&a, envp);
    if (a.preload != SIZE_MAX) {
        list = arrival_text (envp[a.preload]);
        arrival_find_libraries (list.text + sizeof (preload) - 1);
    }
    if (a.told == SIZE_MAX)
        return;
    told = arrival_text (envp[a.told]);
    flags = told_flags (told.text);
    if ((variables = told_texts (told.text)))
        settings_tell (variables);
    if (flags & TOLD_LOCKS)
        locks_inherit ();
    drops = arrival_drops (&a, flags);
    if (environ != envp)
        arrival_take_moved (environ, flags);
    gap = arrival_clear (&a, drops);
    arrival_pad (envp, a.count, gap);
    if (!drops)
        list.text = NULL;
    environend_hide (list, told);
}

/* ---- addresses of texts -> the end of the environment, for the kernel ---- */

enum {
    /* fields of /proc/PID/stat, as in proc(5) */
    STAT_STATE = 3,
    STAT_CODE = 26,
    STAT_CODE_END = 27,
    STAT_STACK = 28,
    STAT_DATA = 45,
    STAT_DATA_END = 46,
    STAT_BRK = 47,
    STAT_ARG = 48,
    STAT_ARG_END = 49,
    STAT_ENV = 50,
    STAT_ENV_END = 51,
    STAT_FIELDS = 52
};

/* Fields behind the name, which may have blanks and parentheses. 0 or -1. */
static int read_stat (unsigned long long field[STAT_FIELDS])
{
    char text[1024];
    int fd = sys_open ("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? -1 : sys_read (fd, text, sizeof (text) - 1);
    const char *p;
    int i = STAT_STATE;

    if (fd >= 0)
        (void)sys_close (fd);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    if (!(p = strrchr (text, ')')))
        return -1;
    for (p += p[1] == ' ' ? 2 : 1; *p && i < STAT_FIELDS; i++) {
        field[i] = 0;
        for (; *p && *p != ' '; p++)
            field[i] = field[i] * 10 + (unsigned)(*p - '0');
        p += *p == ' ';
    }
    return i == STAT_FIELDS ? 0 : -1;
}

/* Whether the texts are the last ones before the address end. */
static int environend_is_last (struct environend_text first,
                               struct environend_text second,
                               uintptr_t end)
{
    return first.text && first.text + first.n == second.text &&
           (uintptr_t)second.text + second.n == end;
}

/* 0, or -1: the kernel was not told. */
static int environend_lower (struct environend_text first,
                             struct environend_text second)
{
    unsigned long long f[STAT_FIELDS];
    struct prctl_mm_map map;

    if (read_stat (f) < 0 ||
        !environend_is_last (first, second, (uintptr_t)f[STAT_ENV_END]))
        return -1;
    map = (struct prctl_mm_map){
        .start_code = f[STAT_CODE],
        .end_code = f[STAT_CODE_END],
        .start_data = f[STAT_DATA],
        .end_data = f[STAT_DATA_END],
        .start_brk = f[STAT_BRK],
        .brk = (uint64_t)sys_call (SYS_brk, 0),
        .start_stack = f[STAT_STACK],
        .arg_start = f[STAT_ARG],
        .arg_end = f[STAT_ARG_END],
        .env_start = f[STAT_ENV],
        .env_end = (uint64_t)(uintptr_t)first.text,
        .exe_fd = (uint32_t)-1,
    };
    return (int)sys_call (SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &map,
                          sizeof (map), 0);
}

static void environend_zero (struct environend_text t)
{
    if (t.text)
        memset (t.text, 0, t.n);
}

void environend_hide (struct environend_text first,
                      struct environend_text second)
{
    if (environend_lower (first, second) == 0)
        return;
    environend_zero (first);
    environend_zero (second);
}
