/* SPDX-License-Identifier: MIT
 *
 * calls.c - calls.def -> table
 */
#include "config.h"

#include "lib/core/calls.h"

const struct call_info call_table[CALL_MAX] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET)                     \
    [NUMBER] = {#NAME, CALL_CATEGORY_##CATEGORY, CALL_CLASS_##CLASS, FIELDS, \
                CALL_RET_##RET},
#include "lib/core/calls.def"
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
    case CALL_CLASS_APP:
        return "app";
    case CALL_CLASS_NONE:
        break;
    }
    return "none";
}
