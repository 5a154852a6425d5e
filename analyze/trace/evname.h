/* SPDX-License-Identifier: MIT
 *
 * evname.h - an event -> its category, name and file
 */
#ifndef DFT_ANALYZE_EVNAME_H
#define DFT_ANALYZE_EVNAME_H

#include <stddef.h>

#include "lib/core/record/event.h"
#include "lib/util/json.h"

/* As the names stand in the chunk: not NUL-terminated, valid as long as the
 * decoder's. A length of 0: none. */
struct evname {
    const char *category, *name, *file;
    size_t category_length, name_length, file_length;
};

struct evname evname_of (const struct decoder *d, const struct event *ev);

enum { EVNAME_TEXT = EVENT_NAME_MAX + 1 };

/* A copy with a NUL; to has room for EVNAME_TEXT. Returns to. */
char *evname_text (char *to, const char *from, size_t length);

/* One argument of an event as a member of a JSON object. */
void evarg_json (struct json *j,
                 const struct decoder *d,
                 const struct event_arg *arg);

#endif
