/* SPDX-License-Identifier: MIT
 *
 * procline.c - facts about a process -> a line
 */
#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/format/procline.h"
#include "lib/base/sys.h"

enum { REASON_MAX = 200, DIGITS = 20 };

static void procline_put (struct procline *l, char c)
{
    if (l->used + 1 < l->room) /* the line has an end in any case */
        l->text[l->used++] = c;
}

static void procline_put_text (struct procline *l, const char *text)
{
    while (*text)
        procline_put (l, *text++);
}

void procline_digits (struct procline *l, uint64_t n)
{
    char digits[DIGITS + 1], *p = digits + DIGITS;

    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    procline_put_text (l, p);
}

void procline_begin (struct procline *l, const char *kind, uint64_t pid)
{
    l->used = 0;
    procline_put_text (l, kind);
    procline_number (l, pid);
}

void procline_word (struct procline *l, const char *word)
{
    procline_put (l, ' ');
    procline_put_text (l, word);
}

void procline_number (struct procline *l, uint64_t n)
{
    procline_put (l, ' ');
    procline_digits (l, n);
}

void procline_pair (struct procline *l,
                    const char *word,
                    uint64_t a,
                    uint64_t b)
{
    procline_word (l, word);
    procline_put (l, '=');
    procline_digits (l, a);
    procline_put (l, ',');
    procline_digits (l, b);
}

void procline_text (struct procline *l, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c > ' ' && c < 127 && c != '%') {
            procline_put (l, (char)c);
            continue;
        }
        procline_put (l, '%');
        procline_put (l, hex[c >> 4]);
        procline_put (l, hex[c & 15]);
    }
}

void procline_end (struct procline *l)
{
    l->text[l->used++] = '\n';
}

/* By the kernel's clock: another preload may have replaced libc's. */
static uint64_t procline_now (void)
{
    struct timespec now = {0, 0};

    (void)sys_call (SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void procline_untraced (struct procline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason)
{
    procline_begin (l, "untraced", (uint64_t)pid);
    procline_word (l, "");
    procline_text (l, exe, n);
    procline_word (l, "");
    procline_text (l, what, strlen (what));
    procline_text (l, reason, strnlen (reason, REASON_MAX));
    procline_word (l, pid == sys_getpid () ? "@" : "~");
    procline_digits (l, procline_now ());
    procline_end (l);
}

void procline_ended (struct procline *l, pid_t pid, int status, const char *who)
{
    procline_begin (l, "ended", (uint64_t)pid);
    procline_number (l, procline_now ());
    procline_word (l, WIFSIGNALED (status) ? "signal" : "exit");
    procline_number (l,
                     (uint64_t)(WIFSIGNALED (status) ? WTERMSIG (status)
                                                     : WEXITSTATUS (status)));
    procline_word (l, who);
    procline_end (l);
}
