/* SPDX-License-Identifier: MIT
 *
 * darshan.c - a log of Darshan by its name -> what it has, step by step
 *
 * In:  a path, from sources.c
 * Out: a trace, rows of counters, mounts and striping
 *
 * Region of the job: uid, start (s, since 3.41 and ns), end (the same),
 * processes, number of the job (all i64), 1024 bytes of "key=value" lines; then
 * the command, and a line "type TAB mount point" for each mount.
 * Region of names: number of a file u64, text, NUL; in 3.00 number, length
 * u32, text.
 */
#include "config.h"

#include "analyze/import/darshan/darshan.h"
#include "analyze/import/darshan/darshanwork.h"
#include "lib/base/array.h"
#include "lib/settings/paths.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

enum { METADATA = 1024, MOUNTS_MAX = 4096 };

#define NS_PER_S    1000000000u
#define SECONDS_MAX 4000000000u /* the year 2096 */

/* --- times ---------------------------------------------------------------- */

uint64_t darshan_ns (double s)
{
    return isfinite (s) && s > 0 && s < SECONDS_MAX
               ? (uint64_t)llround (s * NS_PER_S)
               : 0;
}

uint64_t darshan_time (const struct darshan_work *w, double s)
{
    return w->start + darshan_ns (s);
}

static uint64_t darshan_when (int64_t s, int64_t ns)
{
    return s > 0 && s < SECONDS_MAX && ns >= 0 && ns < NS_PER_S
               ? (uint64_t)s * NS_PER_S + (uint64_t)ns
               : 0;
}

/* --- job ------------------------------------------------------------------ */

static void darshan_add_mount (struct darshan_work *w, char *line)
{
    char *tab = strchr (line, '\t');
    struct darshan_facts *f = w->facts;
    struct darshan_mount *m;

    if (!tab || tab == line || tab[1] != '/' || f->mounts == MOUNTS_MAX)
        return;
    *tab = '\0';
    if (!f->mount)
        NEW (f->mount, MOUNTS_MAX);
    m = &f->mount[f->mounts++];
    m->type = xstrdup (line);
    m->point = xstrdup (tab + 1);
}

/* text ends with a NUL. */
static void darshan_read_command (struct darshan_work *w, char *text)
{
    char *line, *rest = text;

    w->exe = xstrdup (strsep (&rest, "\n"));
    while ((line = strsep (&rest, "\n")))
        darshan_add_mount (w, line);
}

static void darshan_read_job (struct darshan_work *w)
{
    const struct darshan_log *l = &w->log;
    int wide = l->version >= 341;
    size_t head = (wide ? 56 : 40) + METADATA;
    struct darshan_bytes b;
    int64_t n[7] = {0};
    char *text;

    darshan_log_unpack (l, &l->job, &b);
    if (b.count < head) {
        l->account->cut += b.count > 0;
        darshan_bytes_clear (&b);
        w->exe = xstrdup ("");
        return;
    }
    for (int i = 0, at = 0; i < 7; i++)
        if (wide || (i != 2 && i != 4))
            n[i] = darshan_i64 (l, b.at + 8 * at++);
    w->uid = (uint64_t)n[0];
    w->start = darshan_when (n[1], n[2]);
    w->end = darshan_when (n[3], n[4]);
    if (!wide && w->end)
        w->end += NS_PER_S; /* whole seconds: it ended within that one */
    w->nprocs = n[5] > 0 ? (uint64_t)n[5] : 0;
    w->jobid = n[6] > 0 ? (uint64_t)n[6] : 0;
    text = xstrndup ((char *)b.at + head, b.count - head);
    darshan_read_command (w, text);
    free (text);
    darshan_bytes_clear (&b);
}

/* --- names ---------------------------------------------------------------- */

static void darshan_add_name (struct darshan_work *w,
                              uint64_t id,
                              const unsigned char *text,
                              size_t n)
{
    struct darshan_name *name;
    int isnew;
    int64_t at = strmap_intern (w->ids, (char *)&id, sizeof (id), &isnew);

    name = isnew ? APPEND (w->name, w->names, w->name_room) : &w->name[at];
    if (!isnew && (name->text[0] || !n)) /* the same again, or nothing more */
        return;
    free (name->text);
    name->text = xstrndup ((const char *)text,
                           n < DARSHAN_NAME_MAX ? n : DARSHAN_NAME_MAX);
    n = strlen (name->text);
    name->class =
        (uint8_t)(name->text[0] == '<' ? FILE_CLASS_OTHER
                                       : pathfilter_class (name->text, n));
}

