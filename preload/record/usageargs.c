/* SPDX-License-Identifier: MIT
 *
 * usageargs.c - rows of usage.def -> names, arguments of an event
 */
#include "config.h"

#include <string.h>

#include "lib/format/event.h"
#include "preload/record/usage.h"
#include "lib/base/sys.h"

static SYS_EVENT uint32_t name_ids[USAGE_COUNT];

uint32_t usage_name (enum usage_key key)
{
    uint32_t id = __atomic_load_n (&name_ids[key], __ATOMIC_RELAXED);

    if (id)
        return id;
    id = names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, usage_keys[key],
                       strlen (usage_keys[key]));
    __atomic_store_n (&name_ids[key], id, __ATOMIC_RELAXED);
    return id;
}

uint32_t usage_put (struct record_arg *args,
                    uint32_t n,
                    enum usage_key key,
                    uint64_t value)
{
    if (n < EVENT_ARGS_MAX)
        args[n++] = (struct record_arg){.key = usage_name (key),
                                        .type = EVENT_ARG_INT,
                                        .i = (int64_t)value};
    return n;
}

uint32_t usage_put_text (struct record_arg *args,
                         uint32_t count,
                         enum usage_key key,
                         const char *text,
                         size_t n)
{
    if (count < EVENT_ARGS_MAX)
        args[count++] = (struct record_arg){
            .key = usage_name (key),
            .type = EVENT_ARG_TEXT,
            .text =
                names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text, n)};
    return count;
}
