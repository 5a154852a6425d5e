/* SPDX-License-Identifier: MIT
 *
 * hide.c - names in a site's summary of a job -> keyed hashes
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spank/epilog/hide.h"
#include "lib/util/sha256.h"

/* The node's name is in the name of the file, too. */
static int hide_can (int at)
{
    return at >= 0 && at < (int)SUMMARY_FIELDS && at != SUMMARY_host &&
           summary_info (at).is_text;
}

int hide_columns (struct hide *h, const char *list, struct errtext *err)
{
    char word[64];
    int rc = 0;

    memset (h, 0, sizeof (*h));
    for (const char *w = list; *w;) {
        size_t n = strcspn (w, ", ");
        int at;

        (void)snprintf (word, sizeof (word), "%.*s", (int)n, w);
        at = n ? summary_find (word) : -1;
        if (n && !hide_can (at))
            rc = errf (err,
                       "%s: none of user, account, partition, name, program: "
                       "all of them are hidden",
                       word);
        else if (n)
            h->column[at] = 1;
        w += n + (w[n] != '\0');
    }
    for (int i = 0; rc < 0 && i < (int)SUMMARY_FIELDS; i++)
        h->column[i] = hide_can (i);
    return rc;
}

static int hide_is_secret (int fd)
{
    struct stat st;

    if (fstat (fd, &st) < 0)
        return 0;
    errno = EPERM;
    return S_ISREG (st.st_mode) && st.st_uid == geteuid () &&
           !(st.st_mode & 077);
}

int hide_read_key (struct hide *h, const char *path, struct errtext *err)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = -1;

    h->length = 0;
    if (fd >= 0 && hide_is_secret (fd)) {
        n = read (fd, h->key, sizeof (h->key));
        if (n >= 0 && n < HIDE_KEY_MIN) {
            errno = ENODATA;
            n = -1;
        }
    }
    if (n > 0)
        h->length = (size_t)n;
    else
        (void)errf (err, "%s: %s", path,
                    errno == EPERM     ? "must be a file of the caller (root) "
                                         "that nobody else can read: chmod 600"
                    : errno == ENODATA ? "fewer than 16 bytes: head -c 32 "
                                         "/dev/urandom"
                                       : strerror (errno));
    if (fd >= 0)
        (void)close (fd);
    return h->length ? 0 : -1;
}

void hide_text (const struct hide *h,
                const char *column,
                const char *text,
                char out[HIDE_TEXT])
{
    char hex[SHA256_HEX + 1], both[2 * SUMMARY_TEXT_MAX];
    int n = snprintf (both, sizeof (both), "%s=%s", column, text);

    out[0] = '\0';
    if (!h->length || !*text)
        return;
    if (n >= (int)sizeof (both))
        n = (int)sizeof (both) - 1;
    sha256_hmac (h->key, h->length, both, (size_t)n, hex);
    (void)snprintf (out, HIDE_TEXT, "~%.16s", hex);
}

void hide_texts (const struct hide *h, struct job_summary *s)
{
    char hidden[HIDE_TEXT];

    for (int i = 0; i < (int)SUMMARY_FIELDS; i++) {
        if (!h->column[i])
            continue;
        hide_text (h, summary_info (i).name, s->text[i], hidden);
        memcpy (s->text[i], hidden, sizeof (hidden));
    }
    if (h->column[SUMMARY_user])
        s->number[SUMMARY_uid] = NAN;
}
