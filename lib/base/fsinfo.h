/* SPDX-License-Identifier: MIT
 *
 * fsinfo.h - text of /proc/self/mountinfo -> the mount of a file
 *
 * Async-signal-safe; no allocation. The text is given in pieces of any length,
 * so that a long one needs little memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -- text of /proc/self/mountinfo -> the mount of a file -- */

enum {
    MOUNTINFO_POINT = 512, /* bytes of a mount point, with NUL; a longer one is
                              not known */
    MOUNTINFO_TYPE = 32    /* of a type: "lustre", "fuse.sshfs" */
};

struct mountinfo_mount {
    char point[MOUNTINFO_POINT]; /* as the process sees it; "" not known */
    char type[MOUNTINFO_TYPE];   /* "" not known */
};

/* A search in /proc/self/mountinfo and its state. */
struct mountinfo {
    uint64_t id;           /* of the mount (statx), 0: not known */
    unsigned major, minor; /* of the device, where the id is not known */
    /* private: */
    uint64_t number;
    unsigned field, dash, escape, left, found;
    size_t used;
    struct mountinfo_mount line; /* of the line at hand */
    struct mountinfo_mount mount;
};

/* Begin: set id, or major and minor, of a zeroed one. Take n bytes of the text;
 * true when there is nothing left to look for: by the id. (Of mounts of one
 * device the first one counts.) */
int mountinfo_take (struct mountinfo *m, const char *text, size_t n);

/* The mount that was found, or NULL. */
const struct mountinfo_mount *mountinfo_found (const struct mountinfo *m);

/* Name of a file system by the magic number that statfs gives, or NULL. */
const char *mountinfo_type_of (uint64_t magic);

/* -- bytes of the attribute lustre.lov -> striping of a file -- */

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
