/* SPDX-License-Identifier: MIT
 *
 * sqlite.h - SQLite, loaded when a database is opened (only where HAVE_SQLITE)
 *
 * sqlite.NAME is the function sqlite3_NAME.
 */
#pragma once

#include <sqlite3.h>

#include "lib/base/text.h"

/* clang-format off */
#define SQLITE_FUNCTIONS(F) \
    F (bind_double) F (bind_int) F (bind_int64) F (bind_null) F (bind_text) \
    F (busy_timeout) F (changes) F (close) F (column_count) \
    F (column_double) F (column_int64) F (column_text) F (column_type) \
    F (errmsg) F (exec) F (finalize) F (free) F (malloc64) F (mprintf) \
    F (open) F (open_v2) F (prepare_v2) F (reset) F (step) F (vmprintf)
/* clang-format on */

extern struct sqlite_functions {
#define F(NAME) __typeof__ (sqlite3_##NAME) *NAME;
    SQLITE_FUNCTIONS (F)
#undef F
} sqlite;

/* Before all others. 0, or -1 with err. Thread safe. */
int sqlite_load (struct errtext *err);
