/* SPDX-License-Identifier: MIT
 *
 * screen.c - the terminal while a page is kept up to date on it
 *
 * In:  pages of text; keys
 * Out: the terminal, as it was afterwards
 */
#include "config.h"

#include "analyze/top/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "lib/base/clock.h"

static struct {
    int on;
    struct termios before;
} screen;
static volatile sig_atomic_t stopped;

static void screen_stop (int sig)
{
    (void)sig;
    stopped = 1;
}

/* Without SA_RESTART, so that poll returns. */
static void screen_catch_signals (void)
{
    struct sigaction sa = {.sa_handler = screen_stop};

    (void)sigemptyset (&sa.sa_mask);
    (void)sigaction (SIGINT, &sa, NULL);
    (void)sigaction (SIGTERM, &sa, NULL);
    (void)sigaction (SIGHUP, &sa, NULL);
}

void screen_begin (int draw)
{
    struct termios raw;

    screen_catch_signals ();
    if (!draw || !isatty (STDOUT_FILENO) || tcgetattr (STDIN_FILENO, &raw) < 0)
        return;
    screen.before = raw;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    (void)tcsetattr (STDIN_FILENO, TCSANOW, &raw);
    (void)fputs ("\033[?1049h\033[?25l", stdout);
    screen.on = 1;
}

void screen_end (void)
{
    if (!screen.on)
        return;
    (void)fputs ("\033[?25h\033[?1049l", stdout);
    (void)fflush (stdout);
    (void)tcsetattr (STDIN_FILENO, TCSANOW, &screen.before);
    screen.on = 0;
}

int screen_on (void)
{
    return screen.on;
}

void screen_size (int *rows, int *columns)
{
    struct winsize w;

    *rows = 24;
    *columns = 80;
    if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row && w.ws_col) {
        *rows = w.ws_row;
        *columns = w.ws_col;
    }
}

void screen_show (const char *text)
{
    (void)fputs ("\033[H", stdout);
    for (size_t n; *text; text += n) {
        n = strcspn (text, "\n");
        (void)fwrite (text, 1, n, stdout);
        (void)fputs ("\033[K", stdout);
        if (text[n] == '\n') {
            (void)fputs ("\r\n", stdout);
            n++;
        }
    }
    (void)fputs ("\033[J", stdout);
    (void)fflush (stdout);
}

static enum screen_key screen_read_key (void)
{
    char c;

    if (read (STDIN_FILENO, &c, 1) != 1)
        return SCREEN_KEY_QUIT;
    return c == 'q' || c == 4 ? SCREEN_KEY_QUIT
           : c == 's'         ? SCREEN_KEY_SORT
                              : SCREEN_KEY_NONE;
}

enum screen_key screen_wait (uint64_t ns)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC), until = now + ns;

    while (!stopped && (now = clock_ns (CLOCK_MONOTONIC)) < until) {
        struct pollfd in = {.fd = screen.on ? STDIN_FILENO : -1,
                            .events = POLLIN};
        struct timespec left = {
            .tv_sec = (time_t)((until - now) / CLOCK_NS_PER_S),
            .tv_nsec = (long)((until - now) % CLOCK_NS_PER_S)};
        enum screen_key key;

        if (ppoll (&in, 1, &left, NULL) > 0 &&
            (key = screen_read_key ()) != SCREEN_KEY_NONE)
            return key;
    }
    return stopped ? SCREEN_KEY_QUIT : SCREEN_KEY_NONE;
}
