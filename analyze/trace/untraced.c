/* SPDX-License-Identifier: MIT
 *
 * untraced.c - processes of a job that were not traced <-> job.json
 *
 * In:  shards/processes.HOST, by untracedlist.h; "untraced" in job.json
 * Out: "untraced" in job.json: host, pid, exe, reason, count; "untraced_read":
 *      how many lines were of traced ones, whether more were not listed
 * Caveat: anybody may have written either.
 */
#include "config.h"

#include "analyze/trace/untraced.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

enum { JSON_MAX = 1 << 24 };

static const char settings[] = "settings: ", stopped[] = "stopped: ";

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

/* --- reading -------------------------------------------------------------- */

static uint64_t untraced_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    return parse_u64 (ynode_text (n, key, "0"), &value) < 0 ? 0 : value;
}

static int untraced_take_row (struct untraced *u, const struct ynode *n)
{
    struct untraced_program row = {
        .host = (char *)(uintptr_t)ynode_text (n, "host", ""),
        .exe = (char *)(uintptr_t)ynode_text (n, "exe", ""),
        .reason = (char *)(uintptr_t)ynode_text (n, "reason", ""),
        .count = untraced_number (n, "count")};
    uint64_t pid = untraced_number (n, "pid");

    if (n->type != YNODE_MAP || !*row.exe || !*row.reason || !row.count)
        return 0;
    row.pid = pid > UINT32_MAX ? 0 : (uint32_t)pid;
    return untracedlist_add (u, &row);
}

/* Rows that an earlier reading kept; they were settled then. */
static int untraced_load_kept (struct untraced *u, const char *job_dir)
{
    char *path = path_join (job_dir, "job.json");
    struct errtext err;
    struct ytree *tree =
        access (path, F_OK) == 0 ? ytree_load (path, &err) : NULL;
    const struct ynode *root = tree ? ytree_root (tree) : NULL;
    const struct ynode *list = ynode_get (root, "untraced");
    const struct ynode *how = ynode_get (root, "untraced_read");
    int rc = 0;

    for (size_t i = 0;
         list && list->type == YNODE_LIST && i < list->count && rc == 0; i++)
        rc = untraced_take_row (u, list->item[i]);
    if (how && how->type == YNODE_MAP) {
        u->traced = untraced_number (how, "traced");
        u->lines += u->traced;
        u->cut |= strcmp (ynode_text (how, "cut", ""), "true") == 0;
    }
    ytree_destroy (tree);
    free (path);
    return rc;
}

int untraced_load (struct untraced *u, const char *job_dir)
{
    if (!job_dir)
        return 0;
    if (untracedlist_read (u, job_dir) < 0)
        return -1;
    return u->files ? 0 : untraced_load_kept (u, job_dir);
}

/* --- job.json --------------------------------------------------------------
 */

static void put_program (struct json *j, const struct untraced_program *p)
{
    const char *explain = programkind_explain (p->kind);

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
    json_put (j, "count:%ju }", p->count);
}

static void put_list (struct json *j, const struct untraced *u)
{
    if (u->traced || u->cut) {
        json_put (j, "untraced_read:{ traced:%ju cut:%db }", u->traced, u->cut);
    }
    if (!u->count)
        return;
    json_open (j, "untraced", '[');
    for (size_t i = 0; i < u->count; i++)
        put_program (j, &u->item[i]);
    json_close (j, ']');
}

/* The text of job.json with the list at its end. */
static char *with_list (const struct untraced *u, const char *old, size_t n)
{
    char *text;
    size_t size;
    FILE *out = xmemstream (&text, &size);
    struct json j = {.out = out, .depth = 1};

    (void)fwrite (old, 1, n, out);
    put_list (&j, u);
    json_close (&j, '}');
    xmemstream_end (out);
    return text;
}

/* Take a member of the object out of its text, as json.c writes it: head is
 * what begins it, tail what ends it. */
static void drop_member (char *text, const char *head, const char *tail)
{
    char *at = strstr (text, head);
    char *end = at ? strstr (at, tail) : NULL;

    if (end)
        memmove (at, end + strlen (tail), strlen (end + strlen (tail)) + 1);
}

/* Return the end of the object's own text, after taking an older list out of
 * it; 0 if it is not in the form that we write. */
static size_t body_length (char *text)
{
    static const char end[] = "\n}\n";
    size_t n;

    drop_member (text, ",\n  \"untraced_read\": {", "\n  }");
    drop_member (text, ",\n  \"untraced\": [", "\n  ]");
    n = strlen (text);
    if (n < sizeof (end) - 1 || strcmp (text + n - (sizeof (end) - 1), end))
        return 0;
    return n - (sizeof (end) - 1);
}

static int
write_list (const struct untraced *u, const char *path, struct errtext *err)
{
    char *old = read_file (path, JSON_MAX, NULL, err), *body, *text;
    size_t n;
    int rc = 0;

    if (!old)
        return errno == ENOENT ? 0 : -1;
    body = xstrdup (old);
    n = body_length (body);
    text = with_list (u, body, n);
    if (is_own_file (path) && n == 0)
        rc = errf (err, "%s: not as dftrace writes it", path);
    else if (is_own_file (path) && strcmp (text, old) != 0)
        rc = write_file (path, 0600, text, err);
    free (body);
    free (text);
    free (old);
    return rc;
}

int untraced_write (struct untraced *u,
                    const char *job_dir,
                    struct errtext *err)
{
    char *path;
    int rc;

    if (!job_dir || !u->files || !(u->count || u->traced || u->cut))
        return 0;
    untracedlist_fold (u);
    path = path_join (job_dir, "job.json");
    rc = write_list (u, path, err);
    free (path);
    return rc;
}

int untraced_list (const char *job_dir, struct errtext *err)
{
    struct untraced u = {.count = 0};
    int rc;

    if (untraced_load (&u, job_dir) < 0)
        rc = err_system (err, job_dir, ENOMEM);
    else {
        untracedlist_look (&u, job_dir);
        rc = untraced_write (&u, job_dir, err);
    }
    untracedlist_clear (&u);
    return rc;
}
