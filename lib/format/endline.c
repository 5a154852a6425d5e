/* SPDX-License-Identifier: MIT
 *
 * endline.c - pid, time, wait status -> a line
 */
#include "config.h"

#include <sys/wait.h>

#include "lib/format/endline.h"
#include "lib/format/shard.h"

static void endline_put (struct endline *l, const char *text)
{
    while (*text && l->used < sizeof (l->text) - 1)
        l->text[l->used++] = *text++;
}

static void endline_put_number (struct endline *l, uint64_t n)
{
    char digits[24];
    int i = sizeof (digits) - 1;

    digits[i] = '\0';
    do
        digits[--i] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    endline_put (l, &digits[i]);
}

void endline_make (struct endline *l,
                   pid_t pid,
                   uint64_t real_ns,
                   int status,
                   const char *waiter)
{
    l->used = 0;
    endline_put_number (l, (uint64_t)pid);
    endline_put (l, " ");
    endline_put_number (l, real_ns);
    endline_put (l, WIFSIGNALED (status) ? " signal " : " exit ");
    endline_put_number (l, endline_ended (status) & SHARD_ENDED_NUMBER);
    endline_put (l, " ");
    endline_put (l, waiter);
    l->text[l->used++] = '\n';
}

uint32_t endline_ended (int status)
{
    return WIFSIGNALED (status)
               ? SHARD_ENDED_SIGNAL | (uint32_t)WTERMSIG (status)
               : SHARD_ENDED_EXIT | (uint32_t)WEXITSTATUS (status);
}
