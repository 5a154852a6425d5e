/* SPDX-License-Identifier: MIT
 *
 * untraced.c - lines that the preload library left -> a list in job.json
 *
 * In:  JOBDIR/shards/untraced.HOST: "pid path reason" a line, %XX in both
 * Out: "untraced" in job.json: host, pid, exe, reason, count
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/untraced.h"
#include "lib/core/programkind.h"
#include "lib/core/settings/parse.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"

enum {
    FILE_MAX = 1 << 20,
    JSON_MAX = 1 << 24,
    PROGRAMS_MAX = 1000 /* different ones; more are left out */
};

static const char prefix[] = "untraced.",
                  settings[] = "settings: ", stopped[] = "stopped: ";

static int hex_digit (char c)
{
    const char *at = c ? strchr ("0123456789abcdef", c) : NULL;

    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* %XX -> byte, in place; the new length. What is no such thing stays. */
static size_t decode (char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        int high = *p == '%' ? hex_digit (p[1]) : -1;
        int low = high >= 0 ? hex_digit (p[2]) : -1;

        if (low >= 0 && high + low > 0) {
            *to++ = (char)(high << 4 | low);
            p += 2;
        } else
            *to++ = *p;
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* --- the programs -------------------------------------------------------- */

static struct untraced_program *
seen (struct untraced *u, const char *host, const char *exe, const char *reason)
{
    for (size_t i = 0; i < u->count; i++) {
        struct untraced_program *p = &u->item[i];

        if (!strcmp (p->host, host) && !strcmp (p->exe, exe) &&
            !strcmp (p->reason, reason))
            return p;
    }
    return NULL;
}

static int untraced_add (struct untraced *u,
                         const char *host,
                         uint32_t pid,
                         const char *exe,
                         const char *reason)
{
    struct untraced_program p = {.pid = pid, .count = 1};

    if (u->count == u->room) {
        size_t room = u->room ? u->room * 2 : 16;
        void *item = realloc (u->item, room * sizeof (*u->item));

        if (!item)
            return -1;
        u->item = item;
        u->room = room;
    }
    p.host = strdup (host);
    p.exe = strdup (exe);
    p.reason = strdup (reason);
    p.exe_length = strlen (exe);
    u->item[u->count++] = p;
    return p.host && p.exe && p.reason ? 0 : -1;
}

static int untraced_take_line (struct untraced *u, const char *host, char *line)
{
    char *exe = strchr (line, ' ');
    char *reason = exe ? strchr (exe + 1, ' ') : NULL;
    struct untraced_program *p;
    uint64_t pid;

    if (!reason || strchr (reason + 1, ' '))
        return 0;
    *exe++ = *reason++ = '\0';
    if (parse_u64 (line, &pid) < 0 || pid > UINT32_MAX)
        return 0;
    (void)decode (exe);
    (void)decode (reason);
    p = seen (u, host, exe, reason);
    if (p)
        p->count++;
    else if (u->count < PROGRAMS_MAX)
        return untraced_add (u, host, (uint32_t)pid, exe, reason);
    return 0;
}

static int
untraced_take_file (struct untraced *u, const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    char *text = path ? read_file (path, FILE_MAX, NULL, NULL) : NULL;
    char *save = NULL;
    int rc = 0;

    for (char *line = text ? strtok_r (text, "\n", &save) : NULL; line && !rc;
         line = strtok_r (NULL, "\n", &save))
        rc = untraced_take_line (u, name + sizeof (prefix) - 1, line);
    free (text);
    free (path);
    return rc;
}

static int by_host (const void *a, const void *b)
{
    const struct untraced_program *x = a, *y = b;
    int order = strcmp (x->host, y->host);

    if (!order)
        order = strcmp (x->exe, y->exe);
    return order ? order : strcmp (x->reason, y->reason);
}

int untraced_load (struct untraced *u, const char *job_dir)
{
    char *path = job_dir ? path_join (job_dir, "shards") : NULL;
    DIR *dir = path ? opendir (path) : NULL;
    const struct dirent *e;
    int rc = 0;

    while (dir && rc == 0 && (e = readdir (dir)))
        if (strncmp (e->d_name, prefix, sizeof (prefix) - 1) == 0)
            rc = untraced_take_file (u, path, e->d_name);
    if (dir)
        (void)closedir (dir);
    free (path);
    if (rc == 0 && u->count)
        qsort (u->item, u->count, sizeof (*u->item), by_host);
    return rc;
}

void untraced_clear (struct untraced *u)
{
    for (size_t i = 0; i < u->count; i++) {
        free (u->item[i].host);
        free (u->item[i].exe);
        free (u->item[i].reason);
    }
    free (u->item);
    memset (u, 0, sizeof (*u));
}

const char *untraced_settings (const struct untraced_program *p)
{
    size_t n = sizeof (settings) - 1;

    return strncmp (p->reason, settings, n) == 0 ? p->reason + n : NULL;
}

const char *untraced_stopped (const struct untraced_program *p)
{
    size_t n = sizeof (stopped) - 1;

    return strncmp (p->reason, stopped, n) == 0 ? p->reason + n : NULL;
}

/* --- job.json --------------------------------------------------------------
 */

static void put_program (struct json *j, const struct untraced_program *p)
{
    const char *explain =
        programkind_explain (programkind_of_reason (p->reason));

    json_open (j, NULL, '{');
    json_bytes (j, "host", p->host, strlen (p->host));
    if (p->pid)
        json_uint (j, "pid", p->pid);
    else
        json_null (j, "pid");
    json_bytes (j, "exe", p->exe, p->exe_length);
    json_bytes (j, "reason", p->reason, strlen (p->reason));
    if (*explain)
        json_bytes (j, "explanation", explain, strlen (explain));
    json_uint (j, "count", p->count);
    json_close (j, '}');
}

/* The text of job.json with the list at its end; NULL: ENOMEM. */
static char *with_list (const struct untraced *u, const char *old, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);
    struct json j = {.out = out, .depth = 1};

    if (!out)
        return NULL;
    (void)fwrite (old, 1, n, out);
    json_open (&j, "untraced", '[');
    for (size_t i = 0; i < u->count; i++)
        put_program (&j, &u->item[i]);
    json_close (&j, ']');
    json_close (&j, '}');
    if (fclose (out) == 0)
        return text;
    free (text);
    return NULL;
}

/* Where the object's own text ends: before an older list, or the bracket. 0
 * when it is not as we write it. */
static size_t body_length (const char *text)
{
    const char *at = strstr (text, ",\n  \"untraced\": [");
    size_t n = strlen (text);

    if (n < 3 || strcmp (text + n - 3, "\n}\n") != 0)
        return 0;
    return at ? (size_t)(at - text) : n - 3;
}

static int
write_list (const struct untraced *u, const char *path, struct errtext *err)
{
    char *old = read_file (path, JSON_MAX, NULL, err), *text = NULL;
    size_t n = old ? body_length (old) : 0;
    int rc = 0;

    if (!old)
        return errno == ENOENT ? 0 : -1;
    if (n == 0)
        rc = errf (err, "%s: not as dftrace writes it", path);
    else if (!(text = with_list (u, old, n)))
        rc = errf (err, "%s: %s", path, strerror (ENOMEM));
    else if (strcmp (text, old) != 0)
        rc = write_file (path, 0600, text, err);
    free (text);
    free (old);
    return rc;
}

int untraced_list (const char *job_dir, struct errtext *err)
{
    char *path = job_dir ? path_join (job_dir, "job.json") : NULL;
    struct untraced u = {NULL, 0, 0};
    int rc = 0;

    if (untraced_load (&u, job_dir) < 0)
        rc = errf (err, "%s: %s", job_dir, strerror (ENOMEM));
    else if (path && u.count)
        rc = write_list (&u, path, err);
    untraced_clear (&u);
    free (path);
    return rc;
}
