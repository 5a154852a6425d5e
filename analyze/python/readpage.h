/* SPDX-License-Identifier: MIT
 *
 * readpage.h - the page of a job, and its figures
 */
#ifndef DFT_READER_READPAGE_H
#define DFT_READER_READPAGE_H

#include "analyze/python/readjob.h"

/* Write the page of dftrace report into a file, which is whole or not at all.
 * 0, or -1 with err. */
int readpage_write (struct readjob *j, const char *path, struct errtext *err);

/* The figures of the page as it has them; malloc'd. NULL with err. */
char *readpage_figures (struct readjob *j, size_t *length, struct errtext *err);

/* The page of a sweep directory that has results; malloc'd. NULL with err. */
char *readpage_study (const char *dir, size_t *length, struct errtext *err);

#endif
