/* SPDX-License-Identifier: MIT
 *
 * environend.c - addresses of texts -> the end of the environment, for the
 *                kernel
 *
 * PR_SET_MM_MAP (Linux 3.18) sets all such addresses of a process at once and
 * takes no privilege; those that stay are in /proc/self/stat.
 */
#include "config.h"

#include <linux/prctl.h>
#include <string.h>

#include "lib/base/sys.h"
#include "preload/follow/environend.h"

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
