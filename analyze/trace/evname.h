/* SPDX-License-Identifier: MIT
 *
 * evname.h - an event -> its category, name and file
 */
#ifndef DFT_ANALYZE_EVNAME_H
#define DFT_ANALYZE_EVNAME_H

#include "analyze/trace/batch.h"
#include "lib/util/json.h"

/* NUL-terminated, valid as long as the dictionary; never NULL, "" none. */
struct evname {
    const char *category, *name, *file, *file2;
};

/* Of event i of a batch. */
struct evname evname_of (const struct dict *d, const struct batch *b, size_t i);

/* One argument of an event as a member of a JSON object. */
void evarg_json (struct json *j,
                 const struct dict *d,
                 const struct batch_arg *arg);

#endif
