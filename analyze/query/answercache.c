/* SPDX-License-Identifier: MIT
 *
 * answercache.c - cells of a query <-> a file beside the trace
 *
 * In:  struct query_answer; a file, which may be anything
 * Out: the file, named by a hash of program, question and traces; the answer
 *
 * A file has the text of program, question and traces (section KEPT_ABOUT), the
 * cells in the form in which tasks of a job pass them (query.h), and the unions
 * of the cells in their order (KEPT_UNIONS).
 */
#include "config.h"

#include "analyze/query/answercache.h"
#include "lib/base/array.h"
#include "lib/format/proclines.h"
#include "lib/format/shard.h"
#include "lib/settings/jobdir.h"
#include "lib/util/sha256.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

#include <dirent.h>

/* Grows when the layout of a file changes, or what a number means. */
enum {
    ANSWERCACHE_LAYOUT = 4,
    ANSWERCACHE_TAIL = 4096,
    ANSWERCACHE_BYTES = 8 << 20 /* more is as slow as counting */
};

/* Checksum of the last bytes; of what cannot be read, 0. */
static uint64_t answercache_tail (const char *path, const struct stat *st)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    unsigned char tail[ANSWERCACHE_TAIL];
    off_t at = st->st_size > ANSWERCACHE_TAIL ? st->st_size - ANSWERCACHE_TAIL
                                              : (off_t)0;
    ssize_t n = fd < 0 ? -1 : pread (fd, tail, sizeof (tail), at);

    if (fd >= 0)
        close (fd);
    return n > 0 ? shard_checksum (tail, n, 0) : 0;
}

static void answercache_put_file (FILE *out, const char *path)
{
    struct stat st;

    if (lstat (path, &st) < 0 || !S_ISREG (st.st_mode))
        fprintf (out, "%s none\n", path);
    else
        fprintf (out,
                 "%s %lld bytes, inode %llu, %lld.%09ld, end %" PRIx64 "\n",
                 path, (long long)st.st_size, (unsigned long long)st.st_ino,
                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                 answercache_tail (path, &st));
}

static void answercache_put_files (FILE *out, struct job *job)
{
    struct proclines lines = {.kinds = 0};
    struct errtext err;
    char *trace;

    if (job->dir && job_list (job, &err) < 0) {
        job_close (job);
        return; /* whoever opens it says why */
    }
    for (size_t i = 0; i < job->sources; i++)
        answercache_put_file (out, job->source[i].path);
    if (!job->dir)
        return;
    trace = path_join (job->dir, "trace.dft");
    answercache_put_file (out, trace);
    fprintf (out, "stages %llu\n",
             (unsigned long long)jobdir_count_staged (job->dir));
    proclines_read (&lines, job->dir);
    fprintf (out, "lines %llu\n", (unsigned long long)lines.bytes);
    free (trace);
    job_close (job); /* opening it chooses among them */
}

static char *
answercache_about (struct job *job, const char *question, uint64_t *number)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = xmemstream (&text, &n);

    fprintf (out, "dftrace %s, layout %d\n%s\njob %s\n", buildid_text (),
             ANSWERCACHE_LAYOUT, question, job->label);
    *number = shard_checksum (question, strlen (question), 0);
    answercache_put_files (out, job);
    xmemstream_end (out);
    return text;
}

void answercache_make (struct answercache *k,
                       struct job *job,
                       const char *question)
{
    uint64_t number;

    ZERO (k);
    k->most = ANSWERCACHE_BYTES;
    k->about = answercache_about (job, question, &number);
    k->dir = job->dir ? path_join (job->dir, "answers")
                      : xasprintf ("%s.answers", job->source[0].path);
    k->file = xasprintf ("%s/%016" PRIx64 ".answer", k->dir, number);
}

void answercache_clear (struct answercache *k)
{
    free (k->dir);
    free (k->file);
    free (k->about);
    ZERO (k);
}

enum {
    KEPT_ABOUT = 16, /* other than those of query_state_pack */
    KEPT_UNIONS,
    KEPT_FILES = 64, /* more: the oldest one goes */
    KEPT_DIR_MODE = 0700,
    KEPT_FILE_MODE = 0600,
    KEPT_OTHERS = S_IWGRP | S_IWOTH
};

/* --- whose it is -----------------------------------------------------------
 */

