/* SPDX-License-Identifier: MIT
 *
 * cmd_archive.c - `dftrace sweep archive DIR`: all but the traces, in one file
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "sweep/cmd.h"

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_PREFIX = 155, COPY = 65536 };

static const struct verb_help help = {
    .usage = "dftrace sweep archive [OPTION…] DIR",
    .summary = "pack a sweep without its traces: what was asked, done and "
               "found",
    .text = "The sweep file, plan, manifest, journal, maps, every run's "
            "variables, output, status and\nmetrics, and the tables, as "
            "NAME.tar.gz.",
    .example = "  $ dftrace sweep archive my-study --output my-study.tar.gz",
    .exits = "0  written\n1  it could not be",
};

/* Traces, and what is made from them again. */
static int is_left_out (const char *path)
{
    return !fnmatch ("*/trace/*.dft", path, 0) ||
           !fnmatch ("*/trace/shards/*", path, 0) ||
           !fnmatch ("*/.*", path, FNM_PERIOD);
}

/* nftw has no argument for its function. */
static struct archive {
    gzFile out;
    const char *root, *name;
    size_t files;
    int failed;
} archive;

struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8];
    char type, link[100], magic[6], version[2], user[32], group[32];
    char major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof (struct tar_head) == TAR_BLOCK, "ustar");

/* NAME/… in name, or cut at a slash between prefix and name. */
static int tar_name (struct tar_head *h, const char *path)
{
    size_t n = strlen (path);
    const char *cut = path;

    if (n <= TAR_NAME) {
        memcpy (h->name, path, n);
        return 0;
    }
    while ((cut = strchr (cut + 1, '/')))
        if (strlen (cut + 1) <= TAR_NAME && cut - path <= TAR_PREFIX) {
            memcpy (h->prefix, path, (size_t)(cut - path));
            memcpy (h->name, cut + 1, strlen (cut + 1));
            return 0;
        }
    return -1;
}

static void tar_sum (struct tar_head *h)
{
    const unsigned char *p = (const unsigned char *)h;
    unsigned sum = 0;

    memset (h->sum, ' ', sizeof (h->sum));
    for (size_t i = 0; i < sizeof (*h); i++)
        sum += p[i];
    (void)snprintf (h->sum, sizeof (h->sum), "%06o", sum);
}

static int archive_put (const void *bytes, size_t n)
{
    return gzwrite (archive.out, bytes, (unsigned)n) == (int)n ? 0 : -1;
}

static int archive_put_head (const char *path, const struct stat *st)
{
    struct tar_head h;

    memset (&h, 0, sizeof (h));
    if (tar_name (&h, path) < 0) {
        errno = ENAMETOOLONG;
        return -1;
    }
    (void)snprintf (h.mode, sizeof (h.mode), "%07o",
                    (unsigned)st->st_mode & 0777);
    (void)snprintf (h.uid, sizeof (h.uid), "%07o", 0);
    (void)snprintf (h.gid, sizeof (h.gid), "%07o", 0);
    (void)snprintf (h.size, sizeof (h.size), "%011llo",
                    (unsigned long long)st->st_size);
    (void)snprintf (h.mtime, sizeof (h.mtime), "%011llo",
                    (unsigned long long)st->st_mtime);
    h.type = '0';
    memcpy (h.magic, "ustar", 6);
    memcpy (h.version, "00", 2);
    tar_sum (&h);
    return archive_put (&h, sizeof (h));
}

/* As many bytes as the head says, whatever happens to the file. */
static int put_file (int fd, off_t size)
{
    static char buffer[COPY];
    off_t left = size;

    while (left > 0) {
        size_t want = left < COPY ? (size_t)left : COPY;
        ssize_t n = read (fd, buffer, want);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0) {
            memset (buffer, 0, want);
            n = (ssize_t)want;
        }
        if (archive_put (buffer, (size_t)n) < 0)
            return -1;
        left -= n;
    }
    memset (buffer, 0, TAR_BLOCK);
    return size % TAR_BLOCK
               ? archive_put (buffer, (size_t)(TAR_BLOCK - size % TAR_BLOCK))
               : 0;
}

static int archive_visit (const char *path,
                          const struct stat *st,
                          int type,
                          struct FTW *where)
{
    char name[TAR_NAME + TAR_PREFIX + 2];
    int fd, rc;

    (void)where;
    if (type != FTW_F || !S_ISREG (st->st_mode) ||
        is_left_out (path + strlen (archive.root)))
        return 0;
    (void)snprintf (name, sizeof (name), "%s%s", archive.name,
                    path + strlen (archive.root));
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    rc = fd < 0 ? -1 : archive_put_head (name, st);
    if (rc == 0)
        rc = put_file (fd, st->st_size);
    if (rc < 0) {
        log_error ("%s: %s", path, strerror (errno));
        archive.failed = 1;
    }
    if (fd >= 0)
        (void)close (fd);
    archive.files++;
    return archive.failed;
}

static int write_archive (const struct sweepdir *d,
                          const char *path,
                          const struct output *o)
{
    static const char end[2 * TAR_BLOCK];
    const char *temporary = arena_format (d->arena, "%s.part", path);

    archive = (struct archive){.out = gzopen (temporary, "wbex"),
                               .root = d->path,
                               .name = d->spec->name};
    if (!archive.out) {
        log_error ("%s: %s", temporary, strerror (errno));
        return EXIT_FAILED;
    }
    if (nftw (d->path, archive_visit, 16, FTW_PHYS) < 0)
        archive.failed = 1;
    if (archive_put (end, sizeof (end)) < 0)
        archive.failed = 1;
    if (gzclose (archive.out) != Z_OK || archive.failed ||
        rename (temporary, path) < 0) {
        log_error ("%s: could not be written", path);
        (void)unlink (temporary);
        return EXIT_FAILED;
    }
    if (cmd_talk (o) != stdout) {
        struct textable *t = textable_create ();

        textable_column (t, "archive", "archive", NULL, 0);
        textable_column (t, "files", "files", NULL, 1);
        textable_row (t);
        textable_text (t, path);
        textable_uint (t, archive.files);
        cmd_table (t, o);
        return EXIT_OK;
    }
    printf ("%s: %zu files, without traces\n", path, archive.files);
    return EXIT_OK;
}

int sweep_cmd_archive (int argc, char **argv)
{
    const char *output = NULL;
    struct output o = {.json = 0};
    const struct opt opts[] = {
        {"json", 0, OPT_FLAG, &o.json, NULL, "for programs"},
        {"csv", 0, OPT_FLAG, &o.csv, NULL, "the same as CSV"},
        {"output", 'o', OPT_TEXT, &output, "FILE",
         "default is NAME.tar.gz, here"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    if (!output)
        output = arena_format (d->arena, "%s.tar.gz", d->spec->name);
    status = write_archive (d, output, &o);
    sweepdir_close (d);
    return status;
}
