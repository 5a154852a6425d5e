/* SPDX-License-Identifier: MIT
 *
 * calls.c - calls.def -> table
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/format/calls.h"

const struct call_info call_table[CALL_MAX] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET)                     \
    [NUMBER] = {#NAME, CALL_CATEGORY_##CATEGORY, CALL_CLASS_##CLASS, FIELDS, \
                CALL_RET_##RET},
#include "lib/format/calls.def"
#undef CALL
};

const char *call_category_name (enum call_category category)
{
    switch (category) {
    case CALL_CATEGORY_POSIX:
        return "POSIX";
    case CALL_CATEGORY_STDIO:
        return "STDIO";
    case CALL_CATEGORY_APP:
        return "APP";
    case CALL_CATEGORY_MMAP:
        return "MMAP";
    case CALL_CATEGORY_NET:
        return "NET";
    case CALL_CATEGORY_KERNEL:
        return "KERNEL";
    case CALL_CATEGORY_WAIT:
        return "WAIT";
    case CALL_CATEGORY_MPIIO:
        return "MPIIO";
    case CALL_CATEGORY_HDF5:
        return "HDF5";
    case CALL_CATEGORY_NETCDF:
        return "NETCDF";
    case CALL_CATEGORY_PNETCDF:
        return "PNETCDF";
    case CALL_CATEGORY_COUNT:
    case CALL_CATEGORY_NONE:
        break;
    }
    return "none";
}

const char *call_class_name (enum call_class class)
{
    switch (class) {
    case CALL_CLASS_READ:
        return "read";
    case CALL_CLASS_WRITE:
        return "write";
    case CALL_CLASS_META:
        return "meta";
    case CALL_CLASS_SYNC:
        return "sync";
    case CALL_CLASS_MAP:
        return "map";
    case CALL_CLASS_COPY:
        return "copy";
    case CALL_CLASS_ASYNC:
        return "async";
    case CALL_CLASS_APP:
        return "app";
    case CALL_CLASS_WAIT:
        return "wait";
    case CALL_CLASS_NONE:
        break;
    }
    return "none";
}

static int is_word (const char *list, size_t n, enum call call)
{
    const struct call_info *info = &call_table[call];
    const char *class = call_class_name ((enum call_class)info->class);

    return info->name[0] && info->category != CALL_CATEGORY_APP &&
           info->category != CALL_CATEGORY_WAIT &&
           ((strlen (info->name) == n && memcmp (info->name, list, n) == 0) ||
            (strlen (class) == n && memcmp (class, list, n) == 0));
}

int calls_has (const char *list, enum call call)
{
    size_t n;

    for (; *list; list += n + (list[n] == ':')) {
        n = strcspn (list, ":");
        if (is_word (list, n, call))
            return 1;
    }
    return 0;
}

int calls_check (const char *list, struct errtext *err)
{
    size_t n;
    int call;

    for (; *list; list += n + (list[n] == ':')) {
        n = strcspn (list, ":");
        for (call = 1; call < CALL_MAX; call++)
            if (n == 0 || is_word (list, n, (enum call)call))
                break;
        if (call < CALL_MAX)
            continue;
        errno = EINVAL;
        return errf (err, "%.*s: no such call", (int)(n < 64 ? n : 64), list);
    }
    return 0;
}
