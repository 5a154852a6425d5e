/* SPDX-License-Identifier: MIT
 *
 * pfwnamesin.h - what names of a DFTracer trace are made of (private to
 *                pfwnames.c and pfwkeptnames.c)
 */
#ifndef DFT_ANALYZE_PFWNAMESIN_H
#define DFT_ANALYZE_PFWNAMESIN_H

#include "analyze/import/pfw/pfwnames.h"
#include "lib/format/event.h"
#include "lib/util/strmap.h"

enum { KEY_MAX = 2 * EVENT_NAME_MAX + 2 };

struct pfw_names {
    struct strmap *number; /* kind and raw text -> number */
    struct strmap *hash;   /* hash as written -> number */
    struct pfw_name *item; /* [1 … count] */
    size_t count, room;
    char key[KEY_MAX];
};

#endif
