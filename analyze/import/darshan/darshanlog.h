/* SPDX-License-Identifier: MIT
 *
 * darshanlog.h - a log of Darshan 3 on disk -> its regions, unpacked
 *
 * The format is that of Darshan's darshan-log-format.h, versions 3.00 to 3.41:
 * a header, then regions, each packed by itself (zlib, bzip2 or not at all; a
 * region may be several streams, one behind the other), in the byte order of
 * the machine that wrote them. Input is hostile: nothing is believed, what is
 * unpacked is bounded, what does not fit is counted.
 */
#ifndef DFT_ANALYZE_DARSHANLOG_H
#define DFT_ANALYZE_DARSHANLOG_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/errtext.h"

/* Modules, with their numbers in a log of 3.41. */
enum darshan_module {
    DARSHAN_POSIX = 1,
    DARSHAN_MPIIO = 2,
    DARSHAN_H5F = 3,
    DARSHAN_H5D = 4,
    DARSHAN_PNETCDF_FILE = 5,
    DARSHAN_PNETCDF_VAR = 6,
    DARSHAN_LUSTRE = 8,
    DARSHAN_STDIO = 9,
    DARSHAN_DXT_POSIX = 10,
    DARSHAN_DXT_MPIIO = 11,
    DARSHAN_HEATMAP = 15,
    DARSHAN_MODULES = 64
};

enum {
    DARSHAN_REGION_MAX = 1 << 29, /* bytes of a region, unpacked */
    DARSHAN_NAME_MAX = 4096       /* of a path; longer ones are cut */
};

/* What is wrong with a log. */
struct darshan_account {
    uint64_t cut;     /* regions that end too early, or are damaged: what came
                         before counts */
    uint64_t unnamed; /* records whose file has no name */
    uint64_t bad;     /* records that make no sense: left out */
    uint64_t skipped; /* modules that are not read, or of a later version */
    uint64_t partial; /* modules that ran out of memory while recording */
    uint64_t mixed;   /* DXT segments of which the kind is not known */
};

struct darshan_region {
    uint64_t offset, bytes; /* in the file, packed */
};

/* Unpacked bytes. */
struct darshan_bytes {
    unsigned char *at; /* owned */
    size_t count;
};

struct darshan_log {
    int fd; /* not owned */
    int swap;
    int version; /* 341: 3.41 */
    unsigned char packing;
    struct darshan_region job, names, module[DARSHAN_MODULES];
    uint32_t module_version[DARSHAN_MODULES];
    uint64_t partial; /* bits of modules */
    struct darshan_account *account;
};

/* Does the name end in .darshan? (.darshan_partial, too.) */
int darshan_is_name (const char *name);

/* Read the header. 0, or -1 with err: not a log, of another version. name is
 * for err. */
int darshan_log_begin (struct darshan_log *l,
                       int fd,
                       struct darshan_account *account,
                       const char *name,
                       struct errtext *err);

/* Unpack a region; what is missing is counted. 0, or -1 (ENOMEM). */
int darshan_log_unpack (const struct darshan_log *l,
                        const struct darshan_region *r,
                        struct darshan_bytes *b);
void darshan_bytes_clear (struct darshan_bytes *b);

uint64_t darshan_u64 (const struct darshan_log *l, const unsigned char *p);
uint32_t darshan_u32 (const struct darshan_log *l, const unsigned char *p);
double darshan_f64 (const struct darshan_log *l, const unsigned char *p);
static inline int64_t darshan_i64 (const struct darshan_log *l,
                                   const unsigned char *p)
{
    return (int64_t)darshan_u64 (l, p);
}

#endif
