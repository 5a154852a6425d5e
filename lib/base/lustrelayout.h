/* SPDX-License-Identifier: MIT
 *
 * lustrelayout.h - bytes of the attribute lustre.lov -> striping of a file
 *
 * By the documented layout (lustre/include/uapi/linux/lustre/lustre_user.h,
 * llapi_layout(7)): struct lov_user_md_v1, lov_user_md_v3 and
 * lov_comp_md_v1, all little endian. Async-signal-safe; no allocation. Any
 * bytes may be given.
 */
#ifndef DFT_CORE_LUSTRELAYOUT_H
#define DFT_CORE_LUSTRELAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum {
    LUSTRELAYOUT_SHORT = 1024,   /* bytes: most layouts; kind to stacks */
    LUSTRELAYOUT_LONG = 1 << 16, /* the most that an attribute has */
    LUSTRELAYOUT_COMPONENTS = 64 /* of a composite layout */
};

/* Striping of a file. For a composite layout: the component with the most
 * stripes among those with objects, or among all if none has objects. */
struct lustrelayout {
    uint32_t stripes;     /* objects that the file is spread over; 0: by the
                             default of the file system, not known */
    uint64_t stripe_size; /* bytes */
    uint32_t components;  /* 1: a plain layout */
    uint32_t mirrors;     /* 0, 1: none */
    uint32_t released;    /* its data has been moved away (HSM) */
};

/* 0, or -1: no such layout (EINVAL), cut (EOVERFLOW). */
int lustrelayout_parse (struct lustrelayout *l, const void *bytes, size_t n);

#endif
