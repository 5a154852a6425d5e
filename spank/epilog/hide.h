/* SPDX-License-Identifier: MIT
 *
 * hide.h - names in a site's summary of a job -> keyed hashes
 *
 * HMAC-SHA256 under a key that only root can read, of the column's name and the
 * text: equal names of a column have equal hashes, and nobody without the key
 * can try names. 64 bits of it are kept, as "~" and 16 digits.
 */
#ifndef DFT_EPILOG_HIDE_H
#define DFT_EPILOG_HIDE_H

#include <stddef.h>

#include "lib/base/errtext.h"
#include "lib/model/summary.h"

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

#endif
