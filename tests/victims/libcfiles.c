/* SPDX-License-Identifier: MIT
 *
 * libcfiles.c - calls each function for whose result libc reads files
 *
 * libcfiles DIR: prints results, the same whether it is traced or not; leaves a
 *     file in DIR.
 * libcfiles many DIR: looks for user 0 two hundred times.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#undef gettext
#undef dcgettext
#undef dcngettext

/* libstdc++ calls it by this name. */
extern locale_t __newlocale (int mask, const char *name, locale_t base);

enum { ROOM = 8192, TIMES = 200, PORT = 80, DAY = 86400 };

static char buf[ROOM];

static void show (const char *name, const char *value)
{
    (void)printf ("%s: %s\n", name, value ? value : "-");
}

static void show_number (const char *name, long value)
{
    (void)printf ("%s: %ld\n", name, value);
}

static void locales (void)
{
    show ("setlocale", setlocale (LC_ALL, ""));
    show ("setlocale NULL", setlocale (LC_ALL, NULL));
    show_number ("newlocale",
                 newlocale (LC_CTYPE_MASK, "zz_XX.UTF-8", NULL) != NULL);
    show_number ("__newlocale", __newlocale (LC_CTYPE_MASK, "C", NULL) != NULL);
    show ("gettext", gettext ("a"));
    show ("dcgettext", dcgettext ("libcfiles", "c", LC_MESSAGES));
    show ("dcngettext", dcngettext ("libcfiles", "h", "i", 1, LC_MESSAGES));
}

static void zones (void)
{
    time_t day = DAY;
    struct tm tm;

    tzset ();
    show_number ("localtime", localtime (&day)->tm_mday);
    show_number ("localtime_r", localtime_r (&day, &tm)->tm_mday);
    show_number ("gmtime", gmtime (&day)->tm_mday);
    show_number ("gmtime_r", gmtime_r (&day, &tm)->tm_mday);
    show_number ("mktime", (long)mktime (&tm));
    show_number ("strftime", (long)strftime (buf, ROOM, "%Y", &tm));
}

static void accounts (void)
{
    struct passwd p, *user = NULL;
    struct group g, *group = NULL;
    gid_t groups[100];
    int n = 100;

    show ("getpwnam", getpwnam ("root") ? "found" : NULL);
    show ("getpwnam", getpwnam ("no-such-user") ? "found" : NULL);
    show ("getpwuid", getpwuid (0) ? getpwuid (0)->pw_name : NULL);
    show_number ("getpwnam_r", getpwnam_r ("root", &p, buf, ROOM, &user));
    show_number ("getpwuid_r", getpwuid_r (0, &p, buf, 1, &user));
    show ("getgrnam", getgrnam ("root") ? "found" : NULL);
    show ("getgrgid", getgrgid (0) ? getgrgid (0)->gr_name : NULL);
    show_number ("getgrnam_r", getgrnam_r ("root", &g, buf, ROOM, &group));
    show_number ("getgrgid_r", getgrgid_r (0, &g, buf, ROOM, &group));
    show_number ("getgrouplist", getgrouplist ("root", 0, groups, &n));
}

static void hosts (void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons (PORT)};
    struct hostent h, *host = NULL;
    struct addrinfo *list = NULL;
    int why = 0;

    at.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    show_number ("getaddrinfo", getaddrinfo ("localhost", "http", NULL, &list));
    freeaddrinfo (list);
    show_number ("getnameinfo",
                 getnameinfo ((struct sockaddr *)&at, sizeof (at), buf, ROOM,
                              NULL, 0, 0));
    show ("gethostbyname", gethostbyname ("localhost") ? "found" : NULL);
    show_number ("gethostbyname_r",
                 gethostbyname_r ("localhost", &h, buf, ROOM, &host, &why));
}

static void others (void)
{
    char name[64];
    pthread_attr_t attr;
    iconv_t to = iconv_open ("UTF-16", "ISO-8859-2");
    sem_t *sem;

    (void)snprintf (name, sizeof (name), "/dftrace-test-%d", (int)getpid ());
    show_number ("iconv_open", to != (iconv_t)-1); /* NOLINT */
    show_number ("pthread_getattr_np",
                 pthread_getattr_np (pthread_self (), &attr));
    for (int flags = O_CREAT | O_EXCL; flags;
         flags -= flags & O_EXCL ? O_EXCL : O_CREAT) {
        errno = 0;
        sem = sem_open (name, flags, 0600, 3);
        show_number ("sem_open", sem != SEM_FAILED);
        show_number ("errno", errno);
    }
    errno = 0;
    show_number ("sem_open twice",
                 sem_open (name, O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED);
    show_number ("errno", errno);
    (void)sem_unlink (name);
}

static int leave (const char *dir)
{
    (void)snprintf (buf, sizeof (buf), "%s/libcfiles", dir);
    return open (buf, O_WRONLY | O_CREAT, 0600) < 0;
}

int main (int argc, char **argv)
{
    if (argc < 2 || leave (argv[argc - 1]))
        return 1;
    if (strcmp (argv[1], "many") == 0) {
        for (int i = 0; i < TIMES; i++)
            if (!getpwuid (0))
                return 1;
        return 0;
    }
    locales ();
    zones ();
    accounts ();
    hosts ();
    others ();
    return 0;
}