static int answercache_ours (const struct stat *st)
{
    return st->st_uid == geteuid () && !(st->st_mode & KEPT_OTHERS);
}

/* Does the directory that contains dir belong to this user alone? */
static int answercache_parent_is_ours (const char *dir)
{
    char *up = xstrdup (dir), *slash = strrchr (up, '/');
    struct stat st;
    int ours;

    if (slash)
        slash[slash == up] = '\0';
    ours = stat (slash ? up : ".", &st) == 0 && answercache_ours (&st);
    free (up);
    return ours;
}

/* The directory, and the one it is in, are ours alone. A descriptor, or -1. */
static int answercache_open_dir (const struct answercache *k)
{
    int fd =
        k->dir ? open (k->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
               : -1;
    struct stat st, up;

    if (fd >= 0 && (fstat (fd, &st) < 0 || fstatat (fd, "..", &up, 0) < 0 ||
                    !answercache_ours (&st) || !answercache_ours (&up))) {
        close (fd);
        return -1;
    }
    return fd;
}

static FILE *answercache_open_file (const struct answercache *k)
{
    int dir = answercache_open_dir (k), fd;
    struct stat st;
    FILE *in;

    if (dir < 0)
        return NULL;
    fd = openat (dir, strrchr (k->file, '/') + 1,
                 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    close (dir);
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        answercache_ours (&st) && (uint64_t)st.st_size <= k->most &&
        (in = fdopen (fd, "r")))
        return in;
    if (fd >= 0)
        close (fd);
    return NULL;
}

/* --- reading ---------------------------------------------------------------
 */

static int answercache_is_about (struct unpacker *u, const char *about)
{
    size_t n = strlen (about);

    return (size_t)(u->limit - u->p) == n && memcmp (u->p, about, n) == 0;
}

FILE *answercache_open (const struct answercache *k)
{
    FILE *in = answercache_open_file (k);
    struct unpacker u = {0};
    uint64_t type;
    int is = in && unpack_section (&u, &type, in) > 0 && type == KEPT_ABOUT &&
             answercache_is_about (&u, k->about);

    unpacker_clear (&u);
    if (is || !in)
        return in;
    fclose (in);
    return NULL;
}

/* All sections behind the first one. The last one stays in u. */
static int
answercache_read_cells (struct query_state *s, struct unpacker *u, FILE *in)
{
    uint64_t type;
    int rc;

    while ((rc = unpack_section (u, &type, in)) > 0 &&
           type == QUERY_SECTION_CELL)
        if (query_state_unpack (s, u, type) < 0 || u->bad)
            return -1;
    return rc > 0 && type == KEPT_UNIONS ? 0 : -1;
}

static int answercache_read_unions (struct query_answer *a, struct unpacker *u)
{
    if (unpack_uint (u) != a->count)
        return -1;
    for (size_t i = 0; i < a->count && !u->bad; i++)
        a->cell[i].running = unpack_uint (u);
    return u->bad || !unpack_ended (u) ? -1 : 0;
}

static int
answercache_read (struct query_answer *a, const struct query *q, FILE *in)
{
    struct unpacker u = {0};
    struct query_state *s = query_state_create (q, NULL, NULL);
    int rc = -1;

    a->state = s;
    if (answercache_read_cells (s, &u, in) == 0) {
        query_state_answer (s, a, 1);
        rc = answercache_read_unions (a, &u);
    }
    if (rc < 0)
        query_answer_clear (a);
    unpacker_clear (&u);
    return rc;
}

int answercache_find (struct query_answer *a,
                      const struct answercache *k,
                      const struct query *q)
{
    FILE *in = answercache_open (k);
    int found;

    ZERO (a);
    if (!in)
        return 0;
    found = answercache_read (a, q, in) == 0;
    fclose (in);
    return found;
}

/* --- writing ---------------------------------------------------------------
 */

int answercache_may (const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];

        if (!s->readable || (!s->file && !s->is_pfw))
            return 0;
        /* shards are mapped while they are written, and that changes neither
           their size nor, for a while, their time */
        for (size_t p = 0; !s->is_pfw && p < tracefile_processes (s->file); p++)
            if (tracefile_process (s->file, p)->p.file_bytes)
                return 0;
    }
    return job->sources > 0;
}

static int answercache_name (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    return n > 7 && strcmp (d->d_name + n - 7, ".answer") == 0;
}

