/* SPDX-License-Identifier: MIT
 *
 * sitedb.h - the jobs of a site in one SQLite file
 *
 * Table job: a column for each row of summary.h, its key is (ended, job, part,
 * host). Table file: how far a file of lines was read. The file is the
 * caller's alone (0600). A program has one such file open. Whatever fails ends
 * the command, and the file is as it was; so where the program was built
 * without SQLite.
 */
#pragma once

#include "lib/base/text.h"
#include "lib/model/summary.h"
#include "lib/util/textable.h"

/* -- the jobs of a site in one SQLite file -- */

/* write: made when it is not there, columns of newer versions are added. */
void sitedb_open (const char *path, int write);

/* A cell of an answer; neither text nor number: n/a. */
struct sitecell {
    const char *text; /* until take returns; NULL for a number */
    double number;    /* NAN for a text */
};

/* Run sql, whose ?1, ?2 … are the words of args (up to NULL), and give each row
 * to take: its n cells. */
void sitedb_ask (const char *sql,
                 const char *const *args,
                 void (*take) (void *arg, int n, const struct sitecell *cell),
                 void *arg);

/* -- the lines that epilogs kept -> the site's database -- */

struct sitecollect {
    uint64_t files, jobs; /* read now */
    uint64_t bad;         /* lines or files that could not be read */
    uint64_t expired;     /* jobs that were removed */
};

/* Read what is new in DIR's *.jsonl into the database at path. Only files of
 * the directory's owner, who must be the caller or root. keep_days > 0: jobs
 * that ended before that are removed, and files that were read to their end and
 * are older. */
struct sitecollect
sitecollect_run (const char *dir, const char *path, int keep_days);