static void darshan_read_names (struct darshan_work *w)
{
    const struct darshan_log *l = &w->log;
    struct darshan_bytes b;
    size_t at = 0;

    darshan_log_unpack (l, &l->names, &b);
    while (at + 9 <= b.count) {
        uint64_t id = darshan_u64 (l, b.at + at);
        size_t left = b.count - at - 8, n, used;

        if (l->version == 300) {
            n = left >= 4 ? darshan_u32 (l, b.at + at + 8) : SIZE_MAX;
            used = 4;
        } else {
            const unsigned char *end = memchr (b.at + at + 8, 0, left);

            n = end ? (size_t)(end - (b.at + at + 8)) : SIZE_MAX;
            used = 0;
        }
        if (n > left - used) {
            l->account->cut++;
            break;
        }
        darshan_add_name (w, id, b.at + at + 8 + used, n);
        at += 8 + used + n + (l->version != 300);
    }
    darshan_bytes_clear (&b);
}

uint32_t darshan_name_of (struct darshan_work *w, uint64_t id)
{
    int64_t at = strmap_find (w->ids, (char *)&id, sizeof (id));

    if (at < 0 || !w->name[at].text || !w->name[at].text[0]) {
        w->log.account->unnamed++;
        return 0;
    }
    return (uint32_t)at + 1;
}

/* --- ranks ---------------------------------------------------------------- */

uint32_t darshan_process_of (struct darshan_work *w, int64_t rank)
{
    int isnew;
    int64_t at = strmap_intern (w->ranks, (char *)&rank, sizeof (rank), &isnew);

    if (isnew)
        APPEND (w->process, w->processes, w->process_room)->rank = rank;
    return (uint32_t)at;
}

/* --- a log ---------------------------------------------------------------- */

void darshan_facts_clear (struct darshan_facts *f)
{
    for (size_t i = 0; i < f->mounts; i++) {
        free (f->mount[i].point);
        free (f->mount[i].type);
    }
    for (size_t i = 0; i < f->stripings; i++)
        free (f->striping[i].path);
    free (f->mount);
    free (f->striping);
    memset (f, 0, sizeof (*f));
}

/* Modules that are read; the first COUNTED of them have counters. */
enum { COUNTED = 7 };
static const enum darshan_module darshan_modules[] = {
    DARSHAN_POSIX,       DARSHAN_MPIIO,  DARSHAN_STDIO,
    DARSHAN_H5F,         DARSHAN_H5D,    DARSHAN_PNETCDF_FILE,
    DARSHAN_PNETCDF_VAR, DARSHAN_LUSTRE, DARSHAN_DXT_POSIX,
    DARSHAN_DXT_MPIIO,   DARSHAN_HEATMAP};

/* Modules with data of which nothing is read. */
static void darshan_count_skipped (struct darshan_work *w)
{
    for (int i = 0; i < DARSHAN_MODULES; i++) {
        int known = 0;

        for (size_t k = 0; k < ITEMS (darshan_modules); k++)
            known |= (int)darshan_modules[k] == i;
        w->log.account->skipped += !known && w->log.module[i].bytes > 0;
    }
}

static void darshan_read (struct darshan_work *w)
{
    w->ids = strmap_create ();
    w->ranks = strmap_create ();
    w->records = strmap_create ();
    darshan_count_skipped (w);
    darshan_read_job (w);
    darshan_read_names (w);
    for (int i = 0; i < COUNTED; i++)
        darshan_read_counters (w, darshan_modules[i]);
    darshan_read_dxt (w, DARSHAN_DXT_POSIX);
    darshan_read_dxt (w, DARSHAN_DXT_MPIIO);
    darshan_read_lustre (w);
    darshan_make_rows (w);
    darshan_read_heat (w);
    if (w->processes == 0) /* a job without I/O */
        darshan_process_of (w, w->nprocs == 1 ? 0 : -1);
}

static void darshan_work_clear (struct darshan_work *w)
{
    for (size_t i = 0; i < w->names; i++)
        free (w->name[i].text);
    for (size_t i = 0; i < w->processes; i++)
        free (w->process[i].host);
    for (size_t i = 0; w->records && i < strmap_count (w->records); i++)
        free (strmap_value (w->records, i));
    for (int i = 0; i < DARSHAN_MODULES; i++)
        darshan_bytes_clear (&w->region[i]);
    strmap_destroy (w->ids);
    strmap_destroy (w->ranks);
    strmap_destroy (w->records);
    free (w->name);
    free (w->process);
    free (w->segment);
    free (w->exe);
}

struct tracefile *darshan_open (const char *path,
                                struct profrows *rows,
                                struct darshan_facts *facts,
                                struct darshan_account *account,
                                struct errtext *err)
{
    struct darshan_work w = {.rows = rows, .facts = facts};
    struct tracefile *f = NULL;
    int saved, fd = open_regular (path, err);

    memset (account, 0, sizeof (*account));
    if (fd < 0)
        return NULL;
    if (darshan_log_begin (&w.log, fd, account, path, err) == 0) {
        darshan_read (&w);
        f = darshan_write (&w, path, err);
    }
    saved = errno;
    darshan_work_clear (&w);
    close (fd);
    errno = saved;
    return f;
}