/* Make room for one more: the oldest ones go. */
static void answercache_thin (int dir)
{
    struct dirent **names = NULL;
    int n = scandirat (dir, ".", &names, answercache_name, alphasort);
    int left = n;

    for (; left >= KEPT_FILES; left--) {
        struct timespec least = {0};
        int oldest = -1;

        for (int i = 0; i < n; i++) {
            struct stat st;

            if (names[i]->d_name[0] &&
                fstatat (dir, names[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
                    0 &&
                (oldest < 0 || st.st_mtim.tv_sec < least.tv_sec)) {
                oldest = i;
                least = st.st_mtim;
            }
        }
        if (oldest < 0)
            break;
        unlinkat (dir, names[oldest]->d_name, 0);
        names[oldest]->d_name[0] = '\0';
    }
    for (int i = 0; i < n; i++)
        free (names[i]);
    free (names);
}

static int answercache_write (const struct query_answer *a, FILE *out)
{
    struct packer p = {0};
    int rc = -1;

    if (query_state_pack (a->state, 0, &p, out) == 0) {
        pack_uint (&p, a->count);
        for (size_t i = 0; i < a->count; i++)
            pack_uint (&p, a->cell[i].running);
        rc = pack_section (&p, KEPT_UNIONS, out);
    }
    packer_clear (&p);
    return rc;
}

static int answercache_holds (const struct answercache *k,
                              struct job *job,
                              const char *question)
{
    struct answercache now;
    int same;

    answercache_make (&now, job, question);
    same = strcmp (now.about, k->about) == 0;
    answercache_clear (&now);
    return same;
}

/* A distribution may have millions of values. */
static void answercache_thin_values (const struct show *show,
                                     struct query_answer *a)
{
    for (size_t c = 0; c < a->count; c++)
        for (int v = 0; a->cell[c].numbers && v < QUERY_VALUES_MAX; v++) {
            double q[SHOW_MAX];
            size_t quantiles = 0;

            for (int i = 0; i < show->items; i++)
                if (show->item[i].what == SHOW_quantile &&
                    show->item[i].value == v)
                    q[quantiles++] = show->item[i].quantile;
            if (quantiles)
                numbers_thin (&a->cell[c].numbers[v], q, quantiles);
        }
}

int answercache_make_dir (const struct answercache *k)
{
    int dir = k->dir && answercache_parent_is_ours (k->dir) &&
                      make_own_dir (k->dir, KEPT_DIR_MODE, NULL) == 0
                  ? answercache_open_dir (k)
                  : -1;

    if (dir < 0)
        return -1;
    answercache_thin (dir);
    close (dir);
    return 0;
}

/* The file, begun; NULL: it is not to be kept. */
static struct atomic_file *answercache_begin (const struct answercache *k,
                                              struct job *job,
                                              const char *question)
{
    struct atomic_file *file;
    struct packer p = {0};

    if (!answercache_holds (k, job, question) || answercache_make_dir (k) < 0 ||
        !(file = atomic_open (k->file, KEPT_FILE_MODE, NULL)))
        return NULL;
    pack_bytes (&p, k->about, strlen (k->about));
    if (pack_section (&p, KEPT_ABOUT, atomic_stream (file)) < 0) {
        atomic_abort (file);
        file = NULL;
    }
    packer_clear (&p);
    return file;
}

static void
answercache_end (const struct answercache *k, struct atomic_file *file, int rc)
{
    if (rc == 0 && ftell (atomic_stream (file)) <= (long)k->most)
        atomic_commit (file, NULL);
    else
        atomic_abort (file);
}

void answercache_put (const struct answercache *k,
                      struct job *job,
                      const char *question,
                      const struct show *show,
                      struct query_answer *a)
{
    struct atomic_file *file = answercache_begin (k, job, question);

    if (!file)
        return;
    answercache_thin_values (show, a);
    answercache_end (k, file, answercache_write (a, atomic_stream (file)));
}

void answercache_put_bytes (const struct answercache *k,
                            struct job *job,
                            const char *question,
                            const char *bytes,
                            size_t n)
{
    struct atomic_file *file =
        n <= k->most ? answercache_begin (k, job, question) : NULL;

    if (file)
        answercache_end (
            k, file, fwrite (bytes, 1, n, atomic_stream (file)) == n ? 0 : -1);
}
