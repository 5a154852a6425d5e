/* SPDX-License-Identifier: MIT
 *
 * keep.h - a line of each job that ended on this node, for the site
 */
#pragma once

#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/model/summary.h"

/* -- a line of each job that ended on this node, for the site -- */

struct keep_job {
    const char *host;
    uint32_t job_id;
    uid_t uid;
    int64_t now;            /* seconds since 1970 */
    const uint64_t *weight; /* of each of its directories; see marker.h */
    size_t weights;
    const struct hide *hide; /* texts that are hashed; NULL: none */
};

/* Append what tell.h has in text, which is changed, to DIR/HOST-YYYYMMDD.jsonl
 * (UTC), mode 0600. Partition and account are those of the environment,
 * SLURM_JOB_*. DIR is made if it is not there (0700); it must belong to
 * who calls this, and be writable by nobody else. As root, and where it may
 * wait: DIR may be on a file server. 0, or -1, errno and err. */
int keep_jobs (const char *dir,
               const struct keep_job *job,
               char *text,
               struct errtext *err);

/* -- the same in Slurm's database -- */

/* Put what the user's side told of the first directory (tell.h) into this field
 * of the job's record, by sacctmgr: at most COMMENT_MAX plain characters. In a
 * process of its own that nobody waits for, and that ends after COMMENT_TRIES
 * of COMMENT_MS each, with COMMENT_WAIT_S and then twice as long between two.
 * As root, as the last thing of an epilog, which ends its children. 0, also
 * where nothing was told, or -1 and err. */
enum {
    COMMENT_MAX = 240,
    COMMENT_MS = 10000,
    COMMENT_TRIES = 5,
    COMMENT_WAIT_S = 2
};
int comment_job (const char *field,
                 uint32_t job_id,
                 uid_t uid,
                 const char *told,
                 struct errtext *err);

/* -- names in a site's summary of a job -> keyed hashes -- */

enum { HIDE_TEXT = 18, HIDE_KEY_MAX = 4096, HIDE_KEY_MIN = 16 };

struct hide {
    unsigned char key[HIDE_KEY_MAX];
    size_t length; /* 0: there is no key, so the texts are left out */
    int column[SUMMARY_FIELDS];
};

/* Columns of "user,name,program". -1 and err: a word is none that can be
 * hidden; then all are, since a slip must not show a name. */
int hide_columns (struct hide *h, const char *list, struct errtext *err);

/* Read the key: a regular file of the caller that nobody else can read or
 * write, of 16 to 4096 bytes. -1, errno and err. */
int hide_read_key (struct hide *h, const char *path, struct errtext *err);

/* The hash of a column's text, "" for "" and where there is no key. */
void hide_text (const struct hide *h,
                const char *column,
                const char *text,
                char out[HIDE_TEXT]);

/* Hide the texts of all hidden columns; if user is hidden, uid is left out,
 * too. */
void hide_texts (const struct hide *h, struct job_summary *s);
