/* SPDX-License-Identifier: MIT
 *
 * database.h - tables of jobs -> one SQLite file
 */
#ifndef DFT_ANALYZE_DATABASE_H
#define DFT_ANALYZE_DATABASE_H

#include "analyze/tables/views.h"

struct database;

/* Begin a file that appears whole under its name, in the place of what is
 * there, with database_commit. NULL, errno and err: not writable; ENOTSUP
 * where the program was built without SQLite. */
struct database *database_create (const char *path, struct errtext *err);

/* A row of the table job, and all views of that job. 0, or -1 with err. */
int database_add (struct database *d,
                  const struct result *r,
                  struct errtext *err);

/* 0, or -1 with err; d is gone in any case. */
int database_commit (struct database *d, struct errtext *err);
void database_abort (struct database *d); /* NULL is fine, keeps errno */

#endif
